#include "tool/hex_report.h"

#include "base/array.h"
#include "tool/chart/chart.h"
#include "tool/mesh_picture.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <string.h>

SinewStatus sn_hex_report_measure(const SnCellMesh *mesh, double volume, SnHexReport *report,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double size = report->lattice->cell_size;
    double fills = 0.0;
    for (int h = 0; h < mesh->hex_count; ++h) {
        fills += (double)mesh->fills[h];
    }
    report->volume = fills * size * size * size;
    report->volume_error = report->volume / volume - 1.0;
    SN_TRY(sn_cell_mesh_count_parts(mesh, NULL, &report->part_count, error));
done:
    return status;
}

void sn_hex_report_print(const SnHexReport *report, FILE *file)
{
    const SnCellLattice *lattice = report->lattice;
    fprintf(file, "%s: %d hexes, %d interior and %d boundary, %d nodes\n", report->output,
            lattice->cell_count, lattice->cell_count - lattice->boundary_count,
            lattice->boundary_count, lattice->node_count);
    fprintf(file, "  cell size            %.6g m, %d x %d x %d places, made in %.2f s\n",
            lattice->cell_size, lattice->size[0], lattice->size[1], lattice->size[2],
            report->seconds);
    fprintf(file, "  parts                %d\n", report->part_count);
    fprintf(file, "  volume by fills      %.6g m^3", report->volume);
    if (isfinite(report->volume_error)) {
        fprintf(file, ", %+.3f %% of the surface's", 100.0 * report->volume_error);
    }
    fprintf(file, "\n");
}

bool sn_hex_report_print_json(const SnHexReport *report, FILE *file)
{
    const SnCellLattice *lattice = report->lattice;
    // JSON has no NaN: null instead.
    json_t *volume_error =
        isfinite(report->volume_error) ? json_real(report->volume_error) : json_null();
    json_t *document =
        json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:[i, i, i], s:f, s:f, s:f, s:o}",
                  "kind", "hexes", "input", report->input, "output", report->output, "hexes",
                  lattice->cell_count, "interior", lattice->cell_count - lattice->boundary_count,
                  "boundary", lattice->boundary_count, "vertices", lattice->node_count, "parts",
                  report->part_count, "grid", lattice->size[0], lattice->size[1], lattice->size[2],
                  "cell_size", lattice->cell_size, "seconds", report->seconds, "volume",
                  report->volume, "volume_error", volume_error);
    bool is_good = document != NULL && json_dumpf(document, file, JSON_INDENT(2)) == 0 &&
                   fputc('\n', file) != EOF;
    json_decref(document);
    return is_good;
}

SinewStatus sn_hex_report_chart(const SnHexReport *report, const char *path, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnCellLattice *lattice = report->lattice;
    double *fills = NULL;
    int count = 0;
    char subtitle[160];
    SN_ALLOC(fills, NULL, lattice->boundary_count, error);
    for (int cell = 0; cell < lattice->cell_count; ++cell) {
        if (lattice->labels[cell] == SN_CELL_BOUNDARY) {
            fills[count++] = (double)lattice->fills[cell];
        }
    }
    snprintf(subtitle, sizeof subtitle, "%d boundary cells beside %d interior ones", count,
             lattice->cell_count - count);
    SnHistogram chart = {.title = "How full the boundary cells are",
                         .subtitle = subtitle,
                         .x_label = "fill",
                         .values = fills,
                         .count = count,
                         .bins = 32};
    SN_TRY(sn_histogram_write(&chart, path, NULL, error));
done:
    sn_free(NULL, fills);
    return status;
}

// Picture
// -----------------------------------------------------------------------------------------

// The faces that show: four vertices each, as two triangles whose diagonal is hidden.
typedef struct Faces {
    const SnCellLattice *lattice;
    float low[3]; // m, bounds of the lattice
    float high[3];
    bool is_whole;     // nothing is cut away
    SnArray positions; // float[3] a vertex
    SnArray colours;   // float[3]
    SnArray triangles; // int[3]
    SnArray hidden;    // unsigned char a triangle
} Faces;

static bool keeps(const Faces *faces, int cell)
{
    const SnCellLattice *lattice = faces->lattice;
    double centre[3];
    for (int c = 0; c < 3; ++c) {
        double along = lattice->cells[3 * (size_t)cell + (size_t)c] + 0.5;
        centre[c] = lattice->origin[c] + along * lattice->cell_size;
    }
    return faces->is_whole || sn_mesh_picture_keeps(faces->low, faces->high, centre);
}

// The corners of the face of a cell on one side (0 or 1) of an axis, around it.
static void face_corners(int axis, int side, int out_corners[4])
{
    int bit = 4 >> axis;
    int u = 4 >> (axis + 1) % 3;
    int v = 4 >> (axis + 2) % 3;
    int base = side * bit;
    out_corners[0] = base;
    out_corners[1] = base + u;
    out_corners[2] = base + u + v;
    out_corners[3] = base + v;
}

// Whether a kept neighbour covers the face. Cells of parts kept apart may lie side by side without
// a common node.
static bool is_covered(const Faces *faces, int cell, int axis, int side, const int corners[4])
{
    const SnCellLattice *lattice = faces->lattice;
    int place[3];
    int count = 0;
    memcpy(place, lattice->cells + 3 * (size_t)cell, sizeof place);
    place[axis] += 2 * side - 1;
    int first = sn_cell_lattice_find(lattice, place[0], place[1], place[2], &count);
    int across = side == 0 ? 4 >> axis : -(4 >> axis); // to the same corner of the neighbour
    for (int other = first; other < first + count; ++other) {
        if (lattice->nodes[8 * (size_t)other + (size_t)(corners[0] + across)] ==
            lattice->nodes[8 * (size_t)cell + (size_t)corners[0]]) {
            return keeps(faces, other);
        }
    }
    return false;
}

static SinewStatus add_face(Faces *faces, int cell, const int corners[4], SinewError *error)
{
    static const float interior[3] = {0.42f, 0.62f, 0.82f};
    static const float boundary[3] = {0.93f, 0.62f, 0.36f};
    SinewStatus status = SINEW_OK;
    const SnCellLattice *lattice = faces->lattice;
    int first = (int)faces->positions.count;
    bool is_interior = lattice->labels[cell] == SN_CELL_INTERIOR;
    for (int k = 0; k < 4; ++k) {
        int node = lattice->nodes[8 * (size_t)cell + (size_t)corners[k]];
        float position[3];
        for (int c = 0; c < 3; ++c) {
            position[c] = (float)lattice->positions[3 * (size_t)node + (size_t)c];
        }
        SN_TRY(sn_array_push(&faces->positions, position, error));
        SN_TRY(sn_array_push(&faces->colours, is_interior ? interior : boundary, error));
    }
    // The diagonal runs from corner 0 to 2: opposite the second corner, then the third.
    const int triangles[2][3] = {{first, first + 1, first + 2}, {first, first + 2, first + 3}};
    const unsigned char hidden[2] = {1 << 1, 1 << 2};
    for (int t = 0; t < 2; ++t) {
        SN_TRY(sn_array_push(&faces->triangles, triangles[t], error));
        SN_TRY(sn_array_push(&faces->hidden, &hidden[t], error));
    }
done:
    return status;
}

static SinewStatus find_faces(Faces *faces, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnCellLattice *lattice = faces->lattice;
    for (int c = 0; c < 3; ++c) {
        faces->low[c] = (float)lattice->origin[c];
        faces->high[c] = (float)(lattice->origin[c] + lattice->size[c] * lattice->cell_size);
    }
    for (int cell = 0; cell < lattice->cell_count; ++cell) {
        for (int face = 0; face < 6 && keeps(faces, cell); ++face) {
            int corners[4];
            face_corners(face / 2, face % 2, corners);
            if (!is_covered(faces, cell, face / 2, face % 2, corners)) {
                SN_TRY(add_face(faces, cell, corners, error));
            }
        }
        if (faces->positions.count > INT_MAX / 8) {
            SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "%d cells have too many faces for a picture, use larger cells",
                           lattice->cell_count));
        }
    }
done:
    return status;
}

SinewStatus sn_hex_report_picture(const SnHexReport *report, SnWorkers *workers, const char *path,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Faces faces = {.lattice = report->lattice,
                   .positions = sn_array_of(NULL, 3 * sizeof(float)),
                   .colours = sn_array_of(NULL, 3 * sizeof(float)),
                   .triangles = sn_array_of(NULL, 3 * sizeof(int)),
                   .hidden = sn_array_of(NULL, 1)};
    SN_TRY(find_faces(&faces, error));
    if (faces.triangles.count == 0) { // so few cells that all are in front
        faces.is_whole = true;
        SN_TRY(find_faces(&faces, error));
    }
    SnRenderMesh body = sn_mesh_picture_body();
    body.positions = faces.positions.items;
    body.colours = faces.colours.items;
    body.vertex_count = (int)faces.positions.count;
    body.triangles = faces.triangles.items;
    body.triangle_count = (int)faces.triangles.count;
    body.hidden_edges = faces.hidden.items;
    SN_TRY(sn_mesh_picture_write(&body, workers, path, error));
done:
    sn_array_release(&faces.positions);
    sn_array_release(&faces.colours);
    sn_array_release(&faces.triangles);
    sn_array_release(&faces.hidden);
    return status;
}
