#include "model/newton/stability.h"

#include "base/random.h"
#include "model/newton/pins.h"
#include "model/newton/system.h"

#include <math.h>
#include <string.h>

// Tangents may have this much less than no stiffness, as a share of the mean: a body that may slide
// or turn freely has none at all in those directions, but for rounding.
#define SLACK 1e-8

// How far the first trial goes along the direction of least stiffness, in sizes of the body: the
// more, the fewer iterations to a bar that is bent for good.
#define REACH 0.05

enum {
    SHIFTS_MAX = 10,    // each ten times the last, from SLACK on
    INVERSE_STEPS = 12, // the least stiffness is then apart from others by a factor of ten each
    CUTS_MAX = 20
};

bool sn_newton_is_stable(const SnNewtonProblem *problem)
{
    SnNewton *body = problem->body;
    sn_newton_potential_hessian(problem, false);
    problem->report->linear_solves += 1;
    return sn_newton_system_factor(body, problem->workers, body->room.stiffness,
                                   SLACK * sn_newton_mean_diagonal(body), NULL) == SINEW_OK;
}

// Factors the room's stiffness with the least of the shifts that makes it definite.
static bool factor_shifted(const SnNewtonProblem *problem)
{
    SnNewton *body = problem->body;
    double shift = SLACK * sn_newton_mean_diagonal(body);
    for (int i = 0; i < SHIFTS_MAX; ++i) {
        shift *= 10.0;
        problem->report->linear_solves += 1;
        if (sn_newton_system_factor(body, problem->workers, body->room.stiffness, shift, NULL) ==
            SINEW_OK) {
            return true;
        }
    }
    return false;
}

// Makes the largest component of the room's direction one.
static bool normalise(const SnNewton *body)
{
    double *x = body->room.direction;
    size_t count = sn_newton_dofs(body);
    double largest = 0.0;
    for (size_t i = 0; i < count; ++i) {
        largest = fmax(largest, fabs(x[i]));
    }
    if (!(largest > 0.0) || !isfinite(largest)) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        x[i] /= largest;
    }
    return true;
}

// The direction of least stiffness into the room's direction, by inverse iteration with the factor
// that a shift made definite. False where it has no less than none.
static bool find_weakest(const SnNewtonProblem *problem)
{
    SnNewton *body = problem->body;
    SnNewtonRoom *room = &body->room;
    size_t count = sn_newton_dofs(body);
    SnRandom random = {1}; // any start that no symmetry is orthogonal to
    for (size_t i = 0; i < count; ++i) {
        room->direction[i] = sn_random_between(&random, -1.0, 1.0);
    }
    for (int step = 0; step < INVERSE_STEPS; ++step) {
        memcpy(room->trial, room->direction, count * sizeof *room->trial);
        if (sn_newton_system_solve(body, problem->workers, room->trial, room->direction, NULL) !=
                SINEW_OK ||
            !normalise(body)) {
            return false;
        }
    }
    sn_newton_system_multiply(body, problem->workers, room->stiffness, room->direction,
                              room->trial);
    double along = sn_newton_dot(body, room->direction, room->trial);
    double square = sn_newton_dot(body, room->direction, room->direction);
    return along < -SLACK * sn_newton_mean_diagonal(body) * square;
}

bool sn_newton_leave_saddle(const SnNewtonProblem *problem, SnNewtonValue *value)
{
    SnNewton *body = problem->body;
    SnNewtonRoom *room = &body->room;
    size_t count = sn_newton_dofs(body);
    if (!factor_shifted(problem) || !find_weakest(problem)) {
        return false;
    }
    double reach = REACH * body->size;
    for (int cut = 0; cut < CUTS_MAX; ++cut) {
        for (int side = 0; side < 2; ++side) {
            double length = side == 0 ? reach : -reach;
            for (size_t i = 0; i < count; ++i) {
                room->trial[i] = room->move[i] + length * room->direction[i];
            }
            SnNewtonValue trial = sn_newton_potential(problem, room->trial);
            if (trial.allowed && trial.inverted <= value->inverted &&
                trial.phi < value->phi - value->noise) {
                memcpy(room->move, room->trial, count * sizeof *room->move);
                *value = trial;
                return true;
            }
        }
        reach *= 0.5;
    }
    *value = sn_newton_potential(problem, room->move);
    return false;
}
