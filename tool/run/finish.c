// The end of a run: plots, an animation, pictures and the contact sheet, made from what is on disk.
#include "io/bytes.h"
#include "tool/chart/probe_chart.h"
#include "tool/export/write_glb.h"
#include "tool/picture/stage.h"
#include "tool/progress.h"
#include "tool/run/cuts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PICTURE_WIDTH = 960, PICTURE_HEIGHT = 720, TILE_WIDTH = 480, TILE_HEIGHT = 360 };

// What a report is called on the axis of its plot, its unit, and its components.
typedef struct Words {
    const char *quantity;
    const char *unit;
    const char *labels[SINEW_REPORT_VALUES_MAX];
} Words;

static const Words words_of[] = {
    [SINEW_REPORT_POSITION] = {"position", "m", {"x", "y", "z"}},
    [SINEW_REPORT_DISPLACEMENT] = {"displacement", "m", {"x", "y", "z"}},
    [SINEW_REPORT_VELOCITY] = {"velocity", "m/s", {"x", "y", "z"}},
    [SINEW_REPORT_FORCE] = {"force", "N", {"x", "y", "z"}},
    [SINEW_REPORT_MEAN_DISPLACEMENT] = {"mean displacement", "m", {"x", "y", "z"}},
    [SINEW_REPORT_REACTION] = {"reaction",
                               "N, N m",
                               {"force x", "force y", "force z", "moment x", "moment y",
                                "moment z"}},
    [SINEW_REPORT_ENERGY] = {"energy", "J", {"kinetic", "elastic", "gravitational"}},
    [SINEW_REPORT_VOLUME] = {"volume", "m^3, 1, 1", {"volume", "smallest det F", "inverted"}},
    [SINEW_REPORT_MOMENTUM] = {"momentum",
                               "kg m/s, kg m^2/s",
                               {"linear x", "linear y", "linear z", "angular x", "angular y",
                                "angular z"}},
    [SINEW_REPORT_RESIDUAL] = {"relative residual", NULL, {"residual"}},
    [SINEW_REPORT_CONTACT] = {"contact force", "N, 1", {"x", "y", "z", "points"}},
    [SINEW_REPORT_ATTACHMENT] = {"attachment",
                                 "N, N m",
                                 {"force x", "force y", "force z", "moment x", "moment y",
                                  "moment z"}},
    [SINEW_REPORT_CUTS] = {"cuts", "1, 1, kg", {"cuts", "pieces", "mass removed"}},
};

// Numbers of the table, row after row, the time first. The file is our own, so it is read simply.
static SinewStatus read_table(const SnRunOutput *output, double **out_numbers, int *out_rows,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBytes bytes = {0};
    char *text = NULL;
    int width = 1 + output->value_count;
    int rows = 0;

    SN_TRY(sn_bytes_open(output->csv_path, NULL, &bytes, error));
    SN_ALLOC(text, NULL, bytes.size + 1, error);
    memcpy(text, bytes.data, bytes.size);
    text[bytes.size] = '\0';
    for (size_t i = 0; i < bytes.size; ++i) {
        rows += text[i] == '\n';
    }
    rows -= rows > 0; // the first line names the columns
    SN_ALLOC(*out_numbers, NULL, (size_t)rows * (size_t)width, error);
    char *at = memchr(text, '\n', bytes.size);
    for (size_t n = 0; at != NULL && n < (size_t)rows * (size_t)width; ++n) {
        (*out_numbers)[n] = strtod(at + 1, &at); // past a comma or the end of a line
    }
    *out_rows = rows;
done:
    sn_free(NULL, text);
    sn_bytes_close(&bytes);
    return status;
}

static bool has_number(const double *values, int stride, int count, int rows)
{
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < count; ++c) {
            if (isfinite(values[(size_t)r * (size_t)stride + (size_t)c])) {
                return true;
            }
        }
    }
    return false;
}

static SinewStatus plot_probes(const SnRunOutput *output, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double *numbers = NULL;
    double *times = NULL;
    int rows = 0;
    int width = 1 + output->value_count;
    int column = 1;

    SN_TRY(read_table(output, &numbers, &rows, error));
    SN_ALLOC(times, NULL, rows, error);
    for (int r = 0; r < rows; ++r) {
        times[r] = numbers[(size_t)r * (size_t)width];
    }
    for (int p = 0; p < output->probe_count; ++p) {
        const SnRunProbe *probe = &output->probes[p];
        const Words *words = &words_of[probe->report];
        char path[SN_RUN_PATH_MAX];
        SnProbeSeries series = {.name = probe->name,
                                .unit = words->unit,
                                .quantity = words->quantity,
                                .labels = words->labels,
                                .component_count = probe->value_count,
                                .times = times,
                                .values = numbers + column,
                                .stride = width,
                                .row_count = rows};
        column += probe->value_count;
        if (!has_number(series.values, width, series.component_count, rows)) {
            continue;
        }
        sn_run_folder_plot(&output->folder, probe->name, path);
        SN_TRY(sn_probe_chart_write(&series, path, NULL, error));
    }
done:
    sn_free(NULL, times);
    sn_free(NULL, numbers);
    return status;
}

// ---- what pictures need -------------------------------------------------------------------------

// Which axis is up: against gravity, y where there is none.
static int up_axis(const SnRunOutput *output)
{
    int up = 1;
    for (int k = 0; k < 3; ++k) {
        if (fabs(output->gravity[k]) > fabs(output->gravity[up])) {
            up = k;
        }
    }
    return up;
}

// A plane that stays, is level and faces up is the ground, on which shadows fall.
static bool is_ground(const SnRunOutput *output, const SnRunProp *prop, double *out_height)
{
    const SinewShape *shape = &prop->def->shape.shape;
    int up = up_axis(output);
    double side = fabs(shape->normal[(up + 1) % 3]) + fabs(shape->normal[(up + 2) % 3]);
    if (shape->kind != SINEW_SHAPE_PLANE || prop->def->key_count > 0 || shape->normal[up] <= 0.0 ||
        side > 1e-6 * shape->normal[up]) {
        return false;
    }
    *out_height = shape->offset;
    return true;
}

// A ceiling or a wall would hide what happens behind it, so of planes only floors are shown.
static bool is_shown(const SnRunOutput *output, const SnRunProp *prop)
{
    const SinewShape *shape = &prop->def->shape.shape;
    double height = 0.0;
    double length = sqrt(shape->normal[0] * shape->normal[0] + shape->normal[1] * shape->normal[1] +
                         shape->normal[2] * shape->normal[2]);
    return shape->kind != SINEW_SHAPE_PLANE ||
           (!is_ground(output, prop, &height) && shape->normal[up_axis(output)] > 0.3 * length);
}

// Bodies first, in their order, then colliders that are not the ground.
static int collect_tracks(const SnRunOutput *output, SnRunPart *const *parts, SnTrack *tracks)
{
    int count = 0;
    for (int b = 0; b < output->body_count; ++b) {
        tracks[count++] = parts[b][0].track;
    }
    for (int c = 0; c < output->prop_count; ++c) {
        const SnRunProp *prop = &output->props[c];
        if (!is_shown(output, prop)) {
            continue;
        }
        tracks[count++] =
            (SnTrack){.cache_path = prop->def->key_count > 0 ? prop->cache_path : NULL,
                      .fixed_xyz = prop->xyz,
                      .vertex_count = prop->surface->vertex_count,
                      .triangles = prop->surface->triangles,
                      .triangle_count = prop->surface->triangle_count,
                      .is_collider = true};
    }
    return count;
}

// A stage that holds all bodies at all frames.
static SinewStatus fit_stage(const SnRunOutput *output, const SnTrack *tracks, int width,
                             int height, SnStage *out_stage, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTrackReader reader = {0};
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int b = 0; b < output->body_count; ++b) {
        SN_TRY(sn_track_open(&tracks[b], output->frame_count, NULL, &reader, error));
        for (int f = 0; f < output->frame_count; ++f) {
            const float *xyz = NULL;
            SN_TRY(sn_track_frame(&reader, f, &xyz, error));
            sn_bounds_add(low, high, xyz, sn_track_at(&tracks[b], f, NULL)->vertex_count);
        }
        sn_track_close(&reader);
    }
    *out_stage = sn_stage_fit(low, high, up_axis(output), width, height);
    for (int c = 0; c < output->prop_count; ++c) {
        double level = 0.0;
        if (is_ground(output, &output->props[c], &level)) {
            out_stage->has_ground = true;
            out_stage->ground_height = (float)level;
        }
    }
done:
    sn_track_close(&reader);
    return status;
}

static SinewStatus draw_frame(const SnRunOutput *output, const SnStage *stage,
                              const SnTrack *tracks, int track_count, SnTrackReader *readers,
                              SnFrame *frames, int number, SnWorkers *workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    char path[SN_RUN_PATH_MAX];
    for (int t = 0; t < track_count; ++t) {
        const float *xyz = NULL;
        const SnTrack *track = sn_track_at(&tracks[t], number, NULL);
        SN_TRY(sn_track_frame(&readers[t], number, &xyz, error));
        frames[t] = (SnFrame){.body = track->name,
                              .surface_xyz = xyz,
                              .surface_vertex_count = track->vertex_count,
                              .surface_triangles = track->triangles,
                              .surface_triangle_count = track->triangle_count};
    }
    sn_run_folder_frame(&output->folder, NULL, number, ".png", path);
    SN_TRY(sn_stage_write_png(stage, frames, output->body_count, frames + output->body_count,
                              track_count - output->body_count, path, workers, NULL, error));
done:
    return status;
}

static SinewStatus draw_frames(const SnRunOutput *output, const SnTrack *tracks, int track_count,
                               SnWorkers *workers, bool quiet, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnStage stage;
    SnTrackReader *readers = NULL;
    SnFrame *frames = NULL;
    SnBar bar = sn_bar_begin(quiet, "pictures");

    SN_ALLOC_ZERO(readers, NULL, track_count, error);
    SN_ALLOC(frames, NULL, track_count, error);
    SN_TRY(fit_stage(output, tracks, PICTURE_WIDTH, PICTURE_HEIGHT, &stage, error));
    for (int t = 0; t < track_count; ++t) {
        SN_TRY(sn_track_open(&tracks[t], output->frame_count, NULL, &readers[t], error));
    }
    for (int f = 0; f < output->frame_count; ++f) {
        sn_bar_show(&bar, f, output->frame_count);
        SN_TRY(draw_frame(output, &stage, tracks, track_count, readers, frames, f, workers, error));
    }
done:
    sn_progress_end(quiet);
    for (int t = 0; readers != NULL && t < track_count; ++t) {
        sn_track_close(&readers[t]);
    }
    sn_free(NULL, frames);
    sn_free(NULL, readers);
    return status;
}

static SinewStatus write_sheet(const SnRunOutput *output, const SnTrack *tracks, int track_count,
                               const double *times, SnWorkers *workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnStage stage;
    char path[SN_RUN_PATH_MAX];
    SN_TRY(fit_stage(output, tracks, TILE_WIDTH, TILE_HEIGHT, &stage, error));
    sn_run_folder_name(&output->folder, "contact_sheet.png", "", path);
    SN_TRY(sn_stage_write_sheet(&stage, tracks, track_count, times, output->frame_count, path,
                                workers, NULL, error));
done:
    return status;
}

static SinewStatus write_animation(const SnRunOutput *output, const SnTrack *tracks,
                                   const double *times, SinewError *error)
{
    char path[SN_RUN_PATH_MAX];
    SnGlbDef def = {.tracks = tracks,
                    .track_count = output->body_count,
                    .times = times,
                    .frame_count = output->frame_count,
                    .has_normals = true};
    sn_run_folder_name(&output->folder, "animation.glb", "", path);
    return sn_glb_write(&def, path, NULL, error);
}

static SinewStatus make_pictures(const SnRunOutput *output, SnWorkers *workers, bool quiet,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTrack *tracks = NULL;
    SnRunPart **parts = NULL;
    double *times = NULL;
    int64_t step = 0;

    SN_ALLOC_ZERO(parts, NULL, output->body_count, error);
    for (int b = 0; b < output->body_count; ++b) {
        SN_TRY(sn_run_cuts_parts(output, &output->bodies[b], &parts[b], error));
    }
    SN_ALLOC(tracks, NULL, output->body_count + output->prop_count, error);
    SN_ALLOC(times, NULL, output->frame_count, error);
    for (int f = 0; f < output->frame_count; ++f) {
        times[f] = sn_run_output_time(output, step);
        step += output->settings.output_every;
        step = step > output->step_count ? output->step_count : step;
    }
    int track_count = collect_tracks(output, parts, tracks);
    if (output->settings.formats & SINEW_OUTPUT_GLB) {
        SN_TRY(write_animation(output, tracks, times, error));
    }
    if (output->settings.formats & SINEW_OUTPUT_PNG) {
        SN_TRY(draw_frames(output, tracks, track_count, workers, quiet, error));
    }
    SN_TRY(write_sheet(output, tracks, track_count, times, workers, error));
done:
    for (int b = 0; parts != NULL && b < output->body_count; ++b) {
        sn_run_cuts_release_parts(&output->bodies[b], parts[b]);
    }
    sn_free(NULL, parts);
    sn_free(NULL, times);
    sn_free(NULL, tracks);
    return status;
}

SinewStatus sn_run_output_finish(SnRunOutput *output, SnWorkers *workers, bool quiet,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_probe_csv_close(&output->csv, error));
    for (int b = 0; b < output->body_count; ++b) {
        SN_TRY(sn_point_cache_end(&output->bodies[b].cache, error));
    }
    for (int c = 0; c < output->prop_count; ++c) {
        SN_TRY(sn_point_cache_end(&output->props[c].cache, error));
    }
    if (output->probe_count > 0) {
        SN_TRY(plot_probes(output, error));
    }
    if (output->frame_count > 0 && output->body_count > 0) {
        SN_TRY(sn_run_output_list(output, error));
        SN_TRY(make_pictures(output, workers, quiet, error));
    }
done:
    return status;
}

void sn_run_output_tidy(const SnRunOutput *output)
{
    for (int b = 0; b < output->body_count; ++b) {
        const SnRunBody *body = &output->bodies[b];
        for (int p = 0; p <= body->cut_count && !(output->settings.formats & SINEW_OUTPUT_PC2);
             ++p) {
            char path[SN_RUN_PATH_MAX];
            sn_run_cuts_path(output, body, p, ".pc2", path);
            unlink(path);
            sn_run_cuts_path(output, body, p, ".topology.obj", path);
            unlink(path);
        }
    }
    for (int c = 0; c < output->prop_count; ++c) {
        if (output->props[c].def->key_count > 0) {
            unlink(output->props[c].cache_path);
        }
    }
}
