// The coarse space of `split` by the formulas, see coarse.h.
#include "kernel/coarse.h"

#include "kernel/rotation_ref.h"

extern const SnCoarseKernels sn_coarse_ref;

enum { GROUP = SN_COARSE_GROUP };

static float dot4(const float *a, const float *b)
{
    return a[3] * b[3] + ref_dot(a, 1, b, 1);
}

// Where component k of vertex v is among planes of four.
static size_t plane_at(size_t v, size_t k)
{
    return 4 * GROUP * (v / GROUP) + GROUP * k + v % GROUP;
}

static void blend(const SnCoarse *c, int begin, int end)
{
    for (size_t v = (size_t)begin * GROUP; v < (size_t)end * GROUP; ++v) {
        const float *first = c->rotations + c->clusters[plane_at(v, 0)];
        float q[4];
        for (size_t i = 0; i < 4; ++i) {
            q[i] = c->shares[plane_at(v, 0)] * first[i];
        }
        for (size_t k = 1; k < SN_COARSE_CLUSTERS; ++k) {
            const float *other = c->rotations + c->clusters[plane_at(v, k)];
            float share = c->shares[plane_at(v, k)];
            share = signbit(dot4(first, other)) ? -share : share;
            for (size_t i = 0; i < 4; ++i) {
                q[i] = share * other[i] + q[i];
            }
        }
        float norm2 = dot4(q, q);
        float scale = SN_COARSE_TINY < norm2 ? ref_rsqrt(norm2) * SN_COARSE_SQRT2 : 0.0f;
        for (size_t i = 0; i < 4; ++i) {
            c->turns[plane_at(v, i)] = q[i] * scale;
        }
    }
}

// u + w q x u + q x (q x u); `side` -1 turns back.
static void rotate(const SnCoarse *c, size_t v, float side, const float u[3], float out[3])
{
    float q[3], t[3], s[3];
    for (size_t i = 0; i < 3; ++i) {
        q[i] = c->turns[plane_at(v, i)];
    }
    ref_cross(q, u, t);
    ref_cross(q, t, s);
    for (size_t i = 0; i < 3; ++i) {
        out[i] = (side * c->turns[plane_at(v, 3)] * t[i] + u[i]) + s[i];
    }
}

static void turn(const SnCoarse *c, int begin, int end)
{
    for (size_t v = (size_t)begin * GROUP; v < (size_t)end * GROUP; ++v) {
        size_t last = (size_t)c->vertex_count - 1;
        float back[3];
        rotate(c, v, -1.0f, c->residual + 3 * (v < last ? v : last), back);
        for (size_t k = 0; k < 4; ++k) {
            for (size_t i = 0; i < 4; ++i) {
                c->turned[16 * v + 4 * k + i] = i < 3 ? c->place[4 * v + k] * back[i] : 0.0f;
            }
        }
    }
}

static void gather(const SnCoarse *c, int begin, int end)
{
    for (int cluster = begin; cluster < end; ++cluster) {
        for (size_t i = 0; i < SN_COARSE_COLUMNS; ++i) {
            float sums[2] = {0.0f, 0.0f};
            for (int m = c->start[cluster]; m < c->start[cluster + 1]; ++m) {
                int side = (m - c->start[cluster]) % 2;
                size_t vertex = (size_t)c->members[m] / 4;
                sums[side] = c->member_shares[m] * c->turned[16 * vertex + i] + sums[side];
            }
            c->sums[SN_COARSE_COLUMNS * (size_t)cluster + i] = sums[0] + sums[1];
        }
    }
}

static void solve(const SnCoarse *c, int begin, int end)
{
    for (int row = begin * SN_COARSE_ROWS; row < end * SN_COARSE_ROWS; ++row) {
        float sum = 0.0f;
        size_t first = (size_t)(row / SN_COARSE_ROWS) * (size_t)c->row_count;
        for (size_t j = 0; j < (size_t)c->row_count; ++j) {
            sum = c->inverse[(first + j) * SN_COARSE_ROWS + (size_t)(row % SN_COARSE_ROWS)] *
                      c->right[j] +
                  sum;
        }
        c->frames[row] = sum;
    }
}

// What the frames of its clusters make of a vertex, before its turn.
static void follow(const SnCoarse *c, size_t v, float u[3])
{
    const float *place = c->place + 4 * v;
    for (size_t i = 0; i < 3; ++i) {
        float column[4];
        for (size_t k = 0; k < 4; ++k) {
            column[k] = 0.0f;
            for (size_t n = 0; n < SN_COARSE_CLUSTERS; ++n) {
                size_t from = 4 * (size_t)c->clusters[plane_at(v, n)] + 4 * k + i;
                column[k] = c->shares[plane_at(v, n)] * c->columns[from] + column[k];
            }
        }
        u[i] = (place[1] * column[1] + column[0]) + (place[3] * column[3] + place[2] * column[2]);
    }
}

static void spread(const SnCoarse *c, int begin, int end)
{
    for (size_t v = (size_t)begin * GROUP; v < (size_t)end * GROUP; ++v) {
        float u[3], out[3];
        follow(c, v, u);
        rotate(c, v, 1.0f, u, out);
        for (size_t i = 0; i < 3 && v < (size_t)c->vertex_count; ++i) {
            c->z[3 * v + i] = c->z[3 * v + i] + out[i] * c->free[3 * v + i];
        }
    }
}

const SnCoarseKernels sn_coarse_ref = {
    .blend = blend, .turn = turn, .gather = gather, .solve = solve, .spread = spread};
