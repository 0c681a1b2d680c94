// Between vertices and nodes of a coarse lattice by the formulas, see node_blend.h.
#include "kernel/node_blend.h"

#include <stddef.h>

extern const SnNodeKernels sn_node_ref;

// The sum over members [begin, end) of weight times x, of every fourth each.
static void members_sum(const int *members, int begin, int end, const float *weights,
                        const float *x, size_t corners, float out[3])
{
    for (size_t k = 0; k < 3; ++k) {
        float sums[4] = {0.0f, 0.0f, 0.0f, 0.0f};
        for (int m = begin; m < end; ++m) {
            size_t member = (size_t)members[m];
            float *sum = &sums[(m - begin) % 4];
            *sum = weights[member] * x[3 * (member / corners) + k] + *sum;
        }
        out[k] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
}

static void gather(const SnNodeBlend *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        float sum[3];
        members_sum(s->members, s->start[i], s->start[i + 1], s->weights, s->residual,
                    SN_NODE_CORNERS, sum);
        for (size_t k = 0; k < 3; ++k) {
            float turned = sum[0] * s->turns[12 * i + k];
            turned = sum[1] * s->turns[12 * i + 4 + k] + turned;
            s->right[3 * i + k] = sum[2] * s->turns[12 * i + 8 + k] + turned;
        }
    }
}

static void turn(const SnNodeBlend *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        const float *y = s->right + 3 * i;
        for (size_t k = 0; k < 3; ++k) {
            const float *row = s->turns + 12 * i + 4 * k;
            s->moves[4 * i + k] = (row[0] * y[0] + row[1] * y[1]) + row[2] * y[2];
        }
        s->moves[4 * i + 3] = 0.0f;
    }
}

static void spread(const SnNodeBlend *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            float sums[2] = {0.0f, 0.0f}; // of even and odd corners
            for (size_t c = 0; c < SN_NODE_CORNERS; ++c) {
                size_t at = SN_NODE_CORNERS * i + c;
                sums[c % 2] = s->weights[at] * s->moves[(size_t)s->nodes[at] + k] + sums[c % 2];
            }
            s->z[3 * i + k] += (sums[0] + sums[1]) * s->free[3 * i + k];
        }
    }
}

static void restrict_to(const SnTetBlend *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        members_sum(s->members, s->start[i], s->start[i + 1], s->weights, s->fine, SN_TET_CORNERS,
                    s->right + 3 * i);
    }
}

static void prolong(const SnTetBlend *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        const int *parents = s->parents + SN_TET_CORNERS * i;
        const float *w = s->weights + SN_TET_CORNERS * i;
        for (size_t k = 0; k < 3; ++k) {
            float a = w[0] * s->coarse[3 * (size_t)parents[0] + k];
            float b = w[1] * s->coarse[3 * (size_t)parents[1] + k];
            a = w[2] * s->coarse[3 * (size_t)parents[2] + k] + a;
            b = w[3] * s->coarse[3 * (size_t)parents[3] + k] + b;
            s->z[3 * i + k] += a + b;
        }
    }
}

const SnNodeKernels sn_node_ref = {.gather = gather,
                                   .turn = turn,
                                   .spread = spread,
                                   .restrict_to = restrict_to,
                                   .prolong = prolong};
