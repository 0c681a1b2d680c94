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

static double aim_at(const SnVertexFall *s, size_t k, size_t from)
{
    double aim = s->pull[k] + s->time * s->velocities[from];
    aim = s->last_move != NULL ? aim + s->move_share * s->last_move[from] : aim;
    return s->change_share != 0.0 ? aim + s->change_share * s->last_change[from] : aim;
}

static double guess_at(const SnVertexFall *s, size_t k, size_t vertex)
{
    const double *last = s->last_change + 3 * vertex;
    double share = s->weigh[0] * last[0] + s->weigh[1] * last[1] + s->weigh[2] * last[2];
    share = share > 0.0 ? share : 0.0;
    share = share < 1.0 ? share : 1.0;
    return s->guess_time * s->velocities[3 * vertex + k] + share * s->guess_pull[k];
}

static void fall(const SnVertexFall *s, int begin, int end)
{
    for (int v = begin; v < end; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            size_t at = 3 * (size_t)v + k;
            size_t vertex = (size_t)s->outside[v];
            s->start[at] = (float)(s->positions[3 * vertex + k] - s->origin[k]);
            s->aim[at] = (float)aim_at(s, k, 3 * vertex + k);
            s->move[at] = s->guesses ? (float)guess_at(s, k, vertex) : s->aim[at];
            s->x[at] = s->start[at] + s->move[at];
        }
    }
}

static void inertia(const SnVertexInertia *s, int begin, int end, double out_sums[2])
{
    double energy[2][3] = {{0.0}}, length[2][3] = {{0.0}};
    for (int i = 3 * begin; i < 3 * end; ++i) {
        int other = (i / 3 - begin) % 2, k = i % 3;
        double d = (double)((s->a[i] - s->b[i]) * s->free[i]);
        energy[other][k] += (double)s->mass[i / 3] * (d * d);
        length[other][k] += d * d;
    }
    out_sums[0] = ((energy[0][0] + energy[1][0]) + (energy[0][1] + energy[1][1])) +
                  (energy[0][2] + energy[1][2]);
    out_sums[1] = ((length[0][0] + length[1][0]) + (length[0][1] + length[1][1])) +
                  (length[0][2] + length[1][2]);
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

const SnVertexKernels sn_vertex_ref = {.sum = sum,
                                       .dot = dot,
                                       .fall = fall,
                                       .inertia = inertia,
                                       .advance = advance,
                                       .retreat = retreat};
