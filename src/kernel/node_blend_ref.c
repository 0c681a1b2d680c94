// Between vertices and nodes of a coarse lattice by the formulas, see node_blend.h.
#include "kernel/node_blend.h"

#include <stddef.h>

extern const SnNodeKernels sn_node_ref;

static void gather(const SnNodeBlend *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        float sum[3] = {0.0f, 0.0f, 0.0f};
        for (int m = s->start[i]; m < s->start[i + 1]; ++m) {
            size_t member = (size_t)s->members[m];
            for (size_t k = 0; k < 3; ++k) {
                sum[k] =
                    s->weights[member] * s->residual[3 * (member / SN_NODE_CORNERS) + k] + sum[k];
            }
        }
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

const SnNodeKernels sn_node_ref = {.gather = gather, .turn = turn, .spread = spread};
