#include "model/frames/minimise.h"

#include "model/frames/dense.h"

#include <math.h>
#include <string.h>

enum { CUTS_MAX = 40, SHIFTS_MAX = 40, INVERSE_STEPS = 40, NUDGES_MAX = 8 };

// Armijo's share of the slope.
#define SUFFICIENT 1e-4

// First shift of an indefinite Hessian, as a share of its mean diagonal. That is mostly of pins,
// which are stiffer than the body by far; larger shifts make bars that buckle creep.
#define FIRST_SHIFT 1e-10

// Directions with less than no stiffness by this share of the mean count as unstable.
#define SLACK 1e-9

// No frame turns by more than this in one iteration, rad.
#define TURN_MOST 1.0

// Diagonal entries comparable with each other: turns over the square of the length.
static double mean_diagonal(const SnFrames *body)
{
    int dofs = sn_frames_dofs(body);
    double sum = 0.0;
    for (int d = 0; d < dofs; ++d) {
        double unit = sn_frames_unit(body, d);
        sum += fabs(body->room.hessian[d * dofs + d]) / (unit * unit);
    }
    return sum / dofs;
}

static bool factor(const SnFrames *body, double shift)
{
    int dofs = sn_frames_dofs(body);
    memcpy(body->room.factor, body->room.hessian,
           (size_t)dofs * (size_t)dofs * sizeof *body->room.factor);
    for (int d = 0; d < dofs; ++d) {
        double unit = sn_frames_unit(body, d);
        body->room.factor[d * dofs + d] += shift * unit * unit;
    }
    return sn_dense_factor(body->room.factor, dofs);
}

// Factors the Hessian with as small a shift as makes it definite.
static bool factor_shifted(const SnFramesProblem *problem)
{
    const SnFrames *body = problem->body;
    problem->report->linear_solves += 1;
    if (factor(body, 0.0)) {
        return true;
    }
    double shift = FIRST_SHIFT * mean_diagonal(body);
    problem->report->projected += 1;
    for (int i = 0; i < SHIFTS_MAX; ++i) {
        problem->report->linear_solves += 1;
        if (factor(body, shift)) {
            return true;
        }
        shift *= 4.0;
    }
    return false;
}

static void find_direction(const SnFrames *body)
{
    int dofs = sn_frames_dofs(body);
    double *x = body->room.direction;
    for (int d = 0; d < dofs; ++d) {
        x[d] = -body->room.gradient[d];
    }
    sn_dense_forward(body->room.factor, dofs, x);
    sn_dense_backward(body->room.factor, dofs, x);
}

// The share of a direction that no frame goes too far in.
static double longest_step(const SnFrames *body)
{
    double most = 0.0;
    for (int d = 0; d < sn_frames_dofs(body); ++d) {
        double size = fabs(body->room.direction[d]);
        bool turns = d % body->numbers.dofs < body->numbers.turns;
        most = fmax(most, turns ? size / TURN_MOST : size / (2.0 * body->grid.size));
    }
    return most > 1.0 ? 1.0 / most : 1.0;
}

static bool is_better(const SnFramesProblem *problem, const SnFramesValue *from,
                      const SnFramesValue *to, double expected)
{
    if (!to->allowed) {
        return false;
    }
    // Forces that follow from no potential: a step is taken as it is, statics come to rest.
    if (problem->body->springs.paired) {
        return problem->dynamic || to->residual < from->residual;
    }
    if (to->phi <= from->phi + SUFFICIENT * expected && to->phi < from->phi) {
        return true;
    }
    return fabs(expected) <= from->noise && to->residual < from->residual;
}

// Takes the room's trial as the state.
static void take_trial(SnFrames *body)
{
    memcpy(body->state.poses, body->room.trial,
           sn_frames_pose_count(body) * sizeof *body->room.trial);
}

static bool search_line(const SnFramesProblem *problem, SnFramesValue *value)
{
    SnFrames *body = problem->body;
    double slope = 0.0, length = longest_step(body);
    for (int d = 0; d < sn_frames_dofs(body); ++d) {
        slope += body->room.gradient[d] * body->room.direction[d];
    }
    if (!(slope <= 0.0)) {
        return false;
    }
    for (int cut = 0; cut < CUTS_MAX; ++cut) {
        sn_frames_change(body, body->state.poses, body->room.direction, length, body->room.trial);
        SnFramesValue trial = sn_frames_potential(problem, body->room.trial, false);
        if (is_better(problem, value, &trial, length * slope)) {
            take_trial(body);
            *value = trial;
            return true;
        }
        problem->report->line_search_cuts += 1;
        length *= 0.5;
        // Where rounding rules, shorter steps can only stand still.
        if (fabs(slope) <= value->noise && cut >= 4) {
            break;
        }
    }
    return false;
}

// x^T H x and x^T x of the room's direction, turns counted over the length.
static double stiffness_along(const SnFrames *body)
{
    int dofs = sn_frames_dofs(body);
    const double *H = body->room.hessian, *x = body->room.direction;
    double along = 0.0, square = 0.0;
    for (int r = 0; r < dofs; ++r) {
        double sum = 0.0, unit = sn_frames_unit(body, r);
        for (int c = 0; c < dofs; ++c) {
            sum += H[r * dofs + c] * x[c];
        }
        along += x[r] * sum;
        square += x[r] * x[r] * unit * unit;
    }
    return along / square;
}

// The direction of least stiffness into the room's direction, by inverse iteration with the Hessian
// that a shift made definite, which the room's factor holds; in dofs scaled so that turns and moves
// compare. Powers of the Hessian itself would not do: pins are stiffer than all else by far. Its
// stiffness, relative to the mean.
static double find_weakest(const SnFrames *body)
{
    int dofs = sn_frames_dofs(body);
    double *x = body->room.direction;
    for (int r = 0; r < dofs; ++r) {
        x[r] = (1.0 + 0.01 * r) / sn_frames_unit(body, r); // any that no symmetry is upright on
    }
    for (int step = 0; step < INVERSE_STEPS; ++step) {
        double square = 0.0;
        for (int r = 0; r < dofs; ++r) {
            double unit = sn_frames_unit(body, r);
            x[r] *= unit * unit;
        }
        sn_dense_forward(body->room.factor, dofs, x);
        sn_dense_backward(body->room.factor, dofs, x);
        for (int r = 0; r < dofs; ++r) {
            double unit = sn_frames_unit(body, r);
            square += x[r] * x[r] * unit * unit;
        }
        for (int r = 0; r < dofs; ++r) {
            x[r] /= sqrt(square);
        }
    }
    return stiffness_along(body) / mean_diagonal(body);
}

// At a saddle: goes to the lower side. False at a minimum.
static bool leave_saddle(const SnFramesProblem *problem, SnFramesValue *value)
{
    SnFrames *body = problem->body;
    sn_frames_potential(problem, body->state.poses, true);
    if (factor(body, SLACK * mean_diagonal(body)) || !factor_shifted(problem) ||
        !(find_weakest(body) < -SLACK)) {
        return false; // the room still holds the state's forces
    }
    double reach = 0.05 * body->grid.size;
    for (int cut = 0; cut < CUTS_MAX; ++cut) {
        for (int side = 0; side < 2; ++side) {
            sn_frames_change(body, body->state.poses, body->room.direction,
                             side == 0 ? reach : -reach, body->room.trial);
            SnFramesValue trial = sn_frames_potential(problem, body->room.trial, false);
            if (trial.allowed && trial.phi < value->phi - value->noise) {
                take_trial(body);
                *value = trial;
                return true;
            }
        }
        reach *= 0.5;
    }
    *value = sn_frames_potential(problem, body->state.poses, false);
    return false;
}

// True when the contact wants to be solved again.
static bool renew(const SnFramesProblem *problem)
{
    const SnPointForces *contacts = problem->step->contacts;
    if (contacts == NULL || contacts->renew == NULL || !problem->renews) {
        return false;
    }
    // The second half of a budget is for friction as it is.
    if (problem->budget > 0 && 2 * problem->report->iterations >= problem->budget) {
        return false;
    }
    const SnFramePoints *points = contacts->points;
    return contacts->renew(contacts->context, points->places);
}

SnFramesEnd sn_frames_minimise(const SnFramesProblem *problem, double tolerance, int max_iterations,
                               SnFramesValue *out_value)
{
    SnFrames *body = problem->body;
    SnFramesEnd end = SN_FRAMES_EXHAUSTED;
    int iteration = 0, nudges = 0;
    SnFramesValue value = sn_frames_potential(problem, body->state.poses, false);
    while (value.allowed) {
        if (value.residual <= fmax(tolerance * value.scale, value.floor)) {
            end = SN_FRAMES_CONVERGED;
            if (renew(problem)) {
                iteration = 0; // the contact counts its own passes
            } else if (problem->dynamic || body->springs.paired || nudges++ >= NUDGES_MAX ||
                       !leave_saddle(problem, &value)) {
                break;
            }
            value = sn_frames_potential(problem, body->state.poses, false);
            continue;
        }
        end = SN_FRAMES_EXHAUSTED;
        if (iteration++ >= max_iterations) {
            break;
        }
        if (problem->budget > 0 && problem->report->iterations >= problem->budget) {
            end = SN_FRAMES_CAPPED;
            break;
        }
        problem->report->iterations += 1;
        value = sn_frames_potential(problem, body->state.poses, true);
        if (!factor_shifted(problem)) {
            end = SN_FRAMES_STALLED;
            break;
        }
        find_direction(body);
        if (!search_line(problem, &value)) {
            end = SN_FRAMES_STALLED;
            value = sn_frames_potential(problem, body->state.poses, false);
            break;
        }
    }
    *out_value = value;
    return value.allowed ? end : SN_FRAMES_FORBIDDEN;
}
