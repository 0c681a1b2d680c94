// write_frames FOLDER: a bar that bends, written in every format of a run, for check_frames.py to
// let other programs read.
#include "support/bending_bar.h"

#include "tool/chart/probe_chart.h"
#include "tool/export/probe_csv.h"
#include "tool/export/pvd.h"
#include "tool/export/write_glb.h"
#include "tool/picture/stage.h"

#include <stdio.h>
#include <string.h>

enum { FRAMES = 13, PARTS = 3 };

static SnBendingBar bar;
static double times[FRAMES];
static char names[PARTS * FRAMES][40];
static SnPvdEntry entries[PARTS * FRAMES];
static char folder[300];

static const char *in_folder(const char *name)
{
    static char paths[4][2000];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

// The bar of tets, of cells and as a mere surface, side by side.
static SinewStatus write_grids(int f, SinewError *error)
{
    static const int corners[PARTS] = {4, 8, 0};
    static const char *const kinds[PARTS] = {"tets", "cells", "surface"};
    SinewStatus status = SINEW_OK;
    for (int p = 0; p < PARTS; ++p) {
        int at = PARTS * f + p;
        SnFrame frame = sn_bending_bar_frame(&bar, corners[p], times[f]);
        snprintf(names[at], sizeof names[at], "%s_%04d.vtu", kinds[p], f);
        SN_TRY(sn_frame_write_vtu(&frame, f % 2 == 1, in_folder(names[at]), NULL, error));
        entries[at] =
            (SnPvdEntry){.time = times[f], .part = p, .name = kinds[p], .file = names[at]};
    }
    SN_TRY(sn_pvd_write(entries, PARTS * (f + 1), in_folder("run.pvd"), NULL, error));
    SnFrame frame = sn_bending_bar_frame(&bar, 4, times[f]);
    char name[40];
    snprintf(name, sizeof name, "bar_%04d.obj", f);
    SN_TRY(sn_frame_write_obj(&frame, in_folder(name), NULL, error));
    snprintf(name, sizeof name, "bar_%04d.ply", f);
    SN_TRY(sn_frame_write_ply(&frame, in_folder(name), NULL, error));
done:
    return status;
}

static SinewStatus write_steps(SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPointCacheWriter cache = {0};
    SnProbeCsv csv = {0};
    const SnPointCacheDef def = {.vertex_count = SN_BAR_NODES, .frame_step = 1.0f};
    const SnProbeColumns probe = {"tip", 3};
    SN_TRY(sn_point_cache_begin(&cache, in_folder("bar.pc2"), &def, 0, NULL, error));
    SN_TRY(sn_probe_csv_open(&csv, in_folder("probes.csv"), &probe, 1, 0, NULL, error));
    for (int f = 0; f < FRAMES; ++f) {
        times[f] = f / 12.0;
        sn_bending_bar_bend(&bar, times[f]);
        SN_TRY(write_grids(f, error));
        SN_TRY(sn_point_cache_append(&cache, bar.xyz, error));
        SN_TRY(sn_probe_csv_append(&csv, times[f], bar.nodes + 3 * (SN_BAR_NODES - 1), error));
    }
    SN_TRY(sn_point_cache_end(&cache, error));
    SN_TRY(sn_probe_csv_close(&csv, error));
done:
    sn_point_cache_end(&cache, NULL);
    sn_probe_csv_close(&csv, NULL);
    return status;
}

static SinewStatus write_pictures(const SnTrack *tracks, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    float low[3] = {0.0f, -0.7f, -0.3f};
    float high[3] = {2.0f, 0.5f, 0.9f};
    // Small and coarse: builds that look for mistakes in memory draw slowly.
    SnStage stage = sn_stage_fit(low, high, 1, 160, 120);
    stage.samples = 2;
    stage.has_ground = true;
    stage.ground_height = -0.75f;
    SnFrame body = sn_bending_bar_frame(&bar, 0, 1.0);
    SnFrame block = {.surface_xyz = tracks[1].fixed_xyz,
                     .surface_vertex_count = tracks[1].vertex_count,
                     .surface_triangles = tracks[1].triangles,
                     .surface_triangle_count = tracks[1].triangle_count};
    SN_TRY(
        sn_stage_write_png(&stage, &body, 1, &block, 1, in_folder("bar.png"), NULL, NULL, error));
    stage.width = 64;
    stage.height = 48;
    stage.has_ground = false;
    SN_TRY(sn_stage_write_sheet(&stage, tracks, 2, times, 4, in_folder("sheet.png"), NULL, NULL,
                                error));
    double heights[FRAMES];
    for (int f = 0; f < FRAMES; ++f) {
        heights[f] = -times[f];
    }
    const SnProbeSeries probe = {.name = "tip",
                                 .what = "displacement of bar along y",
                                 .quantity = "displacement",
                                 .unit = "m",
                                 .component_count = 1,
                                 .times = times,
                                 .values = heights,
                                 .row_count = FRAMES};
    SN_TRY(sn_probe_chart_write(&probe, in_folder("tip.svg"), NULL, error));
done:
    return status == SINEW_ERROR_UNSUPPORTED ? SINEW_OK : status; // a build without libpng
}

static SinewStatus write_run(SinewError *error)
{
    static const float block_xyz[24] = {1.4f,   -0.75f, -0.2f, 1.4f,  -0.75f, 0.7f,   1.4f,  -0.6f,
                                        -0.2f,  1.4f,   -0.6f, 0.7f,  1.9f,   -0.75f, -0.2f, 1.9f,
                                        -0.75f, 0.7f,   1.9f,  -0.6f, -0.2f,  1.9f,   -0.6f, 0.7f};
    static const int block_triangles[36] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                            2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    SinewStatus status = SINEW_OK;
    char cache_path[2000];
    snprintf(cache_path, sizeof cache_path, "%s", in_folder("bar.pc2"));
    SN_TRY(write_steps(error));
    SnTrack tracks[2] = {{.name = "bar",
                          .cache_path = cache_path,
                          .vertex_count = SN_BAR_NODES,
                          .triangles = bar.triangles,
                          .triangle_count = SN_BAR_TRIANGLES},
                         {.name = "block",
                          .fixed_xyz = block_xyz,
                          .vertex_count = 8,
                          .triangles = block_triangles,
                          .triangle_count = 12,
                          .is_collider = true}};
    SnGlbDef def = {.tracks = tracks,
                    .track_count = 2,
                    .times = times,
                    .frame_count = FRAMES,
                    .has_normals = true};
    SN_TRY(sn_glb_write(&def, in_folder("run.glb"), NULL, error));
    SN_TRY(write_pictures(tracks, error));
done:
    return status;
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 2) {
        fprintf(stderr, "usage: write_frames FOLDER\n");
        return 2;
    }
    snprintf(folder, sizeof folder, "%s", arguments[1]);
    sn_bending_bar_init(&bar);
    SinewError error;
    if (write_run(&error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("nodes %d cells %d triangles %d frames %d\n", SN_BAR_NODES, SN_BAR_CELLS,
           SN_BAR_TRIANGLES, FRAMES);
    return 0;
}
