#include "model/frames/shape.h"

#include "base/hash.h"
#include "model/frames/lumps.h"
#include "model/frames/place.h"
#include "model/frames/potential.h"
#include "model/frames/weights.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LUMPS_PER_FRAME = 32 };

// Content ----------------------------------------------------------------------------------------

// What tells a shape from another. All borrowed.
typedef struct Key {
    const SinewFramesDef *options;
    const SnMaterials *materials;
    const SnSolidCubes *cubes;
    const int *indices; // the material of each cube
} Key;

static bool same_material(const SnMaterial *a, const SnMaterial *b)
{
    return a->law.kind == b->law.kind && a->law.mu == b->law.mu && a->law.lambda == b->law.lambda &&
           a->law.c10 == b->law.c10 && a->law.c01 == b->law.c01 && a->law.bulk == b->law.bulk &&
           a->density == b->density && a->damping_mass == b->damping_mass &&
           a->damping_stiffness == b->damping_stiffness;
}

// Of options that the shape depends on.
static bool same_options(const SinewFramesDef *a, const SinewFramesDef *b)
{
    return a->mode == b->mode && a->kind == b->kind && a->weights == b->weights &&
           a->count == b->count && a->mass == b->mass && a->springs == b->springs &&
           a->geometric == b->geometric;
}

static bool same_cubes(const SnSolidCubes *a, const SnSolidCubes *b)
{
    const SnHexMesh *x = a->mesh, *y = b->mesh;
    size_t cells = (size_t)x->hex_count;
    return x->vertex_count == y->vertex_count && x->hex_count == y->hex_count &&
           memcmp(x->positions, y->positions, 3 * (size_t)x->vertex_count * sizeof(double)) == 0 &&
           memcmp(x->hexes, y->hexes, 8 * cells * sizeof(int)) == 0 &&
           memcmp(a->fills, b->fills, cells * sizeof(double)) == 0;
}

static bool is_shape(const SnShared *thing, const void *key_)
{
    const Key *key = key_;
    const SnFrames *body = &((const SnFramesShape *)thing)->body;
    const SnFramesGrid *grid = &body->grid;
    if (!same_options(&body->options, key->options) ||
        body->material_count != 1 + key->materials->region_count ||
        !same_cubes(grid->division > 1 ? &grid->given : &grid->cubes, key->cubes)) {
        return false;
    }
    for (int m = 0; m < body->material_count; ++m) {
        if (!same_material(&body->materials[m], &key->materials->materials[m])) {
            return false;
        }
    }
    // Bodies of several materials are shared where their cells are not cut.
    return key->indices == NULL ||
           memcmp(grid->materials, key->indices,
                  (size_t)grid->cubes.mesh->hex_count * sizeof *key->indices) == 0;
}

static void destroy_shape(SnShared *thing)
{
    SnFramesShape *shape = (SnFramesShape *)thing;
    SnFrames *body = &shape->body;
    SinewAllocator allocator = body->allocator;
    sn_frames_release_own(body);
    sn_frames_grid_release(&body->grid, &allocator);
    sn_samples_release(&body->samples, &allocator);
    sn_springs_release(&body->springs, &allocator);
    sn_frame_points_release(&body->lumps, &allocator);
    sn_frame_points_release(&body->vertices, &allocator);
    sn_free(&allocator, body->materials);
    sn_free(&allocator, body->origins);
    sn_free(&allocator, body->weights);
    sn_free(&allocator, body->wakes);
    sn_free(&allocator, body->leaders);
    sn_free(&allocator, body->lump_masses);
    sn_free(&allocator, body->lump_damping);
    sn_free(&allocator, body->lump_squares);
    sn_free(&allocator, shape);
}

static const SnSharedKind shape_kind = {is_shape, destroy_shape};

static uint64_t hash_key(const Key *key)
{
    const SnHexMesh *mesh = key->cubes->mesh;
    const int choices[] = {(int)key->options->mode, (int)key->options->kind, key->options->count,
                           key->options->springs,   mesh->vertex_count,      mesh->hex_count};
    const SnMaterial *material = key->materials->materials;
    const double numbers[] = {material->law.mu, material->law.lambda, material->density};
    uint64_t hash = sn_hash(SN_HASH_START, choices, sizeof choices);
    hash = sn_hash(hash, numbers, sizeof numbers);
    return sn_hash(hash, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof(double));
}

// Making -----------------------------------------------------------------------------------------

static SinewStatus copy_materials(SnFrames *body, const SnMaterials *materials, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = 1 + (size_t)materials->region_count;
    SN_ALLOC(body->materials, &body->allocator, count, error);
    memcpy(body->materials, materials->materials, count * sizeof *body->materials);
    body->material_count = (int)count;

done:
    return status;
}

// When frames wake and sleep, and whom they go along with meanwhile.
static SinewStatus make_leaders(SnFrames *body, const SinewFramesDef *options,
                                const double *origins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = body->frame_count;
    SN_ALLOC_ZERO(body->wakes, &body->allocator, 2 * (size_t)count, error);
    SN_ALLOC_ZERO(body->leaders, &body->allocator, count, error);
    for (int i = 0; options->frame_count > 0 && i < count; ++i) {
        body->wakes[2 * i] = options->frames[i].wakes;
        body->wakes[2 * i + 1] = options->frames[i].sleeps;
    }
    for (int j = 0; j < count; ++j) {
        double best = INFINITY;
        for (int i = 0; i < count; ++i) {
            const double *a = origins + 3 * (size_t)i, *b = origins + 3 * (size_t)j;
            double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
            double square = dx * dx + dy * dy + dz * dz;
            bool always = !(body->wakes[2 * i] > 0.0) && !(body->wakes[2 * i + 1] > 0.0);
            if (always && square < best) {
                best = square;
                body->leaders[j] = i;
            }
        }
        if (!isfinite(best)) {
            SN_TRY(
                sn_fail(error, SINEW_ERROR_ARGUMENT,
                        "body \"%s\": all of its %d frames wake late or sleep, expected one that "
                        "is always there",
                        body->name, count));
        }
    }

done:
    return status;
}

static bool is_damped_by_stiffness(const SnFrames *body)
{
    for (int m = 0; m < body->material_count; ++m) {
        if (body->materials[m].damping_stiffness > 0.0) {
            return true;
        }
    }
    return false;
}

// What frames may do where nobody said it. Rigid ones cannot strain a body evenly unless they stand
// in a row: elsewhere pins that press it ask for what no blend of them does. Frames that someone
// placed are rigid, as are those that springs or painted weights are for.
static void choose_kind(SnFrames *body, const SnFramePlaces *places)
{
    const SinewFramesDef *options = &body->options;
    bool placed =
        places->arrangement == SN_ARRANGED_BLOCKS || places->arrangement == SN_ARRANGED_FAR;
    bool is_free = options->mode == SINEW_FRAMES_FITTED && !options->springs &&
                   options->weights != SINEW_FRAME_WEIGHTS_PAINTED && !is_damped_by_stiffness(body);
    body->is_placed = places->arrangement != SN_ARRANGED_GIVEN;
    body->is_chosen = options->kind == SINEW_FRAME_AUTO && placed && is_free;
    body->is_affine = options->kind == SINEW_FRAME_AFFINE || body->is_chosen;
    body->numbers = sn_frame_numbers(body->is_affine);
}

static SinewStatus make_frames(SnFrames *body, const SnModelDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFramePlaces places = {0};
    const SinewFramesDef *options = &def->options->frames;
    const SinewAllocator *allocator = &body->allocator;

    SN_TRY(sn_frames_place(def, &body->grid, options->count, &places, error));
    double *origins = places.origins;
    body->frame_count = places.count;
    choose_kind(body, &places);
    SN_TRY(make_leaders(body, options, origins, error));
    SnWeightsDef weights = {.model = def,
                            .grid = &body->grid,
                            .options = options,
                            .frame_count = body->frame_count,
                            .origins = origins,
                            .parents = places.parents,
                            .is_smooth = body->is_chosen};
    SN_TRY(sn_weights_make(&weights, &body->weights, error));
    SN_TRY(sn_frames_make_elastic(body, def, origins, error));
    SnLumpsDef lumps = {
        &body->grid,
        body->materials,
        body->frame_count,
        body->is_affine,
        body->weights,
        options->mass == SINEW_MASS_CONSISTENT ? 0 : LUMPS_PER_FRAME * body->frame_count};
    body->carries = options->springs && options->mass == SINEW_MASS_LUMPED;
    SnLumpsMake *make = body->carries ? sn_lumps_carry : sn_lumps_make;
    SN_TRY(make(&lumps, allocator, &body->lumps, &body->lump_masses, &body->lump_damping, error));
    if (body->is_affine) {
        size_t size = 16 * (size_t)body->frame_count * (size_t)body->frame_count;
        SN_ALLOC(body->lump_squares, allocator, 2 * size, error);
        sn_frame_points_square(&body->lumps, body->lump_masses, body->lump_squares);
        sn_frame_points_square(&body->lumps, body->lump_damping, body->lump_squares + size);
    }
    for (int i = 0; i < 3 * body->frame_count; ++i) {
        origins[i] -= body->grid.center[i % 3];
    }
    body->origins = origins;
    places.origins = NULL;

done:
    sn_frame_places_release(&places, allocator);
    return status;
}

// The vertices of the grid as points, for the mesh that is lent.
static SinewStatus make_vertices(SnFrames *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnHexMesh *mesh = body->grid.cubes.mesh;
    SN_TRY(sn_frame_points_create(mesh->vertex_count, body->frame_count, body->is_affine,
                                  &body->allocator, &body->vertices, error));
    memcpy(body->vertices.weights, body->weights,
           (size_t)mesh->vertex_count * (size_t)body->frame_count * sizeof *body->weights);
    for (int i = 0; i < 3 * mesh->vertex_count; ++i) {
        body->vertices.X[i] = mesh->positions[i] - body->grid.center[i % 3];
    }
    SN_TRY(sn_frame_points_pack(&body->vertices, &body->allocator, error));

done:
    return status;
}

// Lengths and stiffnesses that make numbers comparable; at rest.
static void find_scales(SnFrames *body)
{
    SnStep step = {0};
    SinewStepReport report = {0};
    SnFramesProblem problem = {.body = body, .step = &step, .report = &report, .geometric = true};
    int dofs = sn_frames_dofs(body);
    body->length = 0.5 * body->grid.size;
    body->stiffness = 1e-3 * sn_law_young(&body->materials[0].law) * body->grid.size;
    sn_frames_potential(&problem, body->state.poses, true);
    for (int d = 0; d < dofs; ++d) {
        if (d % body->numbers.dofs >= body->numbers.turns) {
            body->stiffness = fmax(body->stiffness, body->room.hessian[d * dofs + d]);
        }
    }
}

// All of it but what a body does.
static SinewStatus make_shape(const SnModelDef *def_, const SnFramesGridPlace *place,
                              SnSolidCubes *cubes, SnFramesShape **out_shape, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFramesShape *shape = NULL;
    SinewAllocator allocator = def_->allocator != NULL ? *def_->allocator : (SinewAllocator){0};
    SnModelDef def = *def_;
    const double none[3] = {0.0, 0.0, 0.0};

    SN_ALLOC_ZERO(shape, &allocator, 1, error);
    SnFrames *body = &shape->body;
    body->allocator = allocator;
    def.allocator = &body->allocator;
    body->workers = def.workers;
    body->kernels = def.kernels;
    body->options = def.options->frames;
    snprintf(body->name, sizeof body->name, "%s", def.name != NULL ? def.name : "body");
    def.name = body->name;
    body->place.placement = body->place.unplaced = body->back = sn_affine_identity();
    SN_TRY(copy_materials(body, def.materials, error));
    SN_TRY(sn_frames_grid_create(&def, place, cubes, &body->grid, error));
    SN_TRY(make_frames(body, &def, error));
    body->options.frames = NULL;
    body->options.painted = NULL;
    body->options.image = body->options.density_image = body->options.skeleton = NULL;
    SN_TRY(make_vertices(body, error));
    SN_TRY(sn_frames_make_own(body, error));
    sn_frames_start(body, SINEW_START_REST, none, none);
    find_scales(body);
    SN_TRY(sn_frames_make_pairs(body, &def, error));
    sn_frames_release_own(body);
    *out_shape = shape;
    shape = NULL;

done:
    if (shape != NULL) {
        destroy_shape(&shape->shared);
    }
    return status;
}

// The material of each cube, the caller's; none where there is one material.
static SinewStatus find_materials(const SnModelDef *def, const SnFramesGridPlace *place,
                                  const SnSolidCubes *cubes, int **out_indices, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFramesGrid grid = {.cubes = *cubes};
    int count = cubes->mesh->hex_count;
    if (def->materials->region_count == 0) {
        return SINEW_OK;
    }
    SN_ALLOC(*out_indices, def->allocator, count, error);
    for (int e = 0; e < count; ++e) {
        double middle[3];
        sn_frames_grid_middle(&grid, e, middle);
        sn_affine_apply(&place->placement, middle, middle);
        (*out_indices)[e] = sn_materials_find(def->materials, middle);
    }

done:
    return status;
}

SinewStatus sn_frames_shape_take(const SnModelDef *def, SnFramesGridPlace *out_place,
                                 SnFramesShape **out_shape, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSolidCubes cubes = {0};
    int *indices = NULL;
    uint64_t hash = 0;
    SnShare *share = NULL;

    *out_shape = NULL;
    SN_TRY(sn_frames_grid_begin(def, out_place, &cubes, error));
    bool is_cut = sn_frames_grid_division(def, cubes.mesh->hex_count) > 1;
    if (out_place->is_unplaced && (!is_cut || def->materials->region_count == 0)) {
        share = def->share;
        SN_TRY(find_materials(def, out_place, &cubes, &indices, error));
        Key key = {&def->options->frames, def->materials, &cubes, indices};
        hash = hash_key(&key);
        *out_shape = (SnFramesShape *)sn_share_find(share, &shape_kind, hash, &key);
    }
    if (*out_shape == NULL) {
        SN_TRY(make_shape(def, out_place, &cubes, out_shape, error));
        sn_share_add(share, &shape_kind, hash, &(*out_shape)->shared);
    }

done:
    sn_solid_cubes_destroy(&cubes, def->allocator);
    sn_free(def->allocator, indices);
    return status;
}
