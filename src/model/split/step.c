// A step of motion: the implicit one.
#include "model/split/step.h"

#include "model/split/lost.h"
#include "model/split/pcg.h"
#include "model/split/points.h"
#include "model/split/system.h"

#include <math.h>
#include <string.h>

enum {
    NEWTON_FEW = 8, // where iterations are counted
    PCG_FEW = 20,
    NEWTON_MAX = 30, // where iterations go on to an accuracy
    PCG_MAX = 60,
    CUTS_MAX = 10,     // halvings of a step that raises the energy
    RESCUE_PASSES = 4, // with the constant matrix alone
    RENEWALS_MAX = 4   // of friction
};

// Finer accuracies than this are reached with a line search.
#define LEAST_COUNTED 1e-5

// Where iterations go on to an accuracy, each linear system is solved to this.
#define FORCING 0.05

// Solvers of fixed counts do with them from this accuracy on.
#define LEAST_FIXED 1e-3

// Above this time step, s, solvers of fixed counts need more of them.
#define LONG_STEP 0.025

// Share of inverted tets above which det F is left out of the law.
#define INVERTED_SHARE 0.002

// What is left of a step, as shares of the moves of the last linearisation's conjugate gradients:
// the solver's of the last one, and this of the first one, whose square the linearisation has left
// out. Chosen so that accuracy 1e-3 keeps swinging bodies of E 1e5 to 1e7, nu to 0.45 and steps to
// 17 ms within 3 % of the converged motion (test/check_split.py), at the least cost for E 1e6 and
// nu 0.33.
#define NEWTON_LEFT (1.0 / 40.0)

// Finer accuracies than those of fixed counts take both shares by this: half a second of steps then
// stays within twelve times the accuracy for stiff bodies too.
#define FINE_LEFT 2.0

// Above these shares of lambda in lambda + 2 mu, which are nu = 0.4 and 0.444, conjugate gradients
// need one iteration more each: the constant matrix knows volume least.
#define LAMBDA_HIGH (2.0 / 3.0)
#define LAMBDA_HIGHER 0.8

// Iterations of a step, or none: they go on to the accuracy with a line search.
typedef struct Counts {
    int newton_least, newton_most;
    int pcg_least, pcg_most;
} Counts;

static int count_for_volume(const SnSplit *body)
{
    double share = 0.0;
    for (int m = 0; m < body->material_count; ++m) {
        const SnLaw *law = &body->materials[m].law;
        share = fmax(share, law->lambda / (law->lambda + 2.0 * law->mu));
    }
    return (share > LAMBDA_HIGH ? 1 : 0) + (share > LAMBDA_HIGHER ? 1 : 0);
}

// Of solvers that do with fixed counts.
static Counts fixed_counts(const SnSplit *body, double dt)
{
    const SinewSplitDef *options = &body->options;
    const SnSplitSolver *solver = body->solver;
    bool rough = options->accuracy >= 1e-2 && dt <= LONG_STEP;
    int newton = options->newton, pcg = options->pcg;
    if (newton == 0 && options->accuracy >= LEAST_FIXED) {
        newton = dt > LONG_STEP ? solver->newton_long
                 : rough        ? solver->newton_rough
                                : solver->newton;
    }
    if (pcg == 0 && newton > 0) {
        pcg = rough ? solver->pcg_rough : solver->pcg;
    }
    return (Counts){newton, newton, pcg, options->pcg == 0 && pcg > 0 ? PCG_FEW : pcg};
}

static Counts counts_of(const SnSplit *body, double dt)
{
    const SinewSplitDef *options = &body->options;
    if (body->solver->newton > 0) {
        return fixed_counts(body, dt);
    }
    Counts counts = {options->newton, options->newton, options->pcg, options->pcg};
    if (options->newton == 0 && options->accuracy >= LEAST_COUNTED) {
        counts.newton_least = 2;
        counts.newton_most = NEWTON_FEW;
    }
    if (options->pcg == 0 && counts.newton_most > 0) {
        counts.pcg_least = (options->accuracy >= 1e-2 ? 2 : 3) + count_for_volume(body);
        counts.pcg_most = options->newton > 0 ? counts.pcg_least : PCG_FEW;
    }
    return counts;
}

static bool touches(const SnSplitProblem *problem)
{
    const SnPointForces *contacts = problem->step->contacts;
    return contacts != NULL && ((const SnPointSet *)contacts->points)->active_count > 0;
}

static void set_residual(const SnSplitProblem *problem, double residual)
{
    problem->report->residual = residual;
    problem->body->state.clock[SN_SPLIT_RESIDUAL] = residual;
}

// Moves below this, m, as a norm over all vertices, are rounding of places in float.
static double rounding_of(const SnSplit *body)
{
    return 2e-7 * body->size * sqrt((double)body->elements.vertex_count);
}

// How far forces move the body in the step, m, as such a norm.
static double length_of(const SnSplitProblem *problem)
{
    double length;
    sn_split_inertia(problem, problem->body->room.move, &length);
    return fmax(length, rounding_of(problem->body));
}

// How large the last correction was, relative to that.
static double relative_step(const SnSplitProblem *problem)
{
    const SnSplitRoom *room = &problem->body->room;
    return sqrt(sn_split_dot(problem, room->step, room->step)) / length_of(problem);
}

// Linearisations, as many as the counts say: at least so many, and more while what is left is not
// within the accuracy. The first is solved roughly, since the next ones correct it.
static SinewStatus iterate(SnSplitProblem *problem, const Counts *counts, bool *out_converged,
                           SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitRoom *room = &problem->body->room;
    double accuracy = problem->body->options.accuracy;
    double rounding = rounding_of(problem->body);
    double left = 0.0;
    double care = accuracy < LEAST_FIXED ? FINE_LEFT : 1.0;
    double linear_left = care * problem->body->solver->linear_left;
    problem->counted = true;
    bool keeps = problem->body->solver->keeps_matrix && problem->step->dt <= LONG_STEP;
    for (int k = 0; k < counts->newton_most && (k < counts->newton_least || left > accuracy); ++k) {
        problem->kept = k > 0 && keeps;
        double norm = sn_split_gradient(problem, room->move, !problem->kept);
        if (!(norm > 0.0) || touches(problem)) {
            break; // contact is solved to the accuracy, whatever it takes
        }
        double length = length_of(problem);
        SnSplitSolve solve = {.least = counts->pcg_least,
                              .most = k + 1 < counts->newton_least ? counts->pcg_least
                                                                   : counts->pcg_most,
                              .enough = fmax(rounding, accuracy * length / linear_left)};
        SN_TRY(sn_split_direction(problem, &solve, error));
        sn_split_add(problem, 1.0f, room->step, room->move);
        double linear = solve.last > rounding ? linear_left * solve.last : 0.0;
        double newton = solve.first > rounding ? care * NEWTON_LEFT * solve.first : 0.0;
        left = fmax(linear, newton) / length;
        problem->report->iterations += 1;
    }
    set_residual(problem, left);
    // Counts that were given promise nothing.
    *out_converged =
        problem->body->options.newton > 0 || problem->body->solver->newton > 0 || left <= accuracy;
done:
    problem->kept = problem->counted = false;
    return status;
}

// Goes along the step as far as the energy falls. False: nowhere.
static bool search(const SnSplitProblem *problem, SnSplitValue *value)
{
    SnSplitRoom *room = &problem->body->room;
    float length = 1.0f;
    for (int cut = 0; cut < CUTS_MAX; ++cut, length *= 0.5f) {
        memcpy(room->hp, room->move, sn_split_dofs(problem->body) * sizeof *room->hp);
        sn_split_add(problem, length, room->step, room->hp);
        SnSplitValue trial = sn_split_value(problem, room->hp);
        if (trial.phi <= value->phi + sn_split_noise(problem, value->phi, value->elastic)) {
            float *old = room->move;
            room->move = room->hp;
            room->hp = old;
            *value = trial;
            return true;
        }
        problem->report->line_search_cuts += 1;
    }
    return false;
}

// Newton steps, each shortened until the energy falls, until they no longer matter.
static SinewStatus converge(const SnSplitProblem *problem, bool *out_converged, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitRoom *room = &problem->body->room;
    const SinewSplitDef *options = &problem->body->options;
    int newton = options->newton > NEWTON_MAX ? options->newton : NEWTON_MAX;
    SnSplitValue value = sn_split_value(problem, room->move);
    *out_converged = false;
    for (int k = 0; k < newton && !*out_converged; ++k) {
        SnSplitSolve solve = {.most = options->pcg > 0 ? options->pcg : PCG_MAX,
                              .tolerance = FORCING,
                              .rest_enough = 0.5 * options->accuracy * length_of(problem)};
        double norm = sn_split_gradient(problem, room->move, true);
        if (!(norm > 0.0)) {
            *out_converged = true;
            break;
        }
        SN_TRY(sn_split_direction(problem, &solve, error));
        double relative = relative_step(problem);
        bool better = search(problem, &value);
        problem->report->iterations += 1;
        // What is left is what the linear system was not solved for, and a share of the step: its
        // square has been left out.
        double rest = fmax(solve.rest / length_of(problem), fmin(1.0, relative) * relative);
        set_residual(problem, rest);
        *out_converged = rest <= options->accuracy;
        if (!better) {
            break;
        }
    }
done:
    return status;
}

SinewStatus sn_split_rescue(const SnSplitProblem *problem, const SnSplitValue *from, int passes,
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitRoom *room = &problem->body->room;
    SnSplitValue value = *from;
    problem->report->rescues += 1;
    memcpy(room->move, room->trial, sn_split_dofs(problem->body) * sizeof *room->move);
    for (int pass = 0; pass < passes; ++pass) {
        SnSplitSolve solve = {.most = problem->body->solver->rescue_pcg, .tolerance = FORCING};
        sn_split_gradient(problem, room->move, solve.most > 0);
        if (solve.most > 0) {
            SN_TRY(sn_split_direction(problem, &solve, error));
        } else {
            SN_TRY(sn_split_precondition(problem, room->residual, room->step, error));
        }
        if (!search(problem, &value)) {
            break;
        }
    }
done:
    return status;
}

// The energy where the step begins, held components at their ends.
static SnSplitValue begin_value(const SnSplitProblem *problem, bool pins_moved)
{
    SnSplit *body = problem->body;
    SnSplitRoom *room = &body->room;
    const double *clock = body->state.clock;
    size_t count = sn_split_dofs(body);
    for (size_t i = 0; i < count; ++i) {
        room->trial[i] = room->move[i] * (1.0f - room->free[i]);
    }
    if (pins_moved || problem->step->contacts != NULL || clock[SN_SPLIT_KNOWN] == 0.0) {
        return sn_split_value(problem, room->trial);
    }
    SnSplitValue value = {.elastic = clock[SN_SPLIT_ELASTIC],
                          .inverted = (int)clock[SN_SPLIT_INVERTED]};
    double length;
    value.phi = sn_split_inertia(problem, room->trial, &length) + problem->h2 * value.elastic;
    return value;
}

// Many inverted tets: det F is then no guide, and squares of it overflow.
static SinewStatus step_by_mu(SnSplitProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetLaw law = problem->law;
    problem->law = SN_TET_MU;
    SnSplitValue from = sn_split_value(problem, problem->body->room.trial);
    SN_TRY(sn_split_rescue(problem, &from, RESCUE_PASSES, error));
done:
    problem->law = law;
    return status;
}

// h^2 times what the sum of the energies of motion, shape and loads gains over the step, and the
// size of its parts.
static void sum_gain(void *context, int begin, int end, double *sums)
{
    const SnSplitProblem *problem = context;
    const SnSplit *body = problem->body;
    sums[0] = sums[1] = 0.0;
    for (size_t v = (size_t)begin; v < (size_t)end; ++v) {
        size_t in = 3 * (size_t)body->inside[v];
        double square = 0.0, before = 0.0, work = 0.0;
        for (size_t k = 0; k < 3; ++k) {
            double free = (double)body->room.free[in + k];
            double move = (double)body->room.move[in + k] * free;
            double old = problem->h * body->state.velocities[3 * v + k] * free;
            square += move * move;
            before += old * old;
            work += sn_split_load_at(problem, v, k) * move;
        }
        work *= problem->h2;
        sums[0] += 0.5 * body->masses[v] * (square - before) - work;
        sums[1] += 0.5 * body->masses[v] * (square + before) + fabs(work);
    }
}

// Euler's step takes from that sum wherever it is solved well; a rough one may not.
static bool gains(SnSplitProblem *problem, const SnSplitValue *from, const SnSplitValue *value)
{
    double sums[2];
    sn_parallel_sum(problem->workers, problem->body->elements.vertex_count, 2, sum_gain, problem,
                    sums);
    double gain = sums[0] + problem->h2 * (value->elastic - from->elastic);
    double size = sums[1] + problem->h2 * (value->elastic + from->elastic);
    double elastic = fmax(value->elastic, from->elastic);
    return !(gain <= sn_split_noise(problem, size, elastic));
}

// A step that would gain energy is replaced, and what replaces it is shortened: towards no move at
// all, which loses the energy of motion, nothing gains. Pins and colliders may do work.
static SinewStatus lose_gain(SnSplitProblem *problem, const SnSplitValue *from, SnSplitValue *value,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitRoom *room = &problem->body->room;
    size_t count = sn_split_dofs(problem->body);
    bool gain = gains(problem, from, value);
    if (gain && problem->report->rescues == 0) {
        SN_TRY(sn_split_rescue(problem, from, RESCUE_PASSES, error));
        *value = sn_split_value(problem, room->move);
        gain = gains(problem, from, value);
    }
    for (int cut = 0; cut < CUTS_MAX && gain; ++cut) {
        for (size_t i = 0; i < count; ++i) {
            room->move[i] *= cut + 1 < CUTS_MAX ? 0.5f : 0.0f;
        }
        *value = sn_split_value(problem, room->move);
        problem->report->line_search_cuts += 1;
        gain = gains(problem, from, value);
    }
done:
    return status;
}

// Takes friction from the normal forces that were reached. True: that changes the forces at points
// by more than the accuracy, so that it is worth another solve.
static bool renews(const SnSplitProblem *problem)
{
    SnSplitRoom *room = &problem->body->room;
    const SnPointForces *contacts = problem->step->contacts;
    size_t size = sn_split_dofs(problem->body) * sizeof *room->z;
    if (!touches(problem) || contacts->renew == NULL) {
        return false;
    }
    sn_split_place(problem, room->move, room->place);
    sn_point_set_evaluate(contacts, problem->workers, room->place);
    memset(room->z, 0, size);
    sn_split_points_push(problem->body, contacts, 1.0f, room->z);
    if (!contacts->renew(contacts->context, ((const SnPointSet *)contacts->points)->places)) {
        return false;
    }
    sn_point_set_evaluate(contacts, problem->workers, room->place);
    memset(room->p, 0, size);
    sn_split_points_push(problem->body, contacts, 1.0f, room->p);
    double all = sn_split_dot(problem, room->p, room->p);
    sn_split_add(problem, -1.0f, room->p, room->z);
    double change = sn_split_dot(problem, room->z, room->z);
    double accuracy = problem->body->options.accuracy;
    return change > accuracy * accuracy * all;
}

// Moves to the end of the step; *out_converged is false where an accuracy was asked and missed,
// *out_touched where contact was not solved for.
static SinewStatus solve(SnSplitProblem *problem, const SnSplitValue *from, bool *out_converged,
                         bool *out_touched, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = problem->body;
    Counts counts = counts_of(body, problem->step->dt);
    *out_converged = true;
    *out_touched = false;
    if (body->law == SN_TET_FIXED && from->inverted > INVERTED_SHARE * body->elements.count) {
        SN_TRY(step_by_mu(problem, error));
        return status;
    }
    SN_TRY(iterate(problem, &counts, out_converged, error));
    *out_touched = counts.newton_most == 0 || touches(problem);
    if (*out_touched) {
        SN_TRY(converge(problem, out_converged, error));
    }
done:
    return status;
}

static SinewStatus step_implicit(SnSplitProblem *problem, const SnSplitRule *rule,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = problem->body;
    SnSplitRoom *room = &body->room;
    const SnPointForces *contacts = problem->step->contacts;
    bool converged = true, again = false, touched = false;
    SnSplitValue value;

    bool pins_moved = sn_split_begin(problem, rule, false);
    for (int renewal = 0; renewal <= RENEWALS_MAX && (renewal == 0 || again); ++renewal) {
        SnSplitValue from = begin_value(problem, pins_moved);
        SN_TRY(solve(problem, &from, &converged, &touched, error));
        value = sn_split_value(problem, room->move);
        // Contact that came with the last move has not been solved yet.
        if (!touched && touches(problem)) {
            SN_TRY(converge(problem, &converged, error));
            value = sn_split_value(problem, room->move);
        }
        if (!(value.phi <= from.phi + sn_split_noise(problem, from.phi, from.elastic)) &&
            problem->report->rescues == 0) {
            SN_TRY(sn_split_rescue(problem, &from, RESCUE_PASSES, error));
            value = sn_split_value(problem, room->move);
        }
        if (body->options.integrator == SINEW_INTEGRATOR_EULER && !pins_moved && contacts == NULL) {
            SN_TRY(lose_gain(problem, &from, &value, error));
        }
        again = renewal < RENEWALS_MAX && renews(problem);
    }
    body->state.clock[SN_SPLIT_ELASTIC] = value.elastic;
    body->state.clock[SN_SPLIT_INVERTED] = value.inverted;
    body->state.clock[SN_SPLIT_KNOWN] = 1.0;
    SN_TRY(sn_split_end(problem, rule, error));
    status = converged ? SINEW_OK : SINEW_NOT_CONVERGED;

done:
    return status;
}

SinewStatus sn_split_step(void *body_, const SnStep *step, SinewStepReport *out_report,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = body_;
    *out_report = (SinewStepReport){0};
    SnSplitRule rule = sn_split_rule(body, step->dt);
    SnSplitProblem problem = sn_split_problem_make(body, step, out_report);
    problem.h = rule.h;
    problem.h2 = rule.h * rule.h;
    SN_TRY(sn_split_prepare(body, step, out_report, error));
    if (step->load_count > 0) {
        sn_split_load(body, step);
    }
    if (body->options.integrator == SINEW_INTEGRATOR_BDF2 &&
        body->state.clock[SN_SPLIT_LAST_DT] == 0.0) {
        sn_split_history(&problem);
    }
    if (sn_split_lost(body)) {
        status = sn_split_lost_step(&problem, &rule, error);
    } else if (body->options.mode == SINEW_SPLIT_PAPER) {
        status = sn_split_paper(&problem, &rule, error);
    } else {
        status = step_implicit(&problem, &rule, error);
    }

done:
    return status;
}
