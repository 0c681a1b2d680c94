// Static equilibrium, with load steps inserted where one step does not find it.
#include "model/newton/assembly.h"
#include "model/newton/minimise.h"
#include "model/newton/pins.h"
#include "model/newton/stability.h"
#include "model/newton/step.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LEAST_SHARE (1.0 / 1024.0)

// A residual at which the search for a better state ends is rounding below this, and no equilibrium
// above it. So is one that falls too slowly to end: a square bar that buckled may turn about its
// axis all but freely.
#define STALL_TOLERANCE 1e-6

// An element with less of its volume than this has collapsed: laws that do not resist that have
// states without force there, which are no answer (St. Venant-Kirchhoff beyond its limits).
#define COLLAPSED 1e-4

// How often one load step may leave a saddle: each time for less potential.
enum { SADDLES_MAX = 4 };

// The element that has collapsed or turned inside out, or -1. Small strain knows no volume.
static int find_collapsed(const SnNewton *body)
{
    for (int e = 0; e < body->elements.count; ++e) {
        SnLawKind kind = body->materials[body->elements.materials[e]].law.kind;
        if (kind != SN_LAW_LINEAR && !sn_law_is_barrier(kind) &&
            !(body->room.dets[e] > COLLAPSED)) {
            return e;
        }
    }
    return -1;
}

// A body that went farther than this from where the solve began, in units of its size, is on its
// way for good. Residuals are measured against what doubles resolve at its place, so that they seem
// to converge far away.
#define FLED 1e5

static bool has_fled(const SnNewton *body)
{
    const SnNewtonRoom *room = &body->room;
    size_t count = sn_newton_dofs(body);
    double farthest = 0.0;
    for (size_t i = 0; i < count; ++i) {
        farthest = fmax(farthest, fabs(room->x[i] - room->start[i]));
    }
    return farthest > FLED * body->size;
}

// What a load step came to. Forces balance in an unstable state, but it does not stay.
typedef enum Finding {
    FOUND_NOTHING,
    FOUND_COLLAPSED, // forces balance where an element has no volume left
    FOUND_FLIGHT,    // the body is on its way for good
    FOUND_UNSTABLE,
    FOUND_STABLE
} Finding;

// Minimises from the room's `move`.
static SinewStatus find_balance(const SnNewtonProblem *problem, SnNewtonValue *value,
                                SnNewtonEnd *end, Finding *out_finding, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewton *body = problem->body;
    *out_finding = FOUND_NOTHING;
    SN_TRY(sn_newton_minimise(problem, problem->tolerance, body->options.max_iterations, value, end,
                              error));
    bool rounding = (*end == SN_NEWTON_STALLED || *end == SN_NEWTON_EXHAUSTED) &&
                    value->residual <= STALL_TOLERANCE * value->scale;
    if (has_fled(body)) {
        *out_finding = FOUND_FLIGHT;
    } else if (*end == SN_NEWTON_CONVERGED || rounding) {
        *out_finding = find_collapsed(body) >= 0      ? FOUND_COLLAPSED
                       : sn_newton_is_stable(problem) ? FOUND_STABLE
                                                      : FOUND_UNSTABLE;
    }

done:
    return status;
}

// One load step from the state as it is, with the room's external forces and targets. Where it ends
// at a saddle it goes on from the lower side: what buckles is found buckled.
static SinewStatus find_equilibrium(const SnNewtonProblem *problem, SnNewtonValue *value,
                                    SnNewtonEnd *end, Finding *out_finding, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewton *body = problem->body;
    bool moved = true;

    *out_finding = FOUND_NOTHING;
    memset(body->room.move, 0, sn_newton_dofs(body) * sizeof *body->room.move);
    if (sn_newton_must_respond(problem)) {
        SN_TRY(sn_newton_respond(problem, true, &moved, error));
    }
    if (!moved) {
        return SINEW_OK;
    }
    SN_TRY(find_balance(problem, value, end, out_finding, error));
    for (int i = 0; i < SADDLES_MAX && *out_finding == FOUND_UNSTABLE; ++i) {
        if (!sn_newton_leave_saddle(problem, value)) {
            break;
        }
        SN_TRY(find_balance(problem, value, end, out_finding, error));
    }

done:
    // A tangent that no shift makes definite is no reason to stop: a shorter step may avoid it.
    return status == SINEW_ERROR_NOT_DEFINITE ? SINEW_OK : status;
}

static void mix_loads(const SnNewton *body, double share)
{
    const SnNewtonRoom *room = &body->room;
    size_t count = sn_newton_dofs(body);
    for (size_t i = 0; i < count; ++i) {
        double way = (1.0 - share) * room->load_from[i] + share * room->load_to[i];
        room->external[i] = share < 1.0 ? way : room->load_to[i];
    }
}

// Nothing moves any more, and what rules of motion remember is of no use.
static void stand_still(const SnNewton *body)
{
    const SnNewtonState *state = &body->state;
    size_t size = sn_newton_dofs(body) * sizeof *state->positions;
    memset(state->velocities, 0, size);
    memset(state->accelerations, 0, size);
    memset(state->last_move, 0, size);
    memset(state->last_change, 0, size);
    state->clock[SN_CLOCK_LAST_DT] = 0.0;
    state->clock[SN_CLOCK_ACCELERATION] = 0.0;
}

// What lies beyond the share of the way that was found, and what to do about it.
static SinewStatus give_up(const SnNewton *body, double share, const SnNewtonValue *value,
                           Finding finding, SinewError *error)
{
    SnNewtonVolume volume = sn_newton_volume(body);
    int element = volume.element;
    SnLawKind law = body->materials[body->elements.materials[element]].law.kind;
    char beyond[160] = "forces balance, but the state does not stay, as in buckling; push it aside "
                       "a little, or hold it";
    if (finding == FOUND_COLLAPSED) {
        snprintf(beyond, sizeof beyond,
                 "element %d has det F %.3g, which law %s does not resist; load it less, or take a "
                 "law that does: neo_hookean",
                 element, volume.smallest, sn_law_name(law));
    } else if (finding == FOUND_FLIGHT) {
        snprintf(beyond, sizeof beyond, "loads carry it off; hold it where they push it");
    } else if (finding == FOUND_NOTHING) {
        snprintf(beyond, sizeof beyond,
                 "the relative residual stays at %.3g (smallest det F %.3g, element %d); give more "
                 "max_iterations, or load it less",
                 value->residual / fmax(value->scale, DBL_MIN), volume.smallest, element);
    }
    return sn_fail_at(error, SINEW_ERROR_DIVERGED, element,
                      "body \"%s\" has no stable equilibrium in reach after %.4g of the static "
                      "solve's way: beyond it %s",
                      body->name, share, beyond);
}

// From the last equilibrium to the one that is asked for, in as few load steps as it takes.
static SinewStatus walk(SnNewtonProblem *problem, SnNewtonValue *value, SnNewtonEnd *end,
                        SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewton *body = problem->body;
    SnNewtonRoom *room = &body->room;
    double done_share = 0.0;
    double share = 1.0;

    while (done_share < 1.0) {
        Finding finding;
        double next = done_share + share;
        problem->renews = next >= 1.0;
        mix_loads(body, next);
        sn_newton_pins_target(body, problem->step->pin_motions, next, room->target);
        SN_TRY(find_equilibrium(problem, value, end, &finding, error));
        if (finding != FOUND_STABLE) {
            share *= 0.5;
            if (share < LEAST_SHARE) {
                status = give_up(body, done_share, value, finding, error);
                goto done;
            }
            continue;
        }
        memcpy(body->state.positions, room->x, sn_newton_dofs(body) * sizeof *room->x);
        problem->report->substeps += next < 1.0 ? 1 : 0;
        done_share = next;
        share = done_share + 2.0 * share > 1.0 ? 1.0 - done_share : 2.0 * share;
    }

done:
    return status;
}

SinewStatus sn_newton_solve_static(void *body_, const SnStep *step, SinewStepReport *out_report,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewton *body = body_;
    SnNewtonRoom *room = &body->room;
    SnNewtonProblem problem = sn_newton_problem_make(body, step, out_report);
    SnNewtonValue value = {0};
    SnNewtonEnd end = SN_NEWTON_EXHAUSTED;
    size_t size = sn_newton_dofs(body) * sizeof *room->start;

    *out_report = (SinewStepReport){0};
    problem.dynamic = false;
    memcpy(room->start, body->state.positions, size);
    memcpy(room->load_from, body->state.last_load, size);
    sn_newton_load(body, step, room->load_to);
    memset(room->move, 0, size);
    memcpy(room->external, room->load_to, size);
    if (!sn_newton_potential(&problem, room->move).allowed) {
        status = sn_newton_potential_fail(body, "at the start of the static solve", error);
        goto done;
    }
    SN_TRY(walk(&problem, &value, &end, error));
    stand_still(body);
    sn_newton_finish(&problem, &value);
    status = end == SN_NEWTON_CONVERGED ? SINEW_OK : SINEW_NOT_CONVERGED;

done:
    return status;
}
