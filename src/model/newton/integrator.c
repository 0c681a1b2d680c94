#include "model/newton/integrator.h"

#include "model/history.h"
#include "model/motion_rule.h"
#include "model/newton/mass.h"
#include "model/newton/pins.h"
#include "model/newton/system.h"

#include <math.h>
#include <string.h>

// v = d / h, a = (v - v_n) / h.
static void begin_euler(SnNewtonProblem *problem)
{
    const SnNewton *body = problem->body;
    double h = problem->step->dt;
    size_t count = sn_newton_dofs(body);
    problem->v_rate = 1.0 / h;
    problem->a_rate = 1.0 / (h * h);
    for (size_t i = 0; i < count; ++i) {
        body->room.v0[i] = 0.0;
        body->room.a0[i] = -body->state.velocities[i] / h;
    }
}

static void begin_bdf2(SnNewtonProblem *problem)
{
    const SnNewton *body = problem->body;
    const SnNewtonState *state = &body->state;
    SnMotionState motion = {state->velocities, state->last_move, state->last_change};
    SnMotionRule rule = sn_motion_rule_make(problem->step->dt, state->clock[SN_CLOCK_LAST_DT]);
    problem->v_rate = rule.v_rate;
    problem->a_rate = rule.a_rate;
    sn_motion_rule_begin(&rule, &motion, sn_newton_dofs(body), body->room.v0, body->room.a0);
}

// Average acceleration: beta 1/4, gamma 1/2. v = 2 d / h - v_n, a = 4 (d - h v_n) / h^2 - a_n.
static void begin_newmark(SnNewtonProblem *problem)
{
    const SnNewton *body = problem->body;
    const SnNewtonState *state = &body->state;
    double h = problem->step->dt;
    size_t count = sn_newton_dofs(body);
    problem->v_rate = 2.0 / h;
    problem->a_rate = 4.0 / (h * h);
    // The rule would answer a held vertex that starts to move with a velocity that swings forever.
    problem->held_dt = h;
    for (size_t i = 0; i < count; ++i) {
        body->room.v0[i] = -state->velocities[i];
        body->room.a0[i] = -4.0 / h * state->velocities[i] - state->accelerations[i];
    }
}

// M a = -grad Phi without inertia, at the state as it is; held components have none.
static SinewStatus find_acceleration(SnNewtonProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewton *body = problem->body;
    SnNewtonRoom *room = &body->room;
    SnNewtonState *state = &body->state;
    size_t count = sn_newton_dofs(body);
    double *mass = room->stiffness;

    // With d = 0 and these constants v is the state's and a is zero.
    problem->v_rate = problem->a_rate = 1.0;
    memcpy(room->v0, state->velocities, count * sizeof *room->v0);
    memset(room->a0, 0, count * sizeof *room->a0);
    memset(room->move, 0, count * sizeof *room->move);
    sn_newton_potential(problem, room->move);
    memset(mass, 0, 9 * (size_t)body->pattern.entry_count * sizeof *mass);
    sn_newton_mass_add(body, 1.0, 0.0, mass);
    problem->report->linear_solves += 1;
    SN_TRY(sn_newton_system_factor(body, problem->workers, mass, 0.0, error));
    SN_TRY(sn_newton_system_solve(body, problem->workers, room->residual, state->accelerations,
                                  error));
    for (size_t i = 0; i < count; ++i) {
        state->accelerations[i] = -state->accelerations[i];
    }
    state->clock[SN_CLOCK_ACCELERATION] = 1.0;

done:
    return status;
}

// The longest side of the body's bounds at rest.
static double size_of(const SnNewton *body)
{
    double size = 0.0;
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < body->elements.vertex_count; ++v) {
            low = fmin(low, body->elements.rest[3 * v + k]);
            high = fmax(high, body->elements.rest[3 * v + k]);
        }
        size = fmax(size, high - low);
    }
    return size;
}

// The step before the first of BDF2.
static SinewStatus begin_history(SnNewtonProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewton *body = problem->body;
    const SnNewtonState *state = &body->state;
    SN_TRY(find_acceleration(problem, error));
    sn_newton_pins_target(body, problem->step->pin_motions, 1.0, body->room.target);
    SnHistory history = {.vertex_count = body->elements.vertex_count,
                         .dt = problem->step->dt,
                         .farthest = size_of(body),
                         .held = body->pins.set.held,
                         .ends = body->room.target,
                         .positions = state->positions,
                         .velocities = state->velocities,
                         .last_move = state->last_move,
                         .last_change = state->last_change};
    sn_history_begin(&history, state->accelerations);
    state->clock[SN_CLOCK_LAST_DT] = problem->step->dt;

done:
    return status;
}

SinewStatus sn_newton_integrator_begin(SnNewtonProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnNewton *body = problem->body;
    const double *clock = body->state.clock;
    SinewIntegrator rule = body->options.integrator;

    if (rule == SINEW_INTEGRATOR_NEWMARK) {
        if (clock[SN_CLOCK_ACCELERATION] == 0.0) {
            SN_TRY(find_acceleration(problem, error));
        }
        begin_newmark(problem);
    } else if (rule == SINEW_INTEGRATOR_BDF2) {
        if (clock[SN_CLOCK_LAST_DT] == 0.0) {
            SN_TRY(begin_history(problem, error));
        }
        begin_bdf2(problem);
    } else {
        begin_euler(problem);
    }

done:
    return status;
}

void sn_newton_integrator_end(const SnNewtonProblem *problem)
{
    const SnNewton *body = problem->body;
    const SnNewtonRoom *room = &body->room;
    const SnNewtonState *state = &body->state;
    size_t count = sn_newton_dofs(body);
    for (size_t i = 0; i < count; ++i) {
        state->last_move[i] = room->move[i];
        state->last_change[i] = room->v[i] - state->velocities[i];
        state->positions[i] = room->x[i];
        state->velocities[i] = room->v[i];
        state->accelerations[i] = room->a[i];
    }
    state->clock[SN_CLOCK_LAST_DT] = problem->step->dt;
    state->clock[SN_CLOCK_ACCELERATION] = 1.0;
}
