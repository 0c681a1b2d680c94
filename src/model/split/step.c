// A step of motion: the implicit one.
#include "model/split/step.h"

#include "model/split/budget.h"
#include "model/split/converge.h"
#include "model/split/damping.h"
#include "model/split/lost.h"
#include "model/split/pcg.h"
#include "model/split/system.h"

#include <math.h>
#include <string.h>

enum {
    NEWTON_FEW = 8, // where iterations are counted
    PCG_FEW = 20,
    CUTS_MAX = 10,     // halvings of a step that raises the energy
    RESCUE_PASSES = 4, // with the constant matrix alone
    RENEWALS_MAX = 4   // of friction
};

// Finer accuracies than this are reached with a line search.
#define LEAST_COUNTED 1e-5

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

// Springs act, which the preconditioner knows.
static bool is_pulled(const SnSplitProblem *problem)
{
    const SnPointForces *contacts = problem->step->contacts;
    return contacts != NULL && contacts->tie_count > 0 && problem->body->knows_ties;
}

// The linearisation's step, in full. A spring may pull a body far from its guess: there the energy
// must not rise. False: it does.
static bool advance(SnSplitProblem *problem, SnSplitValue *value)
{
    int cuts = problem->report->line_search_cuts;
    if (is_pulled(problem)) {
        return sn_split_search(problem, value) && problem->report->line_search_cuts == cuts;
    }
    sn_split_add(problem, 1.0f, problem->body->room.step, problem->body->room.move);
    return true;
}

// Linearisations, as many as the counts say: at least so many, and more while what is left is not
// within the accuracy. The first is solved roughly, since the next ones correct it. With springs
// *value is the energy where they begin, and then where they end.
static SinewStatus iterate(SnSplitProblem *problem, const Counts *counts, SnSplitValue *value,
                           bool *out_converged, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitRoom *room = &problem->body->room;
    double accuracy = problem->body->options.accuracy;
    double rounding = sn_split_rounding(problem->body);
    double left = 0.0;
    double care = accuracy < LEAST_FIXED ? FINE_LEFT : 1.0;
    double linear_left = care * problem->body->solver->linear_left;
    problem->counted = true;
    bool keeps = problem->body->solver->keeps_matrix && problem->step->dt <= LONG_STEP;
    for (int k = 0; k < counts->newton_most && (k < counts->newton_least || left > accuracy); ++k) {
        problem->kept = k > 0 && keeps;
        double norm = sn_split_gradient(problem, room->move, !problem->kept);
        if (!(norm > 0.0) || sn_split_touches(problem)) {
            break; // contact has a line search
        }
        if (sn_split_left(problem) < 1) {
            problem->report->capped = 1;
            break;
        }
        double length = sn_split_length(problem);
        int most = k + 1 < counts->newton_least ? counts->pcg_least : counts->pcg_most;
        SnSplitSolve solve = {.least = counts->pcg_least,
                              .most = sn_split_afford(problem, most),
                              .enough = fmax(rounding, accuracy * length / linear_left)};
        SN_TRY(sn_split_direction(problem, &solve, error));
        bool full = advance(problem, value);
        double linear = solve.last > rounding ? linear_left * solve.last : 0.0;
        double newton = solve.first > rounding ? care * NEWTON_LEFT * solve.first : 0.0;
        left = fmax(linear, newton) / length;
        problem->report->iterations += 1;
        if (!full) {
            left = INFINITY;
            break;
        }
    }
    sn_split_set_residual(problem, left);
    // Counts that were given promise nothing.
    bool fixed = problem->body->solver->newton > 0 && !is_pulled(problem);
    *out_converged = problem->body->options.newton > 0 || fixed || left <= accuracy;
done:
    problem->kept = problem->counted = false;
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
    if (pins_moved || problem->damped || problem->step->contacts != NULL ||
        clock[SN_SPLIT_KNOWN] == 0.0) {
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

// Moves to the end of the step; *out_converged is false where an accuracy was asked and missed.
static SinewStatus solve(SnSplitProblem *problem, const SnSplitValue *from, SnSplitValue *value,
                         bool *out_converged, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = problem->body;
    Counts counts = counts_of(body, problem->step->dt);
    *out_converged = true;
    if (body->law == SN_TET_FIXED && from->inverted > INVERTED_SHARE * body->elements.count) {
        SN_TRY(step_by_mu(problem, error));
        *value = sn_split_value(problem, body->room.move);
        return status;
    }
    bool pulled = is_pulled(problem);
    if (pulled) {
        // A gentle pull needs no more; where that is not enough, estimates of it fail too.
        counts.newton_most = counts.newton_least;
        *value = sn_split_value(problem, body->room.move);
    }
    SN_TRY(iterate(problem, &counts, value, out_converged, error));
    if (!pulled) {
        *value = sn_split_value(problem, body->room.move);
    }
    // Contact may have come with the last move.
    if (counts.newton_most == 0 || (pulled && !*out_converged) || sn_split_touches(problem)) {
        SN_TRY(sn_split_converge(problem, value, out_converged, error));
    }
done:
    return status;
}

// A step that raises the energy is replaced. In contact the way back to where it began leads to a
// state that does not, and Newton's method goes on from there.
static SinewStatus lower(SnSplitProblem *problem, SnSplitValue *from, SnSplitValue *value,
                         bool *out_converged, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitRoom *room = &problem->body->room;
    bool touched = problem->step->contacts != NULL && sn_split_touches(problem);
    if (touched) {
        sn_split_value_renew(problem, room->trial, from); // with the friction of now
    }
    if (value->phi <= from->phi + sn_split_noise(problem, from->phi, from->elastic) ||
        problem->report->rescues > 0) {
        return SINEW_OK;
    }
    if (touched && sn_split_retreat(problem, from, value)) {
        problem->report->rescues += 1;
        SN_TRY(sn_split_converge(problem, value, out_converged, error));
        return status;
    }
    SN_TRY(sn_split_rescue(problem, from, RESCUE_PASSES, error));
    *value = sn_split_value(problem, room->move);
done:
    return status;
}

// Whether friction wants another solve. With a limit of solves it has none in their second half.
static bool goes_on(SnSplitProblem *problem, int renewal, SnSplitValue *value)
{
    bool changed = sn_split_renews(problem, value);
    if (changed && problem->step->max_solves > 0 &&
        2 * sn_split_left(problem) < problem->step->max_solves) {
        problem->report->capped = 1;
    }
    return changed && problem->report->capped == 0 && renewal < RENEWALS_MAX;
}

static SinewStatus step_implicit(SnSplitProblem *problem, const SnSplitRule *rule,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = problem->body;
    bool converged = true;
    bool pins_moved = sn_split_begin(problem, rule, false);
    sn_split_damping_begin(problem, rule);
    bool watches = body->options.integrator == SINEW_INTEGRATOR_EULER && !pins_moved &&
                   problem->step->contacts == NULL;
    SnSplitValue value, from = begin_value(problem, pins_moved);
    SN_TRY(solve(problem, &from, &value, &converged, error));
    for (int renewal = 0;; ++renewal) {
        SN_TRY(lower(problem, &from, &value, &converged, error));
        if (watches) {
            SN_TRY(lose_gain(problem, &from, &value, error));
        }
        if (!goes_on(problem, renewal, &value)) {
            break;
        }
        SN_TRY(sn_split_converge(problem, &value, &converged, error));
    }
    body->state.clock[SN_SPLIT_ELASTIC] = value.elastic;
    body->state.clock[SN_SPLIT_INVERTED] = value.inverted;
    body->state.clock[SN_SPLIT_KNOWN] = 1.0;
    SN_TRY(sn_split_end(problem, rule, error));
    status = converged && problem->report->capped == 0 ? SINEW_OK : SINEW_NOT_CONVERGED;

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
