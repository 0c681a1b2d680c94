// The derivative of the forces of the cells, with the change of their rotations. A move w of the
// corners, in the cell's frame, rotates the cell by theta = T w with T = turn omega, and changes u
// by w - theta x y with y = X + u. Forces F at places q = p + N u of the content, turned with the
// cell, have the potential -F . q. With g the gradient of the potential by the corners, the second
// variation of a cell's potential is
//
//     w' K w + 2 theta' E w + theta' D theta
//     E w     = -Y' K w + G w - sum w x g                 Y theta = theta x y,  G w = sum F x N w
//     D theta = Y' K Y theta - (G Y + Y' G') theta + Q theta
//     Q       = sum sym(g y') - y.g - sym(F q') + q.F
//
// so the matrix of the cell is K + T' E' + E'' T with E' = E + D T / 2: six rows beside K.
#include "model/voxel/sites.h"
#include "model/voxel/system.h"

#include <string.h>

enum { CELL_GRAIN = 64 };

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

// out += scale (sym(a b') - a.b).
static void add_turning(double scale, const double a[3], const double b[3], double out[9])
{
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    for (int i = 0; i < 9; ++i) {
        out[i] +=
            scale * (0.5 * (a[i / 3] * b[i % 3] + b[i / 3] * a[i % 3]) - (i % 4 == 0 ? dot : 0.0));
    }
}

// Forces on the content --------------------------------------------------------------------------

// A force on a node, by one of its cells.
static void twist_site(const SnVoxelBody *body, const SnVoxelSite *site, const double force[3],
                       double share)
{
    const SnVoxelPose *pose = &body->room.poses[site->cell];
    SnVoxelTwist *twist = &body->room.twists[site->cell];
    const float *shape = sn_voxel_site_shape(body, site);
    double F[3], at[3];
    sn_voxel_to_cell(pose->rotation, force, F);
    for (int i = 0; i < 3; ++i) {
        F[i] *= share;
    }
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        double N[3] = {(double)shape[j], (double)shape[SN_VOXEL_DOFS + j],
                       (double)shape[2 * SN_VOXEL_DOFS + j]};
        twist->G[j] += F[1] * N[2] - F[2] * N[1];
        twist->G[SN_VOXEL_DOFS + j] += F[2] * N[0] - F[0] * N[2];
        twist->G[2 * SN_VOXEL_DOFS + j] += F[0] * N[1] - F[1] * N[0];
    }
    sn_voxel_site_local(body, site, pose->u, at);
    add_turning(-1.0, F, at, twist->Q);
}

// The forces at points of the last evaluation: they are still at the nodes.
static void twist_nodes(const SnVoxelBody *body, const SnVoxelPoints *points)
{
    for (int n = 0; n < points->node_count; ++n) {
        const double *f = points->node_forces + 3 * (size_t)n;
        int first = points->site_start[n], last = points->site_start[n + 1];
        for (int s = first; s < last && (f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0); ++s) {
            twist_site(body, &points->sites[s], f, 1.0 / (last - first));
        }
    }
}

// A force at a point that is outside.
static void twist_offset(const SnVoxelBody *body, const SnVoxelPoints *points, int p, double scale,
                         const double force[3])
{
    int cell = points->cells[p];
    double F[3];
    if (points->distances[p] > 0.0) {
        sn_voxel_to_cell(body->room.poses[cell].rotation, force, F);
        add_turning(-scale, F, points->offsets + 3 * (size_t)p, body->room.twists[cell].Q);
    }
}

static void twist_cells(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    const SnStep *step = problem->step;
    memset(body->room.twists, 0, (size_t)body->grid.cell_count * sizeof *body->room.twists);
    for (int l = 0; l < step->load_count; ++l) {
        const SnVoxelPoints *points = step->loads[l].points;
        twist_nodes(body, points);
        for (int p = 0; p < points->count; ++p) {
            twist_offset(body, points, p, problem->share, step->loads[l].forces + 3 * (size_t)p);
        }
    }
    if (step->contacts != NULL) {
        const SnVoxelPoints *points = step->contacts->points;
        twist_nodes(body, points);
        for (int a = 0; a < points->active_count; ++a) {
            int p = points->active[a];
            twist_offset(body, points, p, 1.0, points->forces[p].force);
        }
    }
}

// The content's weight, as a force on its mass.
static void twist_weight(const SnVoxelProblem *problem, int e, SnVoxelTwist *twist)
{
    const SnVoxelCell *cell = sn_voxel_grid_cell(&problem->body->grid, e);
    const SnVoxelPose *pose = &problem->body->room.poses[e];
    double F[3], at[3] = {cell->moment[0], cell->moment[1], cell->moment[2]};
    sn_voxel_to_cell(pose->rotation, problem->step->gravity, F);
    for (int i = 0; i < 3; ++i) {
        F[i] *= problem->share;
    }
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        double moment[3];
        cross(F, cell->weight + 3 * j, moment);
        for (int i = 0; i < 3; ++i) {
            twist->G[i * SN_VOXEL_DOFS + j] += moment[i];
            at[i] += cell->weight[3 * j + i] * pose->u[j];
        }
    }
    add_turning(-1.0, F, at, twist->Q);
}

// The six rows -----------------------------------------------------------------------------------

// Y, a column for each axis, and Q with what the corners add to it.
static void find_arms(const SnVoxelBody *body, int e, double Y[3 * SN_VOXEL_DOFS], double Q[9])
{
    const SnVoxelPose *pose = &body->room.poses[e];
    const double *g = body->room.gradients + SN_VOXEL_DOFS * (size_t)e;
    for (int a = 0; a < 8; ++a) {
        double y[3];
        for (int i = 0; i < 3; ++i) {
            y[i] = sn_voxel_corner(&body->grid, a, i) + pose->u[3 * a + i];
        }
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            double *arm = Y + i * SN_VOXEL_DOFS + 3 * a; // the axis i times y
            arm[i] = 0.0;
            arm[j] = -y[k];
            arm[k] = y[j];
        }
        add_turning(1.0, g + 3 * a, y, Q);
    }
}

static double dot_dofs(const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// E = -Y' K + G - sum w x g, and D.
static void find_rows(const SnVoxelBody *body, int e, const SnVoxelTwist *twist,
                      double E[3 * SN_VOXEL_DOFS], double D[9])
{
    const double *K = sn_voxel_grid_cell(&body->grid, e)->stiffness;
    const double *g = body->room.gradients + SN_VOXEL_DOFS * (size_t)e;
    double Y[3 * SN_VOXEL_DOFS];
    memcpy(D, twist->Q, sizeof twist->Q);
    find_arms(body, e, Y, D);
    memset(E, 0, 3 * SN_VOXEL_DOFS * sizeof *E);
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        for (int i = 0; i < 3; ++i) {
            double arm = Y[i * SN_VOXEL_DOFS + j];
            for (int c = 0; c < SN_VOXEL_DOFS && arm != 0.0; ++c) {
                E[i * SN_VOXEL_DOFS + c] -= K[j * SN_VOXEL_DOFS + c] * arm;
            }
        }
    }
    for (int n = 0; n < 9; ++n) {
        int i = n / 3, k = n % 3;
        D[n] -= dot_dofs(E + i * SN_VOXEL_DOFS, Y + k * SN_VOXEL_DOFS) +
                dot_dofs(twist->G + i * SN_VOXEL_DOFS, Y + k * SN_VOXEL_DOFS) +
                dot_dofs(twist->G + k * SN_VOXEL_DOFS, Y + i * SN_VOXEL_DOFS);
    }
    for (int n = 0; n < SN_VOXEL_DOFS; ++n) {
        int a = n / 3, i = n % 3, j = (i + 1) % 3, k = (i + 2) % 3;
        E[i * SN_VOXEL_DOFS + 3 * a + j] -= g[3 * a + k];
        E[i * SN_VOXEL_DOFS + 3 * a + k] += g[3 * a + j];
    }
    for (int n = 0; n < 3 * SN_VOXEL_DOFS; ++n) {
        E[n] += twist->G[n];
    }
}

bool sn_voxel_tangent_find(const SnVoxelProblem *problem, int e, double T[3 * SN_VOXEL_DOFS],
                           double E[3 * SN_VOXEL_DOFS])
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelPose *pose = &body->room.poses[e];
    const double *omega = sn_voxel_grid_cell(&body->grid, e)->omega;
    SnVoxelTwist twist = body->room.twists[e];
    double D[9];
    if (!pose->turns) {
        return false;
    }
    twist_weight(problem, e, &twist);
    find_rows(body, e, &twist, E, D);
    for (int n = 0; n < 3 * SN_VOXEL_DOFS; ++n) {
        const double *turn = pose->turn + n / SN_VOXEL_DOFS * 3;
        const double *column = omega + n % SN_VOXEL_DOFS;
        T[n] = turn[0] * column[0] + turn[1] * column[SN_VOXEL_DOFS] +
               turn[2] * column[2 * SN_VOXEL_DOFS];
    }
    for (int n = 0; n < 3 * SN_VOXEL_DOFS; ++n) {
        const double *d = D + n / SN_VOXEL_DOFS * 3, *column = T + n % SN_VOXEL_DOFS;
        E[n] += 0.5 * (d[0] * column[0] + d[1] * column[SN_VOXEL_DOFS] +
                       d[2] * column[2 * SN_VOXEL_DOFS]);
    }
    return true;
}

// Inertia ----------------------------------------------------------------------------------------

// Masses and damping are turned as cells are at the start of the step, matrices as they are. What
// that changes is small but for cells that rotate by more than this cosine: nearly empty ones may.
#define FAR_COSINE 0.95

bool sn_voxel_tangent_is_far(const SnVoxelProblem *problem, int e)
{
    const double *R = problem->body->room.poses[e].rotation;
    const double *start = problem->body->state.rotations + 9 * (size_t)e;
    double trace = 0.0;
    for (int i = 0; i < 9; ++i) {
        trace += R[i] * start[i];
    }
    return problem->dynamic && 0.5 * (trace - 1.0) < FAR_COSINE;
}

double sn_voxel_tangent_inertia(const SnVoxelProblem *problem, int e, int entry)
{
    const SnVoxelCell *cell = sn_voxel_grid_cell(&problem->body->grid, e);
    bool damps = cell->damping != NULL && !problem->one_turn;
    return problem->a_rate * cell->mass[entry] +
           (damps ? problem->v_rate * cell->damping[entry] : 0.0);
}

// Adds scale R W R^T p of the corners.
static void add_inertia(const SnVoxelProblem *problem, int e, const double R[9], double scale,
                        const float p[SN_VOXEL_OUT], float out[SN_VOXEL_OUT])
{
    double local[SN_VOXEL_DOFS], f[SN_VOXEL_DOFS] = {0.0};
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        const float *at = p + i / 3 * 4;
        local[i] =
            R[i % 3] * (double)at[0] + R[3 + i % 3] * (double)at[1] + R[6 + i % 3] * (double)at[2];
    }
    for (int n = 0; n < SN_VOXEL_MATRIX; ++n) {
        f[n / SN_VOXEL_DOFS] += sn_voxel_tangent_inertia(problem, e, n) * local[n % SN_VOXEL_DOFS];
    }
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        const double *r = R + i % 3 * 3, *g = f + i / 3 * 3;
        out[i / 3 * 4 + i % 3] += (float)(scale * (r[0] * g[0] + r[1] * g[1] + r[2] * g[2]));
    }
}

// Products ---------------------------------------------------------------------------------------

typedef struct Job {
    const SnVoxelProblem *problem;
    const SnVoxelLevel *level;
} Job;

// Rows for vectors of the world, four numbers a corner.
static void turn_rows(const double R[9], const double *rows, float *out)
{
    for (int n = 0; n < 3 * SN_VOXEL_DOFS; ++n) {
        int row = n / SN_VOXEL_DOFS, a = n % SN_VOXEL_DOFS / 3, i = n % 3;
        const double *local = rows + row * SN_VOXEL_DOFS + 3 * a, *r = R + 3 * i;
        out[row * SN_VOXEL_OUT + 4 * a + i] =
            (float)(local[0] * r[0] + local[1] * r[1] + local[2] * r[2]);
    }
}

static void prepare_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnVoxelBody *body = job->problem->body;
    (void)worker;
    for (int e = begin; e < end; ++e) {
        SnVoxelTangent *tangent = &body->system.tangents[e];
        double T[3 * SN_VOXEL_DOFS], E[3 * SN_VOXEL_DOFS];
        *tangent = (SnVoxelTangent){0};
        tangent->is_far = sn_voxel_tangent_is_far(job->problem, e);
        if (sn_voxel_tangent_find(job->problem, e, T, E)) {
            turn_rows(body->room.poses[e].rotation, T, tangent->T);
            turn_rows(body->room.poses[e].rotation, E, tangent->E);
        }
    }
}

void sn_voxel_tangent_begin(const SnVoxelProblem *problem)
{
    twist_cells(problem);
}

void sn_voxel_tangent_prepare(const SnVoxelProblem *problem)
{
    Job job = {problem, NULL};
    twist_cells(problem);
    sn_parallel_for(problem->workers, problem->body->grid.cell_count, CELL_GRAIN, prepare_range,
                    &job);
}

static float dot_quads(const float *a, const float *b)
{
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int c = 0; c < SN_VOXEL_OUT; c += 4) {
        for (int k = 0; k < 4; ++k) {
            sum[k] += a[c + k] * b[c + k];
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static void add_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnVoxelBody *body = job->problem->body;
    (void)worker;
    for (size_t e = (size_t)begin; e < (size_t)end; ++e) {
        const SnVoxelTangent *t = &body->system.tangents[e];
        const int *corners = body->grid.corners + 8 * e;
        float *out = job->level->out + SN_VOXEL_OUT * e, p[SN_VOXEL_OUT];
        for (int c = 0; c < 8; ++c) {
            memcpy(p + 4 * c, job->level->p + 4 * (size_t)corners[c], 4 * sizeof *p);
        }
        for (int i = 0; i < 3; ++i) {
            const float *T = t->T + i * SN_VOXEL_OUT, *E = t->E + i * SN_VOXEL_OUT;
            float a = dot_quads(T, p), b = dot_quads(E, p);
            for (int k = 0; k < SN_VOXEL_OUT; ++k) {
                out[k] += T[k] * b + E[k] * a;
            }
        }
        if (t->is_far) {
            add_inertia(job->problem, (int)e, body->state.rotations + 9 * e, 1.0, p, out);
            add_inertia(job->problem, (int)e, body->room.poses[e].rotation, -1.0, p, out);
        }
    }
}

void sn_voxel_tangent_apply(void *context, const SnVoxelLevel *level, SnWorkers *workers)
{
    Job job = {context, level};
    sn_voxel_level_apply(level, workers);
    sn_parallel_for(workers, level->cell_count, CELL_GRAIN, add_range, &job);
}
