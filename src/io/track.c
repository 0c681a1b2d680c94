#include "io/track.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const char *name_of(const SnTrack *track)
{
    return track->name != NULL ? track->name : "";
}

static SinewStatus check_triangles(const SnTrack *track, SinewError *error)
{
    if (track->vertex_count < 0 || track->triangle_count < 0 ||
        track->triangle_count > INT_MAX / 3 ||
        (track->triangle_count > 0 && track->triangles == NULL) ||
        (track->cache_path == NULL && track->fixed_xyz == NULL && track->vertex_count > 0)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "\"%.60s\" has %d vertices and %d triangles, expected no negative numbers "
                       "and their positions",
                       name_of(track), track->vertex_count, track->triangle_count);
    }
    for (int i = 0; i < 3 * track->triangle_count; ++i) {
        if (track->triangles[i] < 0 || track->triangles[i] >= track->vertex_count) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, i / 3,
                              "\"%.60s\": triangle %d names vertex %d, expected 0 to %d",
                              name_of(track), i / 3, track->triangles[i], track->vertex_count - 1);
        }
    }
    return SINEW_OK;
}

SinewStatus sn_track_open(const SnTrack *track, int frame_count, const SinewAllocator *allocator,
                          SnTrackReader *out_reader, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_reader = (SnTrackReader){.track = track, .allocator = allocator};
    SN_TRY(check_triangles(track, error));
    if (track->cache_path == NULL) {
        goto done;
    }
    SN_TRY(sn_point_cache_open(track->cache_path, allocator, &out_reader->cache, error));
    if (out_reader->cache.def.vertex_count != track->vertex_count ||
        out_reader->cache.sample_count < frame_count) {
        SN_TRY(sn_fail(error, SINEW_ERROR_FILE,
                       "%.100s: has %d samples of %d vertices, expected %d of %d",
                       track->cache_path, out_reader->cache.sample_count,
                       out_reader->cache.def.vertex_count, frame_count, track->vertex_count));
    }
    SN_ALLOC(out_reader->xyz, allocator, 3 * (size_t)track->vertex_count, error);
done:
    if (status < 0) {
        sn_track_close(out_reader);
    }
    return status;
}

void sn_track_close(SnTrackReader *reader)
{
    sn_point_cache_close(&reader->cache);
    sn_free(reader->allocator, reader->xyz);
    *reader = (SnTrackReader){0};
}

SinewStatus sn_track_frame(SnTrackReader *reader, int frame, const float **out_xyz,
                           SinewError *error)
{
    const SnTrack *track = reader->track;
    const float *xyz = track->fixed_xyz;
    if (track->cache_path != NULL) {
        for (int v = 0; v < track->vertex_count; ++v) {
            sn_point_cache_vertex(&reader->cache, frame, v, reader->xyz + 3 * (size_t)v);
        }
        xyz = reader->xyz;
    }
    for (size_t i = 0; i < 3 * (size_t)track->vertex_count; ++i) {
        if (!isfinite(xyz[i])) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, (int64_t)(i / 3),
                              "\"%.60s\": vertex %zu is not finite in frame %d", name_of(track),
                              i / 3, frame);
        }
    }
    *out_xyz = xyz;
    return SINEW_OK;
}

void sn_bounds_add(float low[3], float high[3], const float *xyz, int count)
{
    for (size_t v = 0; v < (size_t)count; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            low[k] = fminf(low[k], xyz[3 * v + k]);
            high[k] = fmaxf(high[k], xyz[3 * v + k]);
        }
    }
}

void sn_body_colour(int index, float out_colour[3])
{
    static const float colours[8][3] = {
        {0.90f, 0.51f, 0.39f}, // terracotta
        {0.30f, 0.62f, 0.66f}, // teal
        {0.93f, 0.73f, 0.38f}, // honey
        {0.56f, 0.52f, 0.76f}, // lavender
        {0.55f, 0.70f, 0.45f}, // sage
        {0.84f, 0.53f, 0.66f}, // rose
        {0.42f, 0.59f, 0.84f}, // sky
        {0.66f, 0.54f, 0.43f}, // clay
    };
    memcpy(out_colour, colours[(unsigned)index % 8u], sizeof colours[0]);
}

void sn_collider_colour(float out_colour[3])
{
    static const float grey[3] = {0.66f, 0.68f, 0.71f};
    memcpy(out_colour, grey, sizeof grey);
}
