// Products with the stiffness of points in contact, J^T S J; see system.h. J is found once per
// linearisation, as rows beside the cells of each point that is stiff: products then cost the same
// however many nodes of contents are behind a point.
#include "model/voxel/sites.h"
#include "model/voxel/system.h"

#include <string.h>

enum { ROWS = 3 * SN_VOXEL_DOFS };

// Where a point is in a cell's frame by the nodes that the cell has, as a share of the whole: N of
// the nodes into `shape`, and their places into `at`.
static void find_place(const SnVoxelBody *body, const SnVoxelPoints *points, int p, int cell,
                       double shape[ROWS], double at[3])
{
    const SnVoxelPose *pose = &body->room.poses[cell];
    memset(shape, 0, ROWS * sizeof *shape);
    at[0] = at[1] = at[2] = 0.0;
    for (size_t c = 0; c < 8; ++c) {
        int node = points->nodes[8 * (size_t)p + c];
        int first = points->site_start[node], last = points->site_start[node + 1];
        double weight = points->weights[8 * (size_t)p + c] / (last - first);
        for (int s = first; s < last; ++s) {
            const SnVoxelSite *site = &points->sites[s];
            if (site->cell != cell || weight == 0.0) {
                continue;
            }
            const float *N = sn_voxel_site_shape(body, site);
            for (int j = 0; j < ROWS; ++j) {
                shape[j] += weight * (double)N[j];
            }
            for (int i = 0; i < 3; ++i) {
                at[i] += weight * site->rest[i];
            }
        }
    }
    for (int j = 0; j < ROWS; ++j) {
        at[j / SN_VOXEL_DOFS] += shape[j] * pose->u[j % SN_VOXEL_DOFS];
    }
    if (points->distances[p] > 0.0 && points->cells[p] == cell) {
        const double *offset = points->offsets + 3 * (size_t)p;
        for (int i = 0; i < 3; ++i) {
            at[i] += offset[i];
        }
    }
}

// What forces of one at a point, along the world's axes, do to the corners of one of its cells.
static void find_rows(const SnVoxelProblem *problem, const SnVoxelPoints *points, int p, int cell,
                      double out[ROWS])
{
    const SnVoxelBody *body = problem->body;
    const SnVoxelPose *pose = &body->room.poses[cell];
    double shape[ROWS], at[3];
    find_place(body, points, p, cell, shape, at);
    for (int axis = 0; axis < 3; ++axis) {
        const double *f = pose->rotation + 3 * axis; // R^T e
        SnVoxelPull pull = {.s = {at[1] * f[2] - at[2] * f[1], at[2] * f[0] - at[0] * f[2],
                                  at[0] * f[1] - at[1] * f[0]}};
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            pull.h[j] = shape[j] * f[0] + shape[SN_VOXEL_DOFS + j] * f[1] +
                        shape[2 * SN_VOXEL_DOFS + j] * f[2];
        }
        sn_voxel_pull_spread(body, cell, pose, problem->exact, &pull, out + SN_VOXEL_DOFS * axis);
    }
}

void sn_voxel_touch_prepare(const SnVoxelProblem *problem, SnVoxelPoints *points)
{
    for (int a = 0; a < points->active_count; ++a) {
        int p = points->active[a];
        for (int c = points->cell_start[p]; c < points->cell_start[p + 1]; ++c) {
            find_rows(problem, points, p, points->point_cells[c],
                      points->touch.rows + ROWS * (size_t)c);
        }
    }
}

// Adds how far a point goes as the corners of a cell do.
static void add_move(const SnVoxelLevel *level, int cell, const double *rows, double move[3])
{
    const int *corners = level->corners + 8 * (size_t)cell;
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        double p = (double)level->p[4 * (size_t)corners[j / 3] + (size_t)(j % 3)];
        move[0] += rows[j] * p;
        move[1] += rows[SN_VOXEL_DOFS + j] * p;
        move[2] += rows[2 * SN_VOXEL_DOFS + j] * p;
    }
}

static void add_force(const SnVoxelLevel *level, int cell, const double *rows, const double f[3])
{
    float *out = level->out + SN_VOXEL_OUT * (size_t)cell;
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        out[4 * (j / 3) + j % 3] += (float)(rows[j] * f[0] + rows[SN_VOXEL_DOFS + j] * f[1] +
                                            rows[2 * SN_VOXEL_DOFS + j] * f[2]);
    }
}

void sn_voxel_touch_apply(void *context, const SnVoxelLevel *level)
{
    const SnVoxelPoints *points = sn_voxel_contact_points(context);
    for (int a = 0; a < points->active_count; ++a) {
        int p = points->active[a];
        const double *S = points->forces[p].stiffness;
        double move[3] = {0.0, 0.0, 0.0}, f[3];
        for (int c = points->cell_start[p]; c < points->cell_start[p + 1]; ++c) {
            add_move(level, points->point_cells[c], points->touch.rows + ROWS * (size_t)c, move);
        }
        for (int i = 0; i < 3; ++i) {
            f[i] = S[3 * i] * move[0] + S[3 * i + 1] * move[1] + S[3 * i + 2] * move[2];
        }
        for (int c = points->cell_start[p]; c < points->cell_start[p + 1]; ++c) {
            add_force(level, points->point_cells[c], points->touch.rows + ROWS * (size_t)c, f);
        }
    }
}
