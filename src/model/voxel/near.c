// The points of a body that may feel a force: how far points move from one evaluation to the next,
// see model/near_points.h. A node of a cell is at c + R (X + N u), so it moves by at most
//
//     |dc| + |dR| |X + N u| + |N| |du|
//
// and points are means of nodes, with an offset that rotates with a cell.
#include "model/voxel/sites.h"

#include <math.h>
#include <string.h>

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// The sum over the corners of the size of what they do to a node.
static double stretch_of(const float *shape)
{
    double sum = 0.0;
    for (int a = 0; a < 8; ++a) {
        double square = 0.0;
        for (int k = 0; k < 9; ++k) {
            double n = (double)shape[k / 3 * SN_VOXEL_DOFS + 3 * a + k % 3];
            square += n * n;
        }
        sum += sqrt(square);
    }
    return sum;
}

SinewStatus sn_voxel_stretches_find(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC_ZERO(body->stretches, &body->allocator, body->grid.kind_count, error);
    for (int k = 0; k < body->grid.kind_count; ++k) {
        const SnVoxelCell *cell = &body->grid.cells[k];
        for (int n = 0; n < cell->node_count; ++n) {
            const float *shape = cell->shapes + 3 * SN_VOXEL_DOFS * (size_t)n;
            body->stretches[k] = fmax(body->stretches[k], stretch_of(shape));
        }
    }

done:
    return status;
}

SinewStatus sn_voxel_near_create(const SnVoxelBody *body, SnVoxelPoints *points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t cells = (size_t)body->grid.cell_count;
    SN_TRY(sn_near_points_create(points->count, &body->allocator, &points->near, error));
    SN_ALLOC_ZERO(points->stretch, &body->allocator, cells, error);
    SN_ALLOC(points->due_nodes, &body->allocator, points->node_count, error);
    SN_ALLOC_ZERO(points->is_due, &body->allocator, points->node_count, error);
    for (int s = 0; s < points->site_start[points->node_count]; ++s) {
        int cell = points->sites[s].cell;
        points->stretch[cell] = body->stretches[body->grid.kinds[cell]];
    }
    for (size_t p = 0; p < (size_t)points->count; ++p) {
        points->offset_most = fmax(points->offset_most, length(points->offsets + 3 * p));
    }

done:
    return status;
}

void sn_voxel_near_release(const SnVoxelBody *body, SnVoxelPoints *points)
{
    sn_near_points_release(&points->near, &body->allocator);
    sn_free(&body->allocator, points->stretch);
    sn_free(&body->allocator, points->due_nodes);
    sn_free(&body->allocator, points->is_due);
}

// How far the nodes of a cell have moved at most.
static double bound_cell(const SnVoxelBody *body, const SnVoxelPoints *points, int e,
                         const SnVoxelPose *pose)
{
    const double *last = body->room.last + SN_VOXEL_LAST * (size_t)e;
    double stretch = points->stretch[e], square = 0.0, strain = 0.0, change = 0.0;
    double shift[3] = {pose->center[0] - last[0], pose->center[1] - last[1],
                       pose->center[2] - last[2]};
    for (int i = 0; i < 9; ++i) {
        double d = pose->rotation[i] - last[3 + i];
        square += d * d;
    }
    for (int a = 0; a < 8; ++a) {
        const double *u = last + 12 + 3 * a, *now = pose->u + 3 * a;
        double moved[3] = {now[0] - u[0], now[1] - u[1], now[2] - u[2]};
        strain = fmax(strain, length(u));
        change = fmax(change, length(moved));
    }
    double reach = sqrt(0.75) * body->grid.edge + stretch * strain + points->offset_most;
    return length(shift) + sqrt(square) * reach + stretch * change;
}

// Infinite where a place is no number.
static double bound_moves(const SnVoxelBody *body, const SnVoxelPoints *points,
                          const SnVoxelPose *poses)
{
    double most = 0.0;
    for (int e = 0; e < body->grid.cell_count; ++e) {
        double moved = points->stretch[e] > 0.0 ? bound_cell(body, points, e, &poses[e]) : 0.0;
        most = moved <= most ? most : moved;
        if (!isfinite(moved)) {
            return INFINITY;
        }
    }
    return most;
}

static void remember(const SnVoxelBody *body, const SnVoxelPose *poses)
{
    for (int e = 0; e < body->grid.cell_count; ++e) {
        double *last = body->room.last + SN_VOXEL_LAST * (size_t)e;
        memcpy(last, poses[e].center, sizeof poses[e].center);
        memcpy(last + 3, poses[e].rotation, sizeof poses[e].rotation);
        memcpy(last + 12, poses[e].u, sizeof poses[e].u);
    }
}

static int list_nodes(const SnVoxelPoints *points)
{
    int count = 0;
    for (int i = 0; i < points->near.due_count; ++i) {
        const int *nodes = points->nodes + 8 * (size_t)points->near.due_points[i];
        for (int c = 0; c < 8; ++c) {
            if (!points->is_due[nodes[c]]) {
                points->is_due[nodes[c]] = true;
                points->due_nodes[count++] = nodes[c];
            }
        }
    }
    for (int n = 0; n < count; ++n) {
        points->is_due[points->due_nodes[n]] = false;
    }
    return count;
}

void sn_voxel_points_find(const SnVoxelBody *body, SnWorkers *workers,
                          const SnPointForces *contacts, const SnVoxelPose *poses)
{
    // The model made these points, and their room is its own.
    SnVoxelPoints *points = (SnVoxelPoints *)(uintptr_t)contacts->points;
    bool is_known = points->near.serial == contacts->serial;
    sn_near_points_begin(&points->near, contacts,
                         is_known ? bound_moves(body, points, poses) : 0.0);
    remember(body, poses);
    sn_voxel_points_follow_due(body, workers, points, list_nodes(points), poses);
    sn_near_points_find(&points->near, contacts, workers, points->places);
}
