// Forces at points inside cells, taken back to the cells.
#include "model/voxel/sites.h"

#include <string.h>

enum { GRAIN = 256 }; // points a range

static void add_cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] += a[j] * b[k] - a[k] * b[j];
    }
}

// A force on a node, by one of its cells. What rounding of N in float leaves of it goes to all
// corners, so that no force is lost.
static void pull_site(const SnVoxelBody *body, const SnVoxelSite *site, const SnVoxelPose *pose,
                      const double force[3], double share, SnVoxelPull *pull)
{
    const float *shape = sn_voxel_site_shape(body, site);
    double f[3], local[3], left[3];
    sn_voxel_to_cell(pose->rotation, force, f);
    for (int i = 0; i < 3; ++i) {
        f[i] *= share;
        left[i] = f[i];
    }
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        double h = (double)shape[j] * f[0] + (double)shape[SN_VOXEL_DOFS + j] * f[1] +
                   (double)shape[2 * SN_VOXEL_DOFS + j] * f[2];
        pull->h[j] += h;
        left[j % 3] -= h;
    }
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        pull->h[j] += 0.125 * left[j % 3];
    }
    sn_voxel_site_local(body, site, pose->u, local);
    add_cross(local, f, pull->s);
}

void sn_voxel_pull_node(const SnVoxelBody *body, const SnVoxelPoints *points, int n,
                        const SnVoxelPose *poses, SnVoxelPull *pulls)
{
    const double *f = points->node_forces + 3 * (size_t)n;
    int first = points->site_start[n], last = points->site_start[n + 1];
    if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0) {
        return;
    }
    for (int s = first; s < last; ++s) {
        int cell = points->sites[s].cell;
        pull_site(body, &points->sites[s], &poses[cell], f, 1.0 / (last - first), &pulls[cell]);
    }
}

static void pull_nodes(const SnVoxelBody *body, const SnVoxelPoints *points,
                       const SnVoxelPose *poses, SnVoxelPull *pulls)
{
    for (int n = 0; n < points->node_count; ++n) {
        sn_voxel_pull_node(body, points, n, poses, pulls);
    }
}

void sn_voxel_push_point(const SnVoxelPoints *points, int p, const double f[3],
                         const SnVoxelPose *poses, SnVoxelPull *pulls)
{
    const int *nodes = points->nodes + 8 * (size_t)p;
    const double *weights = points->weights + 8 * (size_t)p;
    for (int c = 0; c < 8; ++c) {
        double *out = points->node_forces + 3 * (size_t)nodes[c];
        out[0] += weights[c] * f[0];
        out[1] += weights[c] * f[1];
        out[2] += weights[c] * f[2];
    }
    if (points->distances[p] > 0.0) {
        double local[3];
        sn_voxel_to_cell(poses[points->cells[p]].rotation, f, local);
        add_cross(points->offsets + 3 * (size_t)p, local, pulls[points->cells[p]].s);
    }
}

double sn_voxel_points_pull(const SnVoxelBody *body, const SnVoxelPoints *points, double scale,
                            const double *forces, const SnVoxelPose *poses, SnVoxelPull *pulls)
{
    double work = 0.0;
    sn_voxel_points_follow(body, body->workers, points, poses, points->places);
    memset(points->node_forces, 0, 3 * (size_t)points->node_count * sizeof(double));
    for (int p = 0; p < points->count; ++p) {
        double f[3];
        for (int i = 0; i < 3; ++i) {
            f[i] = scale * forces[3 * (size_t)p + (size_t)i];
            work += f[i] * points->places[3 * (size_t)p + (size_t)i];
        }
        sn_voxel_push_point(points, p, f, poses, pulls);
    }
    pull_nodes(body, points, poses, pulls);
    return work;
}

void sn_voxel_points_pull_one(const SnVoxelBody *body, const SnVoxelPoints *points, int point,
                              int axis, const SnVoxelPose *poses, const int *cells, int cell_count,
                              SnVoxelPull *pulls)
{
    const int *nodes = points->nodes + 8 * (size_t)point;
    double force[3] = {axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
    for (int c = 0; c < cell_count; ++c) {
        pulls[cells[c]] = (SnVoxelPull){0};
    }
    for (int c = 0; c < 8; ++c) {
        memset(points->node_forces + 3 * (size_t)nodes[c], 0, 3 * sizeof(double));
    }
    sn_voxel_push_point(points, point, force, poses, pulls);
    for (int c = 0; c < 8; ++c) {
        sn_voxel_pull_node(body, points, nodes[c], poses, pulls);
    }
}

typedef struct Evaluating {
    const SnPointForces *contacts;
    const SnVoxelPoints *points;
} Evaluating;

static void evaluate_range(void *context, int begin, int end, int worker)
{
    const Evaluating *job = context;
    (void)worker;
    job->contacts->evaluate(job->contacts->context, begin, end, job->points->places,
                            job->points->forces + begin);
}

static bool is_stiff(const SnPointForce *force)
{
    for (int i = 0; i < 9; ++i) {
        if (force->stiffness[i] != 0.0) {
            return true;
        }
    }
    return false;
}

static void evaluate_near(void *context, int begin, int end, int worker)
{
    const Evaluating *job = context;
    (void)worker;
    job->contacts->evaluate_listed(job->contacts->context, job->points->near.points + begin,
                                   end - begin, job->points->places, job->points->forces);
}

// Takes the force of a point, and returns its energy.
static double take_point(SnVoxelPoints *points, int p, const SnVoxelPose *poses, SnVoxelPull *pulls)
{
    const SnPointForce *force = &points->forces[p];
    if (force->force[0] != 0.0 || force->force[1] != 0.0 || force->force[2] != 0.0) {
        sn_voxel_push_point(points, p, force->force, poses, pulls);
    }
    if (is_stiff(force)) {
        points->active[points->active_count++] = p;
    }
    return force->energy;
}

double sn_voxel_points_evaluate(const SnVoxelBody *body, SnWorkers *workers,
                                const SnPointForces *contacts, const SnVoxelPose *poses,
                                SnVoxelPull *pulls)
{
    // The model made these points, and their room is its own.
    SnVoxelPoints *points = (SnVoxelPoints *)(uintptr_t)contacts->points;
    Evaluating job = {contacts, points};
    double energy = 0.0;
    memset(points->node_forces, 0, 3 * (size_t)points->node_count * sizeof(double));
    points->active_count = 0;
    if (contacts->clearances == NULL) {
        sn_voxel_points_follow(body, workers, points, poses, points->places);
        sn_parallel_for(workers, contacts->count, GRAIN, evaluate_range, &job);
        for (int p = 0; p < contacts->count; ++p) {
            energy += take_point(points, p, poses, pulls);
        }
    } else {
        sn_voxel_points_find(body, workers, contacts, poses);
        sn_parallel_for(workers, points->near.count, GRAIN, evaluate_near, &job);
        for (int i = 0; i < points->near.count; ++i) {
            energy += take_point(points, points->near.points[i], poses, pulls);
        }
    }
    pull_nodes(body, points, poses, pulls);
    return energy;
}
