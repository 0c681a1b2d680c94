// Pictures of a run: all bodies and colliders at one time, seen by a camera that stands still for
// the whole run, and a sheet of a dozen such pictures. The same frames give the same bytes for any
// number of workers.
#ifndef SN_TOOL_STAGE_H
#define SN_TOOL_STAGE_H

#include "tool/export/frame.h"
#include "tool/export/track.h"
#include "tool/picture/render.h"

// The most pictures on a sheet.
#define SN_SHEET_FRAMES 12

typedef struct SnStage {
    SnCamera camera;     // in the stage's own axes, whose y is up
    int up_axis;         // of the world: 0, 1 or 2 for x, y or z; default 1
    int width;           // pixels
    int height;          //
    int samples;         // a pixel, default 16
    bool has_ground;     // a level plane that shows the shadows on it
    float ground_height; // m, along the up axis
} SnStage;

// A stage that shows the box from `low` to `high`, m, from in front, a little from the right and
// from above. An empty box or one that is not finite counts as the unit cube.
SnStage sn_stage_fit(const float low[3], const float high[3], int up_axis, int width, int height);

// Draws surfaces. Bodies have colours of their own, by their place in the list; colliders are grey.
// `workers` is nullable.
SinewStatus sn_stage_draw(const SnStage *stage, const SnFrame *bodies, int body_count,
                          const SnFrame *colliders, int collider_count, SnWorkers *workers,
                          const SinewAllocator *allocator, SnImage **out_image, SinewError *error);

// The same, to a PNG file that appears whole or not at all.
SinewStatus sn_stage_write_png(const SnStage *stage, const SnFrame *bodies, int body_count,
                               const SnFrame *colliders, int collider_count, const char *path,
                               SnWorkers *workers, const SinewAllocator *allocator,
                               SinewError *error);

// Up to SN_SHEET_FRAMES frames spread evenly over a run, the first and the last among them, each
// with its time under it. Each picture has the stage's size. The frames are chosen by their number
// and read back from the tracks, so that a run which was stopped and went on gives the same sheet.
SinewStatus sn_stage_write_sheet(const SnStage *stage, const SnTrack *tracks, int track_count,
                                 const double *times, int frame_count, const char *path,
                                 SnWorkers *workers, const SinewAllocator *allocator,
                                 SinewError *error);

// Which frames a sheet shows: their number is returned, at most SN_SHEET_FRAMES.
int sn_sheet_choose(int frame_count, int out_frames[SN_SHEET_FRAMES]);

#endif
