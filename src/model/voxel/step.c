// Steps of motion and static solves: rules of motion, and the way to where pins hold.
#include "model/voxel/grip.h"
#include "model/voxel/lost.h"
#include "model/voxel/rigid.h"

#include "model/motion_rule.h"

#include <float.h>
#include <math.h>
#include <string.h>

// The least share of a way that is tried before a solve gives up.
#define LEAST_SHARE (1.0 / 1024.0)

// How well the others follow held components before Newton's method sees to the rest.
#define RESPONSE_TOLERANCE 1e-4
enum { RESPONSE_ITERATIONS = 100 };

// How well rescues of mode paper are solved, and in how many linearisations at most.
#define RESCUE_TOLERANCE 1e-4
enum { RESCUE_ITERATIONS = 9 };

// Equilibria are found at least as well as this, where nobody says otherwise.
#define STATIC_TOLERANCE 1e-6

// A residual at which the search for a better state ends is rounding below this.
#define STALL_TOLERANCE 1e-6

static SnVoxelProblem make_problem(SnVoxelBody *body, const SnStep *step, SinewStepReport *report)
{
    bool fits = sn_workers_count(step->workers) <= sn_workers_count(body->workers);
    SnVoxelProblem problem = {
        .body = body,
        .step = step,
        .workers = fits ? step->workers : body->workers,
        .report = report,
        .tolerance = step->tolerance > 0.0 ? step->tolerance
                     : step->dt > 0.0      ? body->options.tolerance
                                           : fmin(body->options.tolerance, STATIC_TOLERANCE),
        .dynamic = step->dt > 0.0,
        .renews = true,
        .exact = body->options.mode != SINEW_VOXEL_PAPER || body->linear,
        .edges = body->options.mode == SINEW_VOXEL_PAPER,
        .share = 1.0,
    };
    problem.one_turn = problem.dynamic && sn_voxel_lost(body);
    problem.exact = problem.exact || problem.one_turn;
    problem.counted = problem.dynamic && !problem.one_turn &&
                      (body->options.newton > 0 || body->options.mode == SINEW_VOXEL_PAPER);
    size_t size = sn_voxel_dofs(body) * sizeof(double);
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        double far = fabs(body->state.positions[i]);
        problem.largest = far > problem.largest ? far : problem.largest;
    }
    problem.largest += body->size;
    *report = (SinewStepReport){0};
    body->system.leveled = body->system.factored = false;
    if (step->contacts != NULL) {
        // The model made these points, and their room is its own.
        ((SnVoxelPoints *)(uintptr_t)step->contacts->points)->touch.made = false;
    }
    memset(body->room.move, 0, size);
    memset(body->room.balance, 0, size);
    memcpy(body->room.start, body->state.positions, size);
    memcpy(body->room.base, body->state.rotations,
           9 * (size_t)body->grid.cell_count * sizeof(double));
    sn_voxel_grip_begin(&problem);
    return problem;
}

// By the body's rule, or by Euler's, which always damps.
static void begin_motion(SnVoxelProblem *problem, bool damps)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelMotion *state = &body->state;
    SnMotionState motion = {state->velocities, state->last_move, state->last_change};
    double h = problem->step->dt;
    double last_dt = state->clock[SN_VOXEL_CLOCK_LAST_DT];
    bool second = body->options.integrator == SINEW_INTEGRATOR_BDF2 && last_dt > 0.0 && !damps;
    SnMotionRule rule = sn_motion_rule_make(h, second ? last_dt : 0.0);
    problem->v_rate = rule.v_rate;
    problem->a_rate = rule.a_rate;
    sn_motion_rule_begin(&rule, &motion, sn_voxel_dofs(body), body->room.v0, body->room.a0);
}

static void end_motion(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelMotion *state = &body->state;
    size_t count = sn_voxel_dofs(body);
    SnMotionState motion = {state->velocities, state->last_move, state->last_change};
    sn_motion_rule_end(problem->v_rate, body->room.move, body->room.v0, count, &motion);
    for (size_t i = 0; i < count; ++i) {
        state->positions[i] += body->room.move[i];
    }
    state->clock[SN_VOXEL_CLOCK_LAST_DT] = problem->step->dt;
}

static void find_target(const SnVoxelProblem *problem, double s, double *out_x)
{
    const SnVoxelBody *body = problem->body;
    sn_pin_set_target(&body->pins.set, body->grid.rest, body->state.pins, body->room.start,
                      problem->step->pin_motions, s, out_x);
    sn_voxel_grip_aim(problem, s);
}

// Held components exactly where they belong, rotations, reactions and the residual recorded.
static void finish(const SnVoxelProblem *problem, const SnVoxelValue *value)
{
    SnVoxelBody *body = problem->body;
    double residual = value->scale > 0.0 ? value->residual / value->scale : 0.0;
    find_target(problem, 1.0, body->state.positions);
    sn_pin_set_record(&body->pins.set, body->state.positions, problem->step->pin_motions,
                      body->room.residual, body->state.pins);
    sn_voxel_grip_record(problem);
    memcpy(body->state.rotations, body->room.base,
           9 * (size_t)body->grid.cell_count * sizeof(double));
    body->state.clock[SN_VOXEL_CLOCK_RESIDUAL] = residual;
    problem->report->residual = residual;
}

static SinewStatus fail_state(const SnVoxelBody *body, const char *when, SinewError *error)
{
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        if (!isfinite(body->room.x[i]) || !isfinite(body->room.residual[i])) {
            return sn_fail_at(error, SINEW_ERROR_DIVERGED, (int64_t)(i / 3),
                              "body \"%s\": vertex %d is at %g m with a force of %g N %s, expected "
                              "finite numbers",
                              body->name, (int)(i / 3), body->room.x[i], body->room.residual[i],
                              when);
        }
    }
    return sn_fail(error, SINEW_ERROR_DIVERGED, "body \"%s\": its energy is not a finite number %s",
                   body->name, when);
}

// A first guess: everything goes on as it went, loose pieces turn as a whole, and held components
// go where they belong. Bodies without their shape get their rotation.
static void predict(const SnVoxelProblem *problem, SnVoxelLost *lost)
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelRoom *room = &body->room;
    find_target(problem, 1.0, room->target);
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        room->move[i] = sn_voxel_holds(body, i) ? room->target[i] - body->state.positions[i]
                                                : problem->step->dt * body->state.velocities[i];
    }
    sn_voxel_lost_begin(problem, lost);
    sn_voxel_rigid_begin(problem, room->move);
    sn_voxel_grip_settle(problem, false, room->move, room->move);
}

// A step of mode paper that its forces lead to no good end: one of Euler's by the gradient of its
// cells' energy, turned as in mode condensed, from the start on. It is one rescue, whatever
// happens.
static SinewStatus take_gradient(SnVoxelProblem *problem, SnVoxelValue *value, SinewError *error)
{
    SnVoxelEnd end;
    int rescues = problem->report->rescues;
    problem->exact = true;
    problem->edges = problem->counted = false;
    begin_motion(problem, true);
    sn_voxel_take_start(problem);
    SinewStatus status = sn_voxel_minimise(problem, fmax(problem->tolerance, RESCUE_TOLERANCE),
                                           RESCUE_ITERATIONS, value, &end, error);
    problem->report->rescues = rescues;
    return status;
}

SinewStatus sn_voxel_step(void *body_, const SnStep *step, SinewStepReport *out_report,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelBody *body = body_;
    SnVoxelProblem problem = make_problem(body, step, out_report);
    SnVoxelValue value;
    SnVoxelEnd end;
    SnVoxelLost lost;

    begin_motion(&problem, problem.one_turn);
    predict(&problem, &lost);
    SN_TRY(sn_voxel_minimise(&problem, problem.tolerance, body->options.max_iterations, &value,
                             &end, error));
    if (end == SN_VOXEL_UNFIT) {
        SN_TRY(take_gradient(&problem, &value, error));
        end = SN_VOXEL_CONVERGED; // as well as is asked for
    }
    if (!value.allowed) {
        SN_TRY(fail_state(body, "in a step", error));
    }
    sn_voxel_grip_settle(&problem, false, body->room.move, body->room.move);
    end_motion(&problem);
    finish(&problem, &value);
    sn_voxel_lost_end(&problem, &lost);
    bool rounding = end == SN_VOXEL_STALLED && value.residual <= STALL_TOLERANCE * value.scale;
    bool converged = (end == SN_VOXEL_CONVERGED || rounding) && out_report->capped == 0;
    if (!converged && step->max_solves > 0) {
        out_report->capped = 1; // searches are short, too, where there is a limit
    }
    status = converged ? SINEW_OK : SINEW_NOT_CONVERGED;

done:
    return status == SINEW_ERROR_NOT_DEFINITE ? fail_state(body, "in a step", error) : status;
}

// Static solves ----------------------------------------------------------------------------------

// Moves held components to their targets, the others with them as the matrix says.
static SinewStatus respond(const SnVoxelProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelBody *body = problem->body;
    const SnVoxelRoom *room = &body->room;
    size_t count = sn_voxel_dofs(body);
    double *held_move = room->trial;
    bool any = false;
    for (size_t i = 0; i < count; ++i) {
        bool held = sn_voxel_holds(body, i);
        held_move[i] = held ? room->target[i] - body->state.positions[i] - room->move[i] : 0.0;
        any = any || held_move[i] != 0.0;
    }
    any = sn_voxel_grip_settle(problem, true, room->move, held_move) || any;
    if (!any) {
        return SINEW_OK;
    }
    sn_voxel_potential(problem, room->move);
    sn_voxel_system_make(problem);
    // Free rows of A times the held move are what the others feel.
    sn_voxel_system_apply(problem, held_move, room->x);
    for (size_t i = 0; i < count; ++i) {
        room->residual[i] += room->x[i];
    }
    if (sn_voxel_system_iterates(problem)) {
        sn_voxel_system_iterate(problem, RESPONSE_TOLERANCE, RESPONSE_ITERATIONS);
    } else {
        SN_TRY(sn_voxel_system_direct(problem, false, error));
    }
    for (size_t i = 0; i < count; ++i) {
        room->move[i] += room->direction[i] + held_move[i];
    }

done:
    return status;
}

// One load step from the state as it is.
static SinewStatus find_equilibrium(SnVoxelProblem *problem, SnVoxelValue *value, SnVoxelEnd *end,
                                    bool *out_found, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelBody *body = problem->body;
    *out_found = false;
    *value = (SnVoxelValue){0};
    memset(body->room.move, 0, sn_voxel_dofs(body) * sizeof *body->room.move);
    memcpy(body->room.base, body->state.rotations,
           9 * (size_t)body->grid.cell_count * sizeof(double));
    SN_TRY(respond(problem, error));
    SN_TRY(sn_voxel_minimise(problem, problem->tolerance, body->options.max_iterations, value, end,
                             error));
    bool rounding = *end == SN_VOXEL_STALLED && value->residual <= STALL_TOLERANCE * value->scale;
    *out_found = value->allowed && (*end == SN_VOXEL_CONVERGED || rounding);

done:
    return status == SINEW_ERROR_NOT_DEFINITE ? SINEW_OK : status;
}

// From the state as it is, which its own forces balance, to the equilibrium that is asked for.
static SinewStatus walk(SnVoxelProblem *problem, SnVoxelValue *value, SnVoxelEnd *end,
                        SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelBody *body = problem->body;
    double done_share = 0.0, share = 1.0;

    while (done_share < 1.0) {
        bool found;
        double next = done_share + share;
        problem->renews = next >= 1.0;
        problem->share = next;
        find_target(problem, next, body->room.target);
        SN_TRY(find_equilibrium(problem, value, end, &found, error));
        if (!found) {
            share *= 0.5;
            if (share < LEAST_SHARE) {
                SN_TRY(
                    sn_fail(error, SINEW_ERROR_DIVERGED,
                            "body \"%s\" has no equilibrium in reach: with %.4g %% of the change "
                            "of loads and pins taken, the next part leaves a relative residual of "
                            "%.3g, expected at most %.3g",
                            body->name, 100.0 * done_share,
                            value->residual / fmax(value->scale, DBL_MIN), problem->tolerance));
            }
            continue;
        }
        for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
            body->state.positions[i] += body->room.move[i];
        }
        memcpy(body->state.rotations, body->room.base,
               9 * (size_t)body->grid.cell_count * sizeof(double));
        problem->report->substeps += next < 1.0 ? 1 : 0;
        done_share = next;
        share = done_share + 2.0 * share > 1.0 ? 1.0 - done_share : 2.0 * share;
    }

done:
    return status;
}

SinewStatus sn_voxel_solve_static(void *body_, const SnStep *step, SinewStepReport *out_report,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelBody *body = body_;
    SnVoxelProblem problem = make_problem(body, step, out_report);
    SnVoxelValue value = {0};
    SnVoxelEnd end = SN_VOXEL_EXHAUSTED;
    size_t size = sn_voxel_dofs(body) * sizeof(double);

    problem.dynamic = false;
    if (body->pins.loose >= 0 && step->contacts == NULL) {
        SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, body->pins.loose,
                          "body \"%s\": no pin holds the piece with vertex %d, expected all pieces "
                          "to be held in a static solve",
                          body->name, body->pins.loose));
    }
    problem.share = 0.0;
    if (!sn_voxel_potential(&problem, body->room.move).allowed) {
        SN_TRY(fail_state(body, "at the start of the static solve", error));
    }
    memcpy(body->room.balance, body->room.internal, size);
    SN_TRY(walk(&problem, &value, &end, error));
    memset(body->state.velocities, 0, size);
    memset(body->state.last_move, 0, size);
    memset(body->state.last_change, 0, size);
    body->state.clock[SN_VOXEL_CLOCK_LAST_DT] = 0.0;
    body->state.clock[SN_VOXEL_CLOCK_LOST] = 0.0;
    finish(&problem, &value);
    status = SINEW_OK;

done:
    return status;
}
