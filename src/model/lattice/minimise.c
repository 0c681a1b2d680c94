// Newton's method on the potential of a step: conjugate gradients on the unclamped tangent, else on
// the definite one, and a line search.
#include "model/lattice/damping.h"
#include "model/lattice/fas.h"
#include "model/lattice/vectors.h"

#include <math.h>
#include <string.h>

enum { CUTS_MAX = 40, SOLVER_ITERATIONS = 200, BISECTIONS = 40 };

// Shorter moves, in cells, turn none by much.
#define TURNING_MOVE 0.2

// Armijo's share of the slope.
#define SUFFICIENT 1e-4

// How well a direction is solved for, its residual or its energy: `wilson` has a tangent that is
// not exact, and gains nothing from more.
#define DIRECTION_TOLERANCE 1e-3

// The first of a step: the guess is so far off that rotations leave a hundredth of it.
#define FIRST_TOLERANCE 1e-2

// While points may touch and the residual is more than ROUGH of the forces, directions of a step
// are solved for so well, by residual and energy: which points touch changes from one to the next.
// The last ones are as good as elsewhere, and so is the state. A figure that falls on a plane needs
// a third fewer iterations of conjugate gradients.
#define ROUGH 1e-2
#define ROUGH_FIRST 0.1
#define ROUGH_TOLERANCE 3e-2
#define ROUGH_ENERGY 0.1

// A step's budget: iterations of conjugate gradients, and half of one for each cut of a line
// search, whose potential costs as much. No direction takes more than a quarter of it, since the
// first systems have the wrong points in contact; friction is renewed in its first half.
enum { BUDGET_PARTS = 4, CUTS_BUDGET = 4 };

static int spent(const SnLatticeProblem *problem)
{
    return problem->report->linear_solves + problem->report->line_search_cuts / 2;
}

static bool is_capped(const SnLatticeProblem *problem)
{
    return problem->step->max_solves > 0 && spent(problem) >= problem->step->max_solves;
}

// Iterations that the next direction may take.
static int allowance(const SnLatticeProblem *problem)
{
    int budget = problem->step->max_solves;
    if (budget <= 0) {
        return SOLVER_ITERATIONS;
    }
    int part = budget / BUDGET_PARTS > SN_SOLVES_LEAST ? budget / BUDGET_PARTS : SN_SOLVES_LEAST;
    int left = budget - spent(problem);
    left = left > 1 ? left : 1;
    return part < left ? part : left;
}

// How well to solve for a direction: no better than the last iteration needs, which is often the
// first.
static SnLatticeGoal choose_goal(const SnLatticeProblem *problem, const SnLatticeValue *value,
                                 double tolerance, int iteration)
{
    const SnPointForces *contacts = problem->step->contacts;
    bool touches = contacts != NULL && contacts->count > contacts->tie_count;
    bool rough = problem->dynamic && touches && value->residual > ROUGH * value->scale;
    double wanted = 0.5 * tolerance * value->scale / value->residual;
    double least = rough ? ROUGH_TOLERANCE : DIRECTION_TOLERANCE;
    if (problem->dynamic && iteration == 1) {
        least = rough ? ROUGH_FIRST : FIRST_TOLERANCE;
    }
    return (SnLatticeGoal){.residual = fmin(fmax(wanted, least), 0.1),
                           .share = rough ? ROUGH_ENERGY : DIRECTION_TOLERANCE};
}

// Newton's direction: -K^-1 residual on free components. `size` is the size of the residual: floats
// have no room for the forces of very small or very stiff bodies. False when it met no direction.
static bool find_direction(const SnLatticeProblem *problem, bool exact, double size,
                           SnLatticeGoal goal)
{
    SnLattice *body = problem->body;
    SnLatticeMultigrid *multigrid = &body->multigrid;
    double scale = size > 0.0 ? -1.0 / size : 0.0;
    goal.max_iterations = allowance(problem);
    sn_lattice_vectors_send(body, problem->workers, scale, body->room.residual);
    SnLatticeSolve solve = sn_lattice_multigrid_solve(multigrid, problem->workers, exact, goal);
    sn_lattice_linear_tire(problem, solve.iterations);
    problem->report->linear_solves += solve.iterations;
    problem->report->projected += solve.indefinite ? 1 : 0;
    sn_lattice_vectors_fetch(body, problem->workers, size, body->room.direction);
    return solve.iterations > 0;
}

static bool is_better(const SnLatticeValue *from, const SnLatticeValue *to, double expected)
{
    if (!to->allowed) {
        return false;
    }
    if (to->phi <= from->phi + SUFFICIENT * expected && to->phi < from->phi) {
        return true;
    }
    return fabs(expected) <= from->noise && to->residual < from->residual;
}

// How much to go at most after a whole step failed: half of it, and no vertex farther than the body
// is long.
static double shorten(const SnLattice *body)
{
    double longest = sn_lattice_vectors_largest(body, body->room.direction);
    return longest > 2.0 * body->size ? body->size / longest : 0.5;
}

// The next length to try: where the parabola through what is known along the direction is least,
// between a tenth and a half of the one that failed. From a state that is no shape the energy is
// no parabola, and longer steps find the way out.
static double cut_length(const SnLatticeValue *from, const SnLatticeValue *to, double slope,
                         double length)
{
    double above = to->phi - from->phi - length * slope;
    if (!to->allowed || from->inverted > 0 || !(above > 0.0)) {
        return 0.5 * length;
    }
    double least = -0.5 * slope * length * length / above;
    return fmin(fmax(least, 0.1 * length), 0.5 * length);
}

// The first length to try: one, but where a whole step would turn cells so far that the energy
// rises, the one at which a polynomial that knows of turns is least. Along the direction of Newton
// the curvature is minus the slope.
static double foresee(const SnLatticeProblem *problem, double slope)
{
    SnLattice *body = problem->body;
    double rise[2], low = 0.0, high = 1.0;
    double *move64 = body->room.force64; // not needed between two potentials
    if (sn_lattice_vectors_largest(body, body->room.direction) < TURNING_MOVE * body->h) {
        return 1.0;
    }
    sn_lattice_vectors_spread(body, problem->workers, body->room.direction, move64);
    sn_lattice_level_rise(&body->multigrid.levels[0], problem->workers, move64, rise);
    if (!(rise[0] + rise[1] > (SUFFICIENT - 0.5) * slope)) {
        return 1.0;
    }
    for (int i = 0; i < BISECTIONS; ++i) {
        double t = 0.5 * (low + high);
        bool falls = slope * (1.0 - t) + t * t * (3.0 * rise[0] + 4.0 * rise[1] * t) < 0.0;
        low = falls ? t : low;
        high = falls ? high : t;
    }
    return high;
}

static bool search(const SnLatticeProblem *problem, SnLatticeValue *value)
{
    SnLattice *body = problem->body;
    SnLatticeRoom *room = &body->room;
    size_t count = sn_lattice_dofs(body);
    double slope = sn_lattice_vectors_dot(body, problem->workers, room->residual, room->direction);
    if (!isfinite(slope) || slope > 0.0) {
        return false;
    }
    double length = value->inverted > 0 ? 1.0 : foresee(problem, slope);
    int cuts = problem->step->max_solves > 0 ? CUTS_BUDGET : CUTS_MAX;
    for (int cut = 0; cut < cuts; ++cut) {
        sn_lattice_vectors_add(body, problem->workers, room->move, length, room->direction,
                               room->trial);
        SnLatticeValue trial = sn_lattice_potential(problem, room->trial);
        if (is_better(value, &trial, length * slope)) {
            memcpy(room->move, room->trial, count * sizeof *room->move);
            *value = trial;
            return true;
        }
        problem->report->line_search_cuts += 1;
        double next = cut_length(value, &trial, slope, length);
        length = cut == 0 ? fmin(next, length * shorten(body)) : next;
        if (fabs(slope) <= value->noise && cut >= 4) {
            break; // where rounding rules, shorter steps can only stand still
        }
    }
    return false;
}

// A cycle of the full approximation scheme instead of a solve. Where it leads to no better state,
// Newton's method goes on.
static SinewStatus approximate(const SnLatticeProblem *problem, SnLatticeValue *value,
                               bool *out_moved, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_lattice_fas(problem, error));
    *value = sn_lattice_potential(problem, problem->body->room.move);
    *out_moved = search(problem, value);
    if (!*out_moved) {
        *value = sn_lattice_potential(problem, problem->body->room.move);
        SN_TRY(sn_lattice_linearise(problem, false, error));
    }

done:
    return status;
}

// One iteration. *out_moved is false when neither tangent leads to a better state.
static SinewStatus iterate(const SnLatticeProblem *problem, bool follows, SnLatticeGoal goal,
                           SnLatticeValue *value, bool *out_moved, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool exact = problem->body->options.differential == SINEW_LATTICE_EXACT;
    bool approximates = problem->body->options.cycle == SINEW_LATTICE_FAS;
    *out_moved = false;
    SN_TRY(sn_lattice_linearise(problem, follows && !approximates, error));
    if (approximates) {
        SN_TRY(approximate(problem, value, out_moved, error));
    }
    for (int pass = exact ? 0 : 1; pass < 2 && !*out_moved; ++pass) {
        if (pass > 0 && exact) {
            *value = sn_lattice_potential(problem, problem->body->room.move);
        }
        if (find_direction(problem, pass == 0, value->residual, goal)) {
            *out_moved = search(problem, value);
        }
    }
    if (!*out_moved) {
        *value = sn_lattice_potential(problem, problem->body->room.move);
    }

done:
    return status;
}

static bool renew(const SnLatticeProblem *problem, SnLatticeValue *value)
{
    const SnPointForces *contacts = problem->step->contacts;
    int budget = problem->step->max_solves;
    if (contacts == NULL || contacts->renew == NULL || !problem->renews ||
        (budget > 0 && 2 * spent(problem) >= budget)) {
        return false;
    }
    const SnPointSet *points = contacts->points;
    if (!contacts->renew(contacts->context, points->places)) {
        return false;
    }
    *value = sn_lattice_potential_again(problem, problem->body->room.move, value);
    return true;
}

SinewStatus sn_lattice_minimise(const SnLatticeProblem *problem, double tolerance,
                                int max_iterations, SnLatticeValue *out_value,
                                SnLatticeEnd *out_end, SinewError *error)
{
    *out_value = sn_lattice_potential(problem, problem->body->room.move);
    return sn_lattice_minimise_from(problem, tolerance, max_iterations, out_value, out_end, error);
}

SinewStatus sn_lattice_minimise_from(const SnLatticeProblem *problem, double tolerance,
                                     int max_iterations, SnLatticeValue *value,
                                     SnLatticeEnd *out_end, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int iteration = 0;
    bool moved = true;

    *out_end = SN_LATTICE_EXHAUSTED;
    while (value->allowed) {
        if (value->residual <= fmax(tolerance * value->scale, value->least)) {
            *out_end = SN_LATTICE_CONVERGED;
            if (!renew(problem, value)) {
                break;
            }
            *out_end = SN_LATTICE_EXHAUSTED;
            iteration = 0; // the contact counts its own passes
            continue;
        }
        if (iteration == max_iterations) {
            break;
        }
        if (is_capped(problem)) {
            problem->report->capped = 1;
            break;
        }
        iteration += 1;
        problem->report->iterations += 1;
        SnLatticeGoal goal = choose_goal(problem, value, tolerance, iteration);
        SN_TRY(iterate(problem, iteration > 1, goal, value, &moved, error));
        if (!moved) {
            *out_end = SN_LATTICE_STALLED;
            break;
        }
        // Friction follows each iteration of a step: passes that each converge cost twice as many.
        if (problem->dynamic && value->residual > tolerance * value->scale) {
            renew(problem, value);
        }
    }

done:
    return status;
}

SinewStatus sn_lattice_respond(const SnLatticeProblem *problem, bool strict, bool *out_moved,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnLattice *body = problem->body;
    SnLatticeRoom *room = &body->room;
    SnLatticeMultigrid *multigrid = &body->multigrid;
    size_t count = sn_lattice_dofs(body);
    SnLatticeValue before = sn_lattice_potential(problem, room->move);

    *out_moved = false;
    problem->report->iterations += 1;
    SN_TRY(sn_lattice_linearise(problem, false, error));
    memset(multigrid->direction, 0,
           (size_t)sn_lattice_grid_numbers(&multigrid->levels[0].grid) * sizeof(float));
    for (size_t i = 0; i < count; ++i) {
        bool held = sn_lattice_holds(body, i);
        room->held_move[i] =
            held ? room->target[i] - body->state.positions[i] - room->move[i] : 0.0;
        multigrid->direction[body->nodes[i / 3] + SN_LATTICE_BLOCK * (int)(i % 3)] =
            (float)room->held_move[i];
    }
    // K (free) = -residual - K (held).
    sn_lattice_level_apply(&multigrid->levels[0], problem->workers, true, multigrid->direction,
                           multigrid->product);
    for (size_t i = 0; i < count; ++i) {
        room->residual[i] +=
            (double)multigrid->product[body->nodes[i / 3] + SN_LATTICE_BLOCK * (int)(i % 3)];
    }
    double square = sn_lattice_vectors_dot(body, problem->workers, room->residual, room->residual);
    find_direction(problem, true, sqrt(square),
                   (SnLatticeGoal){.residual = DIRECTION_TOLERANCE, .share = DIRECTION_TOLERANCE});
    for (size_t i = 0; i < count; ++i) {
        room->trial[i] = room->move[i] + room->direction[i] + room->held_move[i];
    }
    SnLatticeValue after = sn_lattice_potential(problem, room->trial);
    if (after.allowed && (!strict || after.inverted <= before.inverted)) {
        memcpy(room->move, room->trial, count * sizeof *room->move);
        *out_moved = true;
    }

done:
    return status;
}
