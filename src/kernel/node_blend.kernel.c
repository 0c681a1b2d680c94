// Between vertices and nodes of a coarse lattice, see node_blend.h. A register holds x, y and z of
// one vertex or node.
#include "kernel/node_blend.h"

#include "kernel/block_wide.h"

extern const SnNodeKernels SN_NAME(node);

static void gather(const SnNodeBlend *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        const float *rows = s->turns + 12 * i;
        Vec4 sum = vec4_set(0.0f);
        for (int m = s->start[i]; m < s->start[i + 1]; ++m) {
            size_t member = (size_t)s->members[m];
            Vec4 r = vec4_read(s->residual + 3 * (member / SN_NODE_CORNERS));
            sum = vec4_madd(vec4_set(s->weights[member]), r, sum);
        }
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

const SnNodeKernels SN_NAME(node) = {.gather = gather, .turn = turn, .spread = spread};
