#include "model/start.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

// Any number; the same one every time. The user's seed is added, far apart for neighbours.
#define SCRAMBLE_SEED 20120521u
#define SEED_STRIDE 2654435761u

static void find_bounds(const double *rest, int count, double low[3], double high[3])
{
    for (int k = 0; k < 3; ++k) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (int v = 0; v < count; ++v) {
            low[k] = fmin(low[k], rest[3 * (size_t)v + (size_t)k]);
            high[k] = fmax(high[k], rest[3 * (size_t)v + (size_t)k]);
        }
    }
}

static void find_positions(SinewStart start, int seed, const double *rest, int count, double *out)
{
    double low[3], high[3];
    SnRandom random = {SCRAMBLE_SEED + SEED_STRIDE * (uint32_t)seed};
    memcpy(out, rest, 3 * (size_t)count * sizeof *out);
    if (start == SINEW_START_REST || count == 0) {
        return;
    }
    find_bounds(rest, count, low, high);
    for (size_t i = 0; i < 3 * (size_t)count; ++i) {
        size_t k = i % 3;
        double middle = 0.5 * (low[k] + high[k]);
        switch (start) {
        case SINEW_START_MIRRORED:
            out[i] = k == 0 ? 2.0 * middle - rest[i] : rest[i];
            break;
        case SINEW_START_FLATTENED:
            out[i] = k == 1 ? middle : rest[i];
            break;
        case SINEW_START_COLLAPSED:
            out[i] = middle;
            break;
        case SINEW_START_SCRAMBLED:
            out[i] = sn_random_between(&random, low[k], high[k]);
            break;
        case SINEW_START_REST:
        default:
            break;
        }
    }
}

void sn_start_vertices(SinewStart start, const double linear[3], const double angular[3],
                       const double *rest, const double *mass, int count, double *out_positions,
                       double *out_velocities)
{
    sn_start_seeded(start, 0, linear, angular, rest, mass, count, out_positions, out_velocities);
}

void sn_start_seeded(SinewStart start, int seed, const double linear[3], const double angular[3],
                     const double *rest, const double *mass, int count, double *out_positions,
                     double *out_velocities)
{
    double total = 0.0;
    double middle[3] = {0.0, 0.0, 0.0};
    find_positions(start, seed, rest, count, out_positions);
    for (int v = 0; v < count; ++v) {
        total += mass[v];
        for (int k = 0; k < 3; ++k) {
            middle[k] += mass[v] * out_positions[3 * (size_t)v + (size_t)k];
        }
    }
    for (int v = 0; v < count; ++v) {
        const double *x = out_positions + 3 * (size_t)v;
        double *u = out_velocities + 3 * (size_t)v;
        double r[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = total > 0.0 ? x[k] - middle[k] / total : 0.0;
        }
        u[0] = linear[0] + angular[1] * r[2] - angular[2] * r[1];
        u[1] = linear[1] + angular[2] * r[0] - angular[0] * r[2];
        u[2] = linear[2] + angular[0] * r[1] - angular[1] * r[0];
    }
}
