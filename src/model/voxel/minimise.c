// Newton's method on the potential of a step: conjugate gradients or a factor for the direction,
// and a line search. `mode: paper` has no potential and goes by the residual.
#include "model/voxel/grip.h"
#include "model/voxel/warp.h"

#include <math.h>
#include <string.h>

enum {
    EARLY_RENEWALS = 3,
    CUTS_MAX = 30,
    CUTS_STEEP = 3,  // for a better place along the direction than one that is good enough
    CUTS_BUDGET = 4, // of steps with a limit
    SOLVER_ITERATIONS = 300,
    PAPER_ITERATIONS = 10
};

// Armijo's share of the slope.
#define SUFFICIENT 1e-4

// A move that ends where the potential rises by more than this share of how it fell at first has
// gone far past the least.
#define STEEP 0.5

// Where contact leaves more than this share of the forces unbalanced, cells may be crushed on the
// way to balance, and the whole derivative is seldom definite.
#define FAR 0.1

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

// Where the slope is zero between two lengths, by the secant of the slopes, and not too near to
// either.
static double between(double low, double slope_low, double high, double slope_high)
{
    double share = slope_high > 0.0 ? slope_low / (slope_low - slope_high) : 0.5;
    share = share < 0.1 ? 0.1 : share > 0.9 ? 0.9 : share;
    return low + share * (high - low);
}

// Cells whose rotation no longer follows their corners keep it to the end of the minimisation. The
// potential has a kink where a cell begins or ceases to follow, at which searches would end. True:
// there are more than before.
static bool keep_rotations(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    bool any = false;
    for (int e = 0; e < body->grid.cell_count && problem->smooth && !body->linear; ++e) {
        bool stays = !body->room.poses[e].turns;
        any = any || (stays && !body->room.stays[e]);
        body->room.stays[e] = body->room.stays[e] || stays;
    }
    return any;
}

// Makes the trial, of that value, the move.
static void take_trial(const SnVoxelProblem *problem, const SnVoxelValue *trial,
                       SnVoxelValue *value)
{
    const SnVoxelRoom *room = &problem->body->room;
    memcpy(room->move, room->trial, sn_voxel_dofs(problem->body) * sizeof *room->move);
    *value = *trial;
    sn_voxel_accept(problem);
    keep_rotations(problem);
    if (sn_voxel_grip_settle(problem, false, room->move, room->move)) {
        *value = sn_voxel_potential(problem, room->move);
        sn_voxel_accept(problem);
    }
}

// Goes along the direction to about where the potential is least. Contact makes it a chain of
// parabolas, whose least the slopes at both ends find sooner than halves of the way. False: nothing
// is better, and another direction would be the same.
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
    int cuts = problem->step->max_solves > 0 ? CUTS_BUDGET : CUTS_MAX;
    for (int cut = 0; cut < cuts; ++cut) {
        for (size_t i = 0; i < count; ++i) {
            room->trial[i] = room->move[i] + length * room->direction[i];
        }
        SnVoxelValue trial = sn_voxel_potential(problem, room->trial);
        double slope_there = dot(count, room->residual, room->direction);
        bool steep = problem->exact && cut < CUTS_STEEP && slope_there > -STEEP * slope &&
                     fabs(length * slope) > noise;
        if (!steep && is_better(problem, value, &trial, length * slope)) {
            take_trial(problem, &trial, value);
            return true;
        }
        if (!problem->exact && sn_voxel_system_factors(problem)) {
            break;
        }
        problem->report->line_search_cuts += 1;
        length = problem->exact ? between(0.0, slope, length, slope_there) : 0.5 * length;
        if (fabs(slope) <= noise && cut >= 4) {
            break; // where rounding rules, shorter steps can only stand still
        }
    }
    bool changed = keep_rotations(problem);
    *value = sn_voxel_potential(problem, room->move);
    return changed;
}

// A direction by a factor: first with the whole tangent, else with the definite part of it.
static SinewStatus search_direct(const SnVoxelProblem *problem, SnVoxelValue *value,
                                 bool *out_moved, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int pass = 0; pass < 2 && !*out_moved && !sn_voxel_is_capped(problem); ++pass) {
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
    if (!*out_moved && sn_voxel_system_factors(problem) && !sn_voxel_is_capped(problem)) {
        SN_TRY(problem->exact ? search_direct(problem, value, out_moved, error)
                              : sn_voxel_warp_search(problem, value, out_moved, error));
    }

done:
    return status;
}

bool sn_voxel_renew(const SnVoxelProblem *problem, SnVoxelValue *value)
{
    const SnPointForces *contacts = problem->step->contacts;
    // In the first half of a budget: a renewal asks for another solve.
    bool affords = problem->counted || sn_voxel_left(problem) > problem->step->max_solves / 2;
    if (contacts == NULL || contacts->renew == NULL || !problem->renews || !affords) {
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

static bool touches(const SnVoxelProblem *problem)
{
    const SnPointForces *contacts = problem->step->contacts;
    return contacts != NULL && ((const SnVoxelPoints *)contacts->points)->active_count > 0;
}

// The guess of a step that hits something is deep inside it, and cells crushed by what that does
// take long to come back. From where the body was it goes as far towards the guess as is good.
static void begin_low(const SnVoxelProblem *problem, SnVoxelValue *value)
{
    const SnVoxelRoom *room = &problem->body->room;
    size_t count = sn_voxel_dofs(problem->body);
    double guessed = value->phi;
    memcpy(room->direction, room->move, count * sizeof *room->direction);
    sn_voxel_take_start(problem);
    *value = sn_voxel_potential(problem, room->move);
    if (value->allowed && !(value->phi >= guessed)) {
        for (size_t i = 0; i < count; ++i) {
            room->direction[i] -= room->move[i];
        }
        sn_voxel_accept(problem);
        search(problem, value);
        return;
    }
    memcpy(room->move, room->direction, count * sizeof *room->move);
    *value = sn_voxel_potential(problem, room->move);
    sn_voxel_accept(problem);
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
    memset(problem->body->room.stays, 0, (size_t)problem->body->grid.cell_count);
    if (problem->smooth && !follows(problem)) {
        value = sn_voxel_potential(problem, problem->body->room.move);
    }
    if (problem->exact && problem->dynamic && !problem->one_turn && touches(problem)) {
        begin_low(problem, &value);
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
        if (iteration == max_iterations || sn_voxel_is_capped(problem)) {
            break;
        }
        iteration += 1;
        problem->report->iterations += 1;
        problem->far = problem->dynamic && value.residual > FAR * value.scale && touches(problem);
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
