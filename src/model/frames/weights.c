#include "model/frames/weights.h"

#include "geometry/region.h"
#include "model/frames/geodesic.h"
#include "solve/cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The rigid part of a frame that does not say it: a ball with this share of the way to the nearest
// other frame.
#define BALL_SHARE 0.25

// Harmonic weights below this, or half of the largest of a vertex, are cut off.
#define TAIL 0.05

// Placed frames go to the middle of what is within this share of the way to the nearest other.
#define CENTER_SHARE 0.35

static double distance_between(const double *a, const double *b)
{
    double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
    return sqrt(dx * dx + dy * dy + dz * dz);
}

// To the nearest other frame; the size of the body where there is none.
static double spacing_of(const SnFramesGrid *grid, const double *origins, int count, int frame)
{
    double least = grid->size;
    for (int i = 0; i < count; ++i) {
        if (i != frame) {
            least = fmin(least, distance_between(origins + 3 * i, origins + 3 * frame));
        }
    }
    return least;
}

// Placing ----------------------------------------------------------------------------------------

// From a tip to the middle of what is around it.
static SinewStatus center_frame(const SnFramesGrid *grid, int vertex, double reach,
                                const SinewAllocator *allocator, double out[3], SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int vertices = grid->cubes.mesh->vertex_count;
    double *distances = NULL, mass = 0.0, sum[3] = {0.0, 0.0, 0.0};

    SN_ALLOC(distances, allocator, vertices, error);
    for (int v = 0; v < vertices; ++v) {
        distances[v] = v == vertex ? 0.0 : INFINITY;
    }
    SN_TRY(sn_geodesic_spread(grid, allocator, distances, error));
    for (int v = 0; v < vertices; ++v) {
        if (distances[v] <= reach) {
            mass += grid->masses[v];
            for (int k = 0; k < 3; ++k) {
                sum[k] += grid->masses[v] * grid->cubes.mesh->positions[3 * v + k];
            }
        }
    }
    for (int k = 0; k < 3; ++k) {
        out[k] = sum[k] / mass;
    }

done:
    sn_free(allocator, distances);
    return status;
}

static SinewStatus place_far(const SnModelDef *def, const SnFramesGrid *grid, int count,
                             double *origins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *vertices = NULL;
    double *tips = NULL;

    SN_ALLOC(vertices, def->allocator, count, error);
    SN_ALLOC(tips, def->allocator, 3 * (size_t)count, error);
    SN_TRY(sn_geodesic_farthest(grid, count, def->allocator, vertices, error));
    for (int i = 0; i < count; ++i) {
        memcpy(tips + 3 * i, grid->cubes.mesh->positions + 3 * (size_t)vertices[i],
               3 * sizeof *tips);
    }
    for (int i = 0; i < count; ++i) {
        double reach =
            count > 1 ? CENTER_SHARE * spacing_of(grid, tips, count, i) : 2.0 * grid->size;
        SN_TRY(center_frame(grid, vertices[i], reach, def->allocator, origins + 3 * i, error));
    }

done:
    sn_free(def->allocator, vertices);
    sn_free(def->allocator, tips);
    return status;
}

SinewStatus sn_frames_place(const SnModelDef *def, const SnFramesGrid *grid, int *out_count,
                            double **out_origins, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewFramesDef *options = &def->options->frames;
    int count = options->frame_count > 0 ? options->frame_count : options->count;
    double *origins = NULL;

    count = count < grid->cubes.mesh->vertex_count ? count : grid->cubes.mesh->vertex_count;
    SN_ALLOC(origins, def->allocator, 3 * (size_t)count, error);
    if (options->frame_count > 0) {
        for (int i = 0; i < count; ++i) {
            memcpy(origins + 3 * i, options->frames[i].at, 3 * sizeof *origins);
        }
    } else {
        SN_TRY(place_far(def, grid, count, origins, error));
    }
    *out_count = count;
    *out_origins = origins;
    origins = NULL;

done:
    sn_free(def->allocator, origins);
    return status;
}

// Rigid parts ------------------------------------------------------------------------------------

static bool owns(const SnWeightsDef *def, int frame, int vertex, double ball)
{
    const double *X = def->grid->cubes.mesh->positions + 3 * (size_t)vertex;
    const SinewFramesDef *options = def->options;
    if (options->frame_count > 0 && options->frames[frame].rigid.kind != SINEW_REGION_NONE) {
        return sn_region_holds(&options->frames[frame].rigid, vertex, X);
    }
    return distance_between(X, def->origins + 3 * (size_t)frame) <= ball;
}

// The frame that each vertex follows alone, or -1. The nearest vertex is always the frame's; of two
// that want one, the nearer origin has it.
static void find_owners(const SnWeightsDef *def, int *owners)
{
    const SnHexMesh *mesh = def->grid->cubes.mesh;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        owners[v] = -1;
    }
    for (int i = 0; i < def->frame_count; ++i) {
        const double *origin = def->origins + 3 * (size_t)i;
        double ball = BALL_SHARE * spacing_of(def->grid, def->origins, def->frame_count, i);
        for (int v = 0; v < mesh->vertex_count; ++v) {
            const double *X = mesh->positions + 3 * (size_t)v;
            if (owns(def, i, v, ball) &&
                (owners[v] < 0 || distance_between(X, origin) <
                                      distance_between(X, def->origins + 3 * (size_t)owners[v]))) {
                owners[v] = i;
            }
        }
    }
    for (int i = 0; i < def->frame_count; ++i) {
        owners[sn_frames_grid_nearest(def->grid, def->origins + 3 * (size_t)i)] = i;
    }
}

static SinewStatus check_pieces(const SnWeightsDef *def, const int *owners, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = def->model->allocator;
    int vertices = def->grid->cubes.mesh->vertex_count;
    double *distances = NULL;

    SN_ALLOC(distances, allocator, vertices, error);
    for (int v = 0; v < vertices; ++v) {
        distances[v] = owners[v] >= 0 ? 0.0 : INFINITY;
    }
    SN_TRY(sn_geodesic_spread(def->grid, allocator, distances, error));
    for (int v = 0; v < vertices; ++v) {
        if (!isfinite(distances[v])) {
            const double *X = def->grid->cubes.mesh->positions + 3 * (size_t)v;
            SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, v,
                              "body \"%s\": no frame is in the piece around (%g, %g, %g), expected "
                              "one in each piece",
                              def->model->name, X[0], X[1], X[2]));
        }
    }

done:
    sn_free(allocator, distances);
    return status;
}

// Linear -----------------------------------------------------------------------------------------

// The nearest place of the segment between two frames: the fraction of it, and the distance.
static double project(const double *a, const double *b, const double *X, double *out_distance)
{
    double along = 0.0, square = 0.0, at[3];
    for (int k = 0; k < 3; ++k) {
        along += (b[k] - a[k]) * (X[k] - a[k]);
        square += (b[k] - a[k]) * (b[k] - a[k]);
    }
    double s = square > 0.0 ? along / square : 0.0;
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    for (int k = 0; k < 3; ++k) {
        at[k] = a[k] + s * (b[k] - a[k]);
    }
    *out_distance = distance_between(at, X);
    return s;
}

static void make_linear(const SnWeightsDef *def, double *weights)
{
    const SnHexMesh *mesh = def->grid->cubes.mesh;
    size_t count = (size_t)def->frame_count;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        double best = INFINITY, fraction = 0.0;
        size_t segment = 0;
        for (size_t i = 0; i + 1 < count; ++i) {
            double distance;
            double s = project(def->origins + 3 * i, def->origins + 3 * i + 3,
                               mesh->positions + 3 * (size_t)v, &distance);
            if (distance < best) {
                best = distance;
                segment = i;
                fraction = s;
            }
        }
        double *row = weights + count * (size_t)v;
        memset(row, 0, count * sizeof *row);
        row[segment] = 1.0 - fraction;
        if (count > 1) {
            row[segment + 1] = fraction;
        }
    }
}

bool sn_weights_is_chain(const SnWeightsDef *def)
{
    int count = def->frame_count;
    const double *first = def->origins, *last = def->origins + 3 * (size_t)(count - 1);
    double length = distance_between(first, last), low = INFINITY, high = -INFINITY, thick = 0.0;
    const SnHexMesh *mesh = def->grid->cubes.mesh;
    if (count < 2 || !(length > 0.0)) {
        return false;
    }
    double before = -1.0;
    for (int i = 0; i < count; ++i) {
        double along = 0.0, off, s;
        for (int k = 0; k < 3; ++k) {
            along += (def->origins[3 * i + k] - first[k]) * (last[k] - first[k]) / length;
        }
        s = project(first, last, def->origins + 3 * (size_t)i, &off);
        (void)s;
        if (!(along > before) || off > 0.02 * length) {
            return false;
        }
        before = along;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const double *X = mesh->positions + 3 * (size_t)v;
        double along = 0.0, square = 0.0;
        for (int k = 0; k < 3; ++k) {
            along += (X[k] - first[k]) * (last[k] - first[k]) / length;
            square += (X[k] - first[k]) * (X[k] - first[k]);
        }
        low = fmin(low, along);
        high = fmax(high, along);
        thick = fmax(thick, square - along * along);
    }
    return high - low <= 1.25 * length && sqrt(fmax(thick, 0.0)) <= 0.4 * length;
}

// Geodesic ---------------------------------------------------------------------------------------

// (1 - d / cut)^2 with the cut where the nearest other frame begins, then made to sum to one. Where
// none reaches, the nearest frame has it all.
static SinewStatus make_geodesic(const SnWeightsDef *def, const int *owners, double *weights,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = def->model->allocator;
    int vertices = def->grid->cubes.mesh->vertex_count, count = def->frame_count;
    double *distances = NULL, *nearest = NULL;

    SN_ALLOC(distances, allocator, vertices, error);
    SN_ALLOC(nearest, allocator, 2 * (size_t)vertices, error);
    for (int v = 0; v < vertices; ++v) {
        nearest[2 * v] = INFINITY;
    }
    for (int i = 0; i < count; ++i) {
        double cut = INFINITY;
        for (int v = 0; v < vertices; ++v) {
            distances[v] = owners[v] == i ? 0.0 : INFINITY;
        }
        SN_TRY(sn_geodesic_spread(def->grid, allocator, distances, error));
        for (int v = 0; v < vertices; ++v) {
            cut = owners[v] >= 0 && owners[v] != i ? fmin(cut, distances[v]) : cut;
        }
        for (int v = 0; v < vertices; ++v) {
            double s = isfinite(cut) ? fmax(0.0, 1.0 - distances[v] / cut) : 1.0;
            weights[(size_t)count * (size_t)v + (size_t)i] = s * s;
            if (distances[v] < nearest[2 * v]) {
                nearest[2 * v] = distances[v];
                nearest[2 * v + 1] = i;
            }
        }
    }
    for (int v = 0; v < vertices; ++v) {
        double *row = weights + (size_t)count * (size_t)v, sum = 0.0;
        for (int i = 0; i < count; ++i) {
            sum += row[i];
        }
        for (int i = 0; i < count; ++i) {
            row[i] = sum > 1e-3 ? row[i] / sum : (i == (int)nearest[2 * v + 1] ? 1.0 : 0.0);
        }
    }

done:
    sn_free(allocator, distances);
    sn_free(allocator, nearest);
    return status;
}

// Harmonic and biharmonic ------------------------------------------------------------------------

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

static double young_of(const SnLaw *law)
{
    return law->mu * (3.0 * law->lambda + 2.0 * law->mu) / (law->lambda + law->mu);
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
    double base = young_of(&materials[0].law);
    memset(value, 0, (size_t)grid->row_start[mesh->vertex_count] * sizeof *value);
    for (int e = 0; e < mesh->hex_count; ++e) {
        const int *corners = mesh->hexes + 8 * (size_t)e;
        double stiffness = young_of(&materials[grid->materials[e]].law) / base;
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
    const SnModelDef *model = def->model;
    size_t count = (size_t)def->frame_count, rows = (size_t)A->sparse.count;
    SnCholesky *factor = NULL;
    SnCholeskyWork *work = NULL;
    double *x = NULL;
    SnCholeskyDef cholesky = {.allocator = model->allocator,
                              .kernels = model->kernels,
                              .ordering = SN_ORDERING_BEST,
                              .right_sides = 1,
                              .worker_count = sn_workers_count(model->workers),
                              .keep_double = true};

    move_given(def, owners, A, weights);
    fix_given(owners, A);
    SN_ALLOC(x, model->allocator, rows, error);
    SN_TRY(sn_cholesky_create(&cholesky, &A->sparse, &factor, error));
    SN_TRY(sn_cholesky_work_create(factor, cholesky.worker_count, &work, error));
    SN_TRY(sn_cholesky_factor(factor, &A->sparse, model->workers, error));
    for (size_t i = 0; i < count; ++i) {
        for (size_t v = 0; v < rows; ++v) {
            x[v] = weights[count * v + i];
        }
        SN_TRY(sn_cholesky_solve_double(factor, work, model->workers, x, error));
        for (size_t v = 0; v < rows; ++v) {
            weights[count * v + i] = x[v];
        }
    }

done:
    sn_cholesky_work_destroy(work);
    sn_cholesky_destroy(factor);
    sn_free(model->allocator, x);
    return status;
}

static SinewStatus make_harmonic(const SnWeightsDef *def, const int *owners, bool twice,
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

// Harmonic weights never end: a pin at one end of a body would hold frames at the other by their
// tails. What is below the cut goes, and the rest is made to sum to one.
static void cut_tails(const SnWeightsDef *def, double *weights)
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

// Painted ----------------------------------------------------------------------------------------

static SinewStatus take_painted(const SnWeightsDef *def, double *weights, SinewError *error)
{
    size_t count = (size_t)def->frame_count;
    int vertices = def->grid->cubes.mesh->vertex_count;
    if (def->options->painted == NULL || def->options->painted_count != vertices) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": painted weights are for %d vertices, expected those of the "
                       "%d vertices of its grid",
                       def->model->name,
                       def->options->painted != NULL ? def->options->painted_count : 0, vertices);
    }
    for (int v = 0; v < vertices; ++v) {
        const double *given = def->options->painted + count * (size_t)v;
        double sum = 0.0;
        for (size_t i = 0; i < count; ++i) {
            sum += given[i] >= 0.0 ? given[i] : NAN;
        }
        if (!(sum > 0.0) || !isfinite(sum)) {
            return sn_fail_at(
                error, SINEW_ERROR_ARGUMENT, v,
                "body \"%s\": painted weights of vertex %d sum to %g, expected numbers "
                "of at least 0 with a sum above 0",
                def->model->name, v, sum);
        }
        for (size_t i = 0; i < count; ++i) {
            weights[count * (size_t)v + i] = given[i] / sum;
        }
    }
    return SINEW_OK;
}

static SinewFrameWeights kind_of(const SnWeightsDef *def)
{
    if (def->options->weights != SINEW_FRAME_WEIGHTS_AUTO) {
        return def->options->weights;
    }
    return sn_weights_is_chain(def) ? SINEW_FRAME_WEIGHTS_LINEAR : SINEW_FRAME_WEIGHTS_HARMONIC;
}

SinewStatus sn_weights_make(const SnWeightsDef *def, double **out_weights, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = def->model->allocator;
    int vertices = def->grid->cubes.mesh->vertex_count;
    SinewFrameWeights kind = kind_of(def);
    double *weights = NULL;
    int *owners = NULL;

    SN_ALLOC(weights, allocator, (size_t)def->frame_count * (size_t)vertices, error);
    SN_ALLOC(owners, allocator, vertices, error);
    find_owners(def, owners);
    if (kind != SINEW_FRAME_WEIGHTS_LINEAR && kind != SINEW_FRAME_WEIGHTS_PAINTED) {
        SN_TRY(check_pieces(def, owners, error));
    }
    switch (kind) {
    case SINEW_FRAME_WEIGHTS_LINEAR:
        make_linear(def, weights);
        break;
    case SINEW_FRAME_WEIGHTS_GEODESIC:
        SN_TRY(make_geodesic(def, owners, weights, error));
        break;
    case SINEW_FRAME_WEIGHTS_PAINTED:
        SN_TRY(take_painted(def, weights, error));
        break;
    case SINEW_FRAME_WEIGHTS_AUTO:
    case SINEW_FRAME_WEIGHTS_HARMONIC:
    case SINEW_FRAME_WEIGHTS_BIHARMONIC:
        SN_TRY(make_harmonic(def, owners, kind == SINEW_FRAME_WEIGHTS_BIHARMONIC, weights, error));
        if (kind == SINEW_FRAME_WEIGHTS_HARMONIC) {
            cut_tails(def, weights);
        }
        break;
    }
    *out_weights = weights;
    weights = NULL;

done:
    sn_free(allocator, weights);
    sn_free(allocator, owners);
    return status;
}
