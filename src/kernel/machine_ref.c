// Plain loops for machine.h. They show what code that leaves vectors to the compiler reaches, and
// the tests compare the others with them.
#include "kernel/machine.h"

extern const SnMachineKernels sn_machine_ref;

static float stream_read(const float *x, size_t count, int passes)
{
    float sum = 0.0f;
    for (int pass = 0; pass < passes; ++pass) {
        for (size_t i = 0; i < count; ++i) {
            sum += x[i];
        }
    }
    return sum;
}

static void stream_update(float *x, size_t count, int passes, float a, float b)
{
    for (int pass = 0; pass < passes; ++pass) {
        for (size_t i = 0; i < count; ++i) {
            x[i] = a * x[i] + b;
        }
    }
}

// Chains that do not wait for each other, or the sum of their delays would be measured.
enum { CHAINS = 32 };

static double peak_madd_float(int64_t rounds, float a, float b, float *out_sum)
{
    float x[CHAINS] = {0.0f};
    for (int64_t round = 0; round < rounds; ++round) {
        for (int c = 0; c < CHAINS; ++c) {
            x[c] = x[c] * a + b;
        }
    }
    *out_sum = 0.0f;
    for (int c = 0; c < CHAINS; ++c) {
        *out_sum += x[c];
    }
    return 2.0 * CHAINS * (double)rounds;
}

static double peak_madd_double(int64_t rounds, double a, double b, double *out_sum)
{
    double x[CHAINS] = {0.0};
    for (int64_t round = 0; round < rounds; ++round) {
        for (int c = 0; c < CHAINS; ++c) {
            x[c] = x[c] * a + b;
        }
    }
    *out_sum = 0.0;
    for (int c = 0; c < CHAINS; ++c) {
        *out_sum += x[c];
    }
    return 2.0 * CHAINS * (double)rounds;
}

const SnMachineKernels sn_machine_ref = {
    .stream_read = stream_read,
    .stream_update = stream_update,
    .peak_madd_float = peak_madd_float,
    .peak_madd_double = peak_madd_double,
};
