#include "tool/export/track.h"

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

const SnTrack *sn_track_at(const SnTrack *track, int frame, int *out_first)
{
    int first = 0;
    while (track->next != NULL && frame - first >= track->frame_count) {
        first += track->frame_count;
        track = track->next;
    }
    if (out_first != NULL) {
        *out_first = first;
    }
    return track;
}

static void close_cache(SnTrackReader *reader)
{
    sn_point_cache_close(&reader->cache);
    sn_free(reader->allocator, reader->xyz);
    reader->xyz = NULL;
    reader->open = NULL;
}

// Opens the cache of the track that has a frame.
static SinewStatus open_cache(SnTrackReader *reader, int frame, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int first = 0;
    const SnTrack *track = sn_track_at(reader->track, frame, &first);
    int count = track->next != NULL ? track->frame_count : reader->frame_count - first;
    close_cache(reader);
    SN_TRY(check_triangles(track, error));
    if (track->cache_path != NULL) {
        SN_TRY(sn_point_cache_open(track->cache_path, reader->allocator, &reader->cache, error));
        if (reader->cache.def.vertex_count != track->vertex_count ||
            reader->cache.sample_count < count) {
            SN_TRY(sn_fail(error, SINEW_ERROR_FILE,
                           "%.100s: has %d samples of %d vertices, expected %d of %d",
                           track->cache_path, reader->cache.sample_count,
                           reader->cache.def.vertex_count, count, track->vertex_count));
        }
        SN_ALLOC(reader->xyz, reader->allocator, 3 * (size_t)track->vertex_count, error);
    }
    reader->open = track;
    reader->first = first;
done:
    return status;
}

SinewStatus sn_track_open(const SnTrack *track, int frame_count, const SinewAllocator *allocator,
                          SnTrackReader *out_reader, SinewError *error)
{
    *out_reader =
        (SnTrackReader){.track = track, .frame_count = frame_count, .allocator = allocator};
    SinewStatus status = open_cache(out_reader, 0, error);
    if (status < 0) {
        sn_track_close(out_reader);
    }
    return status;
}

void sn_track_close(SnTrackReader *reader)
{
    close_cache(reader);
    *reader = (SnTrackReader){0};
}

SinewStatus sn_track_frame(SnTrackReader *reader, int frame, const float **out_xyz,
                           SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTrack *track = sn_track_at(reader->track, frame, NULL);
    if (track != reader->open) {
        SN_TRY(open_cache(reader, frame, error));
    }
    const float *xyz = track->fixed_xyz;
    if (track->cache_path != NULL) {
        for (int v = 0; v < track->vertex_count; ++v) {
            sn_point_cache_vertex(&reader->cache, frame - reader->first, v,
                                  reader->xyz + 3 * (size_t)v);
        }
        xyz = reader->xyz;
    }
    for (size_t i = 0; i < 3 * (size_t)track->vertex_count; ++i) {
        if (!isfinite(xyz[i])) {
            SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, (int64_t)(i / 3),
                              "\"%.60s\": vertex %zu is not finite in frame %d", name_of(track),
                              i / 3, frame));
        }
    }
    *out_xyz = xyz;
done:
    return status;
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
