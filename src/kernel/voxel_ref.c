// Cells with matrices of their own, by the formulas and in the order of voxel.h.
#include "kernel/voxel.h"

#include <stddef.h>

extern const SnVoxelKernels sn_voxel_ref;

static void multiply(const float *matrix, const float *u, float *out)
{
    for (size_t i = 0; i < SN_VOXEL_NUMBERS; ++i) {
        float sum = 0.0f;
        for (size_t j = 0; j < SN_VOXEL_NUMBERS; ++j) {
            sum = u[j] * matrix[SN_VOXEL_NUMBERS * j + i] + sum;
        }
        out[i] = sum;
    }
}

static void apply(const SnVoxelBatch *b, int begin, int end)
{
    for (size_t e = (size_t)begin; e < (size_t)end; ++e) {
        const float *R = b->rotations + 9 * e;
        float u[SN_VOXEL_NUMBERS], f[SN_VOXEL_NUMBERS];
        for (size_t c = 0; c < 8; ++c) {
            const float *x = b->x + 3 * (size_t)b->corners[8 * e + c];
            for (size_t i = 0; i < 3; ++i) {
                u[8 * i + c] = R[6 + i] * x[2] + (R[3 + i] * x[1] + R[i] * x[0]);
            }
        }
        multiply(b->matrices + SN_VOXEL_ENTRIES * (size_t)b->kinds[e], u, f);
        for (size_t c = 0; c < 8; ++c) {
            for (size_t i = 0; i < 3; ++i) {
                b->out[SN_VOXEL_NUMBERS * e + 8 * i + c] =
                    R[3 * i + 2] * f[16 + c] + (R[3 * i + 1] * f[8 + c] + R[3 * i] * f[c]);
            }
        }
    }
}

static void place(const SnVoxelSites *s, int begin, int end)
{
    for (size_t n = (size_t)begin; n < (size_t)end; ++n) {
        const float *u = s->u + SN_VOXEL_NUMBERS * (size_t)s->cells[n];
        for (size_t i = 0; i < 4; ++i) {
            float even = 0.0f, odd = 0.0f;
            for (size_t k = 0; k < SN_VOXEL_NUMBERS; k += 2) {
                even = u[k] * s->shapes[SN_VOXEL_SITE * n + 4 * k + i] + even;
                odd = u[k + 1] * s->shapes[SN_VOXEL_SITE * n + 4 * k + 4 + i] + odd;
            }
            s->out[4 * n + i] = s->rest[4 * n + i] + (even + odd);
        }
    }
}

const SnVoxelKernels sn_voxel_ref = {.apply = apply, .multiply = multiply, .place = place};
