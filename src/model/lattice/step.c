// Steps of motion and static solves: loads, rules of motion, and the way to where pins hold.
#include "model/lattice/damping.h"
#include "model/lattice/lost.h"
#include "model/lattice/recover.h"
#include "model/lattice/stability.h"
#include "model/lattice/vectors.h"
#include "model/motion_rule.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The least share of a way that is tried before a step or solve gives up.
#define LEAST_SHARE (1.0 / 1024.0)

// Up to this share a response that inverts cells is avoided.
#define STRICT_SHARE (1.0 / 16.0)

// Between shares of a pin's way the body only has to be near its equilibrium.
#define SHARE_TOLERANCE 1e-3
enum { SHARE_ITERATIONS = 8 };

// A guess whose residual is less than this share of the forces is a start as good as any, the first
// where there is contact, into which it may lead.
#define GUESS_RESIDUAL_CONTACT 1e-2
#define GUESS_RESIDUAL 1.0

// A residual at which the search for a better state ends is rounding below this.
#define STALL_TOLERANCE 1e-6

// Tolerances where none is given. A figure of 15 cm that falls on a plane is within 13 micrometres
// of a run at 1e-6 with that of motion, for half of the iterations.
#define MOTION_TOLERANCE 1e-4
#define STATIC_TOLERANCE 1e-6

static double tolerance_of(const SnLattice *body, const SnStep *step)
{
    double own = step->dt > 0.0 ? MOTION_TOLERANCE : STATIC_TOLERANCE;
    own = body->options.tolerance > 0.0 ? body->options.tolerance : own;
    return step->tolerance > 0.0 ? step->tolerance : own;
}

static SnLatticeProblem make_problem(SnLattice *body, const SnStep *step, SinewStepReport *report)
{
    // Scratch is for the body's own workers.
    bool fits = sn_workers_count(step->workers) <= sn_workers_count(body->workers);
    SnLatticeProblem problem = {
        .body = body,
        .step = step,
        .workers = fits ? step->workers : body->workers,
        .report = report,
        .tolerance = tolerance_of(body, step),
        .dynamic = step->dt > 0.0,
        .renews = true,
        .keeps = step->dt > 0.0 && body->options.cycle == SINEW_LATTICE_VCYCLE,
    };
    problem.largest = sn_lattice_vectors_largest(body, body->state.positions) + body->size;
    *report = (SinewStepReport){0};
    memset(body->room.contact, 0, sn_lattice_dofs(body) * sizeof *body->room.contact);
    memset(body->room.move, 0, sn_lattice_dofs(body) * sizeof *body->room.move);
    memcpy(body->room.start, body->state.positions,
           sn_lattice_dofs(body) * sizeof *body->room.start);
    return problem;
}

static void find_load(const SnLattice *body, const SnStep *step, double *out_force)
{
    for (int v = 0; v < body->mesh->vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            out_force[3 * v + k] = body->masses[v] * step->gravity[k];
        }
    }
    for (int l = 0; l < step->load_count; ++l) {
        sn_point_set_spread(step->loads[l].points, step->loads[l].forces, out_force);
    }
}

static void begin_motion(SnLatticeProblem *problem)
{
    const SnLattice *body = problem->body;
    const SnLatticeMotion *state = &body->state;
    SnMotionState motion = {state->velocities, state->last_move, state->last_change};
    double h = problem->step->dt;
    double last_dt = state->clock[SN_LATTICE_CLOCK_LAST_DT];
    bool second = body->options.integrator == SINEW_INTEGRATOR_BDF2 && last_dt > 0.0;
    SnMotionRule rule = sn_motion_rule_make(h, second ? last_dt : 0.0);
    problem->v_rate = rule.v_rate;
    problem->a_rate = rule.a_rate;
    sn_motion_rule_begin(&rule, &motion, sn_lattice_dofs(body), body->room.v0, body->room.a0);
    if (body->betas != NULL) {
        sn_lattice_damping_begin(problem);
    }
}

static void end_motion(const SnLatticeProblem *problem)
{
    const SnLattice *body = problem->body;
    const SnLatticeMotion *state = &body->state;
    size_t count = sn_lattice_dofs(body);
    SnMotionState motion = {state->velocities, state->last_move, state->last_change};
    sn_motion_rule_end(problem->v_rate, body->room.move, body->room.v0, count, &motion);
    memcpy(state->positions, body->room.x, count * sizeof *state->positions);
    state->clock[SN_LATTICE_CLOCK_LAST_DT] = problem->step->dt;
}

// Held components exactly where they belong, reactions and the residual recorded.
static void finish(const SnLatticeProblem *problem, const SnLatticeValue *value)
{
    SnLattice *body = problem->body;
    double residual = value->scale > 0.0 ? value->residual / value->scale : 0.0;
    sn_lattice_pins_target(body, problem->step->pin_motions, 1.0, body->state.positions);
    sn_lattice_pins_record(body, problem->step->pin_motions, body->room.residual);
    memcpy(body->state.last_load, body->room.external,
           sn_lattice_dofs(body) * sizeof *body->room.external);
    body->state.clock[SN_LATTICE_CLOCK_RESIDUAL] = residual;
    problem->report->residual = residual;
}

static bool must_respond(const SnLatticeProblem *problem)
{
    const SnLattice *body = problem->body;
    for (int v = 0; v < body->mesh->vertex_count; ++v) {
        for (int k = 0; k < 3 && body->pins.set.held[v] != 0; ++k) {
            int i = 3 * v + k;
            if ((body->pins.set.held[v] >> k & 1) != 0 &&
                body->room.target[i] != body->state.positions[i] + body->room.move[i]) {
                return true;
            }
        }
    }
    return false;
}

static SinewStatus fail_state(const SnLattice *body, const char *when, SinewError *error)
{
    int worst = 0;
    for (size_t i = 0; i < sn_lattice_dofs(body); ++i) {
        if (!isfinite(body->room.x[i])) {
            return sn_fail_at(error, SINEW_ERROR_DIVERGED, (int64_t)(i / 3),
                              "body \"%s\": the position of vertex %d is %g m %s, expected a "
                              "finite number",
                              body->name, (int)(i / 3), body->room.x[i], when);
        }
    }
    for (int e = 0; e < body->mesh->hex_count; ++e) {
        float det = body->room.dets[body->cells[e]];
        worst = det < body->room.dets[body->cells[worst]] || !(det == det) ? e : worst;
    }
    return sn_fail_at(error, SINEW_ERROR_DIVERGED, worst,
                      "body \"%s\": det F of cell %d is %g %s, expected a state of equilibrium",
                      body->name, worst, (double)body->room.dets[body->cells[worst]], when);
}

// Brings held components to where the step ends, at once or, where that would invert cells, bit by
// bit with some iterations between.
static SinewStatus drive(const SnLatticeProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = problem->body;
    const SnAffine *motions = problem->step->pin_motions;
    SnLatticeProblem on_the_way = *problem;
    double done_share = 0.0, share = 1.0;

    on_the_way.renews = false;
    sn_lattice_pins_target(body, motions, 1.0, body->room.target);
    if (!must_respond(problem)) {
        return SINEW_OK;
    }
    while (done_share < 1.0) {
        bool moved;
        SnLatticeValue value;
        SnLatticeEnd end;
        sn_lattice_pins_target(body, motions, done_share + share, body->room.target);
        SN_TRY(sn_lattice_respond(problem, share > STRICT_SHARE, &moved, error));
        if (!moved) {
            share *= 0.5;
            problem->report->substeps += 1;
            if (share < LEAST_SHARE) {
                SN_TRY(fail_state(body, "on the way of its pins", error));
            }
            continue;
        }
        done_share += share;
        share = done_share + 2.0 * share > 1.0 ? 1.0 - done_share : 2.0 * share;
        if (done_share < 1.0) {
            SN_TRY(sn_lattice_minimise(&on_the_way, SHARE_TOLERANCE, SHARE_ITERATIONS, &value, &end,
                                       error));
        }
    }

done:
    return status;
}

// The move that goes on with the acceleration of the last step into the room's `trial`. False where
// there was none, or where pins lead.
static bool guess(const SnLatticeProblem *problem)
{
    const SnLattice *body = problem->body;
    double last_dt = body->state.clock[SN_LATTICE_CLOCK_LAST_DT];
    sn_lattice_pins_target(body, problem->step->pin_motions, 1.0, body->room.target);
    if (!(last_dt > 0.0) || body->state.clock[SN_LATTICE_CLOCK_RECOVERS] != 0.0 ||
        must_respond(problem)) {
        return false;
    }
    double ratio = problem->step->dt / last_dt;
    for (int v = 0; v < body->mesh->vertex_count; ++v) {
        unsigned held = body->pins.set.held[v];
        for (int k = 0; k < 3; ++k) {
            int i = 3 * v + k;
            double speed = body->state.velocities[i] + ratio * body->state.last_change[i];
            double d = (speed - body->room.v0[i]) / problem->v_rate;
            body->room.trial[i] = held >> k & 1u ? 0.0 : d;
        }
    }
    return true;
}

// Looks at where the step begins: the guess where that is near an equilibrium or better than
// standing still.
static SnLatticeValue begin_search(const SnLatticeProblem *problem)
{
    const SnLatticeRoom *room = &problem->body->room;
    size_t size = sn_lattice_dofs(problem->body) * sizeof *room->move;
    if (!guess(problem)) {
        return sn_lattice_potential(problem, room->move);
    }
    SnLatticeValue there = sn_lattice_potential(problem, room->trial);
    bool good = there.allowed && there.inverted == 0;
    double share = problem->step->contacts != NULL ? GUESS_RESIDUAL_CONTACT : GUESS_RESIDUAL;
    if (!good || there.residual > share * there.scale) {
        SnLatticeValue here = sn_lattice_potential(problem, room->move);
        if (!good || !here.allowed || !(there.phi < here.phi)) {
            return here;
        }
        there = sn_lattice_potential(problem, room->trial);
    }
    memcpy(room->move, room->trial, size);
    return there;
}

static SinewStatus step_lost(const SnLatticeProblem *problem, SinewError *error)
{
    const SnLattice *body = problem->body;
    const SnLatticeValue value = {0};
    sn_lattice_lost_step(problem);
    finish(problem, &value);
    for (size_t i = 0; i < sn_lattice_dofs(body); ++i) {
        if (!isfinite(body->state.positions[i])) {
            return fail_state(body, "in a step", error);
        }
    }
    return SINEW_OK;
}

SinewStatus sn_lattice_step(void *body_, const SnStep *step, SinewStepReport *out_report,
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = body_;
    SnLatticeProblem problem = make_problem(body, step, out_report);
    SnLatticeValue value;
    SnLatticeEnd end;

    find_load(body, step, body->room.external);
    if (sn_lattice_lost(body)) {
        return step_lost(&problem, error);
    }
    begin_motion(&problem);
    value = begin_search(&problem);
    if (!value.allowed) {
        SN_TRY(fail_state(body, "at the start of the step", error));
    }
    bool recovers = sn_lattice_recover_begin(&problem, &value);
    problem.keeps = problem.keeps && !recovers;
    if (recovers || must_respond(&problem)) {
        SN_TRY(drive(&problem, error));
        value = sn_lattice_potential(&problem, body->room.move);
    }
    SN_TRY(sn_lattice_minimise_from(&problem, problem.tolerance, body->options.max_iterations,
                                    &value, &end, error));
    if (!value.allowed) {
        SN_TRY(fail_state(body, "in a step", error));
    }
    end_motion(&problem);
    finish(&problem, &value);
    status = end == SN_LATTICE_CONVERGED ? SINEW_OK : SINEW_NOT_CONVERGED;

done:
    sn_lattice_recover_end(body);
    return status == SINEW_ERROR_NOT_DEFINITE ? fail_state(body, "in a step", error) : status;
}

// Static solves ----------------------------------------------------------------------------------

// One load step from the state as it is, with the room's external forces and targets.
static SinewStatus find_equilibrium(const SnLatticeProblem *problem, SnLatticeValue *value,
                                    SnLatticeEnd *end, bool *out_found, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = problem->body;
    bool moved = true;

    *out_found = false;
    *value = (SnLatticeValue){0};
    memset(body->room.move, 0, sn_lattice_dofs(body) * sizeof *body->room.move);
    if (must_respond(problem)) {
        SN_TRY(sn_lattice_respond(problem, true, &moved, error));
    }
    if (!moved) {
        return SINEW_OK;
    }
    SN_TRY(sn_lattice_minimise(problem, problem->tolerance, body->options.max_iterations, value,
                               end, error));
    bool rounding = *end == SN_LATTICE_STALLED && value->residual <= STALL_TOLERANCE * value->scale;
    *out_found = (*end == SN_LATTICE_CONVERGED || rounding) && value->inverted == 0;
    if (*out_found) {
        SN_TRY(sn_lattice_is_stable(problem, out_found, error));
    }

done:
    return status == SINEW_ERROR_NOT_DEFINITE ? SINEW_OK : status;
}

static void mix_loads(const SnLattice *body, double share)
{
    const SnLatticeRoom *room = &body->room;
    for (size_t i = 0; i < sn_lattice_dofs(body); ++i) {
        double way = (1.0 - share) * room->load_from[i] + share * room->load_to[i];
        room->external[i] = share < 1.0 ? way : room->load_to[i];
    }
}

// From the last equilibrium to the one that is asked for, in as few load steps as it takes.
static SinewStatus walk(SnLatticeProblem *problem, SnLatticeValue *value, SnLatticeEnd *end,
                        SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = problem->body;
    double done_share = 0.0, share = 1.0;

    while (done_share < 1.0) {
        bool found;
        double next = done_share + share;
        problem->renews = next >= 1.0;
        mix_loads(body, next);
        sn_lattice_pins_target(body, problem->step->pin_motions, next, body->room.target);
        SN_TRY(find_equilibrium(problem, value, end, &found, error));
        if (!found) {
            share *= 0.5;
            if (share < LEAST_SHARE) {
                SN_TRY(sn_fail(
                    error, SINEW_ERROR_DIVERGED,
                    "body \"%s\" has no stable equilibrium in reach after %.4g of the static "
                    "solve's way: relative residual %.3g, %d cells inverted",
                    body->name, done_share, value->residual / fmax(value->scale, DBL_MIN),
                    value->inverted));
            }
            continue;
        }
        memcpy(body->state.positions, body->room.x, sn_lattice_dofs(body) * sizeof(double));
        problem->report->substeps += next < 1.0 ? 1 : 0;
        done_share = next;
        share = done_share + 2.0 * share > 1.0 ? 1.0 - done_share : 2.0 * share;
    }

done:
    return status;
}

// A static solve from a state that is no shape first finds one with the stiff cells.
static SinewStatus recover(SnLatticeProblem *problem, const SnLatticeValue *start,
                           SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = problem->body;
    SnLatticeValue value;
    SnLatticeEnd end;

    if (!sn_lattice_recover_begin(problem, start)) {
        return SINEW_OK;
    }
    problem->renews = false;
    SN_TRY(drive(problem, error));
    SN_TRY(sn_lattice_minimise(problem, SHARE_TOLERANCE, body->options.max_iterations, &value, &end,
                               error));
    memcpy(body->state.positions, body->room.x, sn_lattice_dofs(body) * sizeof(double));
    memset(body->room.move, 0, sn_lattice_dofs(body) * sizeof *body->room.move);

done:
    sn_lattice_recover_end(body);
    body->state.clock[SN_LATTICE_CLOCK_RECOVERS] = 0.0;
    return status == SINEW_ERROR_NOT_DEFINITE ? SINEW_OK : status;
}

SinewStatus sn_lattice_solve_static(void *body_, const SnStep *step, SinewStepReport *out_report,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = body_;
    SnLatticeProblem problem = make_problem(body, step, out_report);
    SnLatticeValue value = {0};
    SnLatticeEnd end = SN_LATTICE_EXHAUSTED;
    size_t size = sn_lattice_dofs(body) * sizeof(double);

    problem.dynamic = problem.keeps = false;
    int loose = sn_lattice_pins_loose(body, step->contacts);
    if (loose >= 0) {
        SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, loose,
                          "body \"%s\": no pin and no attachment holds the piece with vertex %d, "
                          "expected all pieces to be held in a static solve",
                          body->name, loose));
    }
    memcpy(body->room.load_from, body->state.last_load, size);
    find_load(body, step, body->room.load_to);
    memcpy(body->room.external, body->room.load_to, size);
    value = sn_lattice_potential(&problem, body->room.move);
    if (!value.allowed) {
        SN_TRY(fail_state(body, "at the start of the static solve", error));
    }
    SN_TRY(recover(&problem, &value, error));
    SN_TRY(walk(&problem, &value, &end, error));
    memset(body->state.velocities, 0, size);
    memset(body->state.last_move, 0, size);
    memset(body->state.last_change, 0, size);
    body->state.clock[SN_LATTICE_CLOCK_LAST_DT] = 0.0;
    body->state.clock[SN_LATTICE_CLOCK_LOST] = 0.0;
    finish(&problem, &value);
    status = end == SN_LATTICE_CONVERGED ? SINEW_OK : SINEW_NOT_CONVERGED;

done:
    return status;
}
