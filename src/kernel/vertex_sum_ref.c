// Vectors over vertices by the formula, see vertex_sum.h.
#include "kernel/vertex_sum.h"

#include <stddef.h>

extern const SnVertexKernels sn_vertex_ref;

static void sum(const SnVertexSum *s, int begin, int end)
{
    for (int v = begin; v < end; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            size_t at = 3 * (size_t)v + k;
            const int *place = s->places + SN_VERTEX_ROWS * (size_t)v;
            float first = s->rows[(size_t)place[0] + k] + s->rows[(size_t)place[1] + k];
            float second = s->rows[(size_t)place[2] + k] + s->rows[(size_t)place[3] + k];
            float total = first + second;
            for (int i = s->start[v]; i < s->start[v + 1]; ++i) {
                total = total + s->rows[(size_t)s->further[i] + k];
            }
            float x = s->minus != NULL ? s->x[at] - s->minus[at] : s->x[at];
            s->out[at] = (s->scale * total + s->mass[v] * x) * s->free[at];
        }
    }
}

static double dot(const float *a, const float *b, int begin, int end)
{
    double parts[16] = {0.0};
    for (int i = begin; i < end; ++i) {
        parts[(i - begin) % 16] += (double)a[i] * (double)b[i];
    }
    double total = parts[0];
    for (int k = 1; k < 16; ++k) {
        total += parts[k];
    }
    return total;
}

const SnVertexKernels sn_vertex_ref = {.sum = sum, .dot = dot};
