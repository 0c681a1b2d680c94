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

static void fall(const SnVertexFall *s, int begin, int end)
{
    for (int v = begin; v < end; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            size_t at = 3 * (size_t)v + k;
            size_t from = 3 * (size_t)s->outside[v] + k;
            s->start[at] = (float)(s->positions[from] - s->origin[k]);
            s->aim[at] = (float)(s->pull[k] + s->time * s->velocities[from]);
            s->move[at] = s->aim[at];
            s->x[at] = s->start[at] + s->move[at];
        }
    }
}

static void advance(const SnVertexPlaces *s, int begin, int end)
{
    for (int i = 3 * begin; i < 3 * end; ++i) {
        s->move[i] = s->move[i] + s->step[i] * s->free[i];
        s->x[i] = s->start[i] + s->move[i];
        s->places[4 * (i / 3) + i % 3] = s->x[i];
    }
}

static void retreat(const SnVertexPlaces *s, int begin, int end)
{
    for (int i = 3 * begin; i < 3 * end; ++i) {
        s->move[i] = s->places[4 * (i / 3) + i % 3] - s->start[i];
    }
}

const SnVertexKernels sn_vertex_ref = {
    .sum = sum, .dot = dot, .fall = fall, .advance = advance, .retreat = retreat};
