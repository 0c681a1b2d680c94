// How a body of frames is made and ended.
#include "model/frames/damping.h"

#include "model/frames/lumps.h"
#include "model/frames/place.h"
#include "model/frames/weights.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LUMPS_PER_FRAME = 32 };

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

size_t sn_frames_state_count(const SnFrames *body)
{
    size_t numbers = (size_t)(2 * body->numbers.pose + body->numbers.dofs) + SN_FRAMES_LEAD;
    return numbers * (size_t)body->frame_count + 12 * (size_t)body->lumps.count +
           SN_FRAMES_CLOCK_COUNT;
}

static SinewStatus make_state(SnFrames *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t frames = (size_t)body->frame_count, lumps = 3 * (size_t)body->lumps.count;
    SnFramesMotion *state = &body->state;
    SN_ALLOC_ZERO(body->state_block, &body->allocator, sn_frames_state_count(body), error);
    state->poses = body->state_block;
    state->last_poses = state->poses + sn_frames_pose_count(body);
    state->rates = state->last_poses + sn_frames_pose_count(body);
    state->leads = state->rates + sn_frames_dofs(body);
    state->places = state->leads + SN_FRAMES_LEAD * frames;
    state->velocities = state->places + lumps;
    state->last_move = state->velocities + lumps;
    state->last_change = state->last_move + lumps;
    state->clock = state->last_change + lumps;

done:
    return status;
}

static SinewStatus make_room(SnFrames *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFramesRoom *room = &body->room;
    size_t frames = (size_t)body->frame_count, dofs = (size_t)sn_frames_dofs(body);
    size_t poses = sn_frames_pose_count(body), blend = (size_t)body->numbers.blend * frames;
    size_t lumps = 3 * (size_t)body->lumps.count;
    size_t vertices = 3 * (size_t)body->grid.cubes.mesh->vertex_count;
    size_t blocks = sn_samples_block(body->frame_count, body->frame_count, body->frame_count);
    struct {
        double **vector;
        size_t size;
    } parts[] = {{&room->trial, poses},
                 {&room->start, poses},
                 {&room->frames, blend},
                 {&room->gradient8, blend},
                 {&room->blocks, body->is_affine ? 0 : blocks},
                 {&room->part, dofs},
                 {&room->direct, dofs},
                 {&room->jacobians, 48 * frames},
                 {&room->gradient, dofs},
                 {&room->hessian, dofs * dofs},
                 {&room->factor, dofs * dofs},
                 {&room->direction, dofs},
                 {&room->v0, lumps},
                 {&room->a0, lumps},
                 {&room->targets, vertices},
                 {&room->begin, vertices},
                 {&room->forces, vertices},
                 {&body->mesh_places, vertices},
                 {&body->mesh_speeds, vertices}};
    size_t total = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        total += sn_round_up(parts[i].size, 8);
    }
    SN_ALLOC_ZERO(body->room_block, &body->allocator, total, error);
    total = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        *parts[i].vector = body->room_block + total;
        total += sn_round_up(parts[i].size, 8);
    }

done:
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

// What was made of too few cells, where nothing worse is told.
static void tell_of_cells(SnFrames *body)
{
    int division = body->grid.division, cells = body->grid.cubes.mesh->hex_count;
    if (division > 1 && body->warning[0] == '\0') {
        snprintf(body->warning, sizeof body->warning,
                 "body \"%s\": its %d cells are too few for %d frames and were cut into %d; more "
                 "cells would follow its shape better",
                 body->name, cells / (division * division * division), body->options.count, cells);
    }
}

void sn_frames_destroy(void *body_)
{
    SnFrames *body = body_;
    if (body == NULL) {
        return;
    }
    SinewAllocator allocator = body->allocator;
    sn_frames_pins_release(&body->pins, &allocator);
    sn_frames_grid_release(&body->grid, &allocator);
    sn_samples_release(&body->samples, &allocator);
    sn_springs_release(&body->springs, &allocator);
    sn_frames_damping_release(&body->damping, &allocator);
    sn_samples_room_release(&body->parts, &allocator);
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
    sn_free(&allocator, body->state_block);
    sn_free(&allocator, body->state.pins);
    sn_free(&allocator, body->room_block);
    sn_free(&allocator, body);
}

SinewStatus sn_frames_create(const SnModelDef *def_, void **out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFrames *body = NULL;
    SinewAllocator allocator = def_->allocator != NULL ? *def_->allocator : (SinewAllocator){0};
    SnModelDef def = *def_;
    const double none[3] = {0.0, 0.0, 0.0};

    *out_body = NULL;
    SN_ALLOC_ZERO(body, &allocator, 1, error);
    body->allocator = allocator;
    def.allocator = &body->allocator;
    body->workers = def.workers;
    body->kernels = def.kernels;
    body->options = def.options->frames;
    snprintf(body->name, sizeof body->name, "%s", def.name != NULL ? def.name : "body");
    def.name = body->name;
    SN_TRY(copy_materials(body, def.materials, error));
    SN_TRY(sn_frames_grid_create(&def, &body->grid, error));
    SN_TRY(make_frames(body, &def, error));
    tell_of_cells(body);
    body->options.frames = NULL;
    body->options.painted = NULL;
    body->options.image = body->options.density_image = body->options.skeleton = NULL;
    SN_TRY(make_state(body, error));
    SN_TRY(make_room(body, error));
    SN_TRY(make_vertices(body, error));
    sn_frames_start(body, SINEW_START_REST, none, none);
    find_scales(body);
    SN_TRY(sn_frames_make_pairs(body, &def, error));
    SN_TRY(sn_frames_damping_create(body, error));
    SN_TRY(sn_frames_set_pins(body, NULL, 0, error));
    *out_body = body;
    body = NULL;

done:
    sn_frames_destroy(body);
    return status;
}
