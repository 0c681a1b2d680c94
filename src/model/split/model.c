// `split`: how a body is made and ended, and the table it fills.
#include "model/split/blocks.h"
#include "model/split/clusters.h"
#include "model/split/pins.h"
#include "model/split/points.h"
#include "model/start.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static SinewStatus check_material(SnSplit *body, const SnMaterial *material, SinewError *error)
{
    SnLawKind kind = material->law.kind;
    if (kind != SN_LAW_COROTATED && kind != SN_LAW_FIXED_COROTATED) {
        return sn_fail(error, SINEW_ERROR_UNSUPPORTED,
                       "body \"%s\": its law is %s, expected corotated or fixed_corotated for "
                       "model %s",
                       body->name, sn_law_name(kind), body->solver->model);
    }
    if (kind != body->materials[0].law.kind) {
        return sn_fail(error, SINEW_ERROR_UNSUPPORTED,
                       "body \"%s\": a region's law is %s and the body's is %s, expected one law "
                       "for a body of model %s",
                       body->name, sn_law_name(kind), sn_law_name(body->materials[0].law.kind),
                       body->solver->model);
    }
    if (material->damping_stiffness > 0.0) {
        return sn_fail(error, SINEW_ERROR_UNSUPPORTED,
                       "body \"%s\": its damping by stiffness is %g s, expected 0 for model %s",
                       body->name, material->damping_stiffness, body->solver->model);
    }
    return SINEW_OK;
}

static SinewStatus make_elements(SnSplit *body, const SnModelDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    SnTetMesh *tets = NULL;

    body->material_count = 1 + def->materials->region_count;
    SN_ALLOC(body->materials, allocator, body->material_count, error);
    memcpy(body->materials, def->materials->materials,
           (size_t)body->material_count * sizeof *body->materials);
    for (int m = 0; m < body->material_count; ++m) {
        SN_TRY(check_material(body, &body->materials[m], error));
    }
    body->law = body->materials[0].law.kind == SN_LAW_COROTATED ? SN_TET_COROTATED : SN_TET_FIXED;
    SN_TRY(sn_solid_tets(def->solid, &tets, error));
    SN_TRY(sn_newton_elements_from_tets(tets, def->materials, body->name, allocator,
                                        &body->elements, error));

done:
    // The solid makes meshes with its own allocator, which is the body's.
    sn_tet_mesh_destroy(tets, allocator);
    return status;
}

// A quarter of each tet's mass to its corners.
static SinewStatus make_masses(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnNewtonElements *elements = &body->elements;
    SN_ALLOC_ZERO(body->masses, &body->allocator, elements->vertex_count, error);
    SN_ALLOC_ZERO(body->damp, &body->allocator, elements->vertex_count, error);
    for (int i = 0; i < 4 * elements->count; ++i) {
        const SnMaterial *material = &body->materials[elements->materials[i / 4]];
        double share = 0.25 * material->density * elements->weights[i / 4];
        body->masses[elements->vertices[i]] += share;
        body->damp[elements->vertices[i]] += share * material->damping_mass;
    }
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < elements->vertex_count; ++v) {
            low = fmin(low, elements->rest[3 * v + k]);
            high = fmax(high, elements->rest[3 * v + k]);
        }
        body->size = fmax(body->size, high - low);
    }
done:
    return status;
}

static void reset_rotations(SnSplit *body)
{
    size_t count = (size_t)body->blocks.count * 4 * SN_TET_BLOCK;
    for (size_t i = 0; i < count; ++i) {
        body->state.rotations[i] = i / SN_TET_BLOCK % 4 == 3 ? 1.0f : 0.0f;
    }
}

static SinewStatus make_state(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitState *state = &body->state;
    size_t dofs = sn_split_dofs(body);
    SN_ALLOC_ZERO(body->state_block, &body->allocator, 4 * dofs + SN_SPLIT_CLOCK_COUNT, error);
    SN_ALLOC(state->rotations, &body->allocator, (size_t)body->blocks.count * 4 * SN_TET_BLOCK,
             error);
    double **vectors[] = {&state->positions, &state->velocities, &state->last_move,
                          &state->last_change, &state->clock};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) {
        *vectors[i] = body->state_block + i * dofs;
    }
    memcpy(state->positions, body->elements.rest, dofs * sizeof *state->positions);
    reset_rotations(body);
done:
    return status;
}

static SinewStatus make_room(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitRoom *room = &body->room;
    // One vertex more, that nobody's corners move, and one float more, that is read along.
    size_t length = sn_round_up(sn_split_dofs(body) + 4, 16);
    size_t lanes = (size_t)body->blocks.count * SN_TET_BLOCK;
    bool implicit = body->options.mode == SINEW_SPLIT_IMPLICIT;
    float **vectors[] = {&room->x,        &room->start,   &room->move, &room->trial, &room->aim,
                         &room->residual, &room->z,       &room->p,    &room->hp,    &room->step,
                         &room->mass,     &room->no_mass, &room->free};
    double **doubles[] = {&room->load, &room->force, &room->place, &room->place_try};
    size_t count = sizeof vectors / sizeof *vectors;
    size_t double_count = sizeof doubles / sizeof *doubles;

    SN_ALLOC_ZERO(body->room_block, &body->allocator, count * length, error);
    for (size_t i = 0; i < count; ++i) {
        *vectors[i] = body->room_block + i * length;
    }
    SN_ALLOC_ZERO(body->room_doubles, &body->allocator, double_count * sn_split_dofs(body), error);
    for (size_t i = 0; i < double_count; ++i) {
        *doubles[i] = body->room_doubles + i * sn_split_dofs(body);
    }
    SN_ALLOC_ZERO(room->corners, &body->allocator, 4 * (size_t)body->blocks.slot_count, error);
    SN_ALLOC(room->energies, &body->allocator, body->blocks.count, error);
    SN_ALLOC(room->inverted, &body->allocator, body->blocks.count, error);
    SN_ALLOC(room->element, &body->allocator, body->elements.count, error);
    if (implicit) {
        SN_ALLOC_ZERO(room->tangent, &body->allocator, SN_TET_TANGENT * lanes, error);
    } else if (body->options.rotation != SINEW_ROTATION_APD) {
        SN_ALLOC(room->F, &body->allocator, 9 * lanes, error);
    }

done:
    return status;
}

static SinewStatus build(SnSplit *body, const SnModelDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(make_elements(body, def, error));
    SN_TRY(sn_newton_pattern_create(&body->elements, &body->allocator, &body->pattern, error));
    SN_TRY(make_masses(body, error));
    SN_TRY(sn_split_blocks_create(body, error));
    SN_TRY(make_state(body, error));
    SN_TRY(make_room(body, error));
    SN_TRY(sn_split_finder_create(body, error));
    if (body->options.mode == SINEW_SPLIT_PAPER) {
        SN_TRY(sn_split_colours_create(body, error));
    } else if (body->solver->scalar) {
        SN_TRY(sn_split_clusters_create(body, error));
    }
    SN_TRY(sn_split_set_pins(body, NULL, 0, error));
done:
    return status;
}

SinewStatus sn_split_init(SnSplit *body, const SnModelDef *def, const SinewSplitDef *options,
                          const SnSplitSolver *solver, SinewError *error)
{
    body->allocator = def->allocator != NULL ? *def->allocator : (SinewAllocator){0};
    body->workers = def->workers;
    body->kernels = def->kernels;
    body->options = *options;
    body->solver = solver;
    snprintf(body->name, sizeof body->name, "%s", def->name != NULL ? def->name : "body");
    return build(body, def, error);
}

SinewStatus sn_split_create(const SnModelDef *def, void **out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = NULL;

    *out_body = NULL;
    SN_ALLOC_ZERO(body, def->allocator, 1, error);
    SN_TRY(sn_split_init(body, def, &def->options->split, &sn_split_solver, error));
    *out_body = body;
    body = NULL;

done:
    sn_split_destroy(body);
    return status;
}

void sn_split_release(SnSplit *body)
{
    SinewAllocator allocator = body->allocator;
    sn_split_pins_release(body, &body->pins);
    sn_split_finder_destroy(body);
    sn_split_clusters_release(body);
    sn_split_colours_release(body);
    sn_split_blocks_release(body);
    sn_newton_elements_release(&body->elements, &allocator);
    sn_newton_pattern_release(&body->pattern, &allocator);
    void *const arrays[] = {body->materials,     body->masses,          body->damp,
                            body->state_block,   body->state.rotations, body->state.balance,
                            body->room_block,    body->room_doubles,    body->room.corners,
                            body->room.tangent,  body->room.F,          body->room.energies,
                            body->room.inverted, body->room.element};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(&allocator, arrays[i]);
    }
}

void sn_split_destroy(void *body_)
{
    SnSplit *body = body_;
    if (body != NULL) {
        SinewAllocator allocator = body->allocator;
        sn_split_release(body);
        sn_free(&allocator, body);
    }
}

SinewBodyMesh sn_split_mesh(const void *body_)
{
    const SnSplit *body = body_;
    return (SinewBodyMesh){.rest = body->elements.rest,
                           .positions = body->state.positions,
                           .velocities = body->state.velocities,
                           .vertex_count = body->elements.vertex_count,
                           .elements = body->elements.vertices,
                           .element_count = body->elements.count,
                           .corners = 4};
}

void sn_split_start(void *body_, SinewStart start, const double linear[3], const double angular[3])
{
    SnSplit *body = body_;
    memset(body->state_block, 0,
           (4 * sn_split_dofs(body) + SN_SPLIT_CLOCK_COUNT) * sizeof *body->state_block);
    reset_rotations(body);
    sn_start_vertices(start, linear, angular, body->elements.rest, body->masses,
                      body->elements.vertex_count, body->state.positions, body->state.velocities);
}

const SnModel sn_split_model = {
    .name = "split",
    .create = sn_split_create,
    .destroy = sn_split_destroy,
    .mesh = sn_split_mesh,
    .dof_count = sn_split_dof_count,
    .start = sn_split_start,
    .set_pins = sn_split_set_pins,
    .points_create = sn_split_points_create,
    .points_destroy = sn_split_points_destroy,
    .points_distance = sn_split_points_distance,
    .points_place = sn_split_points_place,
    .step = sn_split_step,
    .solve_static = sn_split_solve_static,
    .measure = sn_split_measure,
    .reaction = sn_split_reaction,
    .state_size = sn_split_state_size,
    .save = sn_split_save,
    .restore = sn_split_restore,
};
