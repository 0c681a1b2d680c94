// Static equilibrium: Newton's method with the residual in double and directions in float, so that
// it ends where double does and not where float does.
#include "model/split/damping.h"
#include "model/split/elastic.h"
#include "model/split/pcg.h"
#include "model/split/pins.h"
#include "model/split/points.h"
#include "model/split/stability.h"
#include "model/split/step.h"
#include "model/split/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NEWTON_MAX = 200, PCG_MAX = 400, CUTS_MAX = 60, FALLS_MAX = 8, SETTLING_SWEEPS = 3 };

// Each linear system is solved to this; the residual then falls by about as much an iteration.
#define FORCING 1e-2

// Mass in the constant matrix, as a share of the stiffness: only so that a body which nothing
// holds yet can be factored.
#define MASS_SHARE 1e-8

// The same where no pin holds the body: A alone would answer the rounding of a force that is nearly
// balanced with a large shift, and no longer be definite in float.
#define MASS_SHARE_LOOSE 1e-2

// Share of the energy that rounding may take.
#define NOISE 1e-13

// Armijo's share of the slope.
#define SUFFICIENT 1e-4

// Forces below those of a strain of about 1e-6 are measured against those, as in `newton`.
#define STRAIN_FLOOR 1e-6

typedef struct Static {
    SnSplitProblem problem;
    double *x;     // m, outside: the room's place
    double *trial; // m, outside: the room's place_try
    double floor;  // N
} Static;

typedef struct Value {
    double phi;      // J
    double sizes;    // J, of its parts
    double residual; // N
    double scale;    // N
} Value;

// Energy at x, and the room's `force`: the gradient.
static Value look(const Static *s, const double *x)
{
    const SnSplitProblem *problem = &s->problem;
    SnSplit *body = problem->body;
    SnSplitRoom *room = &body->room;
    size_t count = sn_split_dofs(body);
    double internal = 0.0, external = 0.0, square = 0.0, work = 0.0, contact = 0.0;
    memset(room->force, 0, count * sizeof *room->force);
    double elastic = sn_split_elastic(body, problem->workers, x, room->force);
    for (size_t i = 0; i < count; ++i) {
        internal += room->force[i] * room->force[i];
        external += room->load[i] * room->load[i];
        work += room->load[i] * (x[i] - body->state.positions[i]);
        room->force[i] -= room->load[i];
    }
    if (problem->step->contacts != NULL) {
        contact = sn_point_set_evaluate(problem->step->contacts, problem->workers, x);
        sn_split_points_balance(problem->step->contacts, room->force);
    }
    for (size_t i = 0; i < count; ++i) {
        square += sn_split_holds(body, i) ? 0.0 : room->force[i] * room->force[i];
    }
    return (Value){.phi = elastic - work + contact,
                   .sizes = fabs(elastic) + fabs(work) + fabs(contact),
                   .residual = sqrt(square),
                   .scale = fmax(s->floor, sqrt(fmax(internal, external)))};
}

// The tangent at x, and the room's residual from the force in double.
static void linearise(Static *s)
{
    SnSplit *body = s->problem.body;
    SnSplitRoom *room = &body->room;
    size_t count = sn_split_dofs(body);
    memcpy(s->problem.origin, s->x + 3 * (size_t)body->outside[0], sizeof s->problem.origin);
    for (size_t i = 0; i < count; ++i) {
        size_t at = 3 * (size_t)body->outside[i / 3] + i % 3;
        room->start[i] = (float)(s->x[at] - s->problem.origin[i % 3]);
        room->move[i] = 0.0f;
        room->aim[i] = 0.0f;
    }
    // Contact was evaluated at x in double; here only tets are of interest.
    SnStep plain = *s->problem.step;
    SnSplitProblem tets = s->problem;
    plain.contacts = NULL;
    tets.step = &plain;
    // A sweep turns each rotation by one iteration; a load step may turn a tet far.
    for (int sweep = 0; sweep < SETTLING_SWEEPS; ++sweep) {
        sn_split_gradient(&tets, room->move, false);
    }
    sn_split_gradient(&tets, room->move, true);
    for (size_t i = 0; i < count; ++i) {
        size_t at = 3 * (size_t)body->outside[i / 3] + i % 3;
        room->residual[i] = (float)-room->force[at] * room->free[i];
    }
}

static bool search(Static *s, Value *value, double slope)
{
    SnSplit *body = s->problem.body;
    size_t count = sn_split_dofs(body);
    double length = 1.0;
    for (int cut = 0; cut < CUTS_MAX; ++cut, length *= 0.5) {
        for (size_t i = 0; i < count; ++i) {
            size_t at = 3 * (size_t)body->outside[i / 3] + i % 3;
            s->trial[at] = s->x[at] + length * (double)body->room.step[i];
        }
        Value trial = look(s, s->trial);
        bool lower = trial.phi <= value->phi + SUFFICIENT * length * slope;
        bool rounding = fabs(slope) * length <= NOISE * value->sizes * 1e3;
        if (lower || (rounding && trial.residual < value->residual)) {
            double *old = s->x;
            s->x = s->trial;
            s->trial = old;
            *value = trial;
            return true;
        }
        s->problem.report->line_search_cuts += 1;
    }
    *value = look(s, s->x);
    return false;
}

static double slope_of(const Static *s)
{
    const SnSplit *body = s->problem.body;
    size_t count = sn_split_dofs(body);
    double slope = 0.0;
    for (size_t i = 0; i < count; ++i) {
        size_t at = 3 * (size_t)body->outside[i / 3] + i % 3;
        slope += body->room.force[at] * (double)body->room.step[i];
    }
    return slope;
}

static SinewStatus minimise(Static *s, double tolerance, Value *value, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *value = look(s, s->x);
    for (int k = 0; k < NEWTON_MAX && value->residual > tolerance * value->scale; ++k) {
        SnSplitSolve solve = {.most = PCG_MAX, .tolerance = FORCING};
        linearise(s);
        SN_TRY(sn_split_direction(&s->problem, &solve, error));
        double slope = slope_of(s);
        s->problem.report->iterations += 1;
        if (!(slope < 0.0) || !search(s, value, slope)) {
            break;
        }
    }
done:
    return status;
}

// How far a push goes from an equilibrium that does not stay, of the body's size.
#define PUSH 1e-3

// Pushes the body off along the room's p, to the side where the energy is lower.
static void push(Static *s)
{
    SnSplit *body = s->problem.body;
    size_t count = sn_split_dofs(body);
    double phi[2] = {0.0, 0.0};
    for (int side = 0; side < 3; ++side) {
        bool back = side == 1 || (side == 2 && phi[0] > phi[1]);
        double length = (back ? -PUSH : PUSH) * body->size;
        for (size_t i = 0; i < count; ++i) {
            size_t at = 3 * (size_t)body->outside[i / 3] + i % 3;
            s->trial[at] = s->x[at] + length * (double)body->room.p[i];
        }
        if (side < 2) {
            phi[side] = look(s, s->trial).phi;
        }
    }
    double *old = s->x;
    s->x = s->trial;
    s->trial = old;
}

// The lowest state in reach; where it is no more than a balance on an edge, the body is pushed off.
static SinewStatus settle(Static *s, double tolerance, Value *value, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = s->problem.body;
    bool falls = true;
    for (int k = 0; k <= FALLS_MAX && falls; ++k) {
        SN_TRY(minimise(s, tolerance, value, error));
        SN_TRY(sn_split_find_fall(&s->problem, s->x, s->trial, &falls, error));
        if (falls && k < FALLS_MAX) {
            push(s);
        }
    }
    *value = look(s, s->x);
    if (falls) {
        SN_TRY(sn_fail(error, SINEW_ERROR_DIVERGED,
                       "body \"%s\" has no stable equilibrium in reach: pushed %d times, it still "
                       "has a way to fall at a relative residual of %.3g, expected none",
                       body->name, FALLS_MAX, value->residual / value->scale));
    }
done:
    return status;
}

// Nothing moves any more, and what rules of motion remember is of no use.
static void finish(const Static *s, const Value *value)
{
    SnSplit *body = s->problem.body;
    SnSplitState *state = &body->state;
    size_t count = sn_split_dofs(body);
    for (size_t i = 0; i < count; ++i) {
        state->positions[i] = s->x[i];
        state->velocities[i] = state->last_move[i] = state->last_change[i] = 0.0;
        body->room.force[i] = -body->room.load[i];
    }
    state->clock[SN_SPLIT_LAST_DT] = 0.0;
    state->clock[SN_SPLIT_KNOWN] = 0.0;
    state->clock[SN_SPLIT_LOST] = 0.0;
    state->clock[SN_SPLIT_RESIDUAL] = value->residual / value->scale;
    s->problem.report->residual = value->residual / value->scale;
    sn_split_pins_record(body, body->room.force);
}

// Sum over tets of 2 mu V |g|^2, N/m.
static double stiffness_of(const SnSplit *body)
{
    double sum = 0.0;
    for (int e = 0; e < body->elements.count; ++e) {
        double g[12], square = 0.0;
        sn_newton_elements_tet_gradients(&body->elements, e, g);
        for (size_t k = 0; k < 12; ++k) {
            square += g[k] * g[k];
        }
        sum += 2.0 * body->materials[body->elements.materials[e]].law.mu *
               body->elements.weights[e] * square;
    }
    return sum;
}

SinewStatus sn_split_prepare(void *body_, const SnStep *step, SinewStepReport *report,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = body_;
    bool fits = sn_workers_count(step->workers) <= sn_workers_count(body->workers);
    SnSplitScales scales = {.h2 = 1.0, .mass_scale = 1.0};
    if (step->dt > 0.0) {
        scales.h = sn_split_rule(body, step->dt).h;
        scales.h2 = scales.h * scales.h;
    } else {
        double mass = 0.0;
        for (int v = 0; v < body->elements.vertex_count; ++v) {
            mass += body->masses[v];
        }
        double share = body->pins.set.held_count > 0 ? MASS_SHARE : MASS_SHARE_LOOSE;
        scales.mass_scale = share * stiffness_of(body) / mass;
    }
    SnWorkers *workers = fits ? step->workers : body->workers;
    SN_TRY(sn_split_damping_prepare(body, scales.h, error));
    SN_TRY(body->solver->prepare(body, workers, &scales, report, error));
    if (step->contacts != NULL && body->solver->reserve != NULL &&
        body->options.mode == SINEW_SPLIT_IMPLICIT) {
        body->knows_ties = false;
        SN_TRY(body->solver->reserve(body, workers, error));
        body->knows_ties = body->knows_ties && step->contacts->tie_count <= body->solver->ties_most;
    }
done:
    return status;
}

SinewStatus sn_split_solve_static(void *body_, const SnStep *step, SinewStepReport *out_report,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = body_;
    SnSplitRoom *room = &body->room;
    double tolerance = step->tolerance > 0.0 ? step->tolerance : fmin(body->options.accuracy, 1e-6);
    double stiffness = stiffness_of(body);
    Value value = {0};
    *out_report = (SinewStepReport){0};
    Static s = {.problem = sn_split_problem_make(body, step, out_report),
                .x = room->place,
                .trial = room->place_try};

    if (body->options.mode == SINEW_SPLIT_PAPER) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": mode paper of split has no static solve, expected mode "
                       "implicit",
                       body->name);
    }
    s.problem.h = s.problem.h2 = 1.0;
    s.problem.mass = room->no_mass;
    s.floor = STRAIN_FLOOR * stiffness / sqrt((double)body->elements.vertex_count) * body->size;
    SN_TRY(sn_split_prepare(body, step, out_report, error));
    sn_split_load(body, step);
    memcpy(s.x, body->state.positions, sn_split_dofs(body) * sizeof *s.x);
    sn_split_pins_target(body, step->pin_motions, s.x);
    memcpy(s.trial, s.x, sn_split_dofs(body) * sizeof *s.trial);
    SN_TRY(settle(&s, tolerance, &value, error));
    if (!isfinite(value.phi) || !isfinite(value.residual)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_DIVERGED,
                       "body \"%s\": the energy of its static solve is %g J, expected a finite "
                       "number",
                       body->name, value.phi));
    }
    finish(&s, &value);
    status = value.residual <= tolerance * value.scale ? SINEW_OK : SINEW_NOT_CONVERGED;

done:
    return status;
}
