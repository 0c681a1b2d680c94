#include "model/voxel/body.h"

#include "base/array.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 256 }; // nodes or points a range

// Sets of as many points are shown, and float is enough for them; smaller ones are looked at.
enum { SHOWN_LEAST = 256 };

// Finding ----------------------------------------------------------------------------------------

// Boxes of what is in each cell, at rest.
SinewStatus sn_voxel_tree_create(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelGrid *grid = &body->grid;
    SnBox *boxes = NULL;

    SN_ALLOC(boxes, &body->allocator, grid->cell_count, error);
    for (int e = 0; e < grid->cell_count; ++e) {
        boxes[e] = sn_box_empty();
        for (int c = 0; c < 8; ++c) {
            int vertex = grid->corners[8 * (size_t)e + (size_t)c];
            sn_box_add_point(&boxes[e], grid->rest + 3 * (size_t)vertex);
        }
    }
    SN_TRY(sn_element_tree_create(boxes, grid->cell_count, body->workers, &body->allocator,
                                  &body->tree, error));

done:
    sn_free(&body->allocator, boxes);
    return status;
}

// Where a point is: the voxel of a cell, and its coordinates in the grid, in cells.
typedef struct Location {
    int cell, voxel[3];
    double at[3];
    double distance; // in cells
} Location;

// The nearest voxel of a cell, if it is nearer than the location's.
static void look_into(const SnVoxelGrid *grid, int cell, Location *location)
{
    int m = grid->shown;
    const SnVoxel *content = sn_voxel_grid_content(grid, cell);
    const int *place = grid->places + 3 * (size_t)cell;
    double u[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = (location->at[k] - place[k]) * m;
    }
    for (int v = 0; v < m * m * m; ++v) {
        int at[3] = {v / m / m, v / m % m, v % m};
        double square = 0.0;
        if (m > 1 && content[v].material < 0) {
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            double out = fmax(fmax(at[k] - u[k], u[k] - at[k] - 1.0), 0.0) / m;
            square += out < 1e-9 ? 0.0 : out * out;
        }
        double distance = sqrt(square);
        if (distance < location->distance) {
            location->distance = distance;
            location->cell = cell;
            memcpy(location->voxel, at, sizeof at);
        }
    }
}

static Location locate(const SnVoxelBody *body, const double X[3])
{
    const SnVoxelGrid *grid = &body->grid;
    Location location = {.distance = INFINITY};
    SnElementApproach approach;
    int place;
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
            location.at[k] += grid->axes[3 * k + i] * (X[i] - grid->origin[i]) / grid->edge;
        }
    }
    sn_element_approach(body->tree, X, &approach);
    double bound = INFINITY;
    while (location.distance > 0.0 && (place = sn_element_approach_next(&approach, bound)) >= 0) {
        look_into(grid, body->tree->items[place], &location);
        bound = location.distance * grid->edge * location.distance * grid->edge;
    }
    return location;
}

// Nodes of contents that points use, each once: a table from their places in the grid.
typedef struct NodeTable {
    SnVoxelPoints *points;
    int *slots;
    size_t slot_count;
    SnArray places; // int[3] a node, of the fine grid
    SnArray sites;  // SnVoxelSite
    SnArray starts; // int
} NodeTable;

// All cells that have the node at `place` of the fine grid.
static SinewStatus add_sites(const SnVoxelGrid *grid, const int place[3], NodeTable *table,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int m = grid->shown;
    for (int n = 0; n < 8; ++n) {
        int at[3], within[3];
        bool inside = true;
        for (int k = 0; k < 3; ++k) {
            int back = n >> (2 - k) & 1; // the cell before shares its last node
            at[k] = place[k] / m - back;
            within[k] = place[k] - at[k] * m;
            inside = inside && at[k] >= 0 && at[k] < grid->size[k] && within[k] <= m;
        }
        if (!inside) {
            continue;
        }
        int p = (at[0] * grid->size[1] + at[1]) * grid->size[2] + at[2];
        for (int e = grid->first_at[p]; e >= 0 && e < grid->cell_count &&
                                        memcmp(grid->places + 3 * (size_t)e, at, sizeof at) == 0;
             ++e) {
            int node = sn_voxel_node(m, within[0], within[1], within[2]);
            SnVoxelSite site = {e, sn_voxel_grid_cell(grid, e)->numbers[node], {0.0, 0.0, 0.0}};
            for (int k = 0; k < 3; ++k) {
                site.rest[k] = grid->edge * ((double)within[k] / m - 0.5);
            }
            if (site.number >= 0) {
                SN_TRY(sn_array_push(&table->sites, &site, error));
            }
        }
    }

done:
    return status;
}

static size_t slot_of(const NodeTable *table, const int place[3])
{
    uint64_t key = (uint64_t)(unsigned)place[0] * 0x9e3779b97f4a7c15u ^
                   (uint64_t)(unsigned)place[1] * 0xc2b2ae3d27d4eb4fu ^
                   (uint64_t)(unsigned)place[2] * 0x165667b19e3779f9u;
    return (size_t)(key ^ key >> 29) & (table->slot_count - 1);
}

static SinewStatus find_node(const SnVoxelGrid *grid, const int place[3], NodeTable *table,
                             int *out_node, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t slot = slot_of(table, place);
    const int *places = table->places.items;
    while (table->slots[slot] >= 0 &&
           memcmp(places + 3 * (size_t)table->slots[slot], place, 3 * sizeof *place) != 0) {
        slot = (slot + 1) & (table->slot_count - 1);
    }
    if (table->slots[slot] < 0) {
        table->slots[slot] = (int)table->places.count;
        SN_TRY(sn_array_push(&table->places, place, error));
        SN_TRY(add_sites(grid, place, table, error));
        int end = (int)table->sites.count;
        SN_TRY(sn_array_push(&table->starts, &end, error));
    }
    *out_node = table->slots[slot];

done:
    return status;
}

static SinewStatus embed(const SnVoxelBody *body, const double X[3], int index, NodeTable *table,
                         SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelGrid *grid = &body->grid;
    SnVoxelPoints *points = table->points;
    int m = grid->shown;
    for (int k = 0; k < 3; ++k) {
        if (!(fabs(X[k]) <= SN_ELEMENT_REACH)) {
            SN_TRY(sn_fail_at(error, SINEW_ERROR_ARGUMENT, index,
                              "body \"%s\": material point %d is at (%g, %g, %g) m, expected "
                              "finite numbers within %g",
                              body->name, index, X[0], X[1], X[2], SN_ELEMENT_REACH));
        }
    }
    Location location = locate(body, X);
    const int *place = grid->places + 3 * (size_t)location.cell;
    double u[3];
    int low[3];
    for (int k = 0; k < 3; ++k) {
        low[k] = place[k] * m + location.voxel[k];
        double from = location.at[k] * m - low[k];
        u[k] = fmin(fmax(from, 0.0), 1.0);
        points->offsets[3 * (size_t)index + (size_t)k] = (from - u[k]) / m * grid->edge;
    }
    points->cells[index] = location.cell;
    points->distances[index] = location.distance * grid->edge;
    sn_voxel_weights(u, points->weights + 8 * (size_t)index);
    for (int c = 0; c < 8; ++c) {
        int node[3] = {low[0] + (c >> 2 & 1), low[1] + (c >> 1 & 1), low[2] + (c & 1)};
        SN_TRY(find_node(grid, node, table, &points->nodes[8 * (size_t)index + (size_t)c], error));
    }

done:
    return status;
}

static SinewStatus make_points(const SnVoxelBody *body, int count, SnVoxelPoints *points,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    points->count = count;
    SN_ALLOC(points->cells, allocator, count, error);
    SN_ALLOC(points->nodes, allocator, 8 * (size_t)count, error);
    SN_ALLOC(points->weights, allocator, 8 * (size_t)count, error);
    SN_ALLOC(points->offsets, allocator, 3 * (size_t)count, error);
    SN_ALLOC(points->distances, allocator, count, error);
    SN_ALLOC(points->places, allocator, 3 * (size_t)count, error);
    SN_ALLOC(points->forces, allocator, count, error);
    SN_ALLOC(points->active, allocator, count, error);

done:
    return status;
}

// Takes what the table gathered.
static SinewStatus take_nodes(const SnVoxelBody *body, NodeTable *table, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelPoints *points = table->points;
    points->node_count = (int)table->places.count;
    SN_ALLOC(points->node_places, &body->allocator, 3 * (size_t)points->node_count, error);
    SN_ALLOC(points->node_forces, &body->allocator, 3 * (size_t)points->node_count, error);
    points->sites = sn_array_take(&table->sites);
    points->site_start = sn_array_take(&table->starts);

done:
    return status;
}

SinewStatus sn_voxel_points_create(const void *body_, const double *rest, int count,
                                   void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelBody *body = body_;
    const SinewAllocator *allocator = &body->allocator;
    SnVoxelPoints *points = NULL;
    NodeTable table = {.slot_count = 64,
                       .places = sn_array_of(allocator, 3 * sizeof(int)),
                       .sites = sn_array_of(allocator, sizeof(SnVoxelSite)),
                       .starts = sn_array_of(allocator, sizeof(int))};
    int zero = 0;

    *out_points = NULL;
    SN_ALLOC_ZERO(points, allocator, 1, error);
    table.points = points;
    SN_TRY(make_points(body, count, points, error));
    while (table.slot_count < 16 * (size_t)count) { // twice as many as eight a point
        table.slot_count *= 2;
    }
    SN_ALLOC(table.slots, allocator, table.slot_count, error);
    memset(table.slots, -1, table.slot_count * sizeof *table.slots);
    SN_TRY(sn_array_push(&table.starts, &zero, error));
    for (int p = 0; p < count; ++p) {
        SN_TRY(embed(body, rest + 3 * (size_t)p, p, &table, error));
    }
    SN_TRY(take_nodes(body, &table, error));
    if (count >= SHOWN_LEAST) {
        SN_TRY(sn_voxel_shown_create(body, points, error));
    }
    *out_points = points;
    points = NULL;

done:
    sn_array_release(&table.places);
    sn_array_release(&table.sites);
    sn_array_release(&table.starts);
    sn_free(allocator, table.slots);
    sn_voxel_points_destroy(body, points);
    return status;
}

void sn_voxel_points_destroy(const void *body_, void *points_)
{
    const SnVoxelBody *body = body_;
    SnVoxelPoints *points = points_;
    if (points == NULL) {
        return;
    }
    sn_free(&body->allocator, points->cells);
    sn_free(&body->allocator, points->nodes);
    sn_free(&body->allocator, points->weights);
    sn_free(&body->allocator, points->offsets);
    sn_free(&body->allocator, points->distances);
    sn_free(&body->allocator, points->site_start);
    sn_free(&body->allocator, points->sites);
    sn_free(&body->allocator, points->node_places);
    sn_free(&body->allocator, points->node_forces);
    sn_free(&body->allocator, points->places);
    sn_free(&body->allocator, points->forces);
    sn_free(&body->allocator, points->active);
    sn_free(&body->allocator, points->shown);
    sn_free(&body->allocator, points->site_cells);
    sn_free(&body->allocator, points);
}

double sn_voxel_points_distance(const void *points, int index)
{
    return ((const SnVoxelPoints *)points)->distances[index];
}

// Placing ----------------------------------------------------------------------------------------

static const float *shape_of(const SnVoxelBody *body, const SnVoxelSite *site)
{
    return sn_voxel_grid_cell(&body->grid, site->cell)->shapes +
           3 * SN_VOXEL_DOFS * (size_t)site->number;
}

// X + N u, in the cell's frame.
static void site_local(const SnVoxelBody *body, const SnVoxelSite *site, const double *u,
                       double out[3])
{
    const float *shape = shape_of(body, site);
    for (int i = 0; i < 3; ++i) {
        double sum = site->rest[i];
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            sum += (double)shape[i * SN_VOXEL_DOFS + j] * u[j];
        }
        out[i] = sum;
    }
}

// out += scale * R v.
static void add_turned(const double R[9], double scale, const double v[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] += scale * (R[3 * i] * v[0] + R[3 * i + 1] * v[1] + R[3 * i + 2] * v[2]);
    }
}

// R^T v.
static void turn_back(const double R[9], const double v[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = R[i] * v[0] + R[3 + i] * v[1] + R[6 + i] * v[2];
    }
}

typedef struct Following {
    const SnVoxelBody *body;
    const SnVoxelPoints *points;
    const SnVoxelPose *poses;
    double *out;
} Following;

// A node: the mean of c + R (X + N u) over its cells.
static void node_range(void *context, int begin, int end, int worker)
{
    const Following *job = context;
    const SnVoxelPoints *points = job->points;
    (void)worker;
    for (int n = begin; n < end; ++n) {
        double *out = points->node_places + 3 * (size_t)n, local[3];
        int first = points->site_start[n], last = points->site_start[n + 1];
        double share = 1.0 / (last - first);
        out[0] = out[1] = out[2] = 0.0;
        for (int s = first; s < last; ++s) {
            const SnVoxelPose *pose = &job->poses[points->sites[s].cell];
            site_local(job->body, &points->sites[s], pose->u, local);
            add_turned(pose->rotation, share, local, out);
            for (int i = 0; i < 3; ++i) {
                out[i] += share * pose->center[i];
            }
        }
    }
}

static void point_range(void *context, int begin, int end, int worker)
{
    const Following *job = context;
    const SnVoxelPoints *points = job->points;
    (void)worker;
    for (int p = begin; p < end; ++p) {
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
            add_turned(job->poses[points->cells[p]].rotation, 1.0, points->offsets + 3 * (size_t)p,
                       out);
        }
    }
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
                turn_back(R, v + 3 * (size_t)vertex, u + 3 * a);
            }
            site_local(body, &still, u, local);
            add_turned(R, 1.0 / (last - first), local, out);
        }
    }
}

void sn_voxel_points_place(const void *body_, const void *points_, double *out_x, double *out_v)
{
    const SnVoxelBody *body = body_;
    const SnVoxelPoints *points = points_;
    if (out_v != NULL || points->shown == NULL) {
        sn_voxel_pose_cells(body, body->workers, body->state.positions, body->state.rotations,
                            SN_VOXEL_TURNS, body->room.poses);
    }
    if (out_v != NULL) {
        Following job = {body, points, body->room.poses, out_v};
        node_velocities(body, points);
        point_range(&job, 0, points->count, 0);
        for (int p = 0; p < points->count; ++p) {
            // What was added for points outside is a place, not a velocity.
            if (points->distances[p] > 0.0) {
                add_turned(body->room.poses[points->cells[p]].rotation, -1.0,
                           points->offsets + 3 * (size_t)p, out_v + 3 * (size_t)p);
            }
        }
    }
    if (points->shown != NULL) {
        sn_voxel_shown_place(body, points, out_x);
        return;
    }
    sn_voxel_points_follow(body, body->workers, points, body->room.poses, out_x);
}

// Pulling ----------------------------------------------------------------------------------------

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
    const float *shape = shape_of(body, site);
    double f[3], local[3], left[3];
    turn_back(pose->rotation, force, f);
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
    site_local(body, site, pose->u, local);
    add_cross(local, f, pull->s);
}

// Forces of all nodes to their cells.
static void pull_nodes(const SnVoxelBody *body, const SnVoxelPoints *points,
                       const SnVoxelPose *poses, SnVoxelPull *pulls)
{
    for (int n = 0; n < points->node_count; ++n) {
        const double *f = points->node_forces + 3 * (size_t)n;
        int first = points->site_start[n], last = points->site_start[n + 1];
        if (f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0) {
            continue;
        }
        for (int s = first; s < last; ++s) {
            int cell = points->sites[s].cell;
            pull_site(body, &points->sites[s], &poses[cell], f, 1.0 / (last - first), &pulls[cell]);
        }
    }
}

static void push_point(const SnVoxelPoints *points, int p, const double f[3],
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
        turn_back(poses[points->cells[p]].rotation, f, local);
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
        push_point(points, p, f, poses, pulls);
    }
    pull_nodes(body, points, poses, pulls);
    return work;
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

double sn_voxel_points_evaluate(const SnVoxelBody *body, SnWorkers *workers,
                                const SnPointForces *contacts, const SnVoxelPose *poses,
                                SnVoxelPull *pulls)
{
    // The model made these points, and their room is its own.
    SnVoxelPoints *points = (SnVoxelPoints *)(uintptr_t)contacts->points;
    Evaluating job = {contacts, points};
    double energy = 0.0;
    sn_voxel_points_follow(body, workers, points, poses, points->places);
    sn_parallel_for(workers, contacts->count, GRAIN, evaluate_range, &job);
    memset(points->node_forces, 0, 3 * (size_t)points->node_count * sizeof(double));
    points->active_count = 0;
    for (int p = 0; p < contacts->count; ++p) {
        const SnPointForce *force = &points->forces[p];
        energy += force->energy;
        if (force->force[0] != 0.0 || force->force[1] != 0.0 || force->force[2] != 0.0) {
            push_point(points, p, force->force, poses, pulls);
        }
        if (is_stiff(force)) {
            points->active[points->active_count++] = p;
        }
    }
    pull_nodes(body, points, poses, pulls);
    return energy;
}

void sn_voxel_points_shape(const SnVoxelBody *body, const SnVoxelPoints *points, int point,
                           double out[3 * SN_VOXEL_DOFS])
{
    const int *nodes = points->nodes + 8 * (size_t)point;
    const double *weights = points->weights + 8 * (size_t)point;
    memset(out, 0, 3 * SN_VOXEL_DOFS * sizeof *out);
    for (int c = 0; c < 8; ++c) {
        for (int s = points->site_start[nodes[c]]; s < points->site_start[nodes[c] + 1]; ++s) {
            if (points->sites[s].cell == points->cells[point]) {
                const float *shape = shape_of(body, &points->sites[s]);
                for (int j = 0; j < 3 * SN_VOXEL_DOFS; ++j) {
                    out[j] += weights[c] * (double)shape[j];
                }
            }
        }
    }
}
