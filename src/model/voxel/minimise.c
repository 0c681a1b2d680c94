// Newton's method on the potential of a step: conjugate gradients or a factor for the direction,
// and a line search. `mode: paper` has no potential and goes by the residual.
#include "model/voxel/grip.h"
#include "model/voxel/warp.h"

#include <math.h>
#include <string.h>

enum { EARLY_RENEWALS = 3, CUTS_MAX = 30, SOLVER_ITERATIONS = 300, PAPER_ITERATIONS = 10 };

// Armijo's share of the slope.
#define SUFFICIENT 1e-4

// How well a direction is solved for at most.
#define DIRECTION_TOLERANCE 1e-4

// Directions by the matrix of mode paper, which does not know how cells turn, are good enough where
// they leave at most this share of the residual: others come from warp.h.
#define LEFT 0.3

static double dot(size_t count, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

static bool is_better(const SnVoxelProblem *problem, const SnVoxelValue *from,
                      const SnVoxelValue *to, double expected)
{
    if (!to->allowed) {
        return false;
    }
    if (!problem->exact) {
        return to->residual < (sn_voxel_system_factors(problem) ? LEFT : 1.0) * from->residual;
    }
    if (to->phi <= from->phi + SUFFICIENT * expected && to->phi < from->phi) {
        return true;
    }
    return fabs(expected) <= from->noise && to->residual < from->residual;
}

double sn_voxel_longest(const SnVoxelBody *body)
{
    double longest = 0.0;
    for (size_t i = 0; i < sn_voxel_dofs(body); ++i) {
        double size = fabs(body->room.direction[i]);
        longest = size > longest ? size : longest;
    }
    return longest;
}

// Goes along the direction as far as it gets better.
static bool search(const SnVoxelProblem *problem, SnVoxelValue *value)
{
    SnVoxelBody *body = problem->body;
    SnVoxelRoom *room = &body->room;
    size_t count = sn_voxel_dofs(body);
    double slope = dot(count, room->residual, room->direction);
    double length = sn_voxel_first_length(body, sn_voxel_longest(body));
    if (!isfinite(slope) || (problem->exact && slope > 0.0)) {
        return false;
    }
    double noise = value->noise;
    for (int cut = 0; cut < CUTS_MAX; ++cut) {
        for (size_t i = 0; i < count; ++i) {
            room->trial[i] = room->move[i] + length * room->direction[i];
        }
        SnVoxelValue trial = sn_voxel_potential(problem, room->trial);
        if (is_better(problem, value, &trial, length * slope)) {
            memcpy(room->move, room->trial, count * sizeof *room->move);
            *value = trial;
            sn_voxel_accept(problem);
            if (sn_voxel_grip_settle(problem, false, room->move, room->move)) {
                *value = sn_voxel_potential(problem, room->move);
                sn_voxel_accept(problem);
            }
            return true;
        }
        if (!problem->exact && sn_voxel_system_factors(problem)) {
            break;
        }
        problem->report->line_search_cuts += 1;
        length *= 0.5;
        if (fabs(slope) <= noise && cut >= 4) {
            break; // where rounding rules, shorter steps can only stand still
        }
    }
    *value = sn_voxel_potential(problem, room->move);
    return false;
}

// A direction by a factor: first with the whole tangent, else with the definite part of it.
static SinewStatus search_direct(const SnVoxelProblem *problem, SnVoxelValue *value,
                                 bool *out_moved, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int pass = 0; pass < 2 && !*out_moved; ++pass) {
        status = sn_voxel_system_direct(problem, pass == 0, error);
        if (status == SINEW_ERROR_NOT_DEFINITE && pass == 0) {
            problem->report->projected += 1;
            status = SINEW_OK;
            continue;
        }
        SN_TRY(status);
        *out_moved = search(problem, value);
    }

done:
    return status;
}

// One iteration. *out_moved is false when no direction leads to a better state.
static SinewStatus iterate(const SnVoxelProblem *problem, double tolerance, SnVoxelValue *value,
                           bool *out_moved, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_moved = false;
    if (sn_voxel_system_iterates(problem)) {
        sn_voxel_system_make(problem);
        sn_voxel_system_iterate(problem, tolerance, SOLVER_ITERATIONS);
        *out_moved = search(problem, value);
    }
    if (!*out_moved && sn_voxel_system_factors(problem)) {
        SN_TRY(problem->exact ? search_direct(problem, value, out_moved, error)
                              : sn_voxel_warp_search(problem, value, out_moved, error));
    }

done:
    return status;
}

bool sn_voxel_renew(const SnVoxelProblem *problem, SnVoxelValue *value)
{
    const SnPointForces *contacts = problem->step->contacts;
    if (contacts == NULL || contacts->renew == NULL || !problem->renews) {
        return false;
    }
    const SnVoxelPoints *points = contacts->points;
    if (!contacts->renew(contacts->context, points->places) || problem->counted) {
        return false;
    }
    *value = sn_voxel_potential(problem, problem->body->room.move);
    return true;
}

// Whether all cells are near enough to a rigid motion that their rotations follow their corners.
static bool follows(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    bool all = true;
    for (int e = 0; e < body->grid.cell_count && !body->linear; ++e) {
        all = all && body->room.poses[e].turns;
    }
    return all;
}

SinewStatus sn_voxel_minimise(SnVoxelProblem *problem, double tolerance, int max_iterations,
                              SnVoxelValue *out_value, SnVoxelEnd *out_end, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewVoxelDef *options = &problem->body->options;
    problem->smooth = false;
    SnVoxelValue value = sn_voxel_potential(problem, problem->body->room.move);
    int pcg = options->pcg > 0 ? options->pcg : PAPER_ITERATIONS;
    int iteration = 0, early = 0;
    bool moved = true;

    sn_voxel_accept(problem);
    *out_end = SN_VOXEL_EXHAUSTED;
    if (problem->counted && value.allowed) {
        int newton = options->newton > 0 ? options->newton : 1;
        bool fits = sn_voxel_take_counted(problem, newton, pcg, 1e-6, &value);
        *out_end = fits ? SN_VOXEL_CONVERGED : SN_VOXEL_UNFIT; // as asked for
        goto done;
    }
    // The energy of crushed and inverted cells depends on how they were turned before. Their
    // rotations, found once, stay from now on, so that there is a potential to search along.
    problem->smooth = problem->exact;
    if (problem->smooth && !follows(problem)) {
        value = sn_voxel_potential(problem, problem->body->room.move);
    }
    while (value.allowed) {
        if (value.residual <= tolerance * value.scale) {
            *out_end = SN_VOXEL_CONVERGED;
            if (!sn_voxel_renew(problem, &value)) {
                break;
            }
            *out_end = SN_VOXEL_EXHAUSTED;
            iteration = 0; // the contact counts its own passes
            continue;
        }
        if (iteration == max_iterations) {
            break;
        }
        iteration += 1;
        problem->report->iterations += 1;
        // No better than the last iteration needs.
        double wanted = 0.3 * tolerance * value.scale / value.residual;
        SN_TRY(
            iterate(problem, fmin(fmax(wanted, DIRECTION_TOLERANCE), 0.1), &value, &moved, error));
        if (!moved) {
            *out_end = SN_VOXEL_STALLED;
            break;
        }
        // Friction follows the first iterations of a step: passes that each converge cost twice as
        // many. Contact counts its passes, and some are left for those.
        if (problem->dynamic && early < EARLY_RENEWALS &&
            value.residual > tolerance * value.scale) {
            early += 1;
            sn_voxel_renew(problem, &value);
        }
    }

done:
    *out_value = value;
    return status;
}
