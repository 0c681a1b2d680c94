#include "model/split/pcg.h"

#include "model/split/clusters.h"
#include "model/split/system.h"
#include "model/split/woodbury.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// z = A^-1 z, filtered.
static SinewStatus solve_system(const SnSplitProblem *problem, float *z, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = problem->body;
    int count = 3 * body->elements.vertex_count;
    SN_TRY(sn_split_system_solve(body, problem->workers, z, error));
    if (body->pins.set.held_count > 0) {
        for (int i = 0; i < count; ++i) {
            z[i] *= body->room.free[i];
        }
    }
    problem->report->linear_solves += 1;

done:
    return status;
}

SinewStatus sn_split_precondition(const SnSplitProblem *problem, const float *r, float *z,
                                  SinewError *error)
{
    memcpy(z, r, sn_split_dofs(problem->body) * sizeof *z);
    return solve_system(problem, z, error);
}

// What the preconditioner takes from the place that products are linearised at.
static SinewStatus linearise(const SnSplitProblem *problem, SinewError *error)
{
    sn_split_clusters_turn(problem->body, problem->workers);
    return sn_woodbury_linearise(problem, error);
}

// With contact, and with the frames' share: z = Pi (A^-1 + Phi (C + Q)^-1 Phi^T Pi^T) r, see
// woodbury.h. Nodes let frames move before the solve, whose answer is then added to theirs.
static SinewStatus precondition_fully(const SnSplitProblem *problem, const float *r, float *z,
                                      SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = problem->body;
    if (!sn_woodbury_acts(body)) {
        SN_TRY(sn_split_precondition(problem, r, z, error));
        sn_split_clusters_correct(body, problem->workers, r, z);
        return status;
    }
    size_t size = sn_split_dofs(body) * sizeof *z;
    float *move = body->woodbury->move;
    memcpy(z, r, size);
    sn_woodbury_relieve(problem, z);
    memset(move, 0, size);
    sn_split_clusters_correct(body, problem->workers, z, move);
    sn_woodbury_oppose(problem, move, z);
    SN_TRY(solve_system(problem, z, error));
    sn_split_add(problem, 1.0f, move, z);
done:
    return status;
}

const SnSplitSolver sn_split_solver = {.model = "split",
                                       .linear_left = 1.0 / 8.0,
                                       .ties_most = INT_MAX,
                                       .prepare = sn_split_system_prepare,
                                       .reserve = sn_woodbury_reserve,
                                       .linearise = linearise,
                                       .product = sn_split_product,
                                       .precondition = precondition_fully};

// The k-th iteration's move, alpha p. True: it is the last one.
static bool ends(const SnSplitProblem *problem, int k, double alpha, SnSplitSolve *solve)
{
    const float *p = problem->body->room.p;
    solve->last = fabs(alpha) * sqrt(sn_split_dot(problem, p, p));
    solve->first = k == 0 ? solve->last : solve->first;
    return k + 1 >= solve->most || (k + 1 >= solve->least && solve->last <= solve->enough);
}

// A stiff spring makes the first residual so large that a share of it says nothing about the rest
// of the body. What the preconditioner makes of a residual, z, does: it is about the move that is
// still to come, or more than that at points with springs, which it does not know.
static bool is_solved(const SnSplitProblem *problem, double first, SnSplitSolve *solve)
{
    const SnSplitRoom *room = &problem->body->room;
    solve->rest = sqrt(sn_split_dot(problem, room->z, room->z));
    if (solve->rest <= solve->rest_enough) {
        return true;
    }
    return solve->left <= solve->tolerance * first &&
           solve->rest <= solve->tolerance * sqrt(sn_split_dot(problem, room->step, room->step));
}

SinewStatus sn_split_direction(const SnSplitProblem *problem, SnSplitSolve *solve,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitRoom *room = &problem->body->room;
    const SnSplitSolver *solver = problem->body->solver;
    size_t size = sn_split_dofs(problem->body) * sizeof *room->p;
    double first = sn_split_dot(problem, room->residual, room->residual);

    SN_TRY(solver->linearise(problem, error));
    solve->left = sqrt(first);
    solve->first = solve->last = 0.0;
    memset(room->step, 0, size);
    SN_TRY(solver->precondition(problem, room->residual, room->z, error));
    memcpy(room->p, room->z, size);
    solve->rest = sqrt(sn_split_dot(problem, room->z, room->z));
    double rz = sn_split_dot(problem, room->residual, room->z);
    for (int k = 0; k < solve->most && rz > 0.0; ++k) {
        double curvature = solver->product(problem, room->p, room->hp);
        if (!(curvature > 0.0) || !isfinite(curvature)) {
            if (k == 0) {
                memcpy(room->step, room->z, size);
            }
            break;
        }
        float alpha = (float)(rz / curvature);
        solve->left = sqrt(sn_split_walk(problem, alpha));
        if (ends(problem, k, (double)alpha, solve)) {
            break;
        }
        SN_TRY(solver->precondition(problem, room->residual, room->z, error));
        if (solve->tolerance > 0.0 && is_solved(problem, sqrt(first), solve)) {
            break;
        }
        double next = sn_split_dot(problem, room->residual, room->z);
        float beta = (float)(next / rz);
        rz = next;
        // p = z + beta p
        float *old = room->p;
        sn_split_add(problem, beta, old, room->z);
        room->p = room->z;
        room->z = old;
    }

done:
    return status;
}
