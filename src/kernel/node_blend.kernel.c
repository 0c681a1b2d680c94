// Between vertices and nodes of a coarse lattice, see node_blend.h. A register holds x, y and z of
// one vertex or node.
#include "kernel/node_blend.h"

#include "kernel/block_wide.h"

extern const SnNodeKernels SN_NAME(node);

// The sum over members [m, end) of weight times x, of every fourth each: one sum would wait for
// itself.
static inline Vec4 members_sum(const int *members, int m, int end, const float *weights,
                               const float *x, size_t corners)
{
    Vec4 sums[4] = {vec4_set(0.0f), vec4_set(0.0f), vec4_set(0.0f), vec4_set(0.0f)};
    for (; m + 3 < end; m += 4) {
        for (int k = 0; k < 4; ++k) {
            size_t member = (size_t)members[m + k];
            sums[k] = vec4_madd(vec4_set(weights[member]), vec4_read(x + 3 * (member / corners)),
                                sums[k]);
        }
    }
    for (int k = 0; m < end; ++m, ++k) {
        size_t member = (size_t)members[m];
        sums[k] =
            vec4_madd(vec4_set(weights[member]), vec4_read(x + 3 * (member / corners)), sums[k]);
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static void gather(const SnNodeBlend *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        const float *rows = s->turns + 12 * i;
        Vec4 sum = members_sum(s->members, s->start[i], s->start[i + 1], s->weights, s->residual,
                               SN_NODE_CORNERS);
        Vec4 turned = vec4_set(sum[0]) * vec4_read(rows);
        turned = vec4_madd(vec4_set(sum[1]), vec4_read(rows + 4), turned);
        turned = vec4_madd(vec4_set(sum[2]), vec4_read(rows + 8), turned);
        vec3_write(s->right + 3 * i, turned);
    }
}

static void turn(const SnNodeBlend *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        const float *rows = s->turns + 12 * i;
        const float *y = s->right + 3 * i;
        for (size_t k = 0; k < 3; ++k) {
            s->moves[4 * i + k] =
                (rows[4 * k] * y[0] + rows[4 * k + 1] * y[1]) + rows[4 * k + 2] * y[2];
        }
        s->moves[4 * i + 3] = 0.0f;
    }
}

static void spread(const SnNodeBlend *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        const int *nodes = s->nodes + SN_NODE_CORNERS * i;
        const float *weights = s->weights + SN_NODE_CORNERS * i;
        Vec4 a = vec4_set(0.0f), b = a;
        for (size_t k = 0; k < SN_NODE_CORNERS; k += 2) {
            a = vec4_madd(vec4_set(weights[k]), vec4_read(s->moves + nodes[k]), a);
            b = vec4_madd(vec4_set(weights[k + 1]), vec4_read(s->moves + nodes[k + 1]), b);
        }
        Vec4 move = (a + b) * vec4_read(s->free + 3 * i);
        vec3_write(s->z + 3 * i, vec4_read(s->z + 3 * i) + move);
    }
}

static void restrict_to(const SnTetBlend *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        vec3_write(s->right + 3 * i, members_sum(s->members, s->start[i], s->start[i + 1],
                                                 s->weights, s->fine, SN_TET_CORNERS));
    }
}

static void prolong(const SnTetBlend *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        const int *parents = s->parents + SN_TET_CORNERS * i;
        const float *weights = s->weights + SN_TET_CORNERS * i;
        Vec4 a = vec4_set(weights[0]) * vec4_read(s->coarse + 3 * (size_t)parents[0]);
        Vec4 b = vec4_set(weights[1]) * vec4_read(s->coarse + 3 * (size_t)parents[1]);
        a = vec4_madd(vec4_set(weights[2]), vec4_read(s->coarse + 3 * (size_t)parents[2]), a);
        b = vec4_madd(vec4_set(weights[3]), vec4_read(s->coarse + 3 * (size_t)parents[3]), b);
        vec3_write(s->z + 3 * i, vec3_read(s->z + 3 * i) + (a + b));
    }
}

const SnNodeKernels SN_NAME(node) = {.gather = gather,
                                     .turn = turn,
                                     .spread = spread,
                                     .restrict_to = restrict_to,
                                     .prolong = prolong};
