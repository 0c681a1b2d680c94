// What a body is doing, as numbers.
#include "model/newton/assembly.h"
#include "model/newton/mass.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

static void add_vertex(const double *x, const double *p, const double *v, double mass,
                       SnMeasure *out)
{
    for (int k = 0; k < 3; ++k) {
        out->kinetic += 0.5 * p[k] * v[k];
        out->momentum[k] += p[k];
        out->mass_center[k] += mass * x[k];
    }
    out->angular_momentum[0] += x[1] * p[2] - x[2] * p[1];
    out->angular_momentum[1] += x[2] * p[0] - x[0] * p[2];
    out->angular_momentum[2] += x[0] * p[1] - x[1] * p[0];
    out->mass += mass;
}

static double element_volume(const SnNewtonElements *elements, int e, const double *positions)
{
    double x[3 * SN_CORNERS_MAX];
    double volume = 0.0;
    sn_newton_elements_gather(elements, e, positions, x);
    for (int q = 0; q < elements->point_count; ++q) {
        size_t at = (size_t)e * (size_t)elements->point_count + (size_t)q;
        double F[9];
        sn_newton_elements_gradient(elements->gradients + at * 3 * (size_t)elements->corners, x,
                                    elements->corners, F);
        volume += elements->weights[at] * sn_mat3_determinant(F);
    }
    return volume;
}

void sn_newton_measure(const void *body_, SnMeasure *out_measure)
{
    const SnNewton *body = body_;
    const SnNewtonState *state = &body->state;
    // The room is free between steps.
    double *momenta = body->room.inertia;
    *out_measure = (SnMeasure){.residual = state->clock[SN_CLOCK_RESIDUAL]};
    sn_newton_mass_apply(body, body->workers, state->velocities, momenta);
    for (int v = 0; v < body->elements.vertex_count; ++v) {
        size_t at = 3 * (size_t)v;
        add_vertex(state->positions + at, momenta + at, state->velocities + at, body->masses[v],
                   out_measure);
    }
    for (int k = 0; k < 3; ++k) {
        out_measure->mass_center[k] /= out_measure->mass;
    }
    out_measure->elastic = sn_newton_elastic(body, body->workers, state->positions, NULL);
    for (int e = 0; e < body->elements.count; ++e) {
        out_measure->volume += element_volume(&body->elements, e, state->positions);
    }
    SnNewtonVolume volume = sn_newton_volume(body);
    out_measure->smallest_det = volume.smallest;
    out_measure->smallest_element = volume.element;
    out_measure->inverted_count = volume.inverted;
}
