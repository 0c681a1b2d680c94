// Streaming and multiply-add at full speed, see machine.h. Two things keep the compiler honest: a
// barrier between passes makes it load again what it has already read, and every result is summed
// into an output.
#include "kernel/machine.h"
#include "kernel/wide.h"

#include <assert.h>

extern const SnMachineKernels SN_NAME(machine);

enum {
    DOUBLES = SN_LANES / 2,
    // An addition takes up to 4 cycles and two start in each, so 8 sums hide it.
    SUMS = 8,
    // Chains of multiply-adds: more than 2 units times 4 cycles, and with the two constants still
    // within 32 registers of avx512 or 16 of the others.
    CHAINS = SN_LANES == 16 ? 24 : 12
};

static_assert(SN_MACHINE_BLOCK % (SUMS * SN_LANES) == 0, "a block is whole rounds of registers");

// Memory may have changed, says this to the compiler; it costs no instruction.
static inline void forget_memory(void)
{
    __asm__ volatile("" ::: "memory");
}

// Eight sums by name: as an array, gcc keeps them in memory from pass to pass.
static float stream_read(const float *x, size_t count, int passes)
{
    Wide zero = wide_set(0.0f);
    Wide s0 = zero, s1 = zero, s2 = zero, s3 = zero, s4 = zero, s5 = zero, s6 = zero, s7 = zero;
    for (int pass = 0; pass < passes; ++pass) {
        for (size_t i = 0; i < count; i += SUMS * SN_LANES) {
            s0 += wide_load(x + i + 0 * SN_LANES);
            s1 += wide_load(x + i + 1 * SN_LANES);
            s2 += wide_load(x + i + 2 * SN_LANES);
            s3 += wide_load(x + i + 3 * SN_LANES);
            s4 += wide_load(x + i + 4 * SN_LANES);
            s5 += wide_load(x + i + 5 * SN_LANES);
            s6 += wide_load(x + i + 6 * SN_LANES);
            s7 += wide_load(x + i + 7 * SN_LANES);
        }
        forget_memory();
    }
    Wide sum = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
    float total = 0.0f;
    for (int lane = 0; lane < SN_LANES; ++lane) {
        total += sum[lane];
    }
    return total;
}

static void stream_update(float *x, size_t count, int passes, float a, float b)
{
    Wide wide_a = wide_set(a);
    Wide wide_b = wide_set(b);
    for (int pass = 0; pass < passes; ++pass) {
        for (size_t i = 0; i < count; i += SUMS * SN_LANES) {
#pragma GCC unroll 8
            for (int s = 0; s < SUMS; ++s) {
                float *p = x + i + s * SN_LANES;
                wide_store(p, SN_MADD(wide_a, wide_load(p), wide_b));
            }
        }
        forget_memory();
    }
}

static double peak_madd_float(int64_t rounds, float a, float b, float *out_sum)
{
    Wide wide_a = wide_set(a);
    Wide wide_b = wide_set(b);
    Wide x[CHAINS];
    for (int c = 0; c < CHAINS; ++c) {
        x[c] = wide_set((float)c);
    }
    for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
        for (int c = 0; c < CHAINS; ++c) {
            x[c] = SN_MADD(x[c], wide_a, wide_b);
        }
    }
    *out_sum = 0.0f;
    for (int c = 0; c < CHAINS; ++c) {
        for (int lane = 0; lane < SN_LANES; ++lane) {
            *out_sum += x[c][lane];
        }
    }
    return 2.0 * CHAINS * SN_LANES * (double)rounds;
}

static double peak_madd_double(int64_t rounds, double a, double b, double *out_sum)
{
    WideDouble wide_a = a - (WideDouble){0.0};
    WideDouble wide_b = b - (WideDouble){0.0};
    WideDouble x[CHAINS];
    for (int c = 0; c < CHAINS; ++c) {
        x[c] = (double)c - (WideDouble){0.0};
    }
    for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
        for (int c = 0; c < CHAINS; ++c) {
            x[c] = wide_double_madd(x[c], wide_a, wide_b);
        }
    }
    *out_sum = 0.0;
    for (int c = 0; c < CHAINS; ++c) {
        for (int lane = 0; lane < DOUBLES; ++lane) {
            *out_sum += x[c][lane];
        }
    }
    return 2.0 * CHAINS * DOUBLES * (double)rounds;
}

const SnMachineKernels SN_NAME(machine) = {
    .stream_read = stream_read,
    .stream_update = stream_update,
    .peak_madd_float = peak_madd_float,
    .peak_madd_double = peak_madd_double,
};
