// The rotation kernels on matrices of every kind that + - * / can make.
#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/rotation.h"
#include "support/hash_lines.h"

#include <string.h>

enum { MATRICES = 20011, STRIDE = 20016, PLANES = 9 + 6 + 4 + 9 + 9 + 3 + 9 };

// Kind 0: near the identity; 1: general; 2: rank one; 3: zero; others: general, times a power of
// four between 4^-60 and 4^60.
static void fill_matrix(int kind, SnRandom *random, double F[9])
{
    double a[3];
    double b[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = sn_random_between(random, -1.0, 1.0);
        b[k] = sn_random_between(random, -1.0, 1.0);
    }
    double scale = 1.0;
    for (int power = (int)sn_random_between(random, -60.0, 60.0); power != 0 && kind > 3;) {
        scale *= power > 0 ? 4.0 : 0.25;
        power += power > 0 ? -1 : 1;
    }
    for (int k = 0; k < 9; ++k) {
        double noise = sn_random_between(random, -1.0, 1.0);
        double unit = k % 4 == 0 ? 1.0 : 0.0;
        F[k] = kind == 0   ? unit + 0.2 * noise
               : kind == 2 ? a[k / 3] * b[k % 3]
               : kind == 3 ? 0.0
                           : scale * noise;
    }
}

static void fill(float *F, float *M)
{
    SnRandom random = {2024};
    for (int i = 0; i < STRIDE; ++i) {
        double matrix[9];
        fill_matrix(i % 7, &random, matrix);
        for (int k = 0; k < 9; ++k) {
            F[k * STRIDE + i] = (float)matrix[k];
        }
        for (int k = 0; k < 6; ++k) {
            double low = k < 3 ? 1.0 : -0.3;
            double high = k < 3 ? 2.0 : 0.3;
            M[k * STRIDE + i] = (float)sn_random_between(&random, low, high);
        }
    }
}

static uint64_t hash_planes(uint64_t hash, const float *planes, int count)
{
    for (int k = 0; k < count; ++k) {
        hash = sn_hash(hash, planes + (size_t)k * STRIDE, MATRICES * sizeof *planes);
    }
    return hash;
}

int hash_rotation(const SnKernels *kernels, FILE *out)
{
    static const char *const names[] = {"rotation_apd", "rotation_svd", "rotation_polar",
                                        "rotation_qr", "rotation_energy"};
    float *planes = sn_alloc_zero(NULL, (size_t)PLANES * STRIDE, sizeof *planes);
    if (planes == NULL) {
        return 1;
    }
    float *F = planes;
    float *M = F + 9 * STRIDE;
    float *q = M + 6 * STRIDE;
    float *outputs = q + 4 * STRIDE;
    SnRotationBatch batch = {
        .count = MATRICES,
        .stride = STRIDE,
        .iterations = 3,
        .F = F,
        .M = M,
        .q = q,
        .R = outputs,
        .U = outputs + 9 * STRIDE,
        .sigma = outputs + 18 * STRIDE,
        .V = outputs + 21 * STRIDE,
    };
    fill(F, M);
    for (int method = 0; method <= SINEW_ROTATION_ENERGY; ++method) {
        memset(q, 0, 34 * STRIDE * sizeof *q);
        for (int i = 0; i < STRIDE; ++i) {
            q[3 * STRIDE + i] = 1.0f;
        }
        sn_rotations(kernels, NULL, (SinewRotationMethod)method, &batch);
        hash_line(out, names[method], kernels, hash_planes(SN_HASH_START, q, 34));
    }
    sn_free(NULL, planes);
    return 0;
}
