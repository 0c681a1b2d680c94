#include "model/split/lost.h"

#include "model/one_turn.h"
#include "model/rigid_motion.h"

#include <string.h>

enum { PASSES = 2 }; // solves of a step: the matrix knows more than mu

typedef struct RowJob {
    const SnSplit *body;
    int row;
} RowJob;

// A row of sum mu V F, and the sum of mu V.
static void sum_row(void *context, int begin, int end, double *sums)
{
    const RowJob *job = context;
    const SnSplit *body = job->body;
    const SnNewtonElements *elements = &body->elements;
    memset(sums, 0, 4 * sizeof *sums);
    for (int e = begin; e < end; ++e) {
        double x[12], g[12], F[9];
        double weight = body->materials[elements->materials[e]].law.mu * elements->weights[e];
        sn_newton_elements_gather(elements, e, body->state.positions, x);
        sn_newton_elements_tet_gradients(elements, e, g);
        sn_newton_elements_gradient(g, x, 4, F);
        for (int k = 0; k < 3; ++k) {
            sums[k] += weight * F[3 * job->row + k];
        }
        sums[3] += weight;
    }
}

// Nothing from outside acts on the body but its weight, so that its spin stays.
static bool is_loose(const SnSplitProblem *problem)
{
    const SnSplit *body = problem->body;
    bool damped = false;
    for (int m = 0; m < body->material_count; ++m) {
        damped = damped || body->materials[m].damping_mass > 0.0;
    }
    return !damped && body->pins.set.held_count == 0 && problem->step->contacts == NULL &&
           problem->step->load_count == 0;
}

static SnRigidMotion motion_of(const SnSplit *body)
{
    return sn_rigid_motion_of(body->masses, body->state.positions, body->state.velocities,
                              body->elements.vertex_count);
}

// Gives all tets the one rotation. Returns the sum of mu V.
static double turn_all(const SnSplitProblem *problem, const SnRigidMotion *motion)
{
    SnSplit *body = problem->body;
    SnOneTurn one = {
        .pins = &body->pins.set, .rest = body->elements.rest, .places = body->room.place};
    SnAffine turned = sn_affine_identity();
    double R[9];
    for (int row = 0; row < 3; ++row) {
        RowJob job = {body, row};
        double sums[4];
        sn_parallel_sum(problem->workers, body->elements.count, 4, sum_row, &job, sums);
        for (int k = 0; k < 3; ++k) {
            one.sum[3 * row + k] = sums[k];
            one.at_rest[3 * row + k] = body->placement.m[4 * row + k];
        }
        one.weight = sums[3];
        one.turn[row] = is_loose(problem) ? problem->h * motion->turn[row] : 0.0;
    }
    sn_one_turn_find(&one, R);
    for (int k = 0; k < 9; ++k) {
        turned.m[4 * (k / 3) + k % 3] = R[k];
    }
    SnPlacement placement = sn_affine_place(&turned);
    size_t count = (size_t)body->blocks.count * 4 * SN_TET_BLOCK;
    for (size_t i = 0; i < count; ++i) {
        body->state.rotations[i] = (float)placement.rotation[i / SN_TET_BLOCK % 4];
    }
    return one.weight;
}

// Leaves the body to its rigid motion: what changed its shape has done its work, and would only
// swing on.
static void calm(const SnSplitProblem *problem)
{
    const SnSplit *body = problem->body;
    const SnSplitState *state = &body->state;
    size_t count = sn_split_dofs(body);
    SnRigidMotion motion = motion_of(body);
    sn_rigid_motion_velocities(&motion, state->positions, body->elements.vertex_count,
                               state->velocities);
    for (size_t i = 0; i < count; ++i) {
        state->last_move[i] = problem->step->dt * state->velocities[i];
        state->last_change[i] = 0.0;
    }
}

SinewStatus sn_split_lost_step(SnSplitProblem *problem, const SnSplitRule *rule, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = problem->body;
    SnSplitRoom *room = &body->room;
    double *clock = body->state.clock;
    SnTetLaw law = problem->law;
    SnRigidMotion motion = motion_of(body);

    sn_split_begin(problem, rule, true);
    for (size_t i = 0; i < sn_split_dofs(body); ++i) {
        room->trial[i] = room->move[i] * (1.0f - room->free[i]);
    }
    problem->law = SN_TET_MU;
    problem->one_turn = true;
    double weight = turn_all(problem, &motion);
    SnSplitValue from = sn_split_value(problem, room->trial);
    SN_TRY(sn_split_rescue(problem, &from, PASSES, error));
    SnSplitValue value = sn_split_value(problem, room->move);
    SN_TRY(sn_split_end(problem, rule, error));
    if (is_loose(problem)) {
        // The nearest rotation at the end is not quite the one that the step took.
        sn_rigid_motion_spin(body->masses, body->state.positions, body->elements.vertex_count,
                             motion.spin, body->state.velocities);
    }
    bool found = value.inverted == 0 && value.elastic <= SN_LOST_FOUND * weight;
    bool ends = found || clock[SN_SPLIT_LOST] >= SN_LOST_STEPS;
    clock[SN_SPLIT_LOST] = ends ? 0.0 : clock[SN_SPLIT_LOST] + 1.0;
    clock[SN_SPLIT_KNOWN] = 0.0; // the law's energy
    // While the energy falls the motion is on its way.
    if (ends || !(value.elastic < from.elastic)) {
        calm(problem);
    }

done:
    problem->law = law;
    problem->one_turn = false;
    return status;
}
