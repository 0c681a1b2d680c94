// What a run writes while it goes on: rows of probes, frames of bodies; and what it makes of them
// at its end: animations, pictures, a contact sheet, plots. Everything at the end is made from
// what is on disk, so a run that was stopped and went on ends with the same bytes.
#ifndef SN_TOOL_RUN_OUTPUT_H
#define SN_TOOL_RUN_OUTPUT_H

#include "base/workers.h"
#include "geometry/surface.h"
#include "scene/scene.h"
#include "tool/export/frame.h"
#include "tool/export/point_cache.h"
#include "tool/export/probe_csv.h"
#include "tool/export/track.h"
#include "tool/run/folder.h"

typedef struct SnRunBody {
    const char *name;
    SinewBodyId id;
    SnPointCacheWriter cache;         // of the part that it is in, see run_cuts.h
    char cache_path[SN_RUN_PATH_MAX]; //
    int64_t *cut_steps;               // after which it is cut, ascending, none twice
    int cut_count;                    //
} SnRunBody;

typedef struct SnRunProbe {
    const char *name;
    SinewProbeId id;
    SinewReport report;
    int value_count;
} SnRunProbe;

// A collider as pictures show it: its triangles, and where it is at each frame.
typedef struct SnRunProp {
    SnSurface *surface;
    const SnSceneCollider *def;
    float *xyz;               // m, now
    SnPointCacheWriter cache; // where it moves
    char cache_path[SN_RUN_PATH_MAX];
} SnRunProp;

typedef struct SnRunOutput {
    const SinewWorld *world;
    SinewSceneSettings settings;
    double gravity[3]; // m/s^2, tells pictures what is up
    SnRunFolder folder;
    SnRunBody *bodies;
    int body_count;
    SnRunProbe *probes;
    int probe_count;
    SnRunProp *props;
    int prop_count;
    double *values; // of all probes, one after the other
    int value_count;
    SnProbeCsv csv;
    char csv_path[SN_RUN_PATH_MAX];
    int64_t step_count; // of the whole run
    int frame_count;    // written so far
} SnRunOutput;

// Opens what grows, after the first `step` rows and `frame` frames of an earlier run; where
// nothing is left to write (`frame` -1) only the names are made.
SinewStatus sn_run_output_open(SnRunOutput *output, const SinewScene *scene,
                               const SinewWorld *world, int64_t step_count, int64_t step,
                               int64_t frame, SinewError *error);
void sn_run_output_close(SnRunOutput *output);

// Whether a frame is due after so many steps: at the start, every `output.every` steps, and at the
// end.
bool sn_run_output_is_due(const SnRunOutput *output, int64_t step);

// The time after so many steps: seconds, or the pseudo-time of static solves.
double sn_run_output_time(const SnRunOutput *output, int64_t step);

// Adds a row of all probes.
SinewStatus sn_run_output_row(SnRunOutput *output, int64_t step, SinewError *error);

// Writes a frame of every body in every format that was asked for.
SinewStatus sn_run_output_frame(SnRunOutput *output, int64_t step, SinewError *error);

// Writes the lists of frames that ParaView opens. Called now and then, since a list grows with the
// run.
SinewStatus sn_run_output_list(const SnRunOutput *output, SinewError *error);

// The end: plots of probes, an animation, pictures and the contact sheet.
SinewStatus sn_run_output_finish(SnRunOutput *output, SnWorkers *workers, bool quiet,
                                 SinewError *error);

// Removes point caches that were not asked for.
void sn_run_output_tidy(const SnRunOutput *output);

#endif
