// The stiffness of points in contact for matrices that are stored cell by cell; see system.h.
#include "model/voxel/sites.h"
#include "model/voxel/system.h"

#include <string.h>

// Blocks of single cells -------------------------------------------------------------------------

// J_c of a point, in the cell's frame, with the cell as it is turned; answers its share.
static double find_shape(const SnVoxelBody *body, const SnVoxelPoints *points, int point, int cell,
                         double out[3 * SN_VOXEL_DOFS])
{
    const int *nodes = points->nodes + 8 * (size_t)point;
    const double *weights = points->weights + 8 * (size_t)point;
    double share = 0.0;
    memset(out, 0, 3 * SN_VOXEL_DOFS * sizeof *out);
    for (int c = 0; c < 8; ++c) {
        int first = points->site_start[nodes[c]], last = points->site_start[nodes[c] + 1];
        for (int s = first; s < last; ++s) {
            double weight = weights[c] / (last - first);
            if (points->sites[s].cell == cell && weight > 0.0) {
                const float *shape = sn_voxel_site_shape(body, &points->sites[s]);
                for (int j = 0; j < 3 * SN_VOXEL_DOFS; ++j) {
                    out[j] += weight * (double)shape[j];
                }
                share += weight;
            }
        }
    }
    return share;
}

// Whether a cell comes up among the point's nodes before the given site of its given node.
static bool was_seen(const SnVoxelPoints *points, int point, int node, int site)
{
    const int *nodes = points->nodes + 8 * (size_t)point;
    int cell = points->sites[site].cell;
    for (int c = 0; c <= node; ++c) {
        int last = c < node ? points->site_start[nodes[c] + 1] : site;
        for (int s = points->site_start[nodes[c]]; s < last; ++s) {
            if (points->sites[s].cell == cell) {
                return true;
            }
        }
    }
    return false;
}

static void visit_cell(const SnVoxelBody *body, const SnVoxelPoints *points, int p, int cell,
                       SnVoxelTakeBlock *take, void *context)
{
    const double *S = points->forces[p].stiffness;
    const double *R = body->room.poses[cell].rotation;
    SnVoxelPointBlock block = {.point = p, .cell = cell};
    double share = find_shape(body, points, p, cell, block.shape);
    if (!(share > 0.0)) {
        return;
    }
    for (int i = 0; i < 9; ++i) {
        double sum = 0.0;
        for (int k = 0; k < 9; ++k) {
            sum += R[3 * (k / 3) + i / 3] * S[k] * R[3 * (k % 3) + i % 3];
        }
        block.stiffness[i] = sum / share;
    }
    take(context, &block);
}

void sn_voxel_touch_visit(const SnVoxelBody *body, const SnVoxelPoints *points,
                          SnVoxelTakeBlock *take, void *context)
{
    for (int a = 0; a < points->active_count; ++a) {
        int p = points->active[a];
        const int *nodes = points->nodes + 8 * (size_t)p;
        for (int c = 0; c < 8; ++c) {
            for (int s = points->site_start[nodes[c]]; s < points->site_start[nodes[c] + 1]; ++s) {
                if (!was_seen(points, p, c, s)) {
                    visit_cell(body, points, p, points->sites[s].cell, take, context);
                }
            }
        }
    }
}

typedef struct Adding {
    const SnVoxelBody *body;
    SnVoxelHierarchy *hierarchy;
} Adding;

// The block between vectors of the world, axis by axis.
static void add_block(void *context, const SnVoxelPointBlock *block)
{
    const Adding *job = context;
    const double *R = job->body->room.poses[block->cell].rotation;
    double H[SN_VOXEL_MATRIX];
    float matrix[SN_VOXEL_ENTRIES];
    sn_voxel_point_matrix(block, H);
    for (int i = 0; i < 64; ++i) {
        int row = i / 8, column = i % 8;
        double turned[9] = {0.0};
        sn_voxel_add_turned(R, H + 3 * row * SN_VOXEL_DOFS + 3 * column, turned);
        for (int k = 0; k < 9; ++k) {
            matrix[(8 * (k / 3) + row) * SN_VOXEL_NUMBERS + 8 * (k % 3) + column] =
                (float)turned[k];
        }
    }
    sn_voxel_hierarchy_add(job->hierarchy, &job->body->system.level, block->cell, matrix);
}

void sn_voxel_touch_add(void *context, SnVoxelHierarchy *hierarchy)
{
    const SnVoxelProblem *problem = context;
    Adding job = {problem->body, hierarchy};
    sn_voxel_touch_visit(problem->body, sn_voxel_contact_points(problem), add_block, &job);
}

void sn_voxel_point_matrix(const SnVoxelPointBlock *block, double out[SN_VOXEL_MATRIX])
{
    double part[3 * SN_VOXEL_DOFS];
    for (int i = 0; i < 3 * SN_VOXEL_DOFS; ++i) {
        const double *S = block->stiffness + i / SN_VOXEL_DOFS * 3;
        const double *shape = block->shape + i % SN_VOXEL_DOFS;
        part[i] = S[0] * shape[0] + S[1] * shape[SN_VOXEL_DOFS] + S[2] * shape[2 * SN_VOXEL_DOFS];
    }
    for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
        const double *a = block->shape + i / SN_VOXEL_DOFS, *b = part + i % SN_VOXEL_DOFS;
        out[i] = a[0] * b[0] + a[SN_VOXEL_DOFS] * b[SN_VOXEL_DOFS] +
                 a[2 * SN_VOXEL_DOFS] * b[2 * SN_VOXEL_DOFS];
    }
}
