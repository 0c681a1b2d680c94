#include "model/split/lost.h"

#include "math/mat3.h"
#include "math/rotation_reference.h"
#include "model/rigid_motion.h"

#include <string.h>

enum {
    LONGEST = 100, // steps; what has not found its shape then is held in another one
    PASSES = 2     // solves of a step: the matrix knows more than mu
};

// Mean of |F - R|^2 below which the shape has come back: strains of some percent.
#define FOUND 1e-3

// Where tets leave the rotation open, as those of a mirrored body do, it is the one at rest; far
// below what would turn the body.
#define LIKE_REST 1e-9

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

// The rotation at the end of the step: one that stayed would hold the body back from its turn.
static void turn_on(double h, const double turn[3], const double q[4], double out[4])
{
    double by[4] = {0.5 * h * turn[0], 0.5 * h * turn[1], 0.5 * h * turn[2], 1.0};
    double product[4];
    sn_quaternion_normalise(by, by);
    sn_quat_multiply(by, q, product);
    sn_quaternion_normalise(product, out);
}

// Gives all tets the one rotation. Returns the sum of mu V.
static double turn_all(const SnSplitProblem *problem, const double turn[3])
{
    SnSplit *body = problem->body;
    double sums[4], A[9], R[9];
    SnAffine nearest = sn_affine_identity();
    for (int row = 0; row < 3; ++row) {
        RowJob job = {body, row};
        sn_parallel_sum(problem->workers, body->elements.count, 4, sum_row, &job, sums);
        for (int k = 0; k < 3; ++k) {
            A[3 * row + k] = sums[k] + LIKE_REST * sums[3] * body->placement.m[4 * row + k];
        }
    }
    sn_rotation_reference(A, R);
    for (int k = 0; k < 9; ++k) {
        nearest.m[4 * (k / 3) + k % 3] = R[k];
    }
    double q[4];
    turn_on(problem->h, turn, sn_affine_place(&nearest).rotation, q);
    size_t count = (size_t)body->blocks.count * 4 * SN_TET_BLOCK;
    for (size_t i = 0; i < count; ++i) {
        body->state.rotations[i] = (float)q[i / SN_TET_BLOCK % 4];
    }
    return sums[3];
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
    const double still[3] = {0.0, 0.0, 0.0};
    bool loose = is_loose(problem);

    sn_split_begin(problem, rule, true);
    for (size_t i = 0; i < sn_split_dofs(body); ++i) {
        room->trial[i] = room->move[i] * (1.0f - room->free[i]);
    }
    problem->law = SN_TET_MU;
    problem->one_turn = true;
    double weight = turn_all(problem, loose ? motion.turn : still);
    SnSplitValue from = sn_split_value(problem, room->trial);
    SN_TRY(sn_split_rescue(problem, &from, PASSES, error));
    SnSplitValue value = sn_split_value(problem, room->move);
    SN_TRY(sn_split_end(problem, rule, error));
    if (loose) {
        // The nearest rotation at the end is not quite the one that the step took.
        sn_rigid_motion_spin(body->masses, body->state.positions, body->elements.vertex_count,
                             motion.spin, body->state.velocities);
    }
    bool found = value.inverted == 0 && value.elastic <= FOUND * weight;
    bool ends = found || clock[SN_SPLIT_LOST] >= LONGEST;
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
