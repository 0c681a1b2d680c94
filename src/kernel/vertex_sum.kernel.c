// Vectors over vertices, see vertex_sum.h. A register holds x, y, z of one vertex.
#include "kernel/vertex_sum.h"

#include "kernel/corner_wide.h"

extern const SnVertexKernels SN_NAME(vertex);

static void sum(const SnVertexSum *s, int begin, int end)
{
    for (int v = begin; v < end; ++v) {
        const int *place = s->places + SN_VERTEX_ROWS * (size_t)v;
        size_t at = 3 * (size_t)v;
        Vec4 total = (vec4_read(s->rows + place[0]) + vec4_read(s->rows + place[1])) +
                     (vec4_read(s->rows + place[2]) + vec4_read(s->rows + place[3]));
        for (int i = s->start[v]; i < s->start[v + 1]; ++i) {
            total = total + vec4_read(s->rows + s->further[i]);
        }
        Vec4 x = vec4_read(s->x + at);
        if (s->minus != NULL) {
            x = x - vec4_read(s->minus + at);
        }
        Vec4 out = vec4_madd(vec4_set(s->scale), total, vec4_set(s->mass[v]) * x);
        out = out * vec4_read(s->free + at);
        memcpy(s->out + at, &out, 3 * sizeof(float));
    }
}

typedef float HalfWide __attribute__((vector_size(2 * SN_LANES)));

enum { PARTS = 16, HALF = SN_LANES / 2 };

static inline WideDouble double_read(const float *p)
{
    HalfWide v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, WideDouble);
}

// Products of two floats are exact in double, so fused or not makes no difference.
static double dot(const float *a, const float *b, int begin, int end)
{
    WideDouble sums[PARTS / HALF];
    double parts[PARTS];
    int i = begin;
    memset(sums, 0, sizeof sums);
    for (; i + PARTS <= end; i += PARTS) {
        for (int k = 0; k < PARTS / HALF; ++k) {
            sums[k] += double_read(a + i + HALF * k) * double_read(b + i + HALF * k);
        }
    }
    memcpy(parts, sums, sizeof parts);
    for (int k = 0; i < end; ++i, ++k) {
        parts[k] += (double)a[i] * (double)b[i];
    }
    double total = parts[0];
    for (int k = 1; k < PARTS; ++k) {
        total += parts[k];
    }
    return total;
}

const SnVertexKernels SN_NAME(vertex) = {.sum = sum, .dot = dot};
