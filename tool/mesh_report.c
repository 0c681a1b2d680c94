#include "tool/mesh_report.h"

#include "geometry/tet_surface.h"
#include "tool/chart/chart.h"
#include "tool/mesh_picture.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <string.h>

void sn_mesh_report_print(const SnMeshReport *report, FILE *file)
{
    const SnTetQuality *q = &report->quality;
    fprintf(file, "%s: %d tets, %d vertices, %d boundary triangles\n", report->output,
            report->mesh->tet_count, report->mesh->vertex_count, q->boundary_triangle_count);
    if (report->cell_size > 0.0) {
        fprintf(file, "  cell size            %.6g m%s, made in %.2f s\n", report->cell_size,
                report->is_graded ? " at the surface, larger inside" : "", report->seconds);
    }
    fprintf(file, "  dihedral angles      %.2f to %.2f degrees\n", q->smallest_dihedral,
            q->largest_dihedral);
    fprintf(file, "  volume               %.6g m^3", q->volume);
    if (isfinite(q->volume_error)) {
        fprintf(file, ", %+.3f %% of the surface's", 100.0 * q->volume_error);
    }
    fprintf(file, "\n  smallest tet         %.3g m^3\n", q->smallest_volume);
    if (isfinite(q->largest_distance)) {
        fprintf(file, "  distance to surface  %.3g m at most, %.3g m on average\n",
                q->largest_distance, q->mean_distance);
    }
}

// JSON has no NaN: null instead.
static json_t *number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

bool sn_mesh_report_print_json(const SnMeshReport *report, FILE *file)
{
    const SnTetQuality *q = &report->quality;
    json_t *histogram = json_array();
    for (int i = 0; i < SN_TET_QUALITY_BINS; ++i) {
        json_array_append_new(histogram, json_integer((json_int_t)q->histogram[i]));
    }
    json_t *document = json_pack(
        "{s:s, s:s, s:s, s:i, s:i, s:i, s:o, s:o, s:b, s:f, s:f, s:f, s:o, s:f, s:f, s:f, s:o, "
        "s:o, "
        "s:o}",
        "kind", "tets", "input", report->input, "output", report->output, "tets",
        report->mesh->tet_count, "vertices", report->mesh->vertex_count, "boundary_triangles",
        q->boundary_triangle_count, "cell_size",
        number_or_null(report->cell_size > 0.0 ? report->cell_size : (double)NAN), "refined_cells",
        report->refined_cells > 0 ? json_integer(report->refined_cells) : json_null(), "graded",
        (int)report->is_graded, "seconds", report->seconds, "smallest_dihedral",
        q->smallest_dihedral, "largest_dihedral", q->largest_dihedral, "dihedral_histogram",
        histogram, "volume", q->volume, "smallest_volume", q->smallest_volume, "largest_aspect",
        q->largest_aspect, "volume_error", number_or_null(q->volume_error), "largest_distance",
        number_or_null(q->largest_distance), "mean_distance", number_or_null(q->mean_distance));
    bool is_good = document != NULL && json_dumpf(document, file, JSON_INDENT(2)) == 0 &&
                   fputc('\n', file) != EOF;
    json_decref(document);
    return is_good;
}

SinewStatus sn_mesh_report_chart(const SnMeshReport *report, const char *path, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTetMesh *mesh = report->mesh;
    double *angles = NULL;
    char subtitle[160];
    if (mesh->tet_count > INT_MAX / 6) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%d tets are too many for a histogram",
                       mesh->tet_count);
    }
    SN_ALLOC(angles, NULL, 6 * (size_t)mesh->tet_count, error);
    for (int t = 0; t < mesh->tet_count; ++t) {
        sn_tet_quality_dihedrals(mesh, t, angles + 6 * (size_t)t);
    }
    snprintf(subtitle, sizeof subtitle, "%d tets, from %.1f to %.1f degrees", mesh->tet_count,
             report->quality.smallest_dihedral, report->quality.largest_dihedral);
    SnHistogram chart = {.title = "Dihedral angles",
                         .subtitle = subtitle,
                         .x_label = "angle, degrees",
                         .values = angles,
                         .count = 6 * mesh->tet_count,
                         .bins = 90};
    SN_TRY(sn_histogram_write(&chart, path, NULL, error));
done:
    sn_free(NULL, angles);
    return status;
}

static int keep_behind(const SnTetMesh *mesh, const float low[3], const float high[3], int *kept)
{
    int count = 0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        const int *tet = mesh->tets + 4 * (size_t)t;
        double centre[3] = {0.0};
        for (int k = 0; k < 4; ++k) {
            for (int c = 0; c < 3; ++c) {
                centre[c] += 0.25 * mesh->positions[3 * (size_t)tet[k] + (size_t)c];
            }
        }
        bool is_kept = sn_mesh_picture_keeps(low, high, centre);
        for (int k = 0; k < 4 && is_kept; ++k) {
            kept[4 * (size_t)count + (size_t)k] = tet[k];
        }
        count += is_kept;
    }
    return count;
}

static void find_bounds(const SnTetMesh *mesh, float *positions, float low[3], float high[3])
{
    for (int c = 0; c < 3; ++c) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i) {
        positions[i] = (float)mesh->positions[i];
        low[i % 3] = fminf(low[i % 3], positions[i]);
        high[i % 3] = fmaxf(high[i % 3], positions[i]);
    }
}

SinewStatus sn_mesh_report_picture(const SnMeshReport *report, SnWorkers *workers, const char *path,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTetMesh *mesh = report->mesh;
    float *positions = NULL;
    int *kept = NULL;
    SnTetSurface *surface = NULL;
    float low[3];
    float high[3];

    SN_ALLOC(positions, NULL, 3 * (size_t)mesh->vertex_count, error);
    SN_ALLOC(kept, NULL, 4 * (size_t)mesh->tet_count, error);
    find_bounds(mesh, positions, low, high);
    int count = keep_behind(mesh, low, high, kept);
    if (count == 0) { // so few tets that all are in front: nothing would be left to see
        count = mesh->tet_count;
        memcpy(kept, mesh->tets, 4 * (size_t)count * sizeof *kept);
    }
    SN_TRY(sn_tet_surface_create(kept, count, mesh->vertex_count, NULL, &surface, error));
    SnRenderMesh body = sn_mesh_picture_body();
    body.positions = positions;
    body.vertex_count = mesh->vertex_count;
    body.triangles = surface->triangles;
    body.triangle_count = surface->triangle_count;
    SN_TRY(sn_mesh_picture_write(&body, workers, path, error));

done:
    sn_free(NULL, positions);
    sn_free(NULL, kept);
    sn_tet_surface_destroy(surface, NULL);
    return status;
}
