// Cells with matrices of their own, by the formulas and in the order of voxel.h.
#include "kernel/voxel.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

extern const SnVoxelKernels sn_voxel_ref;

static void product(const float *matrix, const float *u, size_t stride, float *out)
{
    for (size_t i = 0; i < SN_VOXEL_NUMBERS; ++i) {
        float even = 0.0f, odd = 0.0f;
        for (size_t j = 0; j < SN_VOXEL_NUMBERS; j += 2) {
            even = u[stride * j] * matrix[SN_VOXEL_NUMBERS * j + i] + even;
            odd = u[stride * (j + 1)] * matrix[SN_VOXEL_NUMBERS * (j + 1) + i] + odd;
        }
        out[i] = even + odd;
    }
}

static void apply(const SnVoxelBatch *b, int begin, int end)
{
    static const float none[9] = {1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f};
    for (size_t e = (size_t)begin; e < (size_t)end; ++e) {
        const float *R = b->rotations != NULL ? b->rotations + 9 * e : none;
        size_t kind = b->kinds != NULL ? (size_t)b->kinds[e] : e;
        float u[SN_VOXEL_NUMBERS], f[SN_VOXEL_NUMBERS];
        for (size_t c = 0; c < 8; ++c) {
            const float *x = b->x + 4 * (size_t)b->corners[8 * e + c];
            for (size_t i = 0; i < 3; ++i) {
                u[8 * i + c] = R[6 + i] * x[2] + (R[3 + i] * x[1] + R[i] * x[0]);
            }
        }
        product(b->matrices + SN_VOXEL_ENTRIES * kind, u, 1, f);
        for (size_t c = 0; c < 8; ++c) {
            float *out = b->out + SN_VOXEL_OUT * e + 4 * c;
            for (size_t i = 0; i < 3; ++i) {
                out[i] = R[3 * i + 2] * f[16 + c] + (R[3 * i + 1] * f[8 + c] + R[3 * i] * f[c]);
            }
            out[3] = 0.0f;
        }
    }
}

// Sums of four numbers a vertex in double, each of the four by itself.
static void add_products(const float *a, const float *b, double sums[4])
{
    for (size_t i = 0; i < 4; ++i) {
        sums[i] += (double)a[i] * (double)b[i];
    }
}

static double gather(const SnVoxelVectors *v, int begin, int end)
{
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    for (size_t n = (size_t)begin; n < (size_t)end; ++n) {
        for (size_t i = 0; i < 4; ++i) {
            float sum = 0.0f;
            for (int k = v->start[n]; k < v->start[n + 1]; ++k) {
                sum += v->out[4 * (size_t)v->corners[k] + i];
            }
            v->q[4 * n + i] = v->free != NULL ? sum * v->free[4 * n + i] : sum;
        }
        if (v->free != NULL) {
            add_products(v->p + 4 * n, v->q + 4 * n, sums);
        }
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static void advance(const SnVoxelVectors *v, float alpha, int begin, int end, double *sums)
{
    double rz[4] = {0.0, 0.0, 0.0, 0.0}, rr[4] = {0.0, 0.0, 0.0, 0.0};
    for (size_t n = (size_t)begin; n < (size_t)end; ++n) {
        const float *inverse = v->inverse + SN_VOXEL_INVERSE * n;
        float *r = v->r + 4 * n;
        for (size_t i = 0; i < 4; ++i) {
            v->x[4 * n + i] = alpha * v->p[4 * n + i] + v->x[4 * n + i];
            r[i] = -alpha * v->q[4 * n + i] + r[i];
        }
        for (size_t i = 0; i < 4; ++i) {
            v->z[4 * n + i] = r[2] * inverse[8 + i] + (r[1] * inverse[4 + i] + r[0] * inverse[i]);
        }
        add_products(r, v->z + 4 * n, rz);
        add_products(r, r, rr);
    }
    sums[0] = (rz[0] + rz[1]) + (rz[2] + rz[3]);
    sums[1] = (rr[0] + rr[1]) + (rr[2] + rr[3]);
}

static void follow(const SnVoxelVectors *v, float a, float b, int begin, int end)
{
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; ++i) {
        v->p[i] = a * v->z[i] + b * v->p[i];
    }
}

#define REAL_NUMBER float
#include "kernel/real_one.h"

static inline Real real_sqrt(Real a)
{
    return sqrtf(a);
}

static inline Real real_pick(Real test, Real yes, Real no)
{
    return test > 0.0f ? yes : no;
}

static inline void real_quads(const float *rows, const int *at, Real out[4])
{
    memcpy(out, rows + at[0], 4 * sizeof *out);
}

static inline void real_quads_put(float *rows, const int *at, const Real v[3], Real last)
{
    float *out = rows + at[0];
    memcpy(out, v, 3 * sizeof *out);
    out[3] = last;
}

static inline void real_quads_store(float *rows, const int *at, const Real v[3])
{
    real_quads_put(rows, at, v, 0.0f);
}

#include "kernel/voxel_merge.h"
#include "kernel/voxel_sites.h"
#include "kernel/voxel_turn.h"

static void show(const SnVoxelShown *s, int begin, int end)
{
    for (int v = begin; v < end; ++v) {
        for (size_t i = 0; i < 3; ++i) {
            float d[8]; // coefficients, x by 4, y by 2 and z by 1
            for (size_t c = 0; c < 8; ++c) {
                d[c] = s->places[4 * (size_t)s->nodes[8 * (size_t)v + c] + i];
            }
            for (size_t bit = 1; bit < 8; bit *= 2) {
                for (size_t c = 0; c < 8; ++c) {
                    d[c] = c & bit ? d[c] - d[c - bit] : d[c];
                }
            }
            for (size_t p = (size_t)s->start[v]; p < (size_t)s->start[v + 1]; ++p) {
                const float *at = s->at + 4 * p;
                float low = (d[6] * at[0] + d[2]) * at[1] + (d[4] * at[0] + d[0]);
                float high = (d[7] * at[0] + d[3]) * at[1] + (d[5] * at[0] + d[1]);
                s->out[(size_t)s->order[p] + i] = s->middle[i] + (double)(high * at[2] + low);
            }
        }
    }
}

const SnVoxelKernels sn_voxel_ref = {.apply = apply,
                                     .place = voxel_place,
                                     .show = show,
                                     .gather = gather,
                                     .advance = advance,
                                     .follow = follow,
                                     .pose = voxel_pose,
                                     .force = voxel_force,
                                     .merge = voxel_merge};
