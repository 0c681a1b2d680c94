// The coarse space of `split` by the formulas, see coarse.h.
#include "kernel/coarse.h"

#include <stddef.h>

extern const SnCoarseKernels sn_coarse_ref;

static float dot4(const float *a, const float *b)
{
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

static void blend(const SnCoarse *c, int begin, int end)
{
    for (size_t v = (size_t)begin; v < (size_t)end; ++v) {
        const float *first = c->rotations + 4 * (size_t)c->clusters[4 * v];
        float q[4];
        for (size_t i = 0; i < 4; ++i) {
            q[i] = c->basis[16 * v] * first[i];
        }
        for (size_t k = 1; k < SN_COARSE_CLUSTERS; ++k) {
            const float *other = c->rotations + 4 * (size_t)c->clusters[4 * v + k];
            float weight = c->basis[16 * v + 4 * k];
            weight = dot4(first, other) < 0.0f ? -weight : weight;
            for (size_t i = 0; i < 4; ++i) {
                q[i] = weight * other[i] + q[i];
            }
        }
        float norm2 = dot4(q, q);
        float two = norm2 > 0.0f ? 2.0f / norm2 : 0.0f;
        float x2 = q[0] * two, y2 = q[1] * two, z2 = q[2] * two;
        const float R[12] = {1.0f - (q[1] * y2 + q[2] * z2), q[0] * y2 - q[3] * z2,
                             q[0] * z2 + q[3] * y2,          0.0f,
                             q[0] * y2 + q[3] * z2,          1.0f - (q[0] * x2 + q[2] * z2),
                             q[1] * z2 - q[3] * x2,          0.0f,
                             q[0] * z2 - q[3] * y2,          q[1] * z2 + q[3] * x2,
                             1.0f - (q[0] * x2 + q[1] * y2), 0.0f};
        for (size_t i = 0; i < 12; ++i) {
            c->turns[12 * v + i] = R[i];
        }
    }
}

static void turn(const SnCoarse *c, int begin, int end)
{
    for (size_t v = (size_t)begin; v < (size_t)end; ++v) {
        for (size_t i = 0; i < 4; ++i) {
            float sum = c->residual[3 * v] * c->turns[12 * v + i];
            sum = c->residual[3 * v + 1] * c->turns[12 * v + 4 + i] + sum;
            c->turned[4 * v + i] = c->residual[3 * v + 2] * c->turns[12 * v + 8 + i] + sum;
        }
    }
}

static void gather(const SnCoarse *c, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        for (size_t k = 0; k < SN_COARSE_FRAME; ++k) {
            float sum = 0.0f;
            for (int m = c->start[i]; m < c->start[i + 1]; ++m) {
                size_t member = (size_t)c->members[m];
                sum = c->turned[4 * (member / 4) + k / 4] * c->basis[4 * member + k % 4] + sum;
            }
            c->right[SN_COARSE_FRAME * i + k] = sum;
        }
    }
}

static void solve(const SnCoarse *c, int begin, int end)
{
    for (int row = begin * SN_COARSE_ROWS; row < end * SN_COARSE_ROWS; ++row) {
        float sum = 0.0f;
        for (int j = 0; j < c->row_count; ++j) {
            sum = c->inverse[(size_t)j * (size_t)c->row_count + (size_t)row] * c->right[j] + sum;
        }
        c->frames[row] = sum;
    }
}

static void spread(const SnCoarse *c, int begin, int end)
{
    for (size_t v = (size_t)begin; v < (size_t)end; ++v) {
        float u[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        for (size_t i = 0; i < 3; ++i) {
            float parts[4] = {0.0f, 0.0f, 0.0f, 0.0f};
            for (size_t m = 0; m < 16; ++m) {
                size_t cluster = (size_t)c->clusters[4 * v + m / 4];
                const float *frame = c->frames + SN_COARSE_FRAME * cluster + 4 * i;
                parts[m % 4] = c->basis[16 * v + m] * frame[m % 4] + parts[m % 4];
            }
            u[i] = (parts[0] + parts[1]) + (parts[2] + parts[3]);
        }
        for (size_t i = 0; i < 3; ++i) {
            c->z[3 * v + i] += dot4(c->turns + 12 * v + 4 * i, u) * c->free[3 * v + i];
        }
    }
}

const SnCoarseKernels sn_coarse_ref = {
    .blend = blend, .turn = turn, .gather = gather, .solve = solve, .spread = spread};
