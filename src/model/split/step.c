// A step of motion: the implicit one of SPLIT.md, section 7.
#include "model/split/step.h"

#include "model/split/pcg.h"
#include "model/split/points.h"

#include <math.h>
#include <string.h>

enum {
    NEWTON_MAX = 30, // where iterations go on to an accuracy
    PCG_MAX = 60,
    CUTS_MAX = 10,     // halvings of a step that raises the energy
    RESCUE_PASSES = 4, // with the constant matrix alone
    RENEWALS_MAX = 4   // of friction
};

// Where iterations go on to an accuracy, each linear system is solved to this.
#define FORCING 0.05

// Energies are sums in double of numbers in float: differences below this share are rounding.
#define ENERGY_NOISE 1e-6

// Above this time step one linearisation more is needed (SPLIT.md, 3).
#define LONG_STEP 0.025

// Share of inverted tets above which det F is left out of the law.
#define INVERTED_SHARE 0.002

// Fixed counts of a step, or 0: iterations go on to the accuracy.
typedef struct Counts {
    int newton;
    int pcg;
} Counts;

static Counts counts_of(const SnSplit *body, double dt)
{
    const SinewSplitDef *options = &body->options;
    Counts counts = {options->newton, options->pcg};
    if (counts.newton == 0 && options->accuracy >= 1e-3) {
        counts.newton = dt > LONG_STEP              ? body->solver->newton_long
                        : options->accuracy >= 1e-2 ? body->solver->newton_rough
                                                    : body->solver->newton;
    }
    if (counts.pcg == 0 && counts.newton > 0) {
        counts.pcg = options->accuracy >= 1e-2 ? body->solver->pcg_rough : body->solver->pcg;
    }
    return counts;
}

static bool touches(const SnSplitProblem *problem)
{
    const SnPointForces *contacts = problem->step->contacts;
    return contacts != NULL && ((const SnSplitPoints *)contacts->points)->active_count > 0;
}

static void set_residual(const SnSplitProblem *problem, double residual)
{
    problem->report->residual = residual;
    problem->body->state.clock[SN_SPLIT_RESIDUAL] = residual;
}

// How large the last correction was, relative to what forces do in the step.
static double relative_step(const SnSplitProblem *problem)
{
    const SnSplitRoom *room = &problem->body->room;
    double length;
    double step = sqrt(sn_split_dot(problem, room->step, room->step));
    sn_split_inertia(problem, room->move, &length);
    // A unit in the last place of each component is all that float can tell.
    double least = 1e-7 * problem->body->size * sqrt((double)problem->body->elements.vertex_count);
    return step > 0.0 ? step / fmax(length, least) : 0.0;
}

// `newton` linearisations of `pcg` iterations each.
static SinewStatus iterate(SnSplitProblem *problem, Counts counts, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitRoom *room = &problem->body->room;
    double share = 0.0;
    bool keeps = problem->body->solver->keeps_matrix && problem->step->dt <= LONG_STEP;
    for (int k = 0; k < counts.newton; ++k) {
        double left;
        problem->kept = k > 0 && keeps;
        double norm = sn_split_gradient(problem, room->move, !problem->kept);
        if (!(norm > 0.0) || touches(problem)) {
            break; // contact is solved to the accuracy, whatever it takes
        }
        SN_TRY(sn_split_direction(problem, counts.pcg, 0.0, &left, error));
        sn_split_add(problem, 1.0f, room->step, room->move);
        share = left / norm;
        problem->report->iterations += 1;
    }
    set_residual(problem, share * relative_step(problem));
done:
    problem->kept = false;
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
        if (trial.phi <= value->phi + ENERGY_NOISE * fabs(value->phi)) {
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
        double left;
        double norm = sn_split_gradient(problem, room->move, true);
        if (!(norm > 0.0)) {
            *out_converged = true;
            break;
        }
        SN_TRY(sn_split_direction(problem, options->pcg > 0 ? options->pcg : PCG_MAX, FORCING,
                                  &left, error));
        double relative = relative_step(problem);
        bool better = search(problem, &value);
        problem->report->iterations += 1;
        // The step that is left is a share of the last one.
        double rest = fmin(1.0, fmax(left / norm, relative)) * relative;
        set_residual(problem, rest);
        *out_converged = rest <= options->accuracy;
        if (!better) {
            break;
        }
    }
done:
    return status;
}

// Steps with the constant matrix alone, none of which raises the energy.
static SinewStatus rescue(const SnSplitProblem *problem, const SnSplitValue *from, int passes,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitRoom *room = &problem->body->room;
    SnSplitValue value = *from;
    int iterations = problem->body->solver->rescue_pcg;
    problem->report->rescues += 1;
    memcpy(room->move, room->trial, sn_split_dofs(problem->body) * sizeof *room->move);
    for (int pass = 0; pass < passes; ++pass) {
        double left;
        sn_split_gradient(problem, room->move, iterations > 0);
        if (iterations > 0) {
            SN_TRY(sn_split_direction(problem, iterations, FORCING, &left, error));
        } else {
            SN_TRY(sn_split_precondition(problem, room->residual, false, room->step, error));
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
    SN_TRY(rescue(problem, &from, RESCUE_PASSES, error));
done:
    problem->law = law;
    return status;
}

// Moves to the end of the step; *out_converged is false where an accuracy was asked and missed.
static SinewStatus solve(SnSplitProblem *problem, const SnSplitValue *from, bool *out_converged,
                         SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = problem->body;
    Counts counts = counts_of(body, problem->step->dt);
    *out_converged = true;
    if (body->law == SN_TET_FIXED && from->inverted > INVERTED_SHARE * body->elements.count) {
        SN_TRY(step_by_mu(problem, error));
        return status;
    }
    SN_TRY(iterate(problem, counts, error));
    if (counts.newton == 0 || touches(problem)) {
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
    bool converged = true, again = false;
    SnSplitValue value;

    bool pins_moved = sn_split_begin(problem, rule);
    for (int renewal = 0; renewal <= RENEWALS_MAX && (renewal == 0 || again); ++renewal) {
        SnSplitValue from = begin_value(problem, pins_moved);
        SN_TRY(solve(problem, &from, &converged, error));
        value = sn_split_value(problem, room->move);
        if (counts_of(body, problem->step->dt).newton > 0 && touches(problem) && renewal == 0) {
            SN_TRY(converge(problem, &converged, error));
            value = sn_split_value(problem, room->move);
        }
        if (!(value.phi <= from.phi + ENERGY_NOISE * fabs(from.phi)) &&
            problem->report->rescues == 0) {
            SN_TRY(rescue(problem, &from, RESCUE_PASSES, error));
            value = sn_split_value(problem, room->move);
        }
        again = false;
        if (touches(problem) && contacts->renew != NULL && renewal < RENEWALS_MAX) {
            again = contacts->renew(contacts->context,
                                    ((const SnSplitPoints *)contacts->points)->places);
        }
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
    SN_TRY(body->solver->prepare(body, problem.workers, problem.h2, rule.h, 1.0, error));
    sn_split_load(body, step);
    if (body->options.mode == SINEW_SPLIT_PAPER) {
        status = sn_split_paper(&problem, &rule, error);
    } else {
        status = step_implicit(&problem, &rule, error);
    }

done:
    return status;
}
