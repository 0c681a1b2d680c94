#include "bench/workload_matrix.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sn_matrix_release(SnBenchMatrix *matrix)
{
    sn_free(NULL, matrix->row_start);
    sn_free(NULL, matrix->column);
    sn_free(NULL, matrix->value);
    *matrix = (SnBenchMatrix){0};
}

void sn_mesh_release(SnBenchMesh *mesh)
{
    sn_free(NULL, mesh->xyz);
    sn_free(NULL, mesh->tets);
    sn_free(NULL, mesh->fixed);
    *mesh = (SnBenchMesh){0};
}

// Grids -------------------------------------------------------------------------------------------

static const double ground_spring = 0.01;

// Writes the row of point (x, y, z) behind `end`; returns the new end.
static int grid_row(int side, int points, int x, int y, int z, int end, SnBenchMatrix *matrix)
{
    double sum = ground_spring;
    int diagonal = -1;
    for (int dz = -1; dz <= 1; ++dz) {
        for (int dy = -1; dy <= 1; ++dy) {
            for (int dx = -1; dx <= 1; ++dx) {
                int distance2 = dx * dx + dy * dy + dz * dz;
                int i = x + dx;
                int j = y + dy;
                int k = z + dz;
                bool inside = i >= 0 && i < side && j >= 0 && j < side && k >= 0 && k < side;
                if (!inside || (points == 7 && distance2 > 1)) {
                    continue;
                }
                if (distance2 == 0) {
                    diagonal = end;
                } else {
                    matrix->value[end] = -1.0 / distance2;
                    sum += 1.0 / distance2;
                }
                matrix->column[end++] = (k * side + j) * side + i;
            }
        }
    }
    matrix->value[diagonal] = sum;
    return end;
}

SinewStatus sn_matrix_of_grid(int side, int points, SnBenchMatrix *out_matrix, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBenchMatrix matrix = {0};
    *out_matrix = matrix;
    if (side < 1 || side > 400 || (points != 7 && points != 27)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a grid of side %d with %d points a row, expected side 1 to 400, points 7 "
                       "or 27",
                       side, points);
    }
    matrix.count = side * side * side;
    SN_ALLOC(matrix.row_start, NULL, matrix.count + 1, error);
    SN_ALLOC(matrix.column, NULL, (size_t)matrix.count * (size_t)points, error);
    SN_ALLOC(matrix.value, NULL, (size_t)matrix.count * (size_t)points, error);
    int row = 0;
    int end = 0;
    for (int z = 0; z < side; ++z) {
        for (int y = 0; y < side; ++y) {
            for (int x = 0; x < side; ++x) {
                matrix.row_start[row++] = end;
                end = grid_row(side, points, x, y, z, end, &matrix);
            }
        }
    }
    matrix.row_start[row] = end;
    *out_matrix = matrix;
    matrix = (SnBenchMatrix){0};
done:
    sn_matrix_release(&matrix);
    return status;
}

// Meshes ------------------------------------------------------------------------------------------

static const double time_step = 0.01;   // s
static const double young = 1e6;        // Pa
static const double poisson = 0.33;     //
static const double density = 1000.0;   // kg/m^3
static const double mesh_scale = 0.1;   // metres in a raw unit
static const double grip_radius = 0.02; // m
enum { GRIP_VERTEX = 811 };

// Volume of a tet and the gradients of its four barycentric coordinates.
static double tet_gradients(const double *xyz, const int *tet, double gradient[4][3])
{
    double edge[3][3];
    for (int e = 0; e < 3; ++e) {
        for (int c = 0; c < 3; ++c) {
            edge[e][c] = xyz[3 * tet[e + 1] + c] - xyz[3 * tet[0] + c];
        }
    }
    // The gradient of coordinate e + 1 is the cross product of the other two edges, over det.
    for (int c = 0; c < 3; ++c) {
        gradient[0][c] = 0.0;
    }
    double det = 0.0;
    for (int e = 0; e < 3; ++e) {
        const double *p = edge[(e + 1) % 3];
        const double *q = edge[(e + 2) % 3];
        double *g = gradient[e + 1];
        g[0] = p[1] * q[2] - p[2] * q[1];
        g[1] = p[2] * q[0] - p[0] * q[2];
        g[2] = p[0] * q[1] - p[1] * q[0];
        det = edge[e][0] * g[0] + edge[e][1] * g[1] + edge[e][2] * g[2];
    }
    for (int e = 1; e < 4; ++e) {
        for (int c = 0; c < 3; ++c) {
            gradient[e][c] /= det;
            gradient[0][c] -= gradient[e][c];
        }
    }
    return det / 6.0;
}

typedef struct Assembly {
    const SnBenchMesh *mesh;
    int *row_of;    // of each vertex; -1: fixed
    int *tet_start; // of each vertex, into tet_list
    int *tet_list;  // 4 * tet + corner
    int *place;     // of each column in the row at hand; -1: not there
} Assembly;

static SinewStatus prepare_assembly(Assembly *a, int *out_rows, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnBenchMesh *mesh = a->mesh;
    int vertices = mesh->vertex_count;
    SN_ALLOC(a->row_of, NULL, vertices, error);
    SN_ALLOC(a->place, NULL, vertices, error);
    SN_ALLOC_ZERO(a->tet_start, NULL, vertices + 2, error);
    SN_ALLOC(a->tet_list, NULL, 4 * (size_t)mesh->tet_count, error);
    int rows = 0;
    for (int v = 0; v < vertices; ++v) {
        a->row_of[v] = mesh->fixed != NULL && mesh->fixed[v] ? -1 : rows++;
        a->place[v] = -1;
    }
    // Counted two places late, so that filling moves each start to where it belongs.
    for (int i = 0; i < 4 * mesh->tet_count; ++i) {
        a->tet_start[mesh->tets[i] + 2]++;
    }
    for (int v = 0; v < vertices; ++v) {
        a->tet_start[v + 2] += a->tet_start[v + 1];
    }
    for (int i = 0; i < 4 * mesh->tet_count; ++i) {
        a->tet_list[a->tet_start[mesh->tets[i] + 1]++] = i;
    }
    *out_rows = rows;
done:
    return status;
}

static void release_assembly(Assembly *a)
{
    sn_free(NULL, a->row_of);
    sn_free(NULL, a->tet_start);
    sn_free(NULL, a->tet_list);
    sn_free(NULL, a->place);
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a;
    int y = *(const int *)b;
    return (x > y) - (x < y);
}

// The columns of vertex v's row, sorted, behind `end`; returns the new end.
static int mesh_columns(Assembly *a, int v, int end, int *column)
{
    int begin = end;
    column[end++] = a->row_of[v];
    a->place[a->row_of[v]] = begin;
    for (int t = a->tet_start[v]; t < a->tet_start[v + 1]; ++t) {
        const int *tet = a->mesh->tets + a->tet_list[t] / 4 * 4;
        for (int corner = 0; corner < 4; ++corner) {
            int row = a->row_of[tet[corner]];
            if (row >= 0 && a->place[row] < begin) {
                a->place[row] = end;
                column[end++] = row;
            }
        }
    }
    qsort(column + begin, (size_t)(end - begin), sizeof *column, compare_ints);
    return end;
}

// The values of vertex v's row: each tet gives mass to the diagonal and 2 dt^2 mu V g_a . g_b.
static void mesh_values(Assembly *a, int v, const SnBenchMatrix *matrix)
{
    int row = a->row_of[v];
    for (int e = matrix->row_start[row]; e < matrix->row_start[row + 1]; ++e) {
        a->place[matrix->column[e]] = e;
        matrix->value[e] = 0.0;
    }
    double mu = young / (2.0 * (1.0 + poisson));
    for (int t = a->tet_start[v]; t < a->tet_start[v + 1]; ++t) {
        const int *tet = a->mesh->tets + a->tet_list[t] / 4 * 4;
        double gradient[4][3];
        double volume = tet_gradients(a->mesh->xyz, tet, gradient);
        const double *own = gradient[a->tet_list[t] % 4];
        matrix->value[a->place[row]] += density * volume / 4.0;
        for (int corner = 0; corner < 4; ++corner) {
            const double *other = gradient[corner];
            int column = a->row_of[tet[corner]];
            if (column >= 0) {
                matrix->value[a->place[column]] +=
                    2.0 * time_step * time_step * mu * volume *
                    (own[0] * other[0] + own[1] * other[1] + own[2] * other[2]);
            }
        }
    }
}

SinewStatus sn_matrix_of_mesh(const SnBenchMesh *mesh, SnBenchMatrix *out_matrix, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Assembly assembly = {.mesh = mesh};
    SnBenchMatrix matrix = {0};
    *out_matrix = matrix;
    SN_TRY(prepare_assembly(&assembly, &matrix.count, error));
    SN_ALLOC(matrix.row_start, NULL, matrix.count + 1, error);
    // A tet brings a corner at most three columns that it does not share.
    size_t most = 12 * (size_t)mesh->tet_count + (size_t)matrix.count;
    SN_ALLOC(matrix.column, NULL, most, error);
    int end = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (assembly.row_of[v] >= 0) {
            matrix.row_start[assembly.row_of[v]] = end;
            end = mesh_columns(&assembly, v, end, matrix.column);
        }
    }
    matrix.row_start[matrix.count] = end;
    SN_ALLOC(matrix.value, NULL, end, error);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (assembly.row_of[v] >= 0) {
            mesh_values(&assembly, v, &matrix);
        }
    }
    *out_matrix = matrix;
    matrix = (SnBenchMatrix){0};
done:
    release_assembly(&assembly);
    sn_matrix_release(&matrix);
    return status;
}

// Files -------------------------------------------------------------------------------------------

typedef struct Lines {
    FILE *file;
    char path[512];
    int number; // of the line at hand, from 1
    long size;  // of the file, bytes
    char text[256];
} Lines;

static SinewStatus lines_open(Lines *lines, const char *folder, const char *name,
                              const char *ending, SinewError *error)
{
    *lines = (Lines){0};
    snprintf(lines->path, sizeof lines->path, "%s/%s%s", folder, name, ending);
    lines->file = fopen(lines->path, "r");
    if (lines->file == NULL || fseek(lines->file, 0, SEEK_END) != 0) {
        return sn_fail(error, SINEW_ERROR_FILE, "%.180s: cannot be read", lines->path);
    }
    lines->size = ftell(lines->file);
    rewind(lines->file);
    return SINEW_OK;
}

static void lines_close(Lines *lines)
{
    if (lines->file != NULL) {
        fclose(lines->file);
    }
}

// The next line's numbers, exactly `count` or more of them; empty lines and comments are skipped.
static SinewStatus lines_next(Lines *lines, int count, double *out_numbers, SinewError *error)
{
    while (fgets(lines->text, sizeof lines->text, lines->file) != NULL) {
        lines->number++;
        char *at = lines->text + strspn(lines->text, " \t\r\n");
        if (*at == '\0' || *at == '#') {
            continue;
        }
        for (int i = 0; i < count; ++i) {
            char *after = at;
            out_numbers[i] = strtod(at, &after);
            if (after == at || !isfinite(out_numbers[i])) {
                return sn_fail_at(error, SINEW_ERROR_FILE, lines->number,
                                  "%.150s:%d: %d numbers, expected %d", lines->path, lines->number,
                                  i, count);
            }
            at = after;
        }
        return SINEW_OK;
    }
    return sn_fail_at(error, SINEW_ERROR_FILE, lines->number, "%.150s:%d: ends too early",
                      lines->path, lines->number);
}

// The count in the first line, held against the bytes that the file has left for it.
static SinewStatus lines_count(Lines *lines, int *out_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double header[2] = {0.0, 0.0};
    SN_TRY(lines_next(lines, 2, header, error));
    // A line of four numbers takes at least 8 bytes.
    if (!(header[0] >= 1.0) || header[0] > (double)lines->size / 8.0 || header[0] > 1e8) {
        status = sn_fail_at(error, SINEW_ERROR_FILE, lines->number,
                            "%.150s:%d: count is %g, expected at least 1 and no more than fit in "
                            "%ld bytes",
                            lines->path, lines->number, header[0], lines->size);
        goto done;
    }
    *out_count = (int)header[0];
done:
    return status;
}

static SinewStatus read_nodes(const char *folder, const char *name, int *out_count,
                              double **out_xyz, int *out_first, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double *xyz = NULL;
    Lines lines;
    *out_xyz = NULL;
    SN_TRY(lines_open(&lines, folder, name, ".node", error));
    SN_TRY(lines_count(&lines, out_count, error));
    SN_ALLOC(xyz, NULL, 3 * (size_t)*out_count, error);
    for (int v = 0; v < *out_count; ++v) {
        double row[4];
        SN_TRY(lines_next(&lines, 4, row, error));
        if (v == 0) {
            *out_first = row[0] == 1.0 ? 1 : 0;
        }
        for (int c = 0; c < 3; ++c) {
            xyz[3 * v + c] = mesh_scale * row[1 + c];
        }
    }
    *out_xyz = xyz;
    xyz = NULL;
done:
    lines_close(&lines);
    sn_free(NULL, xyz);
    return status;
}

static SinewStatus read_tets(const char *folder, const char *name, int first, SnBenchMesh *mesh,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Lines lines;
    SN_TRY(lines_open(&lines, folder, name, ".ele", error));
    SN_TRY(lines_count(&lines, &mesh->tet_count, error));
    SN_ALLOC(mesh->tets, NULL, 4 * (size_t)mesh->tet_count, error);
    for (int t = 0; t < mesh->tet_count; ++t) {
        double row[5];
        SN_TRY(lines_next(&lines, 5, row, error));
        for (int corner = 0; corner < 4; ++corner) {
            double vertex = row[1 + corner] - first;
            if (!(vertex >= 0.0) || vertex >= mesh->vertex_count || vertex != floor(vertex)) {
                status =
                    sn_fail_at(error, SINEW_ERROR_FILE, lines.number,
                               "%.150s:%d: vertex %g, expected %d to %d", lines.path, lines.number,
                               row[1 + corner], first, first + mesh->vertex_count - 1);
                goto done;
            }
            mesh->tets[4 * t + corner] = (int)vertex;
        }
        double gradient[4][3];
        if (!(tet_gradients(mesh->xyz, mesh->tets + 4 * t, gradient) > 0.0)) {
            status =
                sn_fail_at(error, SINEW_ERROR_FILE, lines.number,
                           "%.150s:%d: the tet has no positive volume", lines.path, lines.number);
            goto done;
        }
    }
done:
    lines_close(&lines);
    return status;
}

static SinewStatus fix_vertices(const char *folder, SnBenchMesh *mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = 0;
    int first = 0;
    double *xyz = NULL;
    SN_TRY(read_nodes(folder, "armadillo_4k", &count, &xyz, &first, error));
    if (count <= GRIP_VERTEX) {
        status = sn_fail(error, SINEW_ERROR_FILE,
                         "%.150s/armadillo_4k.node: %d vertices, expected more than %d", folder,
                         count, GRIP_VERTEX);
        goto done;
    }
    SN_ALLOC(mesh->fixed, NULL, mesh->vertex_count, error);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        double distance2 = 0.0;
        for (int c = 0; c < 3; ++c) {
            double d = mesh->xyz[3 * v + c] - xyz[3 * GRIP_VERTEX + c];
            distance2 += d * d;
        }
        mesh->fixed[v] = distance2 <= grip_radius * grip_radius;
    }
done:
    sn_free(NULL, xyz);
    return status;
}

SinewStatus sn_mesh_read_armadillo(const char *folder, const char *name, SnBenchMesh *out_mesh,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBenchMesh mesh = {0};
    int first = 0;
    *out_mesh = mesh;
    SN_TRY(read_nodes(folder, name, &mesh.vertex_count, &mesh.xyz, &first, error));
    SN_TRY(read_tets(folder, name, first, &mesh, error));
    SN_TRY(fix_vertices(folder, &mesh, error));
    *out_mesh = mesh;
    mesh = (SnBenchMesh){0};
done:
    sn_mesh_release(&mesh);
    return status;
}

bool sn_mesh_has_armadillo(const char *folder, const char *name)
{
    const char *const names[] = {name, name, "armadillo_4k"};
    const char *const endings[] = {".node", ".ele", ".node"};
    for (int i = 0; i < 3; ++i) {
        Lines lines;
        bool there = lines_open(&lines, folder, names[i], endings[i], NULL) == SINEW_OK;
        lines_close(&lines);
        if (!there) {
            return false;
        }
    }
    return true;
}
