// Products with the stiffness of points in contact, J^T S J; see system.h.
#include "model/voxel/sites.h"
#include "model/voxel/system.h"

#include <string.h>

// Lists a number once.
static void list(int number, bool *marks, int *numbers, int *count)
{
    if (!marks[number]) {
        marks[number] = true;
        numbers[(*count)++] = number;
    }
}

void sn_voxel_touch_prepare(const SnVoxelPoints *points, SnVoxelTouch *touch)
{
    touch->node_count = touch->cell_count = 0;
    for (int a = 0; a < points->active_count; ++a) {
        int p = points->active[a];
        for (int c = 0; c < 8; ++c) {
            list(points->nodes[8 * (size_t)p + (size_t)c], touch->marks, touch->nodes,
                 &touch->node_count);
        }
    }
    for (int n = 0; n < touch->node_count; ++n) {
        touch->marks[touch->nodes[n]] = false;
    }
    for (int n = 0; n < touch->node_count; ++n) {
        int node = touch->nodes[n];
        for (int s = points->site_start[node]; s < points->site_start[node + 1]; ++s) {
            list(points->sites[s].cell, touch->marks, touch->cells, &touch->cell_count);
        }
    }
    for (int c = 0; c < touch->cell_count; ++c) {
        touch->marks[touch->cells[c]] = false;
    }
}

static void add_cross(const double a[3], const double b[3], double scale, double out[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] += scale * (a[j] * b[k] - a[k] * b[j]);
    }
}

// What a move of the corners does to a cell: the change of u as h, and its turn as s.
static SnVoxelPull change_cell(const SnVoxelBody *body, int cell, bool exact, const float *move)
{
    const SnVoxelPose *pose = &body->room.poses[cell];
    const double *omega = sn_voxel_grid_cell(&body->grid, cell)->omega;
    const int *corners = body->grid.corners + 8 * (size_t)cell;
    SnVoxelPull change = {{0.0}, {0.0}};
    double w[3] = {0.0, 0.0, 0.0};
    for (int a = 0; a < 8; ++a) {
        const float *v = move + 4 * (size_t)corners[a];
        double moved[3] = {(double)v[0], (double)v[1], (double)v[2]};
        sn_voxel_to_cell(pose->rotation, moved, change.h + 3 * a);
    }
    if (!pose->turns || !exact) {
        return change;
    }
    for (int i = 0; i < 3 * SN_VOXEL_DOFS; ++i) {
        w[i / SN_VOXEL_DOFS] += omega[i] * change.h[i % SN_VOXEL_DOFS];
    }
    for (int i = 0; i < 9; ++i) {
        change.s[i / 3] += pose->turn[i] * w[i % 3];
    }
    for (int a = 0; a < 8; ++a) {
        double y[3];
        for (int i = 0; i < 3; ++i) {
            y[i] = sn_voxel_corner(&body->grid, a, i) + pose->u[3 * a + i];
        }
        add_cross(change.s, y, -1.0, change.h + 3 * a);
    }
    return change;
}

// How far a node goes: the mean over its cells of R (N du + w x y).
static void move_node(const SnVoxelBody *body, const SnVoxelPoints *points, int n,
                      const SnVoxelPull *changes, double out[3])
{
    int first = points->site_start[n], last = points->site_start[n + 1];
    out[0] = out[1] = out[2] = 0.0;
    for (int s = first; s < last; ++s) {
        const SnVoxelSite *site = &points->sites[s];
        const SnVoxelPose *pose = &body->room.poses[site->cell];
        const SnVoxelPull *change = &changes[site->cell];
        SnVoxelSite still = {site->cell, site->number, {0.0, 0.0, 0.0}};
        double local[3], at[3];
        sn_voxel_site_local(body, &still, change->h, local);
        sn_voxel_site_local(body, site, pose->u, at);
        add_cross(change->s, at, 1.0, local);
        sn_voxel_add_world(pose->rotation, 1.0 / (last - first), local, out);
    }
}

// S times how far a point goes.
static void push_back(const SnVoxelBody *body, const SnVoxelPoints *points, int p,
                      const SnVoxelPull *changes, double out[3])
{
    const int *nodes = points->nodes + 8 * (size_t)p;
    const double *weights = points->weights + 8 * (size_t)p;
    const double *S = points->forces[p].stiffness;
    double move[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < 8; ++c) {
        const double *node = points->node_places + 3 * (size_t)nodes[c];
        for (int i = 0; i < 3; ++i) {
            move[i] += weights[c] * node[i];
        }
    }
    if (points->distances[p] > 0.0) {
        double local[3] = {0.0, 0.0, 0.0};
        add_cross(changes[points->cells[p]].s, points->offsets + 3 * (size_t)p, 1.0, local);
        sn_voxel_add_world(body->room.poses[points->cells[p]].rotation, 1.0, local, move);
    }
    for (int i = 0; i < 3; ++i) {
        out[i] = S[3 * i] * move[0] + S[3 * i + 1] * move[1] + S[3 * i + 2] * move[2];
    }
}

// Adds what a pull does to a cell's corners.
static void add_out(const SnVoxelProblem *problem, int cell, const SnVoxelLevel *level)
{
    const SnVoxelRoom *room = &problem->body->room;
    float *out = level->out + SN_VOXEL_OUT * (size_t)cell;
    double f[SN_VOXEL_DOFS];
    sn_voxel_pull_spread(problem->body, cell, &room->poses[cell], problem->exact,
                         &room->pulls[cell], f);
    for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
        out[4 * (j / 3) + j % 3] += (float)f[j];
    }
}

void sn_voxel_touch_apply(void *context, const SnVoxelLevel *level)
{
    const SnVoxelProblem *problem = context;
    const SnVoxelBody *body = problem->body;
    const SnVoxelRoom *room = &body->room;
    const SnVoxelPoints *points = sn_voxel_contact_points(problem);
    const SnVoxelTouch *touch = &points->touch;
    double f[3];
    for (int c = 0; c < touch->cell_count; ++c) {
        int cell = touch->cells[c];
        room->changes[cell] = change_cell(body, cell, problem->exact, level->p);
        room->pulls[cell] = (SnVoxelPull){{0.0}, {0.0}};
    }
    for (int n = 0; n < touch->node_count; ++n) {
        size_t at = 3 * (size_t)touch->nodes[n];
        move_node(body, points, touch->nodes[n], room->changes, points->node_places + at);
        memset(points->node_forces + at, 0, 3 * sizeof *points->node_forces);
    }
    for (int a = 0; a < points->active_count; ++a) {
        push_back(body, points, points->active[a], room->changes, f);
        sn_voxel_push_point(points, points->active[a], f, room->poses, room->pulls);
    }
    for (int n = 0; n < touch->node_count; ++n) {
        sn_voxel_pull_node(body, points, touch->nodes[n], room->poses, room->pulls);
    }
    for (int c = 0; c < touch->cell_count; ++c) {
        add_out(problem, touch->cells[c], level);
    }
}
