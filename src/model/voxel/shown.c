// Many points at once, in float: surfaces that are shown. Cells say where the nodes inside them
// are, nodes take the mean of their cells, points the weighted mean of eight nodes. Everything is
// measured from the body's middle, so that floats resolve it wherever the body is.
#include "model/voxel/body.h"

#include <string.h>

enum { SITE_GRAIN = 512, NODE_GRAIN = 512, POINT_GRAIN = 2048 };

// Shapes with columns in the kernels' order, x y z and a zero each.
static void fill_site(const SnVoxelBody *body, const SnVoxelSite *site, float *shape, float *rest)
{
    const float *from = sn_voxel_grid_cell(&body->grid, site->cell)->shapes +
                        3 * SN_VOXEL_DOFS * (size_t)site->number;
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        float *column = shape + 4 * (8 * (j % 3) + j / 3);
        for (int i = 0; i < 3; ++i) {
            column[i] = from[i * SN_VOXEL_DOFS + j];
        }
        column[3] = 0.0f;
    }
    for (int i = 0; i < 4; ++i) {
        rest[i] = i < 3 ? (float)site->rest[i] : 0.0f;
    }
}

SinewStatus sn_voxel_shown_create(const SnVoxelBody *body, SnVoxelPoints *points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t sites = (size_t)points->site_start[points->node_count];
    size_t count = (size_t)points->count, nodes = (size_t)points->node_count;
    SN_ALLOC(points->shown, &body->allocator, (SN_VOXEL_SITE + 8) * sites + 11 * count + 3 * nodes,
             error);
    SN_ALLOC(points->site_cells, &body->allocator, sites, error);
    points->shown_shapes = points->shown;
    points->shown_rest = points->shown_shapes + SN_VOXEL_SITE * sites;
    points->shown_local = points->shown_rest + 4 * sites;
    points->shown_weights = points->shown_local + 4 * sites;
    points->shown_nodes = points->shown_weights + 8 * count;
    points->shown_points = points->shown_nodes + 3 * nodes;
    for (size_t s = 0; s < sites; ++s) {
        points->site_cells[s] = points->sites[s].cell;
        fill_site(body, &points->sites[s], points->shown_shapes + SN_VOXEL_SITE * s,
                  points->shown_rest + 4 * s);
    }
    for (size_t i = 0; i < 8 * count; ++i) {
        points->shown_weights[i] = (float)points->weights[i];
    }

done:
    return status;
}

typedef struct Showing {
    const SnVoxelBody *body;
    const SnVoxelPoints *points;
    double middle[3]; // m
    double *out;
} Showing;

static void site_range(void *context, int begin, int end, int worker)
{
    const Showing *job = context;
    const SnVoxelPoints *points = job->points;
    SnVoxelSites sites = {points->shown_shapes, points->site_cells, points->shown_rest,
                          job->body->system.shown, points->shown_local};
    (void)worker;
    job->body->kernels->voxel->place(&sites, begin, end);
}

static void node_range(void *context, int begin, int end, int worker)
{
    const Showing *job = context;
    const SnVoxelPoints *points = job->points;
    const SnVoxelSystem *system = &job->body->system;
    (void)worker;
    for (int n = begin; n < end; ++n) {
        int first = points->site_start[n], last = points->site_start[n + 1];
        float sum[3] = {0.0f, 0.0f, 0.0f}, share = 1.0f / (float)(last - first);
        for (int s = first; s < last; ++s) {
            const float *R = system->rotations + 9 * (size_t)points->site_cells[s];
            const float *c = system->centers + 3 * (size_t)points->site_cells[s];
            const float *y = points->shown_local + 4 * (size_t)s;
            for (int i = 0; i < 3; ++i) {
                sum[i] += c[i] + (R[3 * i] * y[0] + R[3 * i + 1] * y[1] + R[3 * i + 2] * y[2]);
            }
        }
        for (int i = 0; i < 3; ++i) {
            points->shown_nodes[3 * (size_t)n + (size_t)i] = share * sum[i];
        }
    }
}

static void point_range(void *context, int begin, int end, int worker)
{
    const Showing *job = context;
    const SnVoxelPoints *points = job->points;
    SnEmbedBatch batch = {points->nodes, points->shown_weights, points->shown_nodes,
                          points->shown_points};
    (void)worker;
    job->body->kernels->embed->eight(&batch, begin, end);
    for (int p = begin; p < end; ++p) {
        double *out = job->out + 3 * (size_t)p;
        for (int i = 0; i < 3; ++i) {
            out[i] = job->middle[i] + (double)points->shown_points[3 * (size_t)p + (size_t)i];
        }
        if (points->distances[p] > 0.0) {
            const double *R = job->body->room.poses[points->cells[p]].rotation;
            const double *d = points->offsets + 3 * (size_t)p;
            for (int i = 0; i < 3; ++i) {
                out[i] += R[3 * i] * d[0] + R[3 * i + 1] * d[1] + R[3 * i + 2] * d[2];
            }
        }
    }
}

// Poses of cells in float, from the middle of the body.
static void round_poses(Showing *job)
{
    const SnVoxelBody *body = job->body;
    const SnVoxelSystem *system = &body->system;
    for (int e = 0; e < body->grid.cell_count; ++e) {
        for (int i = 0; i < 3; ++i) {
            job->middle[i] += body->room.poses[e].center[i] / body->grid.cell_count;
        }
    }
    for (int e = 0; e < body->grid.cell_count; ++e) {
        const SnVoxelPose *pose = &body->room.poses[e];
        for (int i = 0; i < 9; ++i) {
            system->rotations[9 * (size_t)e + (size_t)i] = (float)pose->rotation[i];
        }
        for (int i = 0; i < 3; ++i) {
            system->centers[3 * (size_t)e + (size_t)i] = (float)(pose->center[i] - job->middle[i]);
        }
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            system->shown[SN_VOXEL_DOFS * (size_t)e + (size_t)(8 * (j % 3) + j / 3)] =
                (float)pose->u[j];
        }
    }
}

void sn_voxel_shown_place(const SnVoxelBody *body, const SnVoxelPoints *points, double *out_x)
{
    Showing job = {.body = body, .points = points, .out = out_x};
    round_poses(&job);
    sn_parallel_for(body->workers, points->site_start[points->node_count], SITE_GRAIN, site_range,
                    &job);
    sn_parallel_for(body->workers, points->node_count, NODE_GRAIN, node_range, &job);
    sn_parallel_for(body->workers, points->count, POINT_GRAIN, point_range, &job);
}
