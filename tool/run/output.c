#include "tool/run/output.h"

#include "tool/export/pvd.h"
#include "tool/run/cuts.h"
#include "tool/run/props.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool sn_run_output_is_due(const SnRunOutput *output, int64_t step)
{
    return step % output->settings.output_every == 0 || step == output->step_count;
}

double sn_run_output_time(const SnRunOutput *output, int64_t step)
{
    return output->settings.is_static ? (double)step / (double)output->step_count
                                      : (double)step * output->settings.dt;
}

static bool has_frames(const SnRunOutput *output)
{
    return output->settings.formats != 0;
}

static SinewStatus open_csv(SnRunOutput *output, int64_t step, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnProbeColumns *columns = NULL;
    SN_ALLOC(columns, NULL, output->probe_count, error);
    for (int p = 0; p < output->probe_count; ++p) {
        columns[p] = (SnProbeColumns){.name = output->probes[p].name,
                                      .component_count = output->probes[p].value_count};
    }
    sn_run_folder_name(&output->folder, "probes.csv", "", output->csv_path);
    SN_TRY(sn_probe_csv_open(&output->csv, output->csv_path, columns, output->probe_count, step,
                             NULL, error));
done:
    sn_free(NULL, columns);
    return status;
}

static SinewStatus open_probes(SnRunOutput *output, const SinewScene *scene, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    output->probe_count = output->settings.probe_count;
    SN_ALLOC_ZERO(output->probes, NULL, output->probe_count, error);
    for (int p = 0; p < output->probe_count; ++p) {
        SnRunProbe *out = &output->probes[p];
        double values[SINEW_REPORT_VALUES_MAX];
        *out = (SnRunProbe){.name = sinew_scene_probe_name(scene, p),
                            .id = sinew_scene_probe_id(scene, p),
                            .report = sinew_scene_probe_report(scene, p)};
        SN_TRY(sinew_world_read_probe(output->world, out->id, values, &out->value_count, error));
        output->value_count += out->value_count;
    }
    SN_ALLOC(output->values, NULL, output->value_count, error);
done:
    return status;
}

// Every body's surface goes to a point cache: that is what the end of a run is made from.
static SinewStatus open_bodies(SnRunOutput *output, const SinewScene *scene, int64_t step,
                               int64_t frame, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    output->body_count = output->settings.body_count;
    SN_ALLOC_ZERO(output->bodies, NULL, output->body_count, error);
    for (int b = 0; b < output->body_count; ++b) {
        SnRunBody *body = &output->bodies[b];
        body->name = sinew_scene_body_name(scene, b);
        body->id = sinew_scene_body_id(scene, b);
    }
    SN_TRY(sn_run_cuts_open(output, scene, error));
    for (int b = 0; b < output->body_count && has_frames(output) && frame >= 0; ++b) {
        SnRunBody *body = &output->bodies[b];
        int part = sn_run_cuts_part(body, step);
        int keep = (int)frame - sn_run_cuts_first_frame(output, body, part);
        SN_TRY(sn_run_cuts_begin_part(output, body, part, keep, step == 0, error));
    }
done:
    return status;
}

SinewStatus sn_run_output_open(SnRunOutput *output, const SinewScene *scene,
                               const SinewWorld *world, int64_t step_count, int64_t step,
                               int64_t frame, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    output->world = world;
    output->settings = sinew_scene_settings(scene);
    memcpy(output->gravity, scene->content.world.gravity, sizeof output->gravity);
    output->step_count = step_count;
    output->frame_count = frame < 0 ? 0 : (int)frame;
    SN_TRY(open_probes(output, scene, error));
    SN_TRY(open_csv(output, step, error));
    SN_TRY(open_bodies(output, scene, step, frame, error));
    if (has_frames(output)) {
        SN_TRY(sn_run_props_open(output, scene, frame, error));
    }
done:
    return status;
}

void sn_run_output_close(SnRunOutput *output)
{
    sn_probe_csv_close(&output->csv, NULL);
    for (int b = 0; output->bodies != NULL && b < output->body_count; ++b) {
        sn_point_cache_end(&output->bodies[b].cache, NULL);
    }
    sn_run_props_close(output);
    sn_run_cuts_close(output);
    sn_free(NULL, output->bodies);
    sn_free(NULL, output->probes);
    sn_free(NULL, output->values);
    *output = (SnRunOutput){0};
}

SinewStatus sn_run_output_row(SnRunOutput *output, int64_t step, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double *values = output->values;
    for (int p = 0; p < output->probe_count; ++p) {
        int count = 0;
        SN_TRY(sinew_world_read_probe(output->world, output->probes[p].id, values, &count, error));
        values += count;
    }
    SN_TRY(
        sn_probe_csv_append(&output->csv, sn_run_output_time(output, step), output->values, error));
done:
    return status;
}

static SnFrame frame_of(const SnRunOutput *output, const SnRunBody *body, double time)
{
    SinewPoints surface = sinew_body_surface(output->world, body->id);
    SinewPoints normals = sinew_body_normals(output->world, body->id);
    SinewTriangles triangles = sinew_body_triangles(output->world, body->id);
    SinewBodyMesh mesh = sinew_body_mesh(output->world, body->id);
    return (SnFrame){
        .body = body->name,
        .time = time,
        .surface_xyz = surface.xyz,
        .surface_vertex_count = surface.count,
        .surface_triangles = triangles.vertices,
        .surface_triangle_count = triangles.count,
        .surface_normals = normals.xyz,
        .nodes_xyz = mesh.positions,
        .rest_xyz = mesh.rest,
        .node_count = mesh.vertex_count,
        .elements = mesh.elements,
        .element_count = mesh.element_count,
        .corners = mesh.corners,
        .velocities = mesh.velocities,
    };
}

// The list of all VTU frames of a body up to now; names are made again from their numbers.
static SinewStatus write_list(const SnRunOutput *output, const SnRunBody *body, SinewError *error)
{
    enum { NAME_SIZE = 320 };
    SinewStatus status = SINEW_OK;
    SnPvdEntry *entries = NULL;
    char *names = NULL;
    char path[SN_RUN_PATH_MAX];
    int64_t step = 0;
    int frame_count = output->frame_count;

    SN_ALLOC(entries, NULL, frame_count, error);
    SN_ALLOC(names, NULL, (size_t)frame_count * NAME_SIZE, error);
    for (int f = 0; f < frame_count; ++f) {
        char *name = names + (size_t)f * NAME_SIZE;
        sn_run_folder_frame(&output->folder, body->name, f, ".vtu", path);
        snprintf(name, NAME_SIZE, "%s", path + strlen(output->folder.path) + 1);
        entries[f] = (SnPvdEntry){
            .time = sn_run_output_time(output, step), .name = body->name, .file = name};
        step += output->settings.output_every;
        step = step > output->step_count ? output->step_count : step;
    }
    sn_run_folder_name(&output->folder, body->name, ".pvd", path);
    SN_TRY(sn_pvd_write(entries, frame_count, path, NULL, error));
done:
    sn_free(NULL, names);
    sn_free(NULL, entries);
    return status;
}

static SinewStatus write_body(SnRunOutput *output, SnRunBody *body, double time, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFrame frame = frame_of(output, body, time);
    int number = output->frame_count;
    char path[SN_RUN_PATH_MAX];
    if (output->settings.formats & SINEW_OUTPUT_VTU) {
        sn_run_folder_frame(&output->folder, body->name, number, ".vtu", path);
        SN_TRY(sn_frame_write_vtu(&frame, false, path, NULL, error));
    }
    if (output->settings.formats & SINEW_OUTPUT_OBJ) {
        sn_run_folder_frame(&output->folder, body->name, number, ".obj", path);
        SN_TRY(sn_frame_write_obj(&frame, path, NULL, error));
    }
    if (output->settings.formats & SINEW_OUTPUT_PLY) {
        sn_run_folder_frame(&output->folder, body->name, number, ".ply", path);
        SN_TRY(sn_frame_write_ply(&frame, path, NULL, error));
    }
    SN_TRY(sn_point_cache_append(&body->cache, frame.surface_xyz, error));
done:
    return status;
}

SinewStatus sn_run_output_frame(SnRunOutput *output, int64_t step, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double time = sn_run_output_time(output, step);
    if (!has_frames(output)) {
        return SINEW_OK;
    }
    for (int b = 0; b < output->body_count; ++b) {
        SN_TRY(write_body(output, &output->bodies[b], time, error));
    }
    SN_TRY(sn_run_props_frame(output, time, error));
    ++output->frame_count;
done:
    return status;
}

SinewStatus sn_run_output_list(const SnRunOutput *output, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int b = 0; b < output->body_count && (output->settings.formats & SINEW_OUTPUT_VTU); ++b) {
        SN_TRY(write_list(output, &output->bodies[b], error));
    }
done:
    return status;
}
