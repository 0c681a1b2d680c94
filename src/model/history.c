#include "model/history.h"

#include <math.h>

static bool holds(const SnHistory *h, size_t component)
{
    return (h->held[component / 3] >> (component % 3) & 1) != 0;
}

// What accelerations are cut by, 1 in all ordinary motion; 0 where they are no numbers.
static double cut(const SnHistory *h, const double *accelerations)
{
    size_t count = 3 * (size_t)h->vertex_count;
    double most = 0.0;
    for (size_t i = 0; i < count; ++i) {
        double far = holds(h, i) ? 0.0 : fabs(accelerations[i]) * h->dt * h->dt;
        if (!(far < INFINITY)) {
            return 0.0;
        }
        most = far > most ? far : most;
    }
    return most > h->farthest ? h->farthest / most : 1.0;
}

void sn_history_begin(const SnHistory *h, const double *accelerations)
{
    size_t count = 3 * (size_t)h->vertex_count;
    double dt = h->dt;
    double share = cut(h, accelerations);
    for (size_t i = 0; i < count; ++i) {
        if (holds(h, i)) {
            // With du_last = du the formula is du / dt.
            h->last_move[i] = h->ends[i] - h->positions[i];
            h->last_change[i] = h->last_move[i] / dt - h->velocities[i];
        } else {
            double change = share > 0.0 ? dt * share * accelerations[i] : 0.0;
            h->last_move[i] = dt * (h->velocities[i] - 0.5 * change);
            h->last_change[i] = change;
        }
    }
}
