#include "model/history.h"

#include <math.h>

static bool holds(const SnHistory *h, size_t component)
{
    return (h->held[component / 3] >> (component % 3) & 1) != 0;
}

// Whether a step can follow these accelerations at all.
static bool are_resolved(const SnHistory *h, const double *accelerations)
{
    size_t count = 3 * (size_t)h->vertex_count;
    for (size_t i = 0; i < count; ++i) {
        // Not a number is not resolved either.
        if (!holds(h, i) && !(fabs(accelerations[i]) * h->dt * h->dt <= h->farthest)) {
            return false;
        }
    }
    return true;
}

void sn_history_begin(const SnHistory *h, const double *accelerations)
{
    size_t count = 3 * (size_t)h->vertex_count;
    double dt = h->dt;
    bool resolved = are_resolved(h, accelerations);
    for (size_t i = 0; i < count; ++i) {
        if (holds(h, i)) {
            // With du_last = du the formula is du / dt.
            h->last_move[i] = h->ends[i] - h->positions[i];
            h->last_change[i] = h->last_move[i] / dt - h->velocities[i];
        } else {
            double change = resolved ? dt * accelerations[i] : 0.0;
            h->last_move[i] = dt * (h->velocities[i] - 0.5 * change);
            h->last_change[i] = change;
        }
    }
}
