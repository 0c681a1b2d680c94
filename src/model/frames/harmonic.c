#include "model/frames/harmonic.h"

#include "model/frames/direct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Harmonic weights below this, or half of the largest of a vertex, are cut off.
#define TAIL 0.05

// A symmetric matrix on its own pattern.
typedef struct Matrix {
    SnSparse sparse;
    int *row_start;
    int *column;
    double *value;
} Matrix;

static void release_matrix(Matrix *matrix, const SinewAllocator *allocator)
{
    sn_free(allocator, matrix->row_start);
    sn_free(allocator, matrix->column);
    sn_free(allocator, matrix->value);
}

// The trilinear Laplacian, each cube times its Young's modulus relative to the body's own, on the
// grid's pattern. For a cube with the edge h, corners that differ in 0, 1, 2, 3 coordinates have
// h/3, 0, -h/12, -h/12; h is left out.
static void assemble_laplacian(const SnWeightsDef *def, double *value)
{
    static const double entries[4] = {1.0 / 3.0, 0.0, -1.0 / 12.0, -1.0 / 12.0};
    const SnFramesGrid *grid = def->grid;
    const SnHexMesh *mesh = grid->cubes.mesh;
    const SnMaterial *materials = def->model->materials->materials;
    double base = sn_law_young(&materials[0].law);
    memset(value, 0, (size_t)grid->row_start[mesh->vertex_count] * sizeof *value);
    for (int e = 0; e < mesh->hex_count; ++e) {
        const int *corners = mesh->hexes + 8 * (size_t)e;
        double stiffness = sn_frames_grid_stiffness(grid, e) *
                           sn_law_young(&materials[grid->materials[e]].law) / base;
        for (int n = 0; n < 64; ++n) {
            int bits = n / 8 ^ n % 8;
            int differ = (bits & 1) + (bits >> 1 & 1) + (bits >> 2);
            value[sn_frames_grid_entry(grid, corners[n / 8], corners[n % 8])] +=
                stiffness * entries[differ];
        }
    }
}

static SinewStatus copy_pattern(const SnFramesGrid *grid, const double *value, Matrix *out,
                                const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = grid->cubes.mesh->vertex_count;
    size_t entries = (size_t)grid->row_start[count];

    SN_ALLOC(out->row_start, allocator, (size_t)count + 1, error);
    SN_ALLOC(out->column, allocator, entries, error);
    SN_ALLOC(out->value, allocator, entries, error);
    memcpy(out->row_start, grid->row_start, ((size_t)count + 1) * sizeof *out->row_start);
    memcpy(out->column, grid->column, entries * sizeof *out->column);
    memcpy(out->value, value, entries * sizeof *out->value);

done:
    return status;
}

static int compare_ints(const void *a, const void *b)
{
    return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b;
}

// Columns of row v of L L: of all neighbours of its neighbours. Marks are v + 1 where seen.
static int reach_of(const SnFramesGrid *grid, int v, int *marks, int list[343])
{
    int count = 0;
    for (int e = grid->row_start[v]; e < grid->row_start[v + 1]; ++e) {
        int u = grid->column[e];
        for (int f = grid->row_start[u]; f < grid->row_start[u + 1]; ++f) {
            int w = grid->column[f];
            if (marks[w] != v + 1) {
                marks[w] = v + 1;
                list[count++] = w;
            }
        }
    }
    qsort(list, (size_t)count, sizeof *list, compare_ints);
    return count;
}

// L M^-1 L with the masses of the grid scaled to a mean of one.
static SinewStatus square_laplacian(const SnFramesGrid *grid, const double *value, Matrix *out,
                                    const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = grid->cubes.mesh->vertex_count;
    int *marks = NULL, list[343];
    double *row = NULL, mean = 0.0;

    SN_ALLOC_ZERO(marks, allocator, count, error);
    SN_ALLOC_ZERO(row, allocator, count, error);
    SN_ALLOC_ZERO(out->row_start, allocator, (size_t)count + 1, error);
    for (int v = 0; v < count; ++v) {
        out->row_start[v + 1] = out->row_start[v] + reach_of(grid, v, marks, list);
        mean += grid->masses[v] / count;
    }
    SN_ALLOC(out->column, allocator, out->row_start[count], error);
    SN_ALLOC(out->value, allocator, out->row_start[count], error);
    memset(marks, 0, (size_t)count * sizeof *marks);
    for (int v = 0; v < count; ++v) {
        int *columns = out->column + out->row_start[v];
        int length = reach_of(grid, v, marks, list);
        memcpy(columns, list, (size_t)length * sizeof *columns);
        for (int e = grid->row_start[v]; e < grid->row_start[v + 1]; ++e) {
            int u = grid->column[e];
            double share = value[e] * mean / grid->masses[u];
            for (int f = grid->row_start[u]; f < grid->row_start[u + 1]; ++f) {
                row[grid->column[f]] += share * value[f];
            }
        }
        for (int i = 0; i < length; ++i) {
            out->value[out->row_start[v] + i] = row[columns[i]];
            row[columns[i]] = 0.0;
        }
    }

done:
    sn_free(allocator, marks);
    sn_free(allocator, row);
    return status;
}

// Right-hand sides for weights that are given where `owners` says so, into `weights`.
static void move_given(const SnWeightsDef *def, const int *owners, const Matrix *A, double *weights)
{
    size_t count = (size_t)def->frame_count;
    memset(weights, 0, count * (size_t)A->sparse.count * sizeof *weights);
    for (int v = 0; v < A->sparse.count; ++v) {
        for (int e = A->row_start[v]; e < A->row_start[v + 1]; ++e) {
            int owner = owners[A->column[e]];
            if (owners[v] < 0 && owner >= 0) {
                weights[count * (size_t)v + (size_t)owner] -= A->value[e];
            }
        }
        if (owners[v] >= 0) {
            weights[count * (size_t)v + (size_t)owners[v]] = 1.0;
        }
    }
}

// Rows and columns of given vertices become those of the identity.
static void fix_given(const int *owners, Matrix *A)
{
    for (int v = 0; v < A->sparse.count; ++v) {
        for (int e = A->row_start[v]; e < A->row_start[v + 1]; ++e) {
            if (owners[v] >= 0 || owners[A->column[e]] >= 0) {
                A->value[e] = A->column[e] == v ? 1.0 : 0.0;
            }
        }
    }
}

static SinewStatus solve_weights(const SnWeightsDef *def, const int *owners, Matrix *A,
                                 double *weights, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = def->model->allocator;
    size_t count = (size_t)def->frame_count, rows = (size_t)A->sparse.count;
    double *X = NULL; // a frame after the other

    move_given(def, owners, A, weights);
    fix_given(owners, A);
    SN_ALLOC(X, allocator, rows * count, error);
    for (size_t n = 0; n < rows * count; ++n) {
        X[n] = weights[count * (n % rows) + n / rows];
    }
    SN_TRY(sn_frames_direct_solve(def->model, &A->sparse, def->frame_count, X, error));
    for (size_t n = 0; n < rows * count; ++n) {
        weights[count * (n % rows) + n / rows] = X[n];
    }

done:
    sn_free(allocator, X);
    return status;
}

SinewStatus sn_weights_harmonic(const SnWeightsDef *def, const int *owners, bool twice,
                                double *weights, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnFramesGrid *grid = def->grid;
    const SinewAllocator *allocator = def->model->allocator;
    int count = grid->cubes.mesh->vertex_count;
    double *laplacian = NULL;
    Matrix A = {0};

    SN_ALLOC(laplacian, allocator, grid->row_start[count], error);
    assemble_laplacian(def, laplacian);
    if (twice) {
        SN_TRY(square_laplacian(grid, laplacian, &A, allocator, error));
    } else {
        SN_TRY(copy_pattern(grid, laplacian, &A, allocator, error));
    }
    A.sparse = (SnSparse){count, 1, A.row_start, A.column, A.value};
    SN_TRY(solve_weights(def, owners, &A, weights, error));

done:
    release_matrix(&A, allocator);
    sn_free(allocator, laplacian);
    return status;
}

void sn_weights_cut_tails(const SnWeightsDef *def, double *weights)
{
    size_t count = (size_t)def->frame_count;
    for (int v = 0; v < def->grid->cubes.mesh->vertex_count; ++v) {
        double *row = weights + count * (size_t)v, sum = 0.0, most = 0.0;
        for (size_t i = 0; i < count; ++i) {
            most = fmax(most, row[i]);
        }
        double cut = fmin(TAIL, 0.5 * most);
        for (size_t i = 0; i < count; ++i) {
            row[i] = fmax(0.0, row[i] - cut);
            sum += row[i];
        }
        for (size_t i = 0; i < count && sum > 0.0; ++i) {
            row[i] /= sum;
        }
    }
}
