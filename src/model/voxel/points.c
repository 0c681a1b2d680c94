// Points inside cells: where they are, and the nodes of contents that they go by.
#include "model/voxel/system.h"
#include "model/voxel/ties.h"

#include "base/array.h"
#include "model/point_set.h"

#include <math.h>
#include <string.h>

// Sets of as many points are shown, and float is enough for them; smaller ones are looked at.
enum { SHOWN_LEAST = 256 };

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
    SN_ALLOC_ZERO(points->cell_start, allocator, (size_t)count + 1, error);

done:
    return status;
}

// The cells that the nodes of one point have, each once. Counts alone where `out` is NULL.
static int list_cells(const SnVoxelPoints *points, int point, int *seen, int *out)
{
    int count = 0;
    for (int c = 0; c < 8; ++c) {
        int node = points->nodes[8 * (size_t)point + (size_t)c];
        for (int s = points->site_start[node]; s < points->site_start[node + 1]; ++s) {
            int cell = points->sites[s].cell;
            if (seen[cell] != point) {
                seen[cell] = point;
                if (out != NULL) {
                    out[count] = cell;
                }
                count += 1;
            }
        }
    }
    return count;
}

static SinewStatus find_cells(const SnVoxelBody *body, SnVoxelPoints *points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t size = (size_t)body->grid.cell_count * sizeof(int);
    int *seen = NULL;
    SN_ALLOC(seen, &body->allocator, body->grid.cell_count, error);
    memset(seen, -1, size);
    for (int p = 0; p < points->count; ++p) {
        points->cell_start[p + 1] = points->cell_start[p] + list_cells(points, p, seen, NULL);
    }
    SN_ALLOC(points->point_cells, &body->allocator, points->cell_start[points->count], error);
    memset(seen, -1, size);
    for (int p = 0; p < points->count; ++p) {
        list_cells(points, p, seen, points->point_cells + points->cell_start[p]);
    }

done:
    sn_free(&body->allocator, seen);
    return status;
}

// Takes what the table gathered.
static SinewStatus take_nodes(const SnVoxelBody *body, NodeTable *table, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelPoints *points = table->points;
    points->node_count = (int)table->starts.count - 1;
    SN_ALLOC(points->node_places, &body->allocator, 3 * (size_t)points->node_count, error);
    SN_ALLOC(points->node_forces, &body->allocator, 3 * (size_t)points->node_count, error);
    points->sites = sn_array_take(&table->sites);
    points->site_start = sn_array_take(&table->starts);
    SN_TRY(find_cells(body, points, error));
    SN_TRY(sn_voxel_near_create(body, points, error));

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
        SN_TRY(sn_voxel_skin_create(body, points, error));
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

// The node of the new set that a node of a part's set becomes; `map` knows those that have been.
static SinewStatus carry_node(const SnVoxelPoints *from, int node, int *map, NodeTable *table,
                              int *out_node, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (map[node] < 0) {
        map[node] = (int)table->starts.count - 1;
        for (int s = from->site_start[node]; s < from->site_start[node + 1]; ++s) {
            SN_TRY(sn_array_push(&table->sites, &from->sites[s], error));
        }
        int end = (int)table->sites.count;
        SN_TRY(sn_array_push(&table->starts, &end, error));
    }
    *out_node = map[node];

done:
    return status;
}

// Points of another set. Nodes that two parts have in common are there for each of them: their
// forces add up all the same.
static SinewStatus join_part(const SnVoxelBody *body, const SnPointPart *part, int place,
                             NodeTable *table, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelPoints *from = part->points;
    SnVoxelPoints *to = table->points;
    int *map = NULL;

    SN_ALLOC(map, &body->allocator, from->node_count, error);
    memset(map, -1, (size_t)from->node_count * sizeof *map);
    for (int p = 0; p < part->count; ++p, ++place) {
        size_t source = (size_t)(part->indices != NULL ? part->indices[p] : p);
        size_t target = (size_t)place;
        to->cells[target] = from->cells[source];
        to->distances[target] = from->distances[source];
        memcpy(to->weights + 8 * target, from->weights + 8 * source, 8 * sizeof *to->weights);
        memcpy(to->offsets + 3 * target, from->offsets + 3 * source, 3 * sizeof *to->offsets);
        for (size_t c = 0; c < 8; ++c) {
            SN_TRY(carry_node(from, from->nodes[8 * source + c], map, table,
                              &to->nodes[8 * target + c], error));
        }
    }

done:
    sn_free(&body->allocator, map);
    return status;
}

SinewStatus sn_voxel_points_join(const void *body_, const SnPointPart *parts, int part_count,
                                 void **out_points, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelBody *body = body_;
    const SinewAllocator *allocator = &body->allocator;
    SnVoxelPoints *points = NULL;
    NodeTable table = {.sites = sn_array_of(allocator, sizeof(SnVoxelSite)),
                       .starts = sn_array_of(allocator, sizeof(int))};
    int zero = 0, place = 0;

    *out_points = NULL;
    SN_ALLOC_ZERO(points, allocator, 1, error);
    table.points = points;
    SN_TRY(make_points(body, sn_point_parts_count(parts, part_count), points, error));
    SN_TRY(sn_array_push(&table.starts, &zero, error));
    for (int i = 0; i < part_count; ++i) {
        SN_TRY(join_part(body, &parts[i], place, &table, error));
        place += parts[i].count;
    }
    SN_TRY(take_nodes(body, &table, error));
    *out_points = points;
    points = NULL;

done:
    sn_array_release(&table.sites);
    sn_array_release(&table.starts);
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
    sn_free(&body->allocator, points->cell_start);
    sn_free(&body->allocator, points->point_cells);
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
    sn_voxel_touch_release(body, &points->touch);
    sn_voxel_near_release(body, points);
    sn_voxel_ties_release(body, &points->ties);
    sn_voxel_skin_destroy(body, points->skin);
    sn_free(&body->allocator, points);
}

double sn_voxel_points_distance(const void *points, int index)
{
    return ((const SnVoxelPoints *)points)->distances[index];
}
