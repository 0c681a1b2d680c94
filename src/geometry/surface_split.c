#include "geometry/surface_split.h"

#include "base/array.h"
#include "geometry/surface_edges.h"

#include <math.h>
#include <string.h>

// How near, in cubes, a vertex is to a plane that it lies on: far above rounding of coordinates,
// and nothing that can be seen.
#define ON_PLANE 1e-9

// Triangles beyond which a surface is refused rather than the machine filled.
enum { TRIANGLES_MAX = 1 << 28 };

// The surface as it is split along one axis after the other.
typedef struct Splitting {
    SnArray positions; // double[3]
    SnArray triangles; // int[3]
    SnArray groups;    // int
    SnArray lines;     // int[2]
    double *along;     // a vertex: its coordinate, in cubes
    int *first;        // an edge: its first new vertex; they are in the order of the planes
    int *edge_of;      // a side of a triangle: its edge
} Splitting;

// The first plane above a coordinate, and the last one below.
static double plane_above(double s)
{
    return floor(s) + 1.0;
}

static double plane_below(double s)
{
    return -floor(-s) - 1.0;
}

static SinewStatus find_coordinates(Splitting *split, const SnSplitGrid *grid, int axis,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const double *n = grid->axes + 3 * (size_t)axis;
    SN_ALLOC(split->along, split->positions.allocator, split->positions.count, error);
    for (size_t v = 0; v < split->positions.count; ++v) {
        const double *x = SN_ITEMS(split->positions, double) + 3 * v;
        double s = (n[0] * (x[0] - grid->origin[0]) + n[1] * (x[1] - grid->origin[1]) +
                    n[2] * (x[2] - grid->origin[2])) /
                   grid->edge;
        double nearest = floor(s + 0.5);
        split->along[v] = fabs(s - nearest) < ON_PLANE ? nearest : s;
    }

done:
    return status;
}

// The vertex on a plane between a and b.
static SinewStatus add_vertex(Splitting *split, int a, int b, double plane, SinewError *error)
{
    double t = (plane - split->along[a]) / (split->along[b] - split->along[a]), x[3];
    const double *positions = split->positions.items;
    for (int k = 0; k < 3; ++k) {
        double from = positions[3 * (size_t)a + (size_t)k];
        x[k] = from + t * (positions[3 * (size_t)b + (size_t)k] - from);
    }
    return sn_array_push(&split->positions, x, error);
}

// New vertices on all planes between a and b, from the lower plane to the higher one.
static SinewStatus add_vertices(Splitting *split, int a, int b, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double low = fmin(split->along[a], split->along[b]);
    double high = fmax(split->along[a], split->along[b]);
    for (double p = plane_above(low); p <= plane_below(high); p += 1.0) {
        SN_TRY(add_vertex(split, a, b, p, error));
    }

done:
    return status;
}

// Edges, and their vertices: from the end with the lower index, so that all triangles at an edge
// find the same.
static SinewStatus split_edges(Splitting *split, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = split->positions.allocator;
    const int *triangles = split->triangles.items;
    int count = (int)split->triangles.count;
    SnSurfaceEdges edges = {0};

    SN_TRY(sn_surface_edges_create(triangles, count, (int)split->positions.count, allocator, &edges,
                                   error));
    SN_ALLOC(split->first, allocator, edges.count, error);
    SN_ALLOC(split->edge_of, allocator, 3 * (size_t)count, error);
    for (int e = 0; e < edges.count; ++e) {
        int side = edges.sides[edges.starts[e]];
        int a = sn_side_from(triangles, side), b = sn_side_to(triangles, side);
        split->first[e] = (int)split->positions.count;
        SN_TRY(add_vertices(split, a < b ? a : b, a < b ? b : a, error));
        for (int i = edges.starts[e]; i < edges.starts[e + 1]; ++i) {
            split->edge_of[edges.sides[i]] = e;
        }
    }

done:
    sn_surface_edges_release(&edges, allocator);
    return status;
}

// The corners of what of a triangle is between the planes k and k + 1, in its own order. A side
// that crosses both has a vertex on each.
static int find_strip(const Splitting *split, const int *corners, const int *edges, double k,
                      int out[9])
{
    int count = 0;
    for (int c = 0; c < 3; ++c) {
        double from = split->along[corners[c]], to = split->along[corners[(c + 1) % 3]];
        double low = fmin(from, to), high = fmax(from, to);
        if (from >= k && from <= k + 1.0) {
            out[count++] = corners[c];
        }
        for (int i = 0; i < 2; ++i) {
            double plane = (i == 0) == (from < to) ? k : k + 1.0;
            if (plane > low && plane < high) {
                out[count++] = split->first[edges[c]] + (int)(plane - plane_above(low));
            }
        }
    }
    return count;
}

static SinewStatus add_triangle(SnArray *triangles, SnArray *groups, const int corners[3],
                                int group, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (triangles->count >= TRIANGLES_MAX) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the surface has more than %d triangles where it is split at the faces of "
                       "cells, expected larger cells or no splitting",
                       (int)TRIANGLES_MAX));
    }
    SN_TRY(sn_array_push(triangles, corners, error));
    SN_TRY(sn_array_push(groups, &group, error));

done:
    return status;
}

// A triangle as strips between planes, each a convex polygon cut from one corner. Triangles with a
// repeated corner stay as they are.
static SinewStatus split_triangle(const Splitting *split, size_t t, SnArray *triangles,
                                  SnArray *groups, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int corners[3], group = SN_ITEMS(split->groups, int)[t];
    const int *edges = split->edge_of + 3 * t;
    memcpy(corners, SN_ITEMS(split->triangles, int) + 3 * t, sizeof corners);
    double a = split->along[corners[0]], b = split->along[corners[1]], c = split->along[corners[2]];
    double low = fmin(fmin(a, b), c), high = fmax(fmax(a, b), c);
    bool is_flat = corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0];
    if (is_flat || plane_above(low) > plane_below(high)) {
        return add_triangle(triangles, groups, corners, group, error);
    }
    for (double k = floor(low); k <= plane_below(high); k += 1.0) {
        int strip[9], count = find_strip(split, corners, edges, k, strip);
        for (int i = 2; i < count; ++i) {
            int piece[3] = {strip[0], strip[i - 1], strip[i]};
            SN_TRY(add_triangle(triangles, groups, piece, group, error));
        }
    }

done:
    return status;
}

static SinewStatus split_triangles(Splitting *split, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = split->positions.allocator;
    SnArray triangles = sn_array_of(allocator, 3 * sizeof(int));
    SnArray groups = sn_array_of(allocator, sizeof(int));
    for (size_t t = 0; t < split->triangles.count; ++t) {
        SN_TRY(split_triangle(split, t, &triangles, &groups, error));
    }
    sn_array_release(&split->triangles);
    sn_array_release(&split->groups);
    split->triangles = triangles;
    split->groups = groups;
    triangles = sn_array_of(allocator, 3 * sizeof(int));
    groups = sn_array_of(allocator, sizeof(int));

done:
    sn_array_release(&triangles);
    sn_array_release(&groups);
    return status;
}

// The first piece of each line takes its place, the others follow all lines.
static SinewStatus split_lines(Splitting *split, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = split->lines.count;
    for (size_t l = 0; l < count; ++l) {
        int *line = SN_ITEMS(split->lines, int) + 2 * l, a = line[0], b = line[1];
        bool rises = split->along[a] < split->along[b];
        int first = (int)split->positions.count;
        SN_TRY(add_vertices(split, a, b, error));
        int added = (int)split->positions.count - first;
        int before = a;
        for (int i = 0; i < added; ++i) {
            int next = rises ? first + i : first + added - 1 - i;
            if (i == 0) {
                line[1] = next;
            } else {
                SN_TRY(sn_array_push(&split->lines, (int[2]){before, next}, error));
            }
            before = next;
        }
        if (added > 0) {
            SN_TRY(sn_array_push(&split->lines, (int[2]){before, b}, error));
        }
    }

done:
    return status;
}

static SinewStatus take(SnArray *array, const void *items, int count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int i = 0; i < count; ++i) {
        SN_TRY(sn_array_push(array, (const char *)items + (size_t)i * array->item_size, error));
    }

done:
    return status;
}

static SinewStatus give(const Splitting *split, const SnNames *names,
                        const SinewAllocator *allocator, SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurface *to = NULL;
    SN_TRY(sn_surface_create((int)split->positions.count, (int)split->triangles.count,
                             (int)split->lines.count, 1, allocator, &to, error));
    memcpy(to->positions, split->positions.items, split->positions.count * 3 * sizeof(double));
    if (split->triangles.count > 0) {
        memcpy(to->triangles, split->triangles.items, split->triangles.count * 3 * sizeof(int));
        memcpy(to->groups, split->groups.items, split->groups.count * sizeof(int));
    }
    if (split->lines.count > 0) {
        memcpy(to->lines, split->lines.items, split->lines.count * 2 * sizeof(int));
    }
    SN_TRY(sn_names_copy(names, allocator, &to->names, error));
    *out_surface = to;
    to = NULL;

done:
    sn_surface_destroy(to, allocator);
    return status;
}

static void forget_axis(Splitting *split, const SinewAllocator *allocator)
{
    sn_free(allocator, split->along);
    sn_free(allocator, split->first);
    sn_free(allocator, split->edge_of);
    split->along = NULL;
    split->first = split->edge_of = NULL;
}

SinewStatus sn_surface_split(const SnSurface *from, const SnSplitGrid *grid,
                             const SinewAllocator *allocator, SnSurface **out_surface,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Splitting split = {.positions = sn_array_of(allocator, 3 * sizeof(double)),
                       .triangles = sn_array_of(allocator, 3 * sizeof(int)),
                       .groups = sn_array_of(allocator, sizeof(int)),
                       .lines = sn_array_of(allocator, 2 * sizeof(int))};

    *out_surface = NULL;
    SN_TRY(take(&split.positions, from->positions, from->vertex_count, error));
    SN_TRY(take(&split.triangles, from->triangles, from->triangle_count, error));
    SN_TRY(take(&split.groups, from->groups, from->triangle_count, error));
    SN_TRY(take(&split.lines, from->lines, from->line_count, error));
    for (int axis = 0; axis < 3; ++axis) {
        SN_TRY(find_coordinates(&split, grid, axis, error));
        SN_TRY(split_edges(&split, error));
        SN_TRY(split_triangles(&split, error));
        SN_TRY(split_lines(&split, error));
        forget_axis(&split, allocator);
    }
    SN_TRY(give(&split, &from->names, allocator, out_surface, error));

done:
    forget_axis(&split, allocator);
    sn_array_release(&split.positions);
    sn_array_release(&split.triangles);
    sn_array_release(&split.groups);
    sn_array_release(&split.lines);
    return status;
}
