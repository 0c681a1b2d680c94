// A surface over all frames of a run: triangles that stay and positions that are read back from the
// point cache which the run wrote, or that never move. What is made at the end of a run (a GLB, a
// contact sheet) is made from tracks, so that a run which was stopped and went on ends with the
// same bytes, and so that memory does not grow with the number of frames.
#ifndef SN_TOOL_TRACK_H
#define SN_TOOL_TRACK_H

#include "tool/export/point_cache.h"

typedef struct SnTrack {
    const char *name;       // Nullable
    const char *cache_path; // PC2. NULL: it does not move
    const float *fixed_xyz; // m, where it stands if it does not move
    int vertex_count;
    const int *triangles; // three vertex indices each
    int triangle_count;
    bool is_collider; // drawn in grey instead of a colour of its own
    // A body that was cut goes on with other triangles, from the cache of another track.
    int frame_count;            // of this track; those after it are the next one's
    const struct SnTrack *next; // nullable: it has all frames, whatever frame_count says
} SnTrack;

// The track that has a frame: `track` or one after it. out_first (nullable) is its first frame.
const SnTrack *sn_track_at(const SnTrack *track, int frame, int *out_first);

// A track that is open for reading.
typedef struct SnTrackReader {
    const SnTrack *track;
    const SnTrack *open; // the one whose cache is open: `track` or one after it
    int first;           // frame of that
    int frame_count;     // of all
    SnPointCache cache;
    float *xyz; // room for one frame of it
    const SinewAllocator *allocator;
} SnTrackReader;

// SINEW_ERROR_FILE for a cache that has other vertices or fewer than `frame_count` samples,
// SINEW_ERROR_ARGUMENT for triangles that name vertices which are not there.
SinewStatus sn_track_open(const SnTrack *track, int frame_count, const SinewAllocator *allocator,
                          SnTrackReader *out_reader, SinewError *error);

// All zero is fine.
void sn_track_close(SnTrackReader *reader);

// The positions at a frame, valid until the next call. What is not finite is refused.
SinewStatus sn_track_frame(SnTrackReader *reader, int frame, const float **out_xyz,
                           SinewError *error);

// Makes the box from `low` to `high` large enough for the positions. A box with low > high is
// empty, and so is {INFINITY...}, {-INFINITY...}.
void sn_bounds_add(float low[3], float high[3], const float *xyz, int count);

// The colour of the n-th body of a run, sRGB: soft, told apart by most eyes, repeating after eight;
// and the grey of colliders.
void sn_body_colour(int index, float out_colour[3]);
void sn_collider_colour(float out_colour[3]);

#endif
