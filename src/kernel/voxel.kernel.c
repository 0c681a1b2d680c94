// Cells with matrices of their own, see voxel.h. A register holds one component of the eight
// corners of a cell, whatever the lanes of the instruction set.
#include "kernel/voxel.h"
#include "kernel/wide.h"

#include <stddef.h>

extern const SnVoxelKernels SN_NAME(voxel);

typedef float Eight __attribute__((vector_size(32)));

static inline Eight eight_madd(Eight a, Eight b, Eight c)
{
#if SN_FAST && SN_LANES >= 8
    return (Eight)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif SN_FAST && defined(__ARM_NEON)
    float32x4_t p[2], q[2], r[2];
    memcpy(p, &a, sizeof p);
    memcpy(q, &b, sizeof q);
    memcpy(r, &c, sizeof r);
    r[0] = vfmaq_f32(r[0], p[0], q[0]);
    r[1] = vfmaq_f32(r[1], p[1], q[1]);
    memcpy(&c, r, sizeof c);
    return c;
#else
    return a * b + c;
#endif
}

static inline Eight eight_set(float value)
{
    return value - (Eight){0.0f};
}

static inline Eight eight_load(const float *p)
{
    Eight v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void eight_store(float *p, Eight v)
{
    memcpy(p, &v, sizeof v);
}

static inline void product(const float *matrix, const float *u, Eight out[3])
{
    Eight sum[3] = {{0.0f}, {0.0f}, {0.0f}};
    for (size_t j = 0; j < SN_VOXEL_NUMBERS; ++j) {
        const float *row = matrix + SN_VOXEL_NUMBERS * j; // a column too
        Eight by = eight_set(u[j]);
        for (size_t i = 0; i < 3; ++i) {
            sum[i] = eight_madd(by, eight_load(row + 8 * i), sum[i]);
        }
    }
    out[0] = sum[0];
    out[1] = sum[1];
    out[2] = sum[2];
}

static void apply(const SnVoxelBatch *b, int begin, int end)
{
    for (size_t e = (size_t)begin; e < (size_t)end; ++e) {
        const int *corners = b->corners + 8 * e;
        const float *R = b->rotations + 9 * e;
        float u[SN_VOXEL_NUMBERS];
        Eight x[3], f[3];
        for (size_t c = 0; c < 8; ++c) {
            const float *at = b->x + 3 * (size_t)corners[c];
            u[c] = at[0];
            u[8 + c] = at[1];
            u[16 + c] = at[2];
        }
        for (size_t i = 0; i < 3; ++i) {
            x[i] = eight_load(u + 8 * i);
        }
        for (size_t i = 0; i < 3; ++i) {
            Eight sum = eight_set(R[i]) * x[0];
            sum = eight_madd(eight_set(R[3 + i]), x[1], sum);
            eight_store(u + 8 * i, eight_madd(eight_set(R[6 + i]), x[2], sum));
        }
        product(b->matrices + SN_VOXEL_ENTRIES * (size_t)b->kinds[e], u, f);
        for (size_t i = 0; i < 3; ++i) {
            Eight sum = eight_set(R[3 * i]) * f[0];
            sum = eight_madd(eight_set(R[3 * i + 1]), f[1], sum);
            eight_store(b->out + SN_VOXEL_NUMBERS * e + 8 * i,
                        eight_madd(eight_set(R[3 * i + 2]), f[2], sum));
        }
    }
}

static void multiply(const float *matrix, const float *u, float *out)
{
    Eight f[3];
    product(matrix, u, f);
    for (size_t i = 0; i < 3; ++i) {
        eight_store(out + 8 * i, f[i]);
    }
}

// Even and odd corners go to the two halves of a register.
static void place(const SnVoxelSites *s, int begin, int end)
{
    for (size_t n = (size_t)begin; n < (size_t)end; ++n) {
        const float *u = s->u + SN_VOXEL_NUMBERS * (size_t)s->cells[n];
        const float *shape = s->shapes + SN_VOXEL_SITE * n;
        Eight sum = {0.0f};
        for (size_t k = 0; k < SN_VOXEL_NUMBERS; k += 2) {
            Eight by = {u[k], u[k], u[k], u[k], u[k + 1], u[k + 1], u[k + 1], u[k + 1]};
            sum = eight_madd(by, eight_load(shape + 4 * k), sum);
        }
        for (size_t i = 0; i < 4; ++i) {
            s->out[4 * n + i] = s->rest[4 * n + i] + (sum[i] + sum[i + 4]);
        }
    }
}

const SnVoxelKernels SN_NAME(voxel) = {.apply = apply, .multiply = multiply, .place = place};
