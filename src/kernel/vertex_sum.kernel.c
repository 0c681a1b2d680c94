// Vectors over vertices, see vertex_sum.h. A register holds x, y, z of one vertex.
#include "kernel/vertex_sum.h"

#include "kernel/corner_wide.h"

extern const SnVertexKernels SN_NAME(vertex);

static void sum(const SnVertexSum *s, int begin, int end)
{
    for (int v = begin; v < end; ++v) {
        const float *corner = s->corners + 4 * (size_t)s->start[v];
        const float *stop = s->corners + 4 * (size_t)s->start[v + 1];
        size_t at = 3 * (size_t)v;
        // Four sums take turns, since one alone would wait for each addition.
        Vec4 parts[4] = {vec4_set(0.0f), vec4_set(0.0f), vec4_set(0.0f), vec4_set(0.0f)};
        for (; corner + 16 <= stop; corner += 16) {
            for (int k = 0; k < 4; ++k) {
                parts[k] = parts[k] + vec4_read(corner + 4 * k);
            }
        }
        for (int k = 0; corner < stop; corner += 4, ++k) {
            parts[k] = parts[k] + vec4_read(corner);
        }
        Vec4 total = (parts[0] + parts[1]) + (parts[2] + parts[3]);
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
