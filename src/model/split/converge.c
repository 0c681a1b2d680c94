#include "model/split/converge.h"

#include "model/split/budget.h"
#include "model/split/pcg.h"
#include "model/split/points.h"

#include <math.h>
#include <string.h>

enum {
    NEWTON_MAX = 30, // where iterations go on to an accuracy
    PCG_MAX = 60,
    CUTS_MAX = 10,       // halvings of a step that raises the energy
    CUTS_CAPPED = 4,     // the same with a limit of solves
    CAPPED_PARTS = 4,    // a linear system takes at most this part of them: the first has the wrong
                         // active set
    CAPPED_LEAST = 4,    // fewer are not worth another linear system
    RENEWALS_BETWEEN = 3 // of friction, between iterations
};

// Where iterations go on to an accuracy, each linear system is solved to this; with a limit of
// solves to the second.
#define FORCING 0.1
#define FORCING_CAPPED 0.3

// Friction is renewed between iterations only after Newton steps below this share of the step's
// motion: normal forces of states far from the end would be far off, and so would friction.
#define NEAR 0.1

bool sn_split_touches(const SnSplitProblem *problem)
{
    const SnPointForces *contacts = problem->step->contacts;
    if (contacts == NULL) {
        return false;
    }
    const SnPointSet *points = contacts->points;
    int last = points->active_count > 0 ? points->active[points->active_count - 1] : -1;
    return last >= (problem->body->knows_ties ? contacts->tie_count : 0);
}

void sn_split_set_residual(const SnSplitProblem *problem, double residual)
{
    problem->report->residual = residual;
    problem->body->state.clock[SN_SPLIT_RESIDUAL] = residual;
}

double sn_split_rounding(const SnSplit *body)
{
    return 2e-7 * body->size * sqrt((double)body->elements.vertex_count);
}

double sn_split_length(const SnSplitProblem *problem)
{
    double length;
    sn_split_inertia(problem, problem->body->room.move, &length);
    return fmax(length, sn_split_rounding(problem->body));
}

// How large the last correction was, relative to that.
static double relative_step(const SnSplitProblem *problem)
{
    const SnSplitRoom *room = &problem->body->room;
    return sqrt(sn_split_dot(problem, room->step, room->step)) / sn_split_length(problem);
}

static bool is_lower(const SnSplitProblem *problem, const SnSplitValue *trial,
                     const SnSplitValue *value)
{
    return trial->phi <= value->phi + sn_split_noise(problem, value->phi, value->elastic);
}

bool sn_split_search(const SnSplitProblem *problem, SnSplitValue *value)
{
    SnSplitRoom *room = &problem->body->room;
    float length = 1.0f;
    int most = problem->step->max_solves > 0 ? CUTS_CAPPED : CUTS_MAX;
    for (int cut = 0; cut < most; ++cut, length *= 0.5f) {
        memcpy(room->hp, room->move, sn_split_dofs(problem->body) * sizeof *room->hp);
        sn_split_add(problem, length, room->step, room->hp);
        SnSplitValue trial = sn_split_value(problem, room->hp);
        if (is_lower(problem, &trial, value)) {
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

bool sn_split_retreat(const SnSplitProblem *problem, const SnSplitValue *from, SnSplitValue *value)
{
    SnSplitRoom *room = &problem->body->room;
    size_t count = sn_split_dofs(problem->body);
    bool lower = is_lower(problem, value, from);
    for (int cut = 0; cut < CUTS_MAX && !lower; ++cut) {
        for (size_t i = 0; i < count; ++i) {
            room->move[i] = room->trial[i] + 0.5f * (room->move[i] - room->trial[i]);
        }
        *value = sn_split_value(problem, room->move);
        problem->report->line_search_cuts += 1;
        lower = is_lower(problem, value, from);
    }
    return lower;
}

void sn_split_value_renew(const SnSplitProblem *problem, const float *move, SnSplitValue *value)
{
    const SnPointForces *contacts = problem->step->contacts;
    double *place = problem->body->room.place;
    sn_split_place(problem, move, place);
    double energy = sn_point_set_evaluate(contacts, problem->workers, place);
    value->phi += problem->h2 * (energy - value->contact);
    value->contact = energy;
}

// Friction from the normal forces of the state that a search has just accepted.
static void renew_between(const SnSplitProblem *problem, SnSplitValue *value)
{
    const SnPointForces *contacts = problem->step->contacts;
    if (contacts != NULL && contacts->renew != NULL && sn_split_touches(problem) &&
        contacts->renew(contacts->context, ((const SnPointSet *)contacts->points)->places)) {
        sn_split_value_renew(problem, problem->body->room.move, value);
    }
}

// How far the next linear system goes. 0 iterations: the limit of solves is reached.
static SnSplitSolve plan(const SnSplitProblem *problem)
{
    const SinewSplitDef *options = &problem->body->options;
    int most = options->pcg > 0 ? options->pcg : PCG_MAX;
    int limit = problem->step->max_solves;
    double forcing = FORCING;
    if (limit > 0) {
        int part = limit / CAPPED_PARTS;
        int left = sn_split_left(problem);
        most = sn_split_afford(problem, most < part ? most : part);
        most = left < limit && left < CAPPED_LEAST ? 0 : most;
        forcing = FORCING_CAPPED;
    }
    return (SnSplitSolve){.most = most,
                          .tolerance = forcing,
                          .rest_enough = 0.5 * options->accuracy * sn_split_length(problem)};
}

SinewStatus sn_split_converge(const SnSplitProblem *problem, SnSplitValue *value,
                              bool *out_converged, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitRoom *room = &problem->body->room;
    const SinewSplitDef *options = &problem->body->options;
    int newton = options->newton > 0 ? options->newton : NEWTON_MAX;
    *out_converged = options->newton > 0; // counts that were given promise nothing
    bool ends = false;
    for (int k = 0; k < newton && !ends; ++k) {
        SnSplitSolve solve = plan(problem);
        if (solve.most <= 0) {
            problem->report->capped = 1;
            break;
        }
        double norm = sn_split_gradient(problem, room->move, true);
        if (!(norm > 0.0)) {
            *out_converged = true;
            break;
        }
        SN_TRY(sn_split_direction(problem, &solve, error));
        double relative = relative_step(problem);
        bool better = sn_split_search(problem, value);
        problem->report->iterations += 1;
        // What is left is what the linear system was not solved for, and a share of the step: its
        // square has been left out.
        double rest = fmax(solve.rest / sn_split_length(problem), fmin(1.0, relative) * relative);
        sn_split_set_residual(problem, rest);
        bool small = rest <= options->accuracy;
        *out_converged = *out_converged || small;
        ends = small || !better;
        if (!ends && k < RENEWALS_BETWEEN && relative <= NEAR) {
            renew_between(problem, value);
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
    for (int pass = 0; pass < passes && sn_split_left(problem) > 0; ++pass) {
        int most = problem->body->solver->rescue_pcg;
        SnSplitSolve solve = {.most = sn_split_afford(problem, most), .tolerance = FORCING};
        sn_split_gradient(problem, room->move, solve.most > 0);
        if (solve.most > 0) {
            SN_TRY(sn_split_direction(problem, &solve, error));
        } else {
            SN_TRY(sn_split_precondition(problem, room->residual, room->step, error));
        }
        if (!sn_split_search(problem, &value)) {
            break;
        }
    }
done:
    return status;
}

bool sn_split_renews(const SnSplitProblem *problem, SnSplitValue *value)
{
    SnSplitRoom *room = &problem->body->room;
    const SnPointForces *contacts = problem->step->contacts;
    size_t size = sn_split_dofs(problem->body) * sizeof *room->z;
    if (contacts == NULL || contacts->renew == NULL) {
        return false;
    }
    sn_split_value_renew(problem, room->move, value); // the last one may have been elsewhere
    if (!sn_split_touches(problem)) {
        return false;
    }
    memset(room->z, 0, size);
    sn_split_points_push(problem->body, contacts, 1.0f, room->z);
    if (!contacts->renew(contacts->context, ((const SnPointSet *)contacts->points)->places)) {
        return false;
    }
    sn_split_value_renew(problem, room->move, value);
    memset(room->p, 0, size);
    sn_split_points_push(problem->body, contacts, 1.0f, room->p);
    double all = sn_split_dot(problem, room->p, room->p);
    sn_split_add(problem, -1.0f, room->p, room->z);
    double change = sn_split_dot(problem, room->z, room->z);
    double accuracy = problem->body->options.accuracy;
    return change > accuracy * accuracy * all;
}
