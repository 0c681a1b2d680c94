// `split`: how a body is made and ended, and the table it fills.
#include "model/split/blocks.h"
#include "model/split/clusters.h"
#include "model/split/damping.h"
#include "model/split/points.h"
#include "model/split/shape.h"
#include "model/split/system.h"
#include "model/split/woodbury.h"
#include "model/start.h"

#include <stdio.h>
#include <string.h>

// The material of each tet, whose region is asked where the body is placed.
static SinewStatus find_materials(const SnModelDef *def, const SnTetMesh *mesh, int **out_indices,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnAffine placement = sn_solid_placement(def->solid);
    SN_ALLOC_ZERO(*out_indices, def->allocator, mesh->tet_count, error);
    for (int t = 0; t < mesh->tet_count && def->materials->region_count > 0; ++t) {
        double middle[3] = {0.0, 0.0, 0.0};
        for (int c = 0; c < 12; ++c) {
            size_t vertex = (size_t)mesh->tets[4 * (size_t)t + (size_t)(c / 3)];
            middle[c % 3] += 0.25 * mesh->positions[3 * vertex + (size_t)(c % 3)];
        }
        sn_affine_apply(&placement, middle, middle);
        (*out_indices)[t] = sn_materials_find(def->materials, middle);
    }
done:
    return status;
}

static SinewStatus take_shape(SnSplit *body, const SnModelDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetMesh *mesh = NULL;
    int *indices = NULL;
    SN_TRY(sn_solid_unplaced_tets(def->solid, &mesh, error));
    SN_TRY(find_materials(def, mesh, &indices, error));
    SnSplitShapeDef shape = {.mesh = mesh,
                             .indices = indices,
                             .materials = def->materials->materials,
                             .material_count = 1 + def->materials->region_count,
                             .options = body->options,
                             .name = body->name,
                             .model = body->solver->model};
    SN_TRY(sn_split_shape_take(&shape, body->share, &body->allocator, body->workers, body->kernels,
                               &body->shape, error));
done:
    // The solid makes meshes with its own allocator, which is the body's.
    sn_tet_mesh_destroy(mesh, &body->allocator);
    sn_free(def->allocator, indices);
    return status;
}

// Views of what the shape lends; the body's own members stay.
static void lend_shape(SnSplit *body)
{
    const SnSplit *common = &body->shape->body;
    SnSplitClusters own = body->clusters;
    SnSplitColours own_colours = body->colours;
    body->law = common->law;
    body->elements = common->elements;
    body->pattern = common->pattern;
    body->materials = common->materials;
    body->material_count = common->material_count;
    body->masses = common->masses;
    body->damp = common->damp;
    body->size = common->size;
    body->rounding = common->rounding;
    body->inside = common->inside;
    body->outside = common->outside;
    body->bundle_count = common->bundle_count;
    body->bundles = common->bundles;
    body->tets = common->tets;
    body->blocks = common->blocks;
    body->colours = common->colours;
    body->colours.multipliers = own_colours.multipliers;
    body->colours.places = own_colours.places;
    body->colours.inverted = own_colours.inverted;
    body->clusters = common->clusters;
    body->clusters.rotations = own.rotations;
    body->clusters.turns = own.turns;
    body->clusters.turned = own.turned;
    body->clusters.sums = own.sums;
    body->clusters.columns = own.columns;
    body->clusters.right = own.right;
    body->clusters.frames = own.frames;
    body->clusters.basis = own.basis;
    body->clusters.inverse = own.inverse;
}

static SinewStatus place(SnSplit *body, const SnAffine *placement, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = (size_t)body->elements.vertex_count;
    body->placement = *placement;
    // Turned and moved only, so it has an inverse.
    sn_affine_invert(&body->placement, &body->back);
    SN_ALLOC_FILLED(body->rest, &body->allocator, 3 * count, error);
    for (size_t v = 0; v < count; ++v) {
        sn_affine_apply(&body->placement, body->elements.rest + 3 * v, body->rest + 3 * v);
    }
done:
    return status;
}

// Of tets at rest where the body is placed.
static void reset_rotations(SnSplit *body)
{
    size_t count = (size_t)body->blocks.count * 4 * SN_TET_BLOCK;
    SnPlacement placement = sn_affine_place(&body->placement);
    for (size_t i = 0; i < count; ++i) {
        body->state.rotations[i] = (float)placement.rotation[i / SN_TET_BLOCK % 4];
    }
}

static SinewStatus make_state(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitState *state = &body->state;
    size_t dofs = sn_split_dofs(body);
    SN_ALLOC_ZERO(body->state_block, &body->allocator, 4 * dofs + SN_SPLIT_CLOCK_COUNT, error);
    SN_ALLOC_FILLED(state->rotations, &body->allocator,
                    (size_t)body->blocks.count * 4 * SN_TET_BLOCK, error);
    double **vectors[] = {&state->positions, &state->velocities, &state->last_move,
                          &state->last_change, &state->clock};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; ++i) {
        *vectors[i] = body->state_block + i * dofs;
    }
    memcpy(state->positions, body->rest, dofs * sizeof *state->positions);
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
    SN_ALLOC_ZERO(room->rows, &body->allocator,
                  4 * ((size_t)body->blocks.patch_row[body->blocks.patch_count] + 1), error);
    SN_ALLOC(room->energies, &body->allocator, body->blocks.patch_count, error);
    SN_ALLOC(room->inverted, &body->allocator, body->blocks.patch_count, error);
    SN_ALLOC(room->element, &body->allocator, body->elements.count, error);
    if (implicit) {
        // For either law: the material may change.
        SN_ALLOC(room->tangent, &body->allocator, SN_TET_TANGENT_FIXED * lanes, error);
    } else if (body->options.rotation != SINEW_ROTATION_APD) {
        SN_ALLOC(room->F, &body->allocator, 9 * lanes, error);
    }

done:
    return status;
}

static SinewStatus make_volume_room(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitColours *colours = &body->colours;
    if (colours->count > 0) {
        size_t lanes = SN_VOLUME_BLOCK * (size_t)colours->chunk_block[colours->chunk_count];
        size_t vertices = (size_t)body->elements.vertex_count;
        if (body->options.volume_iterations > 1) {
            SN_ALLOC_ZERO(colours->multipliers, &body->allocator, lanes, error);
        }
        SN_ALLOC_ZERO(colours->inverted, &body->allocator, colours->chunk_count, error);
        SN_ALLOC_ZERO(colours->places, &body->allocator,
                      4 * (vertices + (size_t)colours->chunk_count), error);
    }
done:
    return status;
}

SinewStatus sn_split_furnish(SnSplit *body, const SnAffine *placement, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    lend_shape(body);
    SN_TRY(place(body, placement, error));
    SN_TRY(make_state(body, error));
    SN_TRY(make_room(body, error));
    SN_TRY(make_volume_room(body, error));
    SN_TRY(sn_split_clusters_room_create(body, error));
    SN_TRY(sn_split_set_pins(body, NULL, 0, error));
done:
    return status;
}

SinewStatus sn_split_init(SnSplit *body, const SnModelDef *def, const SinewSplitDef *options,
                          const SnSplitSolver *solver, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnAffine placement = sn_solid_placement(def->solid);
    body->allocator = def->allocator != NULL ? *def->allocator : (SinewAllocator){0};
    body->workers = def->workers;
    body->kernels = def->kernels;
    body->options = *options;
    body->solver = solver;
    body->share = def->share;
    body->start_seed = def->options->start_seed;
    snprintf(body->name, sizeof body->name, "%s", def->name != NULL ? def->name : "body");
    SN_TRY(take_shape(body, def, error));
    SN_TRY(sn_split_furnish(body, &placement, error));
done:
    return status;
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
    sn_split_system_leave(body);
    sn_woodbury_destroy(body);
    sn_split_damping_destroy(body);
    sn_split_clusters_room_release(body);
    sn_pin_set_release(&body->pins.set, &allocator);
    sn_share_leave(body->shape != NULL ? &body->shape->shared : NULL);
    void *const arrays[] = {body->rest,           body->colours.multipliers,
                            body->colours.places, body->colours.inverted,
                            body->state_block,    body->state.rotations,
                            body->state.balance,  body->room_block,
                            body->room_doubles,   body->room.rows,
                            body->room.tangent,   body->room.F,
                            body->room.energies,  body->room.inverted,
                            body->room.element};
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
    return (SinewBodyMesh){.rest = body->rest,
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
    body->state.clock[SN_SPLIT_LOST] = start == SINEW_START_REST ? 0.0 : 1.0;
    sn_start_seeded(start, body->start_seed, linear, angular, body->rest, body->masses,
                    body->elements.vertex_count, body->state.positions, body->state.velocities);
}

// Another shape of the same mesh. That of a body which was cut has orders of its own, that only it
// can hand on.
static SinewStatus take_like(const SnSplit *body, const SnSplitShapeDef *def,
                             SnSplitShape **out_shape, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetCut *nowhere = NULL;
    if (!body->shape->is_cut) {
        return sn_split_shape_take(def, body->share, &body->allocator, body->workers, body->kernels,
                                   out_shape, error);
    }
    SN_TRY(sn_tet_cut_create(body->elements.vertices, body->elements.count,
                             body->elements.vertex_count, NULL, &(SnTetCutList){0},
                             &body->allocator, &nowhere, error));
    SN_TRY(sn_split_shape_cut(def, body->shape, nowhere, out_shape, error));
done:
    sn_tet_cut_destroy(nowhere, &body->allocator);
    return status;
}

// The mesh is the same, so orders, blocks and clusters come out as they were and the room still
// fits; the system keeps its order when the next step is prepared.
SinewStatus sn_split_set_material(void *body_, const SnMaterial *material, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *body = body_;
    SnSplitShape *old = body->shape, *shape = NULL;
    SnMaterial *materials = NULL;

    SN_ALLOC(materials, &body->allocator, body->material_count, error);
    memcpy(materials, body->materials, (size_t)body->material_count * sizeof *materials);
    materials[0] = *material;
    SnSplitShapeDef def = {.mesh = &body->tets,
                           .indices = body->elements.materials,
                           .materials = materials,
                           .material_count = body->material_count,
                           .options = body->options,
                           .name = body->name,
                           .model = body->solver->model};
    SN_TRY(take_like(body, &def, &shape, error));
    body->shape = shape;
    // From here on nothing fails.
    lend_shape(body);
    sn_split_colours_set_masses(body);
    body->system_is_stale = true;
    body->mass_scale = 0.0;
    sn_split_damping_destroy(body);
    body->state.clock[SN_SPLIT_KNOWN] = 0.0; // the energy is another one
    shape = old;

done:
    sn_share_leave(shape != NULL ? &shape->shared : NULL);
    sn_free(&body->allocator, materials);
    return status;
}

double sn_split_accuracy(const void *body)
{
    return ((const SnSplit *)body)->options.accuracy;
}

const SnModel sn_split_model = {
    .name = "split",
    .is_quiet = true,
    .create = sn_split_create,
    .destroy = sn_split_destroy,
    .accuracy = sn_split_accuracy,
    .mesh = sn_split_mesh,
    .dof_count = sn_split_dof_count,
    .start = sn_split_start,
    .set_pins = sn_split_set_pins,
    .set_material = sn_split_set_material,
    .points_create = sn_split_points_create,
    .points_create_unplaced = sn_split_points_create_unplaced,
    .shape = sn_split_shape,
    .points_destroy = sn_split_points_destroy,
    .points_distance = sn_point_set_distance,
    .points_join = sn_split_points_join,
    .points_place = sn_split_points_place,
    .prepare = sn_split_prepare,
    .step = sn_split_step,
    .solve_static = sn_split_solve_static,
    .measure = sn_split_measure,
    .reaction = sn_split_reaction,
    .state_size = sn_split_state_size,
    .save = sn_split_save,
    .restore = sn_split_restore,
};
