#include "model/split/damping.h"

#include <string.h>

static bool is_damped(const SnSplit *body)
{
    for (int m = 0; m < body->material_count; ++m) {
        if (body->materials[m].damping_stiffness > 0.0) {
            return true;
        }
    }
    return false;
}

// Memory -----------------------------------------------------------------------------------------

static size_t rest_count(const SnSplit *body)
{
    return (size_t)body->blocks.count * SN_TET_REST * SN_TET_BLOCK;
}

static SinewStatus make(const SnSplit *body, SnSplitDamping *damping, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    size_t lanes = (size_t)body->blocks.count * SN_TET_BLOCK;
    size_t vector = sn_split_dofs(body) + 3; // a vertex more, as the kernels want it
    SN_ALLOC(damping->rest, allocator, rest_count(body), error);
    SN_ALLOC(damping->stiffened, allocator, rest_count(body), error);
    SN_ALLOC(damping->rotations, allocator, 4 * lanes, error);
    SN_ALLOC(damping->tangent, allocator, SN_TET_TANGENT_FIXED * lanes, error);
    SN_ALLOC_ZERO(damping->v0, allocator, vector, error);
    SN_ALLOC_ZERO(damping->v, allocator, vector, error);
    SN_ALLOC_ZERO(damping->force, allocator, vector, error);
    SN_ALLOC(damping->ones, allocator, vector, error);
    for (size_t i = 0; i < vector; ++i) {
        damping->ones[i] = 1.0f;
    }
done:
    return status;
}

void sn_split_damping_destroy(SnSplit *body)
{
    SnSplitDamping *damping = body->damping;
    if (damping != NULL) {
        void *const arrays[] = {damping->rest,    damping->stiffened, damping->rotations,
                                damping->tangent, damping->v0,        damping->v,
                                damping->force,   damping->ones,      damping};
        for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
            sn_free(&body->allocator, arrays[i]);
        }
    }
    body->damping = NULL;
}

// The moduli's planes of each tet, times a factor that its material has.
static void scale_moduli(const SnSplit *body, double one, double rate, float *out)
{
    memcpy(out, body->blocks.rest, rest_count(body) * sizeof *out);
    for (int lane = 0; lane < body->blocks.count * SN_TET_BLOCK; ++lane) {
        int tet = body->blocks.tets[lane];
        size_t block = (size_t)(lane / SN_TET_BLOCK);
        float *moduli = out + (block * SN_TET_REST + 9) * SN_TET_BLOCK + lane % SN_TET_BLOCK;
        if (tet >= 0) {
            const SnMaterial *material = &body->materials[body->elements.materials[tet]];
            double factor = one + rate * material->damping_stiffness;
            moduli[0] = (float)(factor * (double)moduli[0]);
            moduli[SN_TET_BLOCK] = (float)(factor * (double)moduli[SN_TET_BLOCK]);
        }
    }
}

SinewStatus sn_split_damping_prepare(SnSplit *body, double h, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (!(h > 0.0) || !is_damped(body)) {
        return SINEW_OK;
    }
    if (body->damping == NULL) {
        SN_ALLOC_ZERO(body->damping, &body->allocator, 1, error);
        SN_TRY(make(body, body->damping, error));
        scale_moduli(body, 0.0, 1.0, body->damping->rest);
    }
    if (body->damping->h != h) {
        scale_moduli(body, 1.0, 1.0 / h, body->damping->stiffened);
        body->damping->h = h;
    }
done:
    if (status < 0) {
        sn_split_damping_destroy(body);
    }
    return status;
}

// Steps ------------------------------------------------------------------------------------------

// A sweep over tets with the moduli of C, whose forces go to the room's rows.
static void sweep(const SnSplitProblem *problem, const float *x, SnTetSweepFn *fn)
{
    const SnSplitDamping *damping = problem->body->damping;
    SnTetSweep tets = sn_split_sweep(problem, x);
    tets.law = problem->body->law;
    tets.rest = damping->rest;
    tets.q = damping->rotations;
    tets.tangent = damping->tangent;
    sn_split_sweep_run(problem, &tets, fn);
}

void sn_split_damping_begin(SnSplitProblem *problem, const SnSplitRule *rule)
{
    const SnSplit *body = problem->body;
    const SnSplitDamping *damping = body->damping;
    if (damping == NULL) {
        return;
    }
    const SnSplitState *state = &body->state;
    for (size_t i = 0; i < sn_split_dofs(body); ++i) {
        size_t at = 3 * (size_t)body->outside[i / 3] + i % 3;
        double v0 = rule->velocity_rate * state->velocities[at];
        if (rule->move_rate != 0.0) {
            v0 += rule->move_rate * state->last_move[at];
        }
        damping->v0[i] = (float)v0;
    }
    memcpy(damping->rotations, state->rotations,
           (size_t)body->blocks.count * 4 * SN_TET_BLOCK * sizeof *damping->rotations);
    sweep(problem, body->room.start, body->kernels->tet->gradient);
    problem->damped = true;
}

// A body that moves as a whole feels nothing; without that motion nothing is lost to rounding.
double sn_split_damping_evaluate(const SnSplitProblem *problem, const float *move)
{
    const SnSplit *body = problem->body;
    const SnSplitDamping *damping = body->damping;
    double rate = 1.0 / problem->h;
    double first[3];
    for (size_t k = 0; k < 3; ++k) {
        first[k] = rate * (double)move[k] + (double)damping->v0[k];
    }
    for (size_t i = 0; i < sn_split_dofs(body); ++i) {
        damping->v[i] = (float)(rate * (double)move[i] + (double)damping->v0[i] - first[i % 3]);
    }
    sweep(problem, damping->v, body->kernels->tet->product);
    return 0.5 * problem->h *
           sn_split_gather(problem, &(SnSplitGather){.mass = body->room.no_mass,
                                                     .free = damping->ones,
                                                     .x = damping->v,
                                                     .scale = problem->h2,
                                                     .with = damping->v,
                                                     .out = damping->force});
}

void sn_split_damping_resist(const SnSplitProblem *problem, const float *move)
{
    const SnSplitRoom *room = &problem->body->room;
    const float *force = problem->body->damping->force;
    sn_split_damping_evaluate(problem, move);
    for (size_t i = 0; i < sn_split_dofs(problem->body); ++i) {
        room->residual[i] -= room->free[i] * force[i];
    }
}

void sn_split_damping_balance(const SnSplitProblem *problem, double *force)
{
    const SnSplit *body = problem->body;
    const SnPinSet *set = &body->pins.set;
    sn_split_damping_evaluate(problem, body->room.move);
    for (size_t v = 0; v < (size_t)body->elements.vertex_count; ++v) {
        for (size_t k = 0; k < 3 && set->held[v] != 0; ++k) {
            size_t in = 3 * (size_t)body->inside[v] + k;
            force[3 * v + k] += (double)body->damping->force[in] / problem->h2;
        }
    }
}
