// The model of frames: how a body starts, its mesh, its points, its state, and the table it fills.
#include "model/frames/body.h"

#include "geometry/element_tree.h"
#include "model/point_set.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 128 };

// Any number; the same one every time.
#define SCRAMBLE_SEED 20110701u

// Following ---------------------------------------------------------------------------------------

typedef struct FollowJob {
    const SnFrames *body;
    double frames[SN_FRAMES_BLEND_MAX];
    double rates[SN_FRAMES_BLEND_MAX];
} FollowJob;

static void follow_range(void *context, int begin, int end, int worker)
{
    const FollowJob *job = context;
    const SnFrames *body = job->body;
    SnFramePoints part = body->vertices;
    (void)worker;
    sn_frame_points_place(&part, body->kernels, job->frames, begin, end, body->mesh_places);
    size_t first = SN_FRAMES_GROUP * (size_t)begin;
    int last = SN_FRAMES_GROUP * end;
    part.count = (last < part.count ? last : part.count) - (int)first;
    part.X += 3 * first;
    part.weights += (size_t)part.frame_count * first;
    sn_frame_points_speed(&part, job->frames, job->rates, body->mesh_speeds + 3 * first);
}

void sn_frames_follow(const SnFrames *body)
{
    FollowJob job;
    if (!body->is_stale) {
        return;
    }
    job.body = body;
    sn_frames_blend(body, body->state.poses, job.frames);
    sn_frames_blend_rates(body, job.rates);
    sn_parallel_for(body->workers, sn_samples_groups(body->vertices.count), GRAIN, follow_range,
                    &job);
    ((SnFrames *)(uintptr_t)body)->is_stale = false;
}

// Starts -----------------------------------------------------------------------------------------

void sn_frames_start(void *body_, SinewStart start, const double linear[3], const double angular[3])
{
    SnFrames *body = body_;
    SnFramesMotion *state = &body->state;
    SnRandom random = {SCRAMBLE_SEED};
    double total = 0.0, middle[3] = {0.0, 0.0, 0.0};
    memset(body->state_block, 0, sn_frames_state_count(body) * sizeof *body->state_block);
    for (int i = 0; i < body->frame_count; ++i) {
        sn_frames_start_pose(body, start, i, &random, state->poses + body->numbers.pose * i);
        state->leads[SN_FRAMES_LEAD * (size_t)i + SN_LEAD_FRAME] = -1.0;
    }
    sn_frames_rouse(body);
    sn_frames_blend(body, state->poses, body->room.frames);
    sn_frame_points_place(&body->lumps, body->kernels, body->room.frames, 0,
                          sn_samples_groups(body->lumps.count), state->places);
    for (int p = 0; p < body->lumps.count; ++p) {
        total += body->lump_masses[p];
        for (int k = 0; k < 3; ++k) {
            middle[k] += body->lump_masses[p] * state->places[3 * p + k];
        }
    }
    for (int n = 0; n < body->lumps.count + body->frame_count; ++n) {
        int i = n - body->lumps.count;
        const double *x =
            i < 0 ? state->places + 3 * (size_t)n : state->poses + body->numbers.pose * (i + 1) - 3;
        double *v = i < 0 ? state->velocities + 3 * (size_t)n
                          : state->rates + body->numbers.dofs * (i + 1) - 3;
        double r[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = x[k] - middle[k] / total;
        }
        v[0] = linear[0] + angular[1] * r[2] - angular[2] * r[1];
        v[1] = linear[1] + angular[2] * r[0] - angular[0] * r[2];
        v[2] = linear[2] + angular[0] * r[1] - angular[1] * r[0];
        if (i >= 0) {
            sn_frames_start_turn(body, i, angular);
        }
    }
    body->is_stale = true;
}

// What it tells ----------------------------------------------------------------------------------

static SinewBodyMesh frames_mesh(const void *body_)
{
    const SnFrames *body = body_;
    const SnHexMesh *mesh = body->grid.cubes.mesh;
    sn_frames_follow(body);
    return (SinewBodyMesh){.rest = body->rest,
                           .positions = body->mesh_places,
                           .velocities = body->mesh_speeds,
                           .vertex_count = mesh->vertex_count,
                           .elements = mesh->hexes,
                           .element_count = mesh->hex_count,
                           .corners = 8};
}

static int frames_dof_count(const void *body)
{
    return sn_frames_dofs(body);
}

static const char *frames_warning(const void *body_)
{
    const SnFrames *body = body_;
    return body->warning[0] != '\0' ? body->warning : NULL;
}

static void frames_reaction(const void *body_, int pin, double out_wrench[6])
{
    const SnFrames *body = body_;
    memcpy(out_wrench, body->state.pins + pin * SN_PIN_STATE + 12, 6 * sizeof *out_wrench);
}

static bool frames_is_finite(const void *body_)
{
    const SnFrames *body = body_;
    size_t count = sn_frames_state_count(body);
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(body->state_block[i])) {
            return false;
        }
    }
    return true;
}

// Points -----------------------------------------------------------------------------------------

static void frames_points_destroy(const void *body_, void *points)
{
    const SnFrames *body = body_;
    if (points != NULL) {
        sn_frame_points_release(points, &body->allocator);
        sn_free(&body->allocator, points);
    }
}

static SinewStatus frames_points_join(const void *body_, const SnPointPart *parts, int part_count,
                                      void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnFrames *body = body_;
    SnFramePoints *points = NULL;
    int place = 0;

    *out_points = NULL;
    SN_ALLOC_ZERO(points, &body->allocator, 1, error);
    SN_TRY(sn_frame_points_create(sn_point_parts_count(parts, part_count), body->frame_count,
                                  body->is_affine, &body->allocator, points, error));
    for (int i = 0; i < part_count; ++i) {
        for (int p = 0; p < parts[i].count; ++p) {
            int index = parts[i].indices != NULL ? parts[i].indices[p] : p;
            sn_frame_points_copy(parts[i].points, index, points, place++);
        }
    }
    SN_TRY(sn_frame_points_pack(points, &body->allocator, error));
    SN_TRY(sn_frame_points_add_room(points, &body->allocator, error));
    SN_TRY(sn_frame_points_add_list(points, &body->allocator, error));
    *out_points = points;
    points = NULL;

done:
    frames_points_destroy(body, points);
    return status;
}

// Points by rest positions that `to_grid` takes to where they are in the grid.
static SinewStatus find_points(const SnFrames *body, const SnAffine *to_grid, const double *rest,
                               int count, SnFramePoints **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFramePoints *points = NULL;

    *out_points = NULL;
    SN_ALLOC_ZERO(points, &body->allocator, 1, error);
    SN_TRY(sn_frame_points_create(count, body->frame_count, body->is_affine, &body->allocator,
                                  points, error));
    for (int p = 0; p < count; ++p) {
        const double *X = rest + 3 * (size_t)p;
        double at[3];
        for (int k = 0; k < 3; ++k) {
            if (!(fabs(X[k]) <= SN_ELEMENT_REACH)) {
                SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, p,
                                  "body \"%s\": material point %d is at (%g, %g, %g) m, expected "
                                  "finite numbers within %g",
                                  body->name, p, X[0], X[1], X[2], SN_ELEMENT_REACH));
            }
        }
        sn_affine_apply(to_grid, X, at);
        sn_frame_points_put(points, p, &body->grid, body->weights, at);
    }
    SN_TRY(sn_frame_points_pack(points, &body->allocator, error));
    *out_points = points;
    points = NULL;

done:
    frames_points_destroy(body, points);
    return status;
}

static SinewStatus frames_points_create(const void *body_, const double *rest, int count,
                                        void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnFrames *body = body_;
    SnFramePoints *points = NULL;

    *out_points = NULL;
    SN_TRY(find_points(body, &body->back, rest, count, &points, error));
    SN_TRY(sn_frame_points_add_room(points, &body->allocator, error));
    SN_TRY(sn_frame_points_add_list(points, &body->allocator, error));
    *out_points = points;
    points = NULL;

done:
    frames_points_destroy(body, points);
    return status;
}

// Without a workspace: bodies that share them place them, and forces act at sets of their own.
static SinewStatus frames_points_create_unplaced(const void *body_, const double *unplaced,
                                                 int count, void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnFrames *body = body_;
    SnFramePoints *points = NULL;

    *out_points = NULL;
    SN_TRY(find_points(body, &body->place.unplaced, unplaced, count, &points, error));
    *out_points = points;

done:
    return status;
}

static const void *frames_shape(const void *body_)
{
    const SnFrames *body = body_;
    return body->place.is_unplaced ? body->shape : NULL;
}

static double frames_points_distance(const void *points, int index)
{
    return ((const SnFramePoints *)points)->distances[index];
}

static void frames_points_place(const void *body_, const void *points_, double *out_x,
                                double *out_v)
{
    const SnFrames *body = body_;
    const SnFramePoints *points = points_;
    double frames[SN_FRAMES_BLEND_MAX], rates[SN_FRAMES_BLEND_MAX];
    sn_frames_blend(body, body->state.poses, frames);
    sn_frame_points_place(points, body->kernels, frames, 0, sn_samples_groups(points->count),
                          out_x);
    if (out_v != NULL) {
        sn_frames_blend_rates(body, rates);
        sn_frame_points_speed(points, frames, rates, out_v);
    }
}

// State ------------------------------------------------------------------------------------------

static size_t pin_count(const SnFrames *body)
{
    return (size_t)body->pins.set.count * SN_PIN_STATE;
}

static size_t frames_state_size(const void *body_)
{
    const SnFrames *body = body_;
    return (sn_frames_state_count(body) + pin_count(body)) * sizeof(double);
}

static void frames_save(const void *body_, void *bytes)
{
    const SnFrames *body = body_;
    size_t size = sn_frames_state_count(body) * sizeof(double);
    memcpy(bytes, body->state_block, size);
    memcpy((char *)bytes + size, body->state.pins, pin_count(body) * sizeof(double));
}

static void frames_restore(void *body_, const void *bytes)
{
    SnFrames *body = body_;
    size_t size = sn_frames_state_count(body) * sizeof(double);
    memcpy(body->state_block, bytes, size);
    memcpy(body->state.pins, (const char *)bytes + size, pin_count(body) * sizeof(double));
    body->is_stale = true;
}

static double frames_accuracy(const void *body)
{
    return ((const SnFrames *)body)->options.tolerance;
}

// Of bodies whose density is not an image's: there the fill is part of what it multiplies.
static double frames_fill(const void *body_, int cell)
{
    const SnFrames *body = body_;
    return body->options.density_image == NULL ? sn_frames_grid_density(&body->grid, cell) : 1.0;
}

const SnModel sn_frames_model = {
    .name = "frames",
    .is_quiet = true,
    .create = sn_frames_create,
    .destroy = sn_frames_destroy,
    .accuracy = frames_accuracy,
    .mesh = frames_mesh,
    .dof_count = frames_dof_count,
    .warning = frames_warning,
    .fill = frames_fill,
    .is_finite = frames_is_finite,
    .start = sn_frames_start,
    .set_pins = sn_frames_set_pins,
    .points_create = frames_points_create,
    .points_create_unplaced = frames_points_create_unplaced,
    .shape = frames_shape,
    .points_destroy = frames_points_destroy,
    .points_distance = frames_points_distance,
    .points_join = frames_points_join,
    .points_place = frames_points_place,
    .step = sn_frames_step,
    .solve_static = sn_frames_solve_static,
    .measure = sn_frames_measure,
    .reaction = frames_reaction,
    .state_size = frames_state_size,
    .save = frames_save,
    .restore = frames_restore,
};
