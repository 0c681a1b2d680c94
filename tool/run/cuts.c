#include "tool/run/cuts.h"

#include "io/surface_files.h"
#include "tool/progress.h"
#include "tool/tool.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// When ------------------------------------------------------------------------------------------

// The number of steps after which a cut is due; times are multiples of the step, to rounding.
static int64_t due_step(const SnRunOutput *output, double at)
{
    double length = sn_run_output_time(output, 1);
    double steps = ceil(at / length - 1e-6);
    return steps < (double)output->step_count ? (int64_t)fmax(steps, 0.0) : output->step_count;
}

// Adds a step to a body's, ascending, once.
static void add_step(SnRunBody *body, int64_t step)
{
    int at = body->cut_count;
    for (; at > 0 && body->cut_steps[at - 1] > step; --at) {
    }
    if (at > 0 && body->cut_steps[at - 1] == step) {
        return;
    }
    memmove(body->cut_steps + at + 1, body->cut_steps + at,
            (size_t)(body->cut_count - at) * sizeof *body->cut_steps);
    body->cut_steps[at] = step;
    body->cut_count += 1;
}

SinewStatus sn_run_cuts_open(SnRunOutput *output, const SinewScene *scene, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int cuts = output->settings.cut_count;
    for (int b = 0; b < output->body_count && cuts > 0; ++b) {
        SN_ALLOC(output->bodies[b].cut_steps, NULL, cuts, error);
    }
    for (int c = 0; c < cuts; ++c) {
        int64_t step = due_step(output, sinew_scene_cut_time(scene, c));
        if (step < output->step_count) {
            add_step(&output->bodies[sinew_scene_cut_body(scene, c)], step);
        }
    }
done:
    return status;
}

void sn_run_cuts_close(SnRunOutput *output)
{
    for (int b = 0; output->bodies != NULL && b < output->body_count; ++b) {
        sn_free(NULL, output->bodies[b].cut_steps);
    }
}

int sn_run_cuts_part(const SnRunBody *body, int64_t step)
{
    int part = 0;
    while (part < body->cut_count && body->cut_steps[part] < step) {
        ++part;
    }
    return part;
}

int sn_run_cuts_first_frame(const SnRunOutput *output, const SnRunBody *body, int part)
{
    return part == 0 ? 0 : (int)(body->cut_steps[part - 1] / output->settings.output_every) + 1;
}

// Files -----------------------------------------------------------------------------------------

void sn_run_cuts_path(const SnRunOutput *output, const SnRunBody *body, int part,
                      const char *suffix, char out[SN_RUN_PATH_MAX])
{
    char ending[64];
    if (part == 0) {
        snprintf(ending, sizeof ending, "%s", suffix);
    } else {
        snprintf(ending, sizeof ending, ".cut%d%s", part, suffix);
    }
    sn_run_folder_name(&output->folder, body->name, ending, out);
}

SinewStatus sn_run_cuts_begin_part(SnRunOutput *output, SnRunBody *body, int part, int keep,
                                   bool is_new, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    char path[SN_RUN_PATH_MAX];
    SinewPoints surface = sinew_body_surface(output->world, body->id);
    SinewTriangles triangles = sinew_body_triangles(output->world, body->id);
    SnPointCacheDef def = {.vertex_count = surface.count,
                           .start_frame = (float)sn_run_cuts_first_frame(output, body, part),
                           .frame_step = 1.0f};
    SN_TRY(sn_point_cache_end(&body->cache, error));
    sn_run_cuts_path(output, body, part, ".pc2", body->cache_path);
    SN_TRY(sn_point_cache_begin(&body->cache, body->cache_path, &def, keep, NULL, error));
    if (body->cut_count > 0 && is_new) {
        SnFrame frame = {.body = body->name,
                         .surface_xyz = surface.xyz,
                         .surface_vertex_count = surface.count,
                         .surface_triangles = triangles.vertices,
                         .surface_triangle_count = triangles.count};
        sn_run_cuts_path(output, body, part, ".topology.obj", path);
        SN_TRY(sn_frame_write_obj(&frame, path, NULL, error));
    }
done:
    return status;
}

// Cutting ---------------------------------------------------------------------------------------

static void tell(const SnRunOutput *output, const SnRunBody *body, int64_t step,
                 const SinewCutReport *report)
{
    double time = sn_run_output_time(output, step);
    if (report->faces == 0 && report->tets_removed == 0) {
        sn_complain("run", "t = %g: the cut of \"%s\" meets nothing", time, body->name);
    } else {
        sn_complain("run",
                    "t = %g: \"%s\" is cut: %d face%s laid bare, %+d vertices, %d tets and %g "
                    "kg removed, %d piece%s",
                    time, body->name, report->faces, report->faces == 1 ? "" : "s",
                    report->vertices_added, report->tets_removed, report->mass_removed,
                    report->pieces, report->pieces == 1 ? "" : "s");
    }
}

SinewStatus sn_run_cuts_make(SnRunOutput *output, const SinewScene *scene, SinewWorld *world,
                             int64_t step, bool quiet, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int c = 0; c < output->settings.cut_count; ++c) {
        SinewCutReport report;
        if (due_step(output, sinew_scene_cut_time(scene, c)) == step) {
            SN_TRY(sinew_scene_cut(scene, world, c, &report, error));
            if (!quiet) {
                sn_progress_end(quiet);
                tell(output, &output->bodies[sinew_scene_cut_body(scene, c)], step, &report);
            }
        }
    }
    for (int b = 0; b < output->body_count && output->settings.formats != 0; ++b) {
        SnRunBody *body = &output->bodies[b];
        int part = sn_run_cuts_part(body, step);
        if (part < body->cut_count && body->cut_steps[part] == step) {
            SN_TRY(sn_run_cuts_begin_part(output, body, part + 1, 0, true, error));
        }
    }
done:
    return status;
}

// The end ---------------------------------------------------------------------------------------

SinewStatus sn_run_cuts_parts(const SnRunOutput *output, const SnRunBody *body,
                              SnRunPart **out_parts, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnRunPart *parts = NULL;
    int last = sn_run_cuts_part(body, output->step_count);
    SinewTriangles triangles = sinew_body_triangles(output->world, body->id);
    SN_ALLOC_ZERO(parts, NULL, body->cut_count + 1, error);
    for (int p = 0; p <= last; ++p) {
        SnTrack *track = &parts[p].track;
        sn_run_cuts_path(output, body, p, ".pc2", parts[p].cache_path);
        *track = (SnTrack){.name = body->name,
                           .cache_path = parts[p].cache_path,
                           .vertex_count = sinew_body_surface(output->world, body->id).count,
                           .triangles = triangles.vertices,
                           .triangle_count = triangles.count};
        if (p < last) {
            char path[SN_RUN_PATH_MAX];
            sn_run_cuts_path(output, body, p, ".topology.obj", path);
            SN_TRY(sn_surface_read(path, NULL, &parts[p].surface, error));
            track->vertex_count = parts[p].surface->vertex_count;
            track->triangles = parts[p].surface->triangles;
            track->triangle_count = parts[p].surface->triangle_count;
            track->frame_count = sn_run_cuts_first_frame(output, body, p + 1) -
                                 sn_run_cuts_first_frame(output, body, p);
            track->next = &parts[p + 1].track;
        }
    }
    *out_parts = parts;
    parts = NULL;
done:
    sn_run_cuts_release_parts(body, parts);
    return status;
}

void sn_run_cuts_release_parts(const SnRunBody *body, SnRunPart *parts)
{
    for (int p = 0; parts != NULL && p <= body->cut_count; ++p) {
        sn_surface_destroy(parts[p].surface, NULL);
    }
    sn_free(NULL, parts);
}
