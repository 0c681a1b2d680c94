// How a body of frames is made and ended.
#include "model/frames/damping.h"

#include "model/frames/shape.h"

#include <stdio.h>
#include <string.h>

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
                 {&room->known, body->is_affine ? 2 + 2 * blend : 0},
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
                 {&body->rest, vertices},
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

// Where its vertices are at rest.
static void place_rest(SnFrames *body)
{
    const SnHexMesh *mesh = body->grid.cubes.mesh;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        sn_affine_apply(&body->place.placement, mesh->positions + 3 * (size_t)v,
                        body->rest + 3 * (size_t)v);
    }
}

SinewStatus sn_frames_make_own(SnFrames *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_frame_points_add_room(&body->lumps, &body->allocator, error));
    SN_TRY(sn_samples_room_create(&body->samples, &body->allocator, &body->parts, error));
    SN_TRY(make_state(body, error));
    SN_TRY(make_room(body, error));
    place_rest(body);

done:
    return status;
}

void sn_frames_release_own(SnFrames *body)
{
    const SinewAllocator *allocator = &body->allocator;
    SnFramePoints lumps = sn_frame_points_lend(&body->lumps);
    lumps.is_lent = body->lumps.is_lent;
    body->lumps.is_lent = true;
    sn_frame_points_release(&body->lumps, allocator);
    body->lumps = lumps;
    sn_samples_room_release(&body->parts, allocator);
    sn_free(allocator, body->state_block);
    sn_free(allocator, body->room_block);
    body->state_block = body->room_block = NULL;
}

void sn_frames_destroy(void *body_)
{
    SnFrames *body = body_;
    if (body == NULL) {
        return;
    }
    SinewAllocator allocator = body->allocator;
    sn_frames_release_own(body);
    sn_frames_pins_release(&body->pins, &allocator);
    sn_springs_release(&body->springs, &allocator);
    sn_frames_damping_release(&body->damping, &allocator);
    sn_free(&allocator, body->state.pins);
    sn_share_leave(body->shape != NULL ? &body->shape->shared : NULL);
    sn_free(&allocator, body);
}

// What the shape lends; the rest is the body's own.
static SinewStatus take_shape(SnFrames *body, const SnModelDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFramesGridPlace place;
    SnFramesShape *shape = NULL;
    SN_TRY(sn_frames_shape_take(def, &place, &shape, error));
    *body = shape->body;
    body->shape = shape;
    body->allocator = *def->allocator;
    body->springs = (SnSprings){0};
    body->lumps = sn_frame_points_lend(&shape->body.lumps);
    body->vertices = sn_frame_points_lend(&shape->body.vertices);
    body->place = place;
    if (!sn_affine_invert(&place.placement, &body->back)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": its pose is flat, expected one that can be inverted",
                       def->name));
    }
    SN_TRY(sn_springs_copy(&shape->body.springs, &body->allocator, &body->springs, error));

done:
    return status;
}

SinewStatus sn_frames_create(const SnModelDef *def_, void **out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFrames *body = NULL;
    SinewAllocator allocator = def_->allocator != NULL ? *def_->allocator : (SinewAllocator){0};
    SnModelDef def = *def_;
    const double none[3] = {0.0, 0.0, 0.0};

    *out_body = NULL;
    def.allocator = &allocator;
    def.name = def.name != NULL ? def.name : "body";
    SN_ALLOC_ZERO(body, &allocator, 1, error);
    body->allocator = allocator;
    SN_TRY(take_shape(body, &def, error));
    body->options = def.options->frames;
    body->options.frames = NULL;
    body->options.painted = NULL;
    body->options.image = body->options.density_image = body->options.skeleton = NULL;
    snprintf(body->name, sizeof body->name, "%s", def.name);
    sn_frames_warn_of_fit(body);
    tell_of_cells(body);
    SN_TRY(sn_frames_make_own(body, error));
    sn_frames_start(body, SINEW_START_REST, none, none);
    SN_TRY(sn_frames_damping_create(body, error));
    SN_TRY(sn_frames_set_pins(body, NULL, 0, error));
    *out_body = body;
    body = NULL;

done:
    sn_frames_destroy(body);
    return status;
}
