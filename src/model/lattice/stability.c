#include "model/lattice/stability.h"

#include "base/random.h"

#include <math.h>

// How well the solve for a random force is done: directions of negative curvature are few, and turn
// up long before. With the preconditioner this takes some twenty iterations at most.
#define TOLERANCE 1e-4
enum { ITERATIONS_MAX = 60 };

// Less negative than this, next to the diagonal, is rounding: a body that may slide or turn freely
// has no stiffness at all in those directions.
#define SLACK 1e-6

// How far the forces are looked at to both sides, next to a cell.
#define LOOK 1e-4

// A force on every free component, the same at every call.
static void set_force(const SnLattice *body)
{
    SnLatticeLevel *fine = (SnLatticeLevel *)(uintptr_t)&body->multigrid.levels[0];
    SnRandom random = {17};
    for (size_t i = 0; i < sn_lattice_dofs(body); ++i) {
        double force = sn_random_between(&random, -1.0, 1.0);
        fine->b[body->nodes[i / 3] + SN_LATTICE_BLOCK * (int)(i % 3)] =
            sn_lattice_holds(body, i) ? 0.0f : (float)force;
    }
}

// Curvature along the direction that the solver stopped at, and the diagonal's, by differences.
static void find_curvature(const SnLatticeProblem *problem, double *out_curvature,
                           double *out_diagonal)
{
    SnLattice *body = problem->body;
    SnLatticeRoom *room = &body->room;
    const SnLatticeLevel *fine = &body->multigrid.levels[0];
    size_t count = sn_lattice_dofs(body);
    double longest = 0.0;
    *out_curvature = *out_diagonal = 0.0;
    for (size_t i = 0; i < count; ++i) {
        int at = body->nodes[i / 3] + SN_LATTICE_BLOCK * (int)(i % 3);
        room->direction[i] = (double)body->multigrid.direction[at];
        longest = fmax(longest, fabs(room->direction[i]));
    }
    double step = longest > 0.0 ? LOOK * body->h / longest : 0.0;
    for (int side = -1; side <= 1; side += 2) {
        for (size_t i = 0; i < count; ++i) {
            room->trial[i] = room->move[i] + side * step * room->direction[i];
        }
        sn_lattice_potential(problem, room->trial);
        for (size_t i = 0; i < count; ++i) {
            *out_curvature += side * room->direction[i] * room->residual[i];
        }
    }
    for (size_t i = 0; i < count; ++i) {
        float inverse = fine->d_inverse[body->nodes[i / 3] + SN_LATTICE_BLOCK * (int)(i % 3)];
        double share = inverse > 0.0f ? 1.0 / (double)inverse : 0.0;
        *out_diagonal += share * room->direction[i] * room->direction[i];
    }
    *out_curvature /= step > 0.0 ? 2.0 * step : 1.0;
}

SinewStatus sn_lattice_is_stable(const SnLatticeProblem *problem, bool *out_stable,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = problem->body;
    double curvature, diagonal;

    *out_stable = true;
    sn_lattice_potential(problem, body->room.move);
    SN_TRY(sn_lattice_linearise(problem, false, error));
    set_force(body);
    SnLatticeSolve solve = sn_lattice_multigrid_solve(
        &body->multigrid, problem->workers, true, (SnLatticeGoal){TOLERANCE, 0.0, ITERATIONS_MAX});
    problem->report->linear_solves += solve.iterations;
    if (solve.indefinite) {
        find_curvature(problem, &curvature, &diagonal);
        *out_stable = curvature >= -SLACK * diagonal;
    }
    sn_lattice_potential(problem, body->room.move);

done:
    return status;
}
