#include "model/frames/flexibility.h"

#include "geometry/point.h"
#include "model/frames/dense.h"
#include "model/frames/direct.h"
#include "model/lattice/cell.h"

#include <math.h>
#include <string.h>

// Vertices that follow a frame by this much are its rigid part.
#define PART 0.9

// All that is in the making.
typedef struct Solve {
    const SnFlexibilityDef *def;
    const SinewAllocator *allocator;
    size_t rows;    // 3 a vertex
    size_t columns; // 6 a frame
    bool *parts;    // a vertex: in the rigid part of the frame at hand
    double *loads;  // rows x columns, column after column: P W
    double *moves;  // the same: K^-1 P W
    double *A;      // columns squared
    double *Z;      // columns x 6
    int *used;      // a vertex: cubes of it that take part
} Solve;

// Rigid motions of a vertex about a place: six columns of three rows.
static void rigid_rows(const double *X, const double *about, double out[18])
{
    double r[3] = {X[0] - about[0], X[1] - about[1], X[2] - about[2]};
    const double rows[18] = {0.0, r[2], -r[1], 1.0,  0.0,   0.0, -r[2], 0.0, r[0],
                             0.0, 1.0,  0.0,   r[1], -r[0], 0.0, 0.0,   0.0, 1.0};
    memcpy(out, rows, sizeof rows);
}

// B^T M B of some vertices, factored. False where they do not fix a rotation.
static bool factor_inertia(const Solve *solve, const bool *parts, const double *about,
                           double out[36])
{
    const SnFramesGrid *grid = solve->def->grid;
    memset(out, 0, 36 * sizeof *out);
    for (int v = 0; v < grid->cubes.mesh->vertex_count; ++v) {
        double B[18];
        if (!solve->used[v] || (parts != NULL && !parts[v])) {
            continue;
        }
        rigid_rows(grid->cubes.mesh->positions + 3 * (size_t)v, about, B);
        for (int n = 0; n < 36; ++n) {
            for (int k = 0; k < 3; ++k) {
                out[n] += grid->masses[v] * B[6 * k + n / 6] * B[6 * k + n % 6];
            }
        }
    }
    // Parts on a line are factored by rounding alone.
    double before = out[0] + out[7] + out[14];
    for (int d = 0; d < 3; ++d) {
        out[7 * d] -= 1e-9 * before;
    }
    return sn_dense_factor(out, 6);
}

// The rigid part of a frame; where that fixes no rotation, with all that shares cubes with it.
static bool find_part(Solve *solve, int frame, double inertia[36])
{
    const SnFlexibilityDef *def = solve->def;
    const SnFramesGrid *grid = def->grid;
    int vertices = grid->cubes.mesh->vertex_count;
    double most = 0.0;
    for (int v = 0; v < vertices; ++v) {
        double w = def->weights[(size_t)def->frame_count * (size_t)v + (size_t)frame];
        most = solve->used[v] ? fmax(most, w) : most;
    }
    for (int v = 0; v < vertices; ++v) {
        double w = def->weights[(size_t)def->frame_count * (size_t)v + (size_t)frame];
        solve->parts[v] = solve->used[v] && w >= PART * most;
    }
    for (int grow = 0; grow < 4; ++grow) {
        if (factor_inertia(solve, solve->parts, def->origins + 3 * (size_t)frame, inertia)) {
            return true;
        }
        for (int v = vertices - 1; v >= 0; --v) {
            if (solve->parts[v]) {
                for (int e = grid->row_start[v]; e < grid->row_start[v + 1]; ++e) {
                    int u = grid->column[e];
                    solve->parts[u] = solve->parts[u] || solve->used[u];
                }
            }
        }
    }
    return false;
}

// W = M B (B^T M B)^-1 of a frame's part: what spreads a wrench, and whose transpose takes means.
static SinewStatus spread_wrenches(Solve *solve, int frame, SinewError *error)
{
    const SnFlexibilityDef *def = solve->def;
    const SnFramesGrid *grid = def->grid;
    double inertia[36];
    if (!find_part(solve, frame, inertia)) {
        return sn_fail_at(error, SINEW_ERROR_ARGUMENT, frame,
                          "body \"%s\": frame %d is on a part too small to turn, expected more "
                          "cells around it",
                          def->model->name, frame);
    }
    for (int v = 0; v < grid->cubes.mesh->vertex_count; ++v) {
        double B[18];
        if (!solve->parts[v]) {
            continue;
        }
        rigid_rows(grid->cubes.mesh->positions + 3 * (size_t)v, def->origins + 3 * (size_t)frame,
                   B);
        for (int k = 0; k < 3; ++k) {
            double row[6];
            memcpy(row, B + 6 * k, sizeof row);
            sn_dense_forward(inertia, 6, row);
            sn_dense_backward(inertia, 6, row);
            for (int d = 0; d < 6; ++d) {
                solve->loads[(6 * (size_t)frame + (size_t)d) * solve->rows + 3 * (size_t)v +
                             (size_t)k] = grid->masses[v] * row[d];
            }
        }
    }
    return SINEW_OK;
}

// Z = W^T B, then W := P W, loads in balance: what is left over is spread as inertia would.
static SinewStatus balance(Solve *solve, SinewError *error)
{
    const SnFramesGrid *grid = solve->def->grid;
    double inertia[36];
    if (!factor_inertia(solve, NULL, grid->center, inertia)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": its cells have no inertia about some axis, expected a solid",
                       solve->def->model->name);
    }
    memset(solve->Z, 0, 6 * solve->columns * sizeof *solve->Z);
    for (size_t c = 0; c < solve->columns; ++c) {
        double *load = solve->loads + c * solve->rows, *sum = solve->Z + 6 * c, share[6], B[18];
        for (int pass = 0; pass < 2; ++pass) {
            for (int v = 0; v < grid->cubes.mesh->vertex_count; ++v) {
                double *f = load + 3 * (size_t)v;
                rigid_rows(grid->cubes.mesh->positions + 3 * (size_t)v, grid->center, B);
                double mass = solve->used[v] ? grid->masses[v] : 0.0;
                for (int n = 0; n < 18; ++n) {
                    if (pass == 0) {
                        sum[n % 6] += B[n] * f[n / 6];
                    } else {
                        f[n / 6] -= mass * B[n] * share[n % 6];
                    }
                }
            }
            memcpy(share, sum, sizeof share);
            sn_dense_forward(inertia, 6, share);
            sn_dense_backward(inertia, 6, share);
        }
    }
    return SINEW_OK;
}

void sn_flexibility_assemble(const SnFramesGrid *grid, const SnMaterial *materials,
                             const bool *members, double *value)
{
    const SnHexMesh *mesh = grid->cubes.mesh;
    int material = -1;
    double K[576], identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    for (int e = 0; e < mesh->hex_count; ++e) {
        if (members != NULL && !members[e]) {
            continue;
        }
        if (grid->materials[e] != material) {
            material = grid->materials[e];
            const SnLaw *law = &materials[material].law;
            SnCell cell = {SINEW_LATTICE_WILSON, grid->cubes.edge, law->mu, law->lambda, 1.0};
            SnCellTangent tangent = sn_cell_linearise(&cell, identity, true);
            sn_cell_matrix(&cell, &tangent, K);
        }
        double factor = sn_frames_grid_stiffness(grid, e);
        const int *corners = mesh->hexes + 8 * (size_t)e;
        for (int n = 0; n < 64; ++n) {
            double *block =
                value + 9 * (size_t)sn_frames_grid_entry(grid, corners[n / 8], corners[n % 8]);
            for (int i = 0; i < 9; ++i) {
                block[i] += factor * K[24 * (3 * (n / 8) + i / 3) + 3 * (n % 8) + i % 3];
            }
        }
    }
}

void sn_flexibility_turn(const SnFramesGrid *grid, double *vector, size_t rows, bool back)
{
    for (size_t i = 0; i < rows; i += 3) {
        double v[3] = {vector[i], vector[i + 1], vector[i + 2]};
        for (int k = 0; k < 3; ++k) {
            const double *a = grid->axes;
            vector[i + (size_t)k] =
                back ? a[k] * v[0] + a[3 + k] * v[1] + a[6 + k] * v[2]
                     : a[3 * k] * v[0] + a[3 * k + 1] * v[1] + a[3 * k + 2] * v[2];
        }
    }
}

static int farthest(const Solve *solve, const double *from, const double *along)
{
    const SnFramesGrid *grid = solve->def->grid;
    double best = -1.0;
    int found = 0;
    for (int v = 0; v < grid->cubes.mesh->vertex_count; ++v) {
        const double *X = grid->cubes.mesh->positions + 3 * (size_t)v;
        double r[3] = {X[0] - from[0], X[1] - from[1], X[2] - from[2]};
        double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        double dot = r[0] * along[0] + r[1] * along[1] + r[2] * along[2];
        if (solve->used[v] && square - dot * dot > best) {
            best = square - dot * dot;
            found = v;
        }
    }
    return found;
}

// Springs at a vertex along a direction given in space, or in all but that one.
static void add_springs(const SnFramesGrid *grid, int vertex, double stiffness,
                        const double direction[3], bool across, double *value)
{
    double *block = value + 9 * (size_t)sn_frames_grid_entry(grid, vertex, vertex);
    double d[3] = {direction[0], direction[1], direction[2]};
    sn_flexibility_turn(grid, d, 3, false);
    for (int i = 0; i < 9; ++i) {
        double one = d[i / 3] * d[i % 3];
        block[i] += stiffness * (across ? (i % 4 == 0 ? 1.0 : 0.0) - one : one);
    }
}

// Three vertices wide apart hold the body by six springs, which loads in balance do not feel.
// Vertices of no cube stand alone.
static void hold(const Solve *solve, double *value)
{
    const SnFramesGrid *grid = solve->def->grid;
    const double *positions = grid->cubes.mesh->positions;
    double none[3] = {0.0, 0.0, 0.0}, along[3], to[3], normal[3], length = 0.0, most = 0.0;
    int a = farthest(solve, grid->center, none);
    int b = farthest(solve, positions + 3 * (size_t)a, none);
    sn_point_minus(positions + 3 * (size_t)b, positions + 3 * (size_t)a, along);
    length = sn_point_length(along);
    for (int k = 0; k < 3; ++k) {
        along[k] /= length;
    }
    int c = farthest(solve, positions + 3 * (size_t)a, along);
    sn_point_minus(positions + 3 * (size_t)c, positions + 3 * (size_t)a, to);
    sn_point_cross(along, to, normal);
    length = sn_point_length(normal);
    for (int k = 0; k < 3; ++k) {
        normal[k] /= length;
    }
    for (int v = 0; v < grid->cubes.mesh->vertex_count; ++v) {
        most = fmax(most, value[9 * (size_t)sn_frames_grid_entry(grid, v, v)]);
    }
    for (int v = 0; v < grid->cubes.mesh->vertex_count; ++v) {
        if (!solve->used[v]) {
            add_springs(grid, v, most, none, true, value);
        }
    }
    add_springs(grid, a, most, none, true, value);
    add_springs(grid, b, most, along, true, value);
    add_springs(grid, c, most, normal, false, value);
}

static SinewStatus solve_moves(Solve *solve, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnFramesGrid *grid = solve->def->grid;
    int count = grid->cubes.mesh->vertex_count;
    size_t size = solve->rows * solve->columns;
    double *value = NULL;

    SN_ALLOC_ZERO(value, solve->allocator, 9 * (size_t)grid->row_start[count], error);
    sn_flexibility_assemble(grid, solve->def->model->materials->materials, solve->def->members,
                            value);
    hold(solve, value);
    SnSparse matrix = {count, 3, grid->row_start, grid->column, value};
    memcpy(solve->moves, solve->loads, size * sizeof *solve->moves);
    sn_flexibility_turn(grid, solve->moves, size, false);
    SN_TRY(sn_frames_direct_solve(solve->def->model, &matrix, (int)solve->columns, solve->moves,
                                  error));
    sn_flexibility_turn(grid, solve->moves, size, true);

done:
    sn_free(solve->allocator, value);
    return status;
}

// A = (P W)^T K^-1 P W.
static void find_compliance(Solve *solve)
{
    for (size_t r = 0; r < solve->columns; ++r) {
        for (size_t c = 0; c <= r; ++c) {
            double sum = 0.0;
            for (size_t i = 0; i < solve->rows; ++i) {
                sum += solve->loads[r * solve->rows + i] * solve->moves[c * solve->rows + i];
            }
            solve->A[r * solve->columns + c] = sum;
            solve->A[c * solve->columns + r] = sum;
        }
    }
}

// Rows of X := A^-1 X, A factored.
static void solve_rows(const double *L, size_t n, size_t rows, double *X)
{
    for (size_t r = 0; r < rows; ++r) {
        sn_dense_forward(L, (int)n, X + r * n);
        sn_dense_backward(L, (int)n, X + r * n);
    }
}

// Adds a multiple of Z Z^T, which makes A definite, and factors it.
static bool factor_compliance(Solve *solve)
{
    size_t n = solve->columns;
    double trace = 0.0, square = 0.0;
    for (size_t i = 0; i < n; ++i) {
        trace += solve->A[i * n + i];
    }
    for (size_t i = 0; i < 6 * n; ++i) {
        square += solve->Z[i] * solve->Z[i];
    }
    for (size_t i = 0; i < n * n; ++i) {
        const double *a = solve->Z + 6 * (i / n), *b = solve->Z + 6 * (i % n);
        for (int d = 0; d < 6; ++d) {
            solve->A[i] += trace / square * a[d] * b[d];
        }
    }
    return sn_dense_factor(solve->A, (int)n);
}

// K is the leading block of [A Z; Z^T 0]^-1, which Z Z^T added to A does not change:
// K = A^-1 - A^-1 Z (Z^T A^-1 Z)^-1 Z^T A^-1. AZ is room for six rows.
static bool invert(Solve *solve, double *K, double *AZ)
{
    size_t n = solve->columns;
    double small[36];
    if (!factor_compliance(solve)) {
        return false;
    }
    memset(K, 0, n * n * sizeof *K);
    for (size_t r = 0; r < n; ++r) {
        K[r * n + r] = 1.0;
        for (size_t d = 0; d < 6; ++d) {
            AZ[d * n + r] = solve->Z[6 * r + d];
        }
    }
    solve_rows(solve->A, n, n, K);
    solve_rows(solve->A, n, 6, AZ);
    for (size_t i = 0; i < 36; ++i) {
        small[i] = 0.0;
        for (size_t r = 0; r < n; ++r) {
            small[i] += solve->Z[6 * r + i / 6] * AZ[(i % 6) * n + r];
        }
    }
    if (!sn_dense_factor(small, 6)) {
        return false;
    }
    for (size_t r = 0; r < n; ++r) {
        double y[6];
        for (size_t d = 0; d < 6; ++d) {
            y[d] = AZ[d * n + r];
        }
        solve_rows(small, 6, 1, y);
        for (size_t c = 0; c < n; ++c) {
            for (size_t d = 0; d < 6; ++d) {
                K[r * n + c] -= y[d] * AZ[d * n + c];
            }
        }
    }
    for (size_t r = 0; r < n; ++r) { // symmetric to the last bit
        for (size_t c = 0; c < r; ++c) {
            K[r * n + c] = K[c * n + r] = 0.5 * (K[r * n + c] + K[c * n + r]);
        }
    }
    return true;
}

static SinewStatus make_room(Solve *solve, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnFlexibilityDef *def = solve->def;
    const SnHexMesh *mesh = def->grid->cubes.mesh;
    SN_ALLOC_ZERO(solve->used, solve->allocator, mesh->vertex_count, error);
    SN_ALLOC_ZERO(solve->parts, solve->allocator, mesh->vertex_count, error);
    SN_ALLOC_ZERO(solve->loads, solve->allocator, solve->rows * solve->columns, error);
    SN_ALLOC_ZERO(solve->moves, solve->allocator, solve->rows * solve->columns, error);
    SN_ALLOC_ZERO(solve->A, solve->allocator, solve->columns * solve->columns, error);
    SN_ALLOC_ZERO(solve->Z, solve->allocator, 6 * solve->columns, error);
    for (int e = 0; e < mesh->hex_count; ++e) {
        for (int c = 0; c < 8; ++c) {
            solve->used[mesh->hexes[8 * (size_t)e + (size_t)c]] +=
                def->members == NULL || def->members[e];
        }
    }

done:
    return status;
}

SinewStatus sn_flexibility_find(const SnFlexibilityDef *def, double **out_K, double **out_Z,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Solve solve = {.def = def,
                   .allocator = def->model->allocator,
                   .rows = 3 * (size_t)def->grid->cubes.mesh->vertex_count,
                   .columns = 6 * (size_t)def->frame_count};
    double *K = NULL, *AZ = NULL;

    SN_TRY(make_room(&solve, error));
    SN_ALLOC(K, solve.allocator, solve.columns * solve.columns, error);
    SN_ALLOC(AZ, solve.allocator, 6 * solve.columns, error);
    for (int i = 0; i < def->frame_count; ++i) {
        SN_TRY(spread_wrenches(&solve, i, error));
    }
    SN_TRY(balance(&solve, error));
    SN_TRY(solve_moves(&solve, error));
    find_compliance(&solve);
    if (!invert(&solve, K, AZ)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": its %d frames do not move independently of each other, "
                       "expected fewer, or farther from each other",
                       def->model->name, def->frame_count));
    }
    *out_K = K;
    *out_Z = solve.Z;
    K = solve.Z = NULL;

done:
    sn_free(solve.allocator, K);
    sn_free(solve.allocator, AZ);
    sn_free(solve.allocator, solve.used);
    sn_free(solve.allocator, solve.parts);
    sn_free(solve.allocator, solve.loads);
    sn_free(solve.allocator, solve.moves);
    sn_free(solve.allocator, solve.A);
    sn_free(solve.allocator, solve.Z);
    return status;
}
