// The step before the first of BDF2, from the acceleration that the body starts with.
#include "model/history.h"

#include "model/split/elastic.h"
#include "model/split/pins.h"
#include "model/split/points.h"
#include "model/split/step.h"

#include <string.h>

// M a = load - elastic - damping + contact at the start, in double, into the room's `place_try`.
static void find_accelerations(const SnSplitProblem *problem)
{
    SnSplit *body = problem->body;
    const SnSplitState *state = &body->state;
    const SnPointForces *contacts = problem->step->contacts;
    double *force = body->room.force;
    size_t count = sn_split_dofs(body);
    memset(force, 0, count * sizeof *force);
    sn_split_elastic(body, problem->workers, state->positions, force);
    if (contacts != NULL) {
        sn_point_set_evaluate(contacts, problem->workers, state->positions);
        sn_split_points_balance(contacts, force);
    }
    for (size_t i = 0; i < count; ++i) {
        double pull = sn_split_load_at(problem, i / 3, i % 3) - force[i] -
                      body->damp[i / 3] * state->velocities[i];
        body->room.place_try[i] = pull / body->masses[i / 3];
    }
}

void sn_split_history(const SnSplitProblem *problem)
{
    SnSplit *body = problem->body;
    const SnSplitState *state = &body->state;
    find_accelerations(problem);
    memcpy(body->room.place, state->positions, sn_split_dofs(body) * sizeof *body->room.place);
    sn_split_pins_target(body, problem->step->pin_motions, body->room.place);
    SnHistory history = {.vertex_count = body->elements.vertex_count,
                         .dt = problem->step->dt,
                         .farthest = body->size,
                         .held = body->pins.set.held,
                         .ends = body->room.place,
                         .positions = state->positions,
                         .velocities = state->velocities,
                         .last_move = state->last_move,
                         .last_change = state->last_change};
    sn_history_begin(&history, body->room.place_try);
    state->clock[SN_SPLIT_LAST_DT] = problem->step->dt;
}
