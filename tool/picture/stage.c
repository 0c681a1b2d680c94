#include "tool/picture/stage.h"

#include "tool/picture/legend.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_SIZE = 40 };

// Axis k of the stage is this axis of the world. Cyclic, so that nothing is mirrored.
static int world_axis(int up_axis, int k)
{
    return (k + up_axis + 2) % 3;
}

SnStage sn_stage_fit(const float low[3], const float high[3], int up_axis, int width, int height)
{
    float from[3] = {0.0f, 0.0f, 0.0f};
    float to[3] = {1.0f, 1.0f, 1.0f};
    bool is_box = true;
    for (int k = 0; k < 3; ++k) {
        is_box = is_box && isfinite(low[k]) && isfinite(high[k]) && low[k] <= high[k];
    }
    for (int k = 0; k < 3 && is_box; ++k) {
        from[k] = low[world_axis(up_axis, k)];
        to[k] = high[world_axis(up_axis, k)];
    }
    SnVec3 direction = sn_vec3(-0.45f, -0.34f, -1.0f);
    return (SnStage){
        .camera = sn_camera_fit(from, to, direction, 30.0f, (float)width / (float)height, 0.08f),
        .up_axis = up_axis,
        .width = width,
        .height = height,
        .samples = 16};
}

// --- A picture

// The world's positions in the stage's axes. `own` gets what must be freed, or NULL.
static SinewStatus turn_positions(const SnStage *stage, const SnFrame *frame,
                                  const SinewAllocator *allocator, float **own,
                                  const float **out_xyz, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *own = NULL;
    *out_xyz = frame->surface_xyz;
    if (stage->up_axis == 1) {
        goto done;
    }
    SN_ALLOC(*own, allocator, 3 * (size_t)frame->surface_vertex_count, error);
    for (size_t v = 0; v < (size_t)frame->surface_vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            (*own)[3 * v + (size_t)k] =
                frame->surface_xyz[3 * v + (size_t)world_axis(stage->up_axis, k)];
        }
    }
    *out_xyz = *own;
done:
    return status;
}

static SnRenderMesh mesh_of(const SnFrame *frame, const float *xyz)
{
    SnRenderMesh mesh = sn_render_mesh_default();
    mesh.positions = xyz;
    mesh.vertex_count = frame->surface_vertex_count;
    mesh.triangles = frame->surface_triangles;
    mesh.triangle_count = frame->surface_triangle_count;
    return mesh;
}

static SinewStatus check_stage(const SnStage *stage, int body_count, int collider_count,
                               SinewError *error)
{
    if (stage->up_axis < 0 || stage->up_axis > 2 || body_count < 0 || collider_count < 0 ||
        body_count > INT_MAX - collider_count) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a picture of %d bodies and %d colliders with axis %d up, expected no "
                       "negative numbers and 0, 1 or 2",
                       body_count, collider_count, stage->up_axis);
    }
    return SINEW_OK;
}

static SinewStatus render(const SnStage *stage, const SnRenderMesh *meshes, int mesh_count,
                          SnWorkers *workers, const SinewAllocator *allocator, SnImage **out_image,
                          SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnImage *image = NULL;
    SnRenderScene scene = sn_render_scene_default();
    scene.meshes = meshes;
    scene.mesh_count = mesh_count;
    scene.camera = stage->camera;
    scene.samples = stage->samples;
    scene.has_ground = stage->has_ground;
    scene.ground_height = stage->ground_height;
    SN_TRY(sn_image_create(stage->width, stage->height, 3, allocator, &image, error));
    SN_TRY(sn_render(&scene, image, workers, allocator, error));
    *out_image = image;
    image = NULL;
done:
    sn_image_destroy(image, allocator);
    return status;
}

SinewStatus sn_stage_draw(const SnStage *stage, const SnFrame *bodies, int body_count,
                          const SnFrame *colliders, int collider_count, SnWorkers *workers,
                          const SinewAllocator *allocator, SnImage **out_image, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnRenderMesh *meshes = NULL;
    float **own = NULL;
    int count = 0;
    *out_image = NULL;
    SN_TRY(check_stage(stage, body_count, collider_count, error));
    count = body_count + collider_count;
    SN_ALLOC(meshes, allocator, count, error);
    SN_ALLOC_ZERO(own, allocator, count, error);
    for (int i = 0; i < count; ++i) {
        bool is_body = i < body_count;
        const SnFrame *frame = is_body ? &bodies[i] : &colliders[i - body_count];
        const float *xyz;
        SN_TRY(turn_positions(stage, frame, allocator, &own[i], &xyz, error));
        meshes[i] = mesh_of(frame, xyz);
        if (is_body) {
            sn_body_colour(i, meshes[i].colour);
        } else {
            sn_collider_colour(meshes[i].colour);
        }
    }
    SN_TRY(render(stage, meshes, count, workers, allocator, out_image, error));
done:
    for (int i = 0; own != NULL && i < count; ++i) {
        sn_free(allocator, own[i]);
    }
    sn_free(allocator, own);
    sn_free(allocator, meshes);
    return status;
}

SinewStatus sn_stage_write_png(const SnStage *stage, const SnFrame *bodies, int body_count,
                               const SnFrame *colliders, int collider_count, const char *path,
                               SnWorkers *workers, const SinewAllocator *allocator,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnImage *image = NULL;
    SN_TRY(sn_stage_draw(stage, bodies, body_count, colliders, collider_count, workers, allocator,
                         &image, error));
    SN_TRY(sn_image_write_png(image, path, allocator, error));
done:
    sn_image_destroy(image, allocator);
    return status;
}

// --- A sheet of pictures

int sn_sheet_choose(int frame_count, int out_frames[SN_SHEET_FRAMES])
{
    int count = frame_count < SN_SHEET_FRAMES ? frame_count : SN_SHEET_FRAMES;
    for (int i = 0; i < count; ++i) {
        int64_t steps = count > 1 ? count - 1 : 1;
        out_frames[i] = (int)((2 * (int64_t)i * (frame_count - 1) + steps) / (2 * steps));
    }
    return count > 0 ? count : 0;
}

// The tracks of a run, bodies first, as sn_stage_draw wants them.
typedef struct Cast {
    SnTrackReader *readers;
    SnFrame *frames;
    int body_count;
    int count;
} Cast;

static SinewStatus open_cast(const SnTrack *tracks, int track_count, int frame_count,
                             const SinewAllocator *allocator, Cast *cast, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC_ZERO(cast->readers, allocator, track_count, error);
    SN_ALLOC_ZERO(cast->frames, allocator, track_count, error);
    for (int want_collider = 0; want_collider < 2; ++want_collider) {
        for (int t = 0; t < track_count; ++t) {
            if (tracks[t].is_collider == (want_collider == 1)) {
                SN_TRY(sn_track_open(&tracks[t], frame_count, allocator,
                                     &cast->readers[cast->count], error));
                cast->count++;
            }
        }
        cast->body_count = want_collider == 0 ? cast->count : cast->body_count;
    }
done:
    return status;
}

static void close_cast(Cast *cast, const SinewAllocator *allocator)
{
    for (int i = 0; cast->readers != NULL && i < cast->count; ++i) {
        sn_track_close(&cast->readers[i]);
    }
    sn_free(allocator, cast->readers);
    sn_free(allocator, cast->frames);
}

static SinewStatus draw_cast(const SnStage *stage, Cast *cast, int frame, SnWorkers *workers,
                             const SinewAllocator *allocator, SnImage **out_image,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < cast->count; ++i) {
        const SnTrack *track = sn_track_at(cast->readers[i].track, frame, NULL);
        SnFrame *shown = &cast->frames[i];
        *shown = (SnFrame){.body = track->name,
                           .surface_vertex_count = track->vertex_count,
                           .surface_triangles = track->triangles,
                           .surface_triangle_count = track->triangle_count};
        SN_TRY(sn_track_frame(&cast->readers[i], frame, &shown->surface_xyz, error));
    }
    SN_TRY(sn_stage_draw(stage, cast->frames, cast->body_count, cast->frames + cast->body_count,
                         cast->count - cast->body_count, workers, allocator, out_image, error));
done:
    return status;
}

static SinewStatus write_sheet(SnImage *const *images, char labels[][LABEL_SIZE], int count,
                               const char *path, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnImage *image = NULL;
    const SnImage *frames[SN_SHEET_FRAMES];
    const char *texts[SN_SHEET_FRAMES];
    for (int i = 0; i < count; ++i) {
        frames[i] = images[i];
        texts[i] = labels[i];
    }
    SnContactSheet sheet = {.frames = frames,
                            .frame_count = count,
                            .columns = count < 4 ? count : (count == 4 ? 2 : (count > 9 ? 4 : 3)),
                            .gap = images[0]->width / 30,
                            .background = {0.99f, 0.99f, 0.985f},
                            .labels = texts};
    SN_TRY(sn_contact_sheet(&sheet, allocator, &image, error));
    SN_TRY(sn_image_write_png(image, path, allocator, error));
done:
    sn_image_destroy(image, allocator);
    return status;
}

SinewStatus sn_stage_write_sheet(const SnStage *stage, const SnTrack *tracks, int track_count,
                                 const double *times, int frame_count, const char *path,
                                 SnWorkers *workers, const SinewAllocator *allocator,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnImage *images[SN_SHEET_FRAMES] = {0};
    char labels[SN_SHEET_FRAMES][LABEL_SIZE];
    int frames[SN_SHEET_FRAMES];
    Cast cast = {0};
    int count = sn_sheet_choose(frame_count, frames);
    if (count == 0 || track_count < 0) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%.140s: a sheet of %d frames of %d tracks, expected one frame or more",
                       path, frame_count, track_count));
    }
    SN_TRY(open_cast(tracks, track_count, frame_count, allocator, &cast, error));
    for (int i = 0; i < count; ++i) {
        SN_TRY(draw_cast(stage, &cast, frames[i], workers, allocator, &images[i], error));
        snprintf(labels[i], sizeof labels[i], "t = %.4g s", times[frames[i]]);
    }
    SN_TRY(write_sheet(images, labels, count, path, allocator, error));
done:
    close_cast(&cast, allocator);
    for (int i = 0; i < SN_SHEET_FRAMES; ++i) {
        sn_image_destroy(images[i], allocator);
    }
    return status;
}
