#include "model/newton/potential.h"

#include "model/newton/assembly.h"
#include "model/newton/mass.h"
#include "model/newton/pins.h"
#include "model/newton/points.h"
#include "model/newton/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Forces below those of a strain of about 1e-6 are measured against those.
#define STRAIN_FLOOR 1e-6

// What rounding of coordinates and of rotations may leave of a residual, in units of the stiffness
// times the largest coordinate: 50 to 70 units in the last place were seen where a body that is
// turned as a whole has no other forces.
#define RESIDUAL_NOISE (256.0 * DBL_EPSILON)

// Share of the potential's parts that rounding may take: sums over 1e5 terms lose three digits.
#define SUM_NOISE 1e-13

// Some units in the last place.
#define UNIT_NOISE (4.0 * DBL_EPSILON)

double sn_newton_dot(const SnNewton *body, const double *a, const double *b)
{
    size_t count = sn_newton_dofs(body);
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

double sn_newton_norm(const SnNewton *body, const double *a)
{
    return sqrt(sn_newton_dot(body, a, a));
}

// Places, velocities and accelerations that go with d. Returns the largest coordinate.
static double find_motion(const SnNewtonProblem *problem, const double *d)
{
    const SnNewton *body = problem->body;
    const SnNewtonRoom *room = &body->room;
    const SnNewtonState *state = &body->state;
    size_t count = sn_newton_dofs(body);
    double largest = 0.0;
    for (size_t i = 0; i < count; ++i) {
        room->x[i] = state->positions[i] + d[i];
        double size = fabs(room->x[i]);
        largest = size <= largest ? largest : size; // NaN stays
        if (!problem->dynamic) {
            continue;
        }
        if (problem->held_dt > 0.0 && sn_newton_pins_hold(body, i)) {
            room->v[i] = d[i] / problem->held_dt;
            room->a[i] = (room->v[i] - state->velocities[i]) / problem->held_dt;
        } else {
            room->v[i] = problem->v_rate * d[i] + room->v0[i];
            room->a[i] = problem->a_rate * d[i] + room->a0[i];
        }
    }
    return largest;
}

static double sum_sizes(const SnNewton *body, const double *a)
{
    size_t count = sn_newton_dofs(body);
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        sum += fabs(a[i]);
    }
    return sum;
}

// What rounding leaves of v'C v, in which a body that moves as a whole cancels.
static double damping_noise(const SnNewton *body)
{
    double sum = 0.0;
    for (int v = 0; v < body->pattern.count; ++v) {
        const double *block = body->room.damping_matrix + 9 * (size_t)body->pattern.diagonal[v];
        for (int k = 0; k < 3; ++k) {
            double speed = body->room.v[3 * v + k];
            sum += block[4 * k] * speed * speed;
        }
    }
    return UNIT_NOISE * sum;
}

// M a and C v; adds their share of Phi.
static void add_inertia(const SnNewtonProblem *problem, const double *d, SnNewtonValue *value)
{
    const SnNewton *body = problem->body;
    const SnNewtonRoom *room = &body->room;
    sn_newton_mass_apply(body, problem->workers, room->a, room->inertia);
    double energy = sn_newton_dot(body, room->a, room->inertia) / (2.0 * problem->a_rate);
    size_t count = sn_newton_dofs(body);
    for (size_t i = 0; i < count; ++i) {
        value->noise += UNIT_NOISE * fabs(room->inertia[i] * d[i]);
    }
    if (body->damped) {
        double *product = room->residual; // free until the sum is made
        sn_newton_mass_damp(body, problem->workers, room->v, product);
        sn_newton_system_multiply(body, problem->workers, room->damping_matrix, room->v,
                                  room->damping);
        for (size_t i = 0; i < count; ++i) {
            room->damping[i] += product[i];
        }
        energy += sn_newton_dot(body, room->v, room->damping) / (2.0 * problem->v_rate);
        value->noise += damping_noise(body) / (2.0 * problem->v_rate);
    }
    value->phi += energy;
    value->noise += SUM_NOISE * fabs(energy);
}

static void sum_residual(const SnNewtonProblem *problem, SnNewtonValue *value)
{
    const SnNewton *body = problem->body;
    const SnNewtonRoom *room = &body->room;
    bool damped = problem->dynamic && body->damped;
    size_t count = sn_newton_dofs(body);
    double square = 0.0;
    for (size_t i = 0; i < count; ++i) {
        double r = room->internal[i] - room->external[i] - room->contact[i];
        if (problem->dynamic) {
            r += room->inertia[i] + (damped ? room->damping[i] : 0.0);
        }
        room->residual[i] = r;
        square += sn_newton_pins_hold(body, i) ? 0.0 : r * r;
    }
    value->residual = sqrt(square);
    value->scale = fmax(value->scale, sn_newton_norm(body, room->internal));
    value->scale = fmax(value->scale, sn_newton_norm(body, room->external));
    value->scale = fmax(value->scale, sn_newton_norm(body, room->contact));
    if (problem->dynamic) {
        value->scale = fmax(value->scale, sn_newton_norm(body, room->inertia));
    }
    if (damped) {
        value->scale = fmax(value->scale, sn_newton_norm(body, room->damping));
    }
}

SnNewtonValue sn_newton_potential(const SnNewtonProblem *problem, const double *d)
{
    const SnNewton *body = problem->body;
    const SnNewtonRoom *room = &body->room;
    SnNewtonValue value = {0};
    double largest = find_motion(problem, d);
    double elastic = sn_newton_elastic(body, problem->workers, room->x, room->internal);
    double work = sn_newton_dot(body, room->external, d);
    SnNewtonVolume volume = sn_newton_volume(body);
    value.phi = elastic - work;
    // The energy is that of rounded places.
    value.noise = SUM_NOISE * (fabs(elastic) + fabs(work)) +
                  UNIT_NOISE * largest * sum_sizes(body, room->internal);
    if (problem->dynamic) {
        add_inertia(problem, d, &value);
    }
    memset(room->contact, 0, sn_newton_dofs(body) * sizeof *room->contact);
    if (problem->step->contacts != NULL) {
        double energy = sn_point_set_evaluate(problem->step->contacts, problem->workers, room->x);
        sn_point_set_push(problem->step->contacts->points, room->contact);
        value.phi += energy;
        value.noise +=
            SUM_NOISE * fabs(energy) + UNIT_NOISE * largest * sum_sizes(body, room->contact);
    }
    value.scale = STRAIN_FLOOR * body->stiffness_scale * largest;
    value.least = RESIDUAL_NOISE * body->stiffness_scale * largest;
    sum_residual(problem, &value);
    value.inverted = volume.inverted;
    value.allowed = isfinite(value.phi) && isfinite(value.residual) && volume.forbidden == 0;
    return value;
}

void sn_newton_potential_hessian(const SnNewtonProblem *problem, bool definite)
{
    const SnNewton *body = problem->body;
    const SnNewtonRoom *room = &body->room;
    double *value = room->stiffness;
    sn_newton_stiffness(body, problem->workers, room->x, definite, false, value);
    if (problem->step->contacts != NULL) {
        sn_newton_points_stiffness(body, problem->step->contacts, value);
    }
    if (!problem->dynamic) {
        return;
    }
    sn_newton_mass_add(body, problem->a_rate, problem->v_rate, value);
    if (body->damped) {
        size_t count = 9 * (size_t)body->pattern.entry_count;
        for (size_t i = 0; i < count; ++i) {
            value[i] += problem->v_rate * room->damping_matrix[i];
        }
    }
}

SinewStatus sn_newton_potential_fail(const SnNewton *body, const char *when, SinewError *error)
{
    const SnNewtonRoom *room = &body->room;
    size_t count = sn_newton_dofs(body);
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(room->x[i])) {
            return sn_fail_at(
                error, SINEW_ERROR_DIVERGED, (int64_t)(i / 3),
                "body \"%s\": the position of vertex %d is %g m %s, expected a finite "
                "number",
                body->name, (int)(i / 3), room->x[i], when);
        }
    }
    for (int e = 0; e < body->elements.count; ++e) {
        if (!isfinite(room->energies[e]) && room->dets[e] > 0.0) {
            return sn_fail_at(error, SINEW_ERROR_DIVERGED, e,
                              "body \"%s\": the energy of element %d is %g J %s, expected a finite "
                              "number",
                              body->name, e, room->energies[e], when);
        }
    }
    SnNewtonVolume volume = sn_newton_volume(body);
    return sn_fail_at(error, SINEW_ERROR_DIVERGED, volume.element,
                      "body \"%s\": det F of element %d is %g %s, expected a state of equilibrium "
                      "with det F above 0",
                      body->name, volume.element, volume.smallest, when);
}
