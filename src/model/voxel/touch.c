// The stiffness of points in contact in the linear systems.
#include "model/voxel/system.h"

#include <string.h>

SnVoxelPointBlock sn_voxel_point_block(const SnVoxelBody *body, const SnVoxelPoints *points,
                                       int index)
{
    SnVoxelPointBlock block;
    int p = points->active[index];
    const double *S = points->forces[p].stiffness;
    block.cell = points->cells[p];
    const double *R = body->room.poses[block.cell].rotation;
    sn_voxel_points_shape(body, points, p, block.shape);
    for (int i = 0; i < 9; ++i) {
        double sum = 0.0;
        for (int k = 0; k < 9; ++k) {
            sum += R[3 * (k / 3) + i / 3] * S[k] * R[3 * (k % 3) + i % 3];
        }
        block.stiffness[i] = sum;
    }
    return block;
}

// Adds what contact does to the corners of its cells.
void sn_voxel_touch_apply(void *context, const SnVoxelLevel *level)
{
    const SnVoxelProblem *problem = context;
    const SnVoxelBody *body = problem->body;
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    for (int p = 0; p < points->active_count; ++p) {
        SnVoxelPointBlock block = sn_voxel_point_block(body, points, p);
        const double *R = body->room.poses[block.cell].rotation;
        const int *corners = body->grid.corners + 8 * (size_t)block.cell;
        double at[3] = {0.0}, f[3] = {0.0};
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            const float *v = level->p + 4 * (size_t)corners[j / 3];
            double u =
                R[j % 3] * (double)v[0] + R[3 + j % 3] * (double)v[1] + R[6 + j % 3] * (double)v[2];
            for (int i = 0; i < 3; ++i) {
                at[i] += block.shape[i * SN_VOXEL_DOFS + j] * u;
            }
        }
        for (int i = 0; i < 9; ++i) {
            f[i / 3] += block.stiffness[i] * at[i % 3];
        }
        float *out = level->out + SN_VOXEL_OUT * (size_t)block.cell;
        for (int c = 0; c < 8; ++c) {
            double h[3];
            for (int k = 0; k < 3; ++k) {
                const double *shape = block.shape + 3 * c + k;
                h[k] =
                    shape[0] * f[0] + shape[SN_VOXEL_DOFS] * f[1] + shape[2 * SN_VOXEL_DOFS] * f[2];
            }
            for (int i = 0; i < 3; ++i) {
                out[4 * c + i] +=
                    (float)(R[3 * i] * h[0] + R[3 * i + 1] * h[1] + R[3 * i + 2] * h[2]);
            }
        }
    }
}

// R S R^T of each corner's 3x3 part: the shape between vectors of the world.
static void turn_shape(const double R[9], const double *shape, double out[8][9])
{
    for (int c = 0; c < 8; ++c) {
        memset(out[c], 0, sizeof out[c]);
        sn_voxel_add_turned(R, shape + 3 * c, out[c]);
    }
}

void sn_voxel_touch_add(void *context, SnVoxelHierarchy *hierarchy)
{
    const SnVoxelProblem *problem = context;
    const SnVoxelBody *body = problem->body;
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    for (int p = 0; p < points->active_count; ++p) {
        SnVoxelPointBlock block = sn_voxel_point_block(body, points, p);
        const double *S = points->forces[points->active[p]].stiffness;
        double shape[8][9];
        float matrix[SN_VOXEL_ENTRIES];
        turn_shape(body->room.poses[block.cell].rotation, block.shape, shape);
        for (int i = 0; i < SN_VOXEL_ENTRIES; ++i) {
            int row = i / SN_VOXEL_NUMBERS, column = i % SN_VOXEL_NUMBERS;
            double sum = 0.0;
            for (int k = 0; k < 9; ++k) {
                sum += shape[row % 8][k / 3 * 3 + row / 8] * S[k] *
                       shape[column % 8][k % 3 * 3 + column / 8];
            }
            matrix[i] = (float)sum;
        }
        sn_voxel_hierarchy_add(hierarchy, &body->system.level, block.cell, matrix);
    }
}
