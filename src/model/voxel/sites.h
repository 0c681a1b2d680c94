// Nodes of contents where cells have them: their shape functions, and vectors between a cell's
// frame and the world. Shared by what places points and what pulls at them.
#ifndef SN_MODEL_VOXEL_SITES_H
#define SN_MODEL_VOXEL_SITES_H

#include "model/voxel/body.h"

static inline const float *sn_voxel_site_shape(const SnVoxelBody *body, const SnVoxelSite *site)
{
    return sn_voxel_grid_cell(&body->grid, site->cell)->shapes +
           3 * SN_VOXEL_DOFS * (size_t)site->number;
}

// X + N u, in the cell's frame.
static inline void sn_voxel_site_local(const SnVoxelBody *body, const SnVoxelSite *site,
                                       const double *u, double out[3])
{
    const float *shape = sn_voxel_site_shape(body, site);
    double x = site->rest[0], y = site->rest[1], z = site->rest[2]; // side by side, not in turn
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        x += (double)shape[j] * u[j];
        y += (double)shape[SN_VOXEL_DOFS + j] * u[j];
        z += (double)shape[2 * SN_VOXEL_DOFS + j] * u[j];
    }
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

// out += scale * R v.
static inline void sn_voxel_add_world(const double R[9], double scale, const double v[3],
                                      double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] += scale * (R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2]);
    }
}

// R^T v.
static inline void sn_voxel_to_cell(const double R[9], const double v[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
    }
}

// Places of the points that are due, by their nodes, which are listed.
void sn_voxel_points_follow_due(const SnVoxelBody *body, SnWorkers *workers,
                                const SnVoxelPoints *points, int node_count,
                                const SnVoxelPose *poses);

// A force at a point to its nodes' forces, and to its cell where the point is outside.
void sn_voxel_push_point(const SnVoxelPoints *points, int p, const double f[3],
                         const SnVoxelPose *poses, SnVoxelPull *pulls);

// The force of a node to its cells.
void sn_voxel_pull_node(const SnVoxelBody *body, const SnVoxelPoints *points, int n,
                        const SnVoxelPose *poses, SnVoxelPull *pulls);

#endif
