#include "model/voxel/warp.h"

#include "model/voxel/grip.h"
#include "model/voxel/system.h"

#include <math.h>
#include <string.h>

// Vectors that GMRES builds a direction from at most, and cuts of a move before it is none.
enum { BASIS_MOST = 80, CUTS_MAX = 12, CELL_GRAIN = 64 };

// How well a direction is solved for, and how well what would be left is known.
#define DIRECTION_TOLERANCE 1e-4
#define LEFT_TOLERANCE 0.05

// A cell at the pose of the linearisation.
typedef struct SnVoxelWarpCell {
    double rotation[9];
    double y[SN_VOXEL_DOFS]; // m, corners in its frame
    double g[SN_VOXEL_DOFS]; // N, K u
    double edges[3]; // m, of the mean edges along x and y: x of the first, x and y of the other
} SnVoxelWarpCell;

// Room -------------------------------------------------------------------------------------------

void sn_voxel_warp_release(SnVoxelWarp *warp, const SinewAllocator *allocator)
{
    sn_free(allocator, warp->cells);
    sn_free(allocator, warp->basis);
    *warp = (SnVoxelWarp){0};
}

static SinewStatus make_room(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelWarp *warp = &body->system.warp;
    if (warp->cells == NULL) {
        SN_ALLOC(warp->cells, &body->allocator, (size_t)body->grid.cell_count, error);
    }
    if (warp->basis == NULL) {
        SN_ALLOC(warp->basis, &body->allocator, (BASIS_MOST + 2) * sn_voxel_dofs(body), error);
    }

done:
    return status;
}

// The matrix -------------------------------------------------------------------------------------

static double corner_sign(int corner, int axis)
{
    return corner >> (2 - axis) & 1 ? 0.25 : -0.25;
}

static void keep_cell(const SnVoxelBody *body, int e, SnVoxelWarpCell *out)
{
    const SnVoxelPose *pose = &body->room.poses[e];
    const double *K = sn_voxel_grid_cell(&body->grid, e)->stiffness;
    memcpy(out->rotation, pose->rotation, sizeof out->rotation);
    memset(out->edges, 0, sizeof out->edges);
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        out->y[j] = sn_voxel_corner(&body->grid, j / 3, j % 3) + pose->u[j];
        out->g[j] = 0.0;
        for (int k = 0; k < SN_VOXEL_DOFS; ++k) {
            out->g[j] += K[j * SN_VOXEL_DOFS + k] * pose->u[k];
        }
    }
    for (int c = 0; c < 8; ++c) {
        out->edges[0] += corner_sign(c, 0) * out->y[3 * c];
        out->edges[1] += corner_sign(c, 1) * out->y[3 * c];
        out->edges[2] += corner_sign(c, 1) * out->y[3 * c + 1];
    }
}

typedef struct Job {
    const SnVoxelBody *body;
    const double *v;
} Job;

static void keep_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    for (int e = begin; e < end; ++e) {
        keep_cell(job->body, e, &job->body->system.warp.cells[e]);
    }
}

// How a cell turns where its corners move by w, in its frame. With the mean edges' changes a and b
// along x and y, R^T dE = [theta] E + a triangle above the diagonal: what is below it says theta.
// Cells too flat for that keep their rotation.
static void find_turn(const SnVoxelWarpCell *cell, double edge, const double w[SN_VOXEL_DOFS],
                      double theta[3])
{
    double a[3] = {0.0, 0.0, 0.0}, b[3] = {0.0, 0.0, 0.0};
    theta[0] = theta[1] = theta[2] = 0.0;
    if (!(cell->edges[0] > 1e-9 * edge && cell->edges[2] > 1e-9 * edge)) {
        return;
    }
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        a[j % 3] += corner_sign(j / 3, 0) * w[j];
        b[j % 3] += corner_sign(j / 3, 1) * w[j];
    }
    theta[1] = -a[2] / cell->edges[0];
    theta[2] = a[1] / cell->edges[0];
    theta[0] = (b[2] + theta[1] * cell->edges[1]) / cell->edges[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

// E v of cells: what their turn changes.
static void turn_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnVoxelBody *body = job->body;
    (void)worker;
    for (int e = begin; e < end; ++e) {
        const SnVoxelWarpCell *cell = &body->system.warp.cells[e];
        const double *R = cell->rotation, *K = sn_voxel_grid_cell(&body->grid, e)->stiffness;
        double w[SN_VOXEL_DOFS], h[SN_VOXEL_DOFS], theta[3];
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            const double *v =
                job->v + 3 * (size_t)body->grid.corners[8 * (size_t)e + (size_t)(j / 3)];
            w[j] = R[j % 3] * v[0] + R[3 + j % 3] * v[1] + R[6 + j % 3] * v[2];
        }
        find_turn(cell, body->grid.edge, w, theta);
        for (int c = 0; c < 8; ++c) {
            cross(theta, cell->y + 3 * c, w + 3 * c);
            cross(theta, cell->g + 3 * c, h + 3 * c);
        }
        for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
            h[i / SN_VOXEL_DOFS] -= K[i] * w[i % SN_VOXEL_DOFS];
        }
        double *out = body->room.cell_force + SN_VOXEL_DOFS * (size_t)e;
        for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
            const double *r = R + 3 * (i % 3), *f = h + i / 3 * 3;
            out[i] = r[0] * f[0] + r[1] * f[1] + r[2] * f[2];
        }
    }
}

// out = (1 + A^-1 E) v, held components as they are.
static SinewStatus apply(const SnVoxelProblem *problem, const double *v, double *out,
                         SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelBody *body = problem->body;
    Job job = {body, v};
    size_t count = sn_voxel_dofs(body);
    sn_parallel_for(problem->workers, body->grid.cell_count, CELL_GRAIN, turn_range, &job);
    sn_voxel_gather_forces(body, problem->workers, body->room.cell_force, out);
    for (size_t i = 0; i < count; ++i) {
        out[i] = sn_voxel_holds(body, i) ? 0.0 : out[i];
    }
    sn_voxel_grip_filter(body, out);
    SN_TRY(sn_voxel_system_solve(problem, out, error));
    for (size_t i = 0; i < count; ++i) {
        out[i] += v[i];
    }

done:
    return status;
}

// GMRES ------------------------------------------------------------------------------------------

static double dot(size_t count, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// Hessenberg's matrix, made triangular by rotations as it grows, and the right side with it.
typedef struct Triangle {
    double columns[BASIS_MOST][BASIS_MOST + 1];
    double cosines[BASIS_MOST], sines[BASIS_MOST];
    double right[BASIS_MOST + 1];
} Triangle;

static void rotate(double c, double s, double *a, double *b)
{
    double first = c * *a + s * *b;
    *b = c * *b - s * *a;
    *a = first;
}

// Takes the last column in; answers what is left of the right side.
static double close_column(Triangle *t, int j)
{
    double *h = t->columns[j];
    for (int i = 0; i < j; ++i) {
        rotate(t->cosines[i], t->sines[i], &h[i], &h[i + 1]);
    }
    double size = sqrt(h[j] * h[j] + h[j + 1] * h[j + 1]);
    t->cosines[j] = size > 0.0 ? h[j] / size : 1.0;
    t->sines[j] = size > 0.0 ? h[j + 1] / size : 0.0;
    rotate(t->cosines[j], t->sines[j], &h[j], &h[j + 1]);
    rotate(t->cosines[j], t->sines[j], &t->right[j], &t->right[j + 1]);
    return fabs(t->right[j + 1]);
}

// x = sum of the first vectors with the numbers that the triangle says.
static void combine(size_t count, const double *basis, Triangle *t, int columns, double *x)
{
    memset(x, 0, count * sizeof *x);
    for (int i = columns - 1; i >= 0; --i) {
        for (int j = i + 1; j < columns; ++j) {
            t->right[i] -= t->columns[j][i] * t->right[j];
        }
        t->right[i] = t->columns[i][i] != 0.0 ? t->right[i] / t->columns[i][i] : 0.0;
    }
    for (int j = 0; j < columns; ++j) {
        const double *v = basis + (size_t)j * count;
        for (size_t i = 0; i < count; ++i) {
            x[i] += t->right[j] * v[i];
        }
    }
}

// x = -(A + E)^-1 residual, with the room's residual, to a share of -A^-1 residual. Answers |x|.
static SinewStatus correct(const SnVoxelProblem *problem, double tolerance, double *x,
                           double *out_size, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelBody *body = problem->body;
    size_t count = sn_voxel_dofs(body);
    double *basis = body->system.warp.basis;
    Triangle triangle = {.right = {0.0}};
    int columns = 0;
    sn_voxel_fill_right(body);
    memcpy(basis, body->room.right, count * sizeof *basis);
    SN_TRY(sn_voxel_system_solve(problem, basis, error));
    double first = sqrt(dot(count, basis, basis)), left = first, length = first;
    triangle.right[0] = first;
    while (columns < BASIS_MOST && left > tolerance * first && length > 0.0) {
        double *v = basis + (size_t)columns * count, *next = v + count;
        double *h = triangle.columns[columns];
        for (size_t i = 0; i < count; ++i) {
            v[i] /= length;
        }
        SN_TRY(apply(problem, v, next, error));
        for (int k = 0; k <= columns; ++k) {
            const double *b = basis + (size_t)k * count;
            h[k] = dot(count, b, next);
            for (size_t i = 0; i < count; ++i) {
                next[i] -= h[k] * b[i];
            }
        }
        length = h[columns + 1] = sqrt(dot(count, next, next));
        left = close_column(&triangle, columns);
        columns += 1;
    }
    combine(count, basis, &triangle, columns, x);
    *out_size = sqrt(dot(count, x, x));

done:
    return status;
}

// The search -------------------------------------------------------------------------------------

// How far to go where a move of that length would be corrected too much: the correction grows with
// the length's square beside what is left of the direction.
static double shorten(size_t count, double length, double size, const double *direction,
                      const double *left)
{
    double square = 0.0;
    for (size_t i = 0; i < count; ++i) {
        double grown = left[i] - (1.0 - length) * direction[i];
        square += grown * grown;
    }
    double best = 0.5 * length * length * size / sqrt(square);
    return isfinite(best) ? fmin(fmax(best, 0.1 * length), 0.5 * length) : 0.1 * length;
}

static void accept(const SnVoxelProblem *problem, SnVoxelValue *value)
{
    const SnVoxelRoom *room = &problem->body->room;
    memcpy(room->move, room->trial, sn_voxel_dofs(problem->body) * sizeof *room->move);
    sn_voxel_accept(problem);
    if (sn_voxel_grip_settle(problem, false, room->move, room->move)) {
        *value = sn_voxel_potential(problem, room->move);
        sn_voxel_accept(problem);
    }
}

SinewStatus sn_voxel_warp_search(const SnVoxelProblem *problem, SnVoxelValue *value,
                                 bool *out_moved, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelBody *body = problem->body;
    const SnVoxelRoom *room = &body->room;
    size_t count = sn_voxel_dofs(body);
    Job job = {body, NULL};
    double size, left_size;
    *out_moved = false;

    SN_TRY(make_room(body, error));
    double *left = body->system.warp.basis + (BASIS_MOST + 1) * count;
    sn_parallel_for(problem->workers, body->grid.cell_count, CELL_GRAIN, keep_range, &job);
    SN_TRY(sn_voxel_system_factor(problem, false, error));
    SN_TRY(correct(problem, DIRECTION_TOLERANCE, room->direction, &size, error));
    double length = sn_voxel_first_length(body, sn_voxel_longest(body));
    for (int cut = 0; cut < CUTS_MAX && isfinite(size); ++cut) {
        for (size_t i = 0; i < count; ++i) {
            room->trial[i] = room->move[i] + length * room->direction[i];
        }
        SnVoxelValue trial = sn_voxel_potential(problem, room->trial);
        bool solved = trial.allowed && trial.residual <= problem->tolerance * trial.scale;
        left_size = INFINITY;
        if (trial.allowed && !solved) {
            SN_TRY(correct(problem, LEFT_TOLERANCE, left, &left_size, error));
        }
        if (solved || left_size <= (1.0 - 0.25 * length) * size) {
            *value = trial;
            accept(problem, value);
            *out_moved = true;
            goto done;
        }
        problem->report->line_search_cuts += 1;
        length = isfinite(left_size) ? shorten(count, length, size, room->direction, left)
                                     : 0.1 * length;
    }
    *value = sn_voxel_potential(problem, room->move);

done:
    return status;
}
