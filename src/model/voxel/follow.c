// Places and velocities of points inside cells.
#include "model/voxel/sites.h"

enum { GRAIN = 256 }; // nodes or points a range

typedef struct Following {
    const SnVoxelBody *body;
    const SnVoxelPoints *points;
    const SnVoxelPose *poses;
    double *out;
} Following;

// A node: the mean of c + R (X + N u) over its cells.
static void follow_node(const Following *job, int n)
{
    const SnVoxelPoints *points = job->points;
    double *out = points->node_places + 3 * (size_t)n, local[3];
    int first = points->site_start[n], last = points->site_start[n + 1];
    double share = 1.0 / (last - first);
    out[0] = out[1] = out[2] = 0.0;
    for (int s = first; s < last; ++s) {
        const SnVoxelPose *pose = &job->poses[points->sites[s].cell];
        sn_voxel_site_local(job->body, &points->sites[s], pose->u, local);
        sn_voxel_add_world(pose->rotation, share, local, out);
        for (int i = 0; i < 3; ++i) {
            out[i] += share * pose->center[i];
        }
    }
}

static void node_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    for (int n = begin; n < end; ++n) {
        follow_node(context, n);
    }
}

static void due_node_range(void *context, int begin, int end, int worker)
{
    const Following *job = context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        follow_node(job, job->points->due_nodes[i]);
    }
}

static void follow_point(const Following *job, int p)
{
    const SnVoxelPoints *points = job->points;
    const int *nodes = points->nodes + 8 * (size_t)p;
    const double *weights = points->weights + 8 * (size_t)p;
    double *out = job->out + 3 * (size_t)p;
    out[0] = out[1] = out[2] = 0.0;
    for (int c = 0; c < 8; ++c) {
        const double *y = points->node_places + 3 * (size_t)nodes[c];
        out[0] += weights[c] * y[0];
        out[1] += weights[c] * y[1];
        out[2] += weights[c] * y[2];
    }
    if (points->distances[p] > 0.0) {
        sn_voxel_add_world(job->poses[points->cells[p]].rotation, 1.0,
                           points->offsets + 3 * (size_t)p, out);
    }
}

static void point_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    for (int p = begin; p < end; ++p) {
        follow_point(context, p);
    }
}

static void due_point_range(void *context, int begin, int end, int worker)
{
    const Following *job = context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        follow_point(job, job->points->near.due_points[i]);
    }
}

void sn_voxel_points_follow_due(const SnVoxelBody *body, SnWorkers *workers,
                                const SnVoxelPoints *points, int node_count,
                                const SnVoxelPose *poses)
{
    Following job = {body, points, poses, points->places};
    sn_parallel_for(workers, node_count, GRAIN, due_node_range, &job);
    sn_parallel_for(workers, points->near.due_count, GRAIN, due_point_range, &job);
}

void sn_voxel_points_follow(const SnVoxelBody *body, SnWorkers *workers,
                            const SnVoxelPoints *points, const SnVoxelPose *poses, double *out_x)
{
    Following job = {body, points, poses, out_x};
    sn_parallel_for(workers, points->node_count, GRAIN, node_range, &job);
    sn_parallel_for(workers, points->count, GRAIN, point_range, &job);
}

// The velocity of a node: the mean of R N R^T v over its cells.
static void node_velocities(const SnVoxelBody *body, const SnVoxelPoints *points)
{
    const double *v = body->state.velocities;
    for (int n = 0; n < points->node_count; ++n) {
        double *out = points->node_places + 3 * (size_t)n;
        int first = points->site_start[n], last = points->site_start[n + 1];
        out[0] = out[1] = out[2] = 0.0;
        for (int s = first; s < last; ++s) {
            const SnVoxelSite *site = &points->sites[s];
            const double *R = body->state.rotations + 9 * (size_t)site->cell;
            SnVoxelSite still = {site->cell, site->number, {0.0, 0.0, 0.0}};
            double u[SN_VOXEL_DOFS], local[3];
            for (int a = 0; a < 8; ++a) {
                int vertex = body->grid.corners[8 * (size_t)site->cell + (size_t)a];
                sn_voxel_to_cell(R, v + 3 * (size_t)vertex, u + 3 * a);
            }
            sn_voxel_site_local(body, &still, u, local);
            sn_voxel_add_world(R, 1.0 / (last - first), local, out);
        }
    }
}

void sn_voxel_points_place(const void *body_, const void *points_, double *out_x, double *out_v)
{
    const SnVoxelBody *body = body_;
    const SnVoxelPoints *points = points_;
    if (out_v != NULL || points->skin == NULL) {
        sn_voxel_pose_cells(body, body->workers, body->state.positions, body->state.rotations,
                            sn_voxel_turns_usual(body), body->room.poses);
    }
    if (out_v != NULL) {
        Following job = {body, points, body->room.poses, out_v};
        node_velocities(body, points);
        point_range(&job, 0, points->count, 0);
        for (int p = 0; p < points->count; ++p) {
            // What was added for points outside is a place, not a velocity.
            if (points->distances[p] > 0.0) {
                sn_voxel_add_world(body->room.poses[points->cells[p]].rotation, -1.0,
                                   points->offsets + 3 * (size_t)p, out_v + 3 * (size_t)p);
            }
        }
    }
    if (points->skin != NULL) {
        sn_voxel_skin_place(body, points, out_x);
        return;
    }
    sn_voxel_points_follow(body, body->workers, points, body->room.poses, out_x);
}
