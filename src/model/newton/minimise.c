#include "model/newton/minimise.h"

#include "model/newton/line_search.h"
#include "model/newton/pins.h"
#include "model/newton/points.h"
#include "model/newton/system.h"

#include <math.h>
#include <string.h>

// Shifts tried after the projected tangent, each a hundred times the last; the first is a share of
// the mean diagonal.
enum { SHIFTS_MAX = 6 };
// Shifts of the exact tangent in static solves, each ten times the last.
enum { EXACT_SHIFTS = 6 };
#define FIRST_SHIFT 1e-8

// The exact Hessian; where it is not definite, with the first shift besides: a body that may slide
// or turn freely is short of definite by rounding alone, and this keeps the exact convergence. Next
// to a state in which something buckles the tangent has little less than no stiffness in a few
// directions, along which points made definite are far too stiff: static solves shift more first.
static SinewStatus factor_exact(const SnNewtonProblem *problem, SinewError *error)
{
    SnNewton *body = problem->body;
    const double *value = body->room.stiffness;
    int shifts = problem->dynamic ? 1 : EXACT_SHIFTS;
    sn_newton_potential_hessian(problem, false);
    problem->report->linear_solves += 1;
    SinewStatus status = sn_newton_system_factor(body, problem->workers, value, 0.0, error);
    double shift = FIRST_SHIFT * sn_newton_mean_diagonal(body);
    problem->report->projected += status == SINEW_ERROR_NOT_DEFINITE ? 1 : 0;
    for (int i = 0; i < shifts && status == SINEW_ERROR_NOT_DEFINITE; ++i) {
        problem->report->linear_solves += 1;
        status = sn_newton_system_factor(body, problem->workers, value, shift, error);
        shift *= 10.0;
    }
    return status;
}

SinewStatus sn_newton_factor(const SnNewtonProblem *problem, bool definite, bool *out_exact,
                             SinewError *error)
{
    SnNewton *body = problem->body;
    SinewStatus status = SINEW_ERROR_NOT_DEFINITE;
    int projected = problem->report->projected;
    *out_exact = !definite;
    if (!definite) {
        status = factor_exact(problem, error);
        if (status != SINEW_ERROR_NOT_DEFINITE) {
            return status;
        }
    }
    *out_exact = false;
    problem->report->projected = projected + 1;
    sn_newton_potential_hessian(problem, true);
    double shift = 0.0;
    double next = FIRST_SHIFT * sn_newton_mean_diagonal(body);
    for (int i = 0; i <= SHIFTS_MAX && status == SINEW_ERROR_NOT_DEFINITE; ++i) {
        problem->report->linear_solves += 1;
        status =
            sn_newton_system_factor(body, problem->workers, body->room.stiffness, shift, error);
        shift = next;
        next *= 100.0;
    }
    return status;
}

// Newton's direction from the factor: -A^-1 residual.
static SinewStatus find_direction(const SnNewtonProblem *problem, SinewError *error)
{
    SnNewton *body = problem->body;
    SnNewtonRoom *room = &body->room;
    size_t count = sn_newton_dofs(body);
    SinewStatus status =
        sn_newton_system_solve(body, problem->workers, room->residual, room->direction, error);
    for (size_t i = 0; i < count; ++i) {
        room->direction[i] = -room->direction[i];
    }
    return status;
}

// One iteration. *out_moved is false when neither tangent leads to a better state.
static SinewStatus iterate(const SnNewtonProblem *problem, SnNewtonValue *value, bool *out_moved,
                           SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool exact = true;
    *out_moved = false;
    SN_TRY(sn_newton_factor(problem, false, &exact, error));
    SN_TRY(find_direction(problem, error));
    *out_moved = sn_newton_line_search(problem, value);
    if (!*out_moved && exact) {
        *value = sn_newton_potential(problem, problem->body->room.move);
        SN_TRY(sn_newton_factor(problem, true, &exact, error));
        SN_TRY(find_direction(problem, error));
        *out_moved = sn_newton_line_search(problem, value);
    }
    if (!*out_moved) {
        *value = sn_newton_potential(problem, problem->body->room.move);
    }

done:
    return status;
}

// True when the contact wants to be solved again.
static bool renew(const SnNewtonProblem *problem, SnNewtonValue *value)
{
    const SnPointForces *contacts = problem->step->contacts;
    if (contacts == NULL || contacts->renew == NULL || !problem->renews) {
        return false;
    }
    const SnPointSet *points = contacts->points;
    if (!contacts->renew(contacts->context, points->places)) {
        return false;
    }
    *value = sn_newton_potential(problem, problem->body->room.move);
    return true;
}

// True when the step has used up the solves that it may take; the report says so.
static bool is_capped(const SnNewtonProblem *problem)
{
    int most = problem->dynamic ? problem->step->max_solves : 0;
    bool capped = most > 0 && problem->report->linear_solves >= most;
    problem->report->capped = capped ? 1 : problem->report->capped;
    return capped;
}

// Contact is renewed first where the residual is below this, in motion.
#define ROUGH_TOLERANCE 1e-3

SinewStatus sn_newton_minimise(const SnNewtonProblem *problem, double tolerance, int max_iterations,
                               SnNewtonValue *out_value, SnNewtonEnd *out_end, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewtonValue value = sn_newton_potential(problem, problem->body->room.move);
    int iteration = 0;
    bool moved = true;
    bool rough = problem->dynamic && problem->renews && tolerance < ROUGH_TOLERANCE;

    *out_end = value.allowed ? SN_NEWTON_EXHAUSTED : SN_NEWTON_FORBIDDEN;
    while (value.allowed) {
        // What friction is made of settles in states that are near the end; it is then looked at
        // once more at the end itself.
        if (rough && value.residual <= ROUGH_TOLERANCE * value.scale && !renew(problem, &value)) {
            rough = false;
        }
        if (value.residual <= fmax(tolerance * value.scale, value.least)) {
            *out_end = SN_NEWTON_CONVERGED;
            if (!renew(problem, &value)) {
                break;
            }
            *out_end = SN_NEWTON_EXHAUSTED;
            iteration = 0; // the contact counts its own passes
            continue;
        }
        if (iteration == max_iterations || is_capped(problem)) {
            break;
        }
        iteration += 1;
        problem->report->iterations += 1;
        SN_TRY(iterate(problem, &value, &moved, error));
        if (!moved) {
            *out_end = SN_NEWTON_STALLED;
            break;
        }
    }

done:
    *out_value = value;
    return status;
}

bool sn_newton_must_respond(const SnNewtonProblem *problem)
{
    const SnNewton *body = problem->body;
    const SnNewtonRoom *room = &body->room;
    size_t count = sn_newton_dofs(body);
    for (size_t i = 0; i < count; ++i) {
        if (sn_newton_pins_hold(body, i) &&
            room->target[i] != body->state.positions[i] + room->move[i]) {
            return true;
        }
    }
    return false;
}

SinewStatus sn_newton_respond(const SnNewtonProblem *problem, bool strict, bool *out_moved,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewton *body = problem->body;
    SnNewtonRoom *room = &body->room;
    size_t count = sn_newton_dofs(body);
    bool exact = true;
    SnNewtonValue before = sn_newton_potential(problem, room->move);

    *out_moved = false;
    for (size_t i = 0; i < count; ++i) {
        bool held = sn_newton_pins_hold(body, i);
        room->held_move[i] =
            held ? room->target[i] - body->state.positions[i] - room->move[i] : 0.0;
    }
    problem->report->iterations += 1;
    SN_TRY(sn_newton_factor(problem, false, &exact, error));
    // A (free) = -residual - A (held), with all of Phi's Hessian.
    sn_newton_system_multiply(body, problem->workers, room->stiffness, room->held_move,
                              room->trial);
    for (size_t i = 0; i < count; ++i) {
        room->residual[i] += room->trial[i];
    }
    SN_TRY(find_direction(problem, error));
    for (size_t i = 0; i < count; ++i) {
        room->trial[i] = room->move[i] + room->direction[i] + room->held_move[i];
    }
    SnNewtonValue after = sn_newton_potential(problem, room->trial);
    if (after.allowed && (!strict || after.inverted <= before.inverted)) {
        memcpy(room->move, room->trial, count * sizeof *room->move);
        *out_moved = true;
    }

done:
    return status;
}
