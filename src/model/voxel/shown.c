// Many points at once, in float: surfaces that are shown. Cells say where the nodes inside them
// are, nodes take the mean of their cells, points the weighted mean of eight nodes. Everything is
// measured from the body's middle, so that floats resolve it wherever the body is.
#include "model/voxel/potential.h"

#include <string.h>

enum { SITE_GRAIN = 512, NODE_GRAIN = 512, POINT_GRAIN = 1024 };

// Turns that find rotations from those of the last step to a float's last bits.
enum { SHOWN_TURNS = 4 };

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
    SN_ALLOC(points->shown, &body->allocator, (SN_VOXEL_SITE + 8) * sites + 8 * count + 4 * nodes,
             error);
    SN_ALLOC(points->site_cells, &body->allocator, sites, error);
    points->shown_shapes = points->shown;
    points->shown_rest = points->shown_shapes + SN_VOXEL_SITE * sites;
    points->shown_local = points->shown_rest + 4 * sites;
    points->shown_weights = points->shown_local + 4 * sites;
    points->shown_nodes = points->shown_weights + 8 * count;
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
            points->shown_nodes[4 * (size_t)n + (size_t)i] = share * sum[i];
        }
        points->shown_nodes[4 * (size_t)n + 3] = 0.0f;
    }
}

static void point_range(void *context, int begin, int end, int worker)
{
    const Showing *job = context;
    const SnVoxelPoints *points = job->points;
    SnVoxelShown shown = {points->nodes, points->shown_weights, points->shown_nodes, job->middle,
                          job->out};
    (void)worker;
    job->body->kernels->voxel->show(&shown, begin, end);
    for (int p = begin; p < end; ++p) {
        if (points->distances[p] > 0.0) {
            const float *R = job->body->system.rotations + 9 * (size_t)points->cells[p];
            const double *d = points->offsets + 3 * (size_t)p;
            double *out = job->out + 3 * (size_t)p;
            for (int i = 0; i < 3; ++i) {
                out[i] += (double)R[3 * i] * d[0] + (double)R[3 * i + 1] * d[1] +
                          (double)R[3 * i + 2] * d[2];
            }
        }
    }
}

// Displacements and centres of cells from their planes, from the middle of the body.
static void round_poses(Showing *job)
{
    const SnVoxelBody *body = job->body;
    const double *x = body->state.positions;
    for (int v = 0; v < body->grid.vertex_count; ++v) {
        for (int i = 0; i < 3; ++i) {
            job->middle[i] += x[3 * (size_t)v + (size_t)i] / body->grid.vertex_count;
        }
    }
    for (size_t e = 0; e < (size_t)body->grid.cell_count; ++e) {
        const double *first = x + 3 * (size_t)body->grid.corners[8 * e];
        const float *planes = sn_voxel_planes(body, e);
        for (size_t i = 0; i < 3; ++i) {
            body->system.centers[3 * e + i] =
                (float)(first[i] - job->middle[i] +
                        (double)planes[SN_VOXEL_GROUP * (SN_VOXEL_PLANE_MEAN + i)]);
        }
        for (size_t j = 0; j < SN_VOXEL_NUMBERS; ++j) {
            body->system.shown[SN_VOXEL_NUMBERS * e + j] = planes[SN_VOXEL_GROUP * j];
        }
    }
}

void sn_voxel_shown_place(const SnVoxelBody *body, const SnVoxelPoints *points, double *out_x)
{
    Showing job = {.body = body, .points = points, .out = out_x};
    sn_voxel_lanes_pose(body, body->workers, body->state.positions, body->state.rotations,
                        SHOWN_TURNS);
    round_poses(&job);
    sn_parallel_for(body->workers, points->site_start[points->node_count], SITE_GRAIN, site_range,
                    &job);
    sn_parallel_for(body->workers, points->node_count, NODE_GRAIN, node_range, &job);
    sn_parallel_for(body->workers, points->count, POINT_GRAIN, point_range, &job);
}
