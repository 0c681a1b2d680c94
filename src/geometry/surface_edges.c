#include "geometry/surface_edges.h"

static bool has_three_corners(const int *corner)
{
    return corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0];
}

static int end_of(const int *triangles, int side, bool higher)
{
    int from = sn_side_from(triangles, side);
    int to = sn_side_to(triangles, side);
    return (from < to) == higher ? to : from;
}

// One pass of a stable counting sort by the higher or the lower vertex of each side. `places` has
// room for one more than there are vertices.
static void sort_sides(const int *triangles, const int *sides, int count, bool by_higher,
                       int *places, int vertex_count, int *out_sides)
{
    for (int v = 0; v <= vertex_count; ++v) {
        places[v] = 0;
    }
    for (int i = 0; i < count; ++i) {
        ++places[end_of(triangles, sides[i], by_higher) + 1];
    }
    for (int v = 0; v < vertex_count; ++v) {
        places[v + 1] += places[v];
    }
    for (int i = 0; i < count; ++i) {
        out_sides[places[end_of(triangles, sides[i], by_higher)]++] = sides[i];
    }
}

// Where each run of sides with the same two ends begins.
static int mark_edges(const int *triangles, const int *sides, int count, int *out_starts)
{
    int edges = 0;
    for (int i = 0; i < count; ++i) {
        if (i == 0 ||
            end_of(triangles, sides[i], false) != end_of(triangles, sides[i - 1], false) ||
            end_of(triangles, sides[i], true) != end_of(triangles, sides[i - 1], true)) {
            out_starts[edges++] = i;
        }
    }
    out_starts[edges] = count;
    return edges;
}

SinewStatus sn_surface_edges_create(const int *triangles, int triangle_count, int vertex_count,
                                    const SinewAllocator *allocator, SnSurfaceEdges *out_edges,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurfaceEdges edges = {0};
    int *places = NULL;
    *out_edges = edges;
    SN_ALLOC(edges.sides, allocator, 3 * (size_t)triangle_count, error);
    SN_ALLOC(edges.starts, allocator, 3 * (size_t)triangle_count + 1, error);
    SN_ALLOC(places, allocator, (size_t)vertex_count + 1, error);
    int count = 0;
    for (int side = 0; side < 3 * triangle_count; ++side) {
        if (has_three_corners(triangles + side - side % 3)) {
            edges.sides[count++] = side;
        }
    }
    // By the higher end, then, keeping that order, by the lower one. The starts are not needed yet
    // and hold the sides between the passes.
    sort_sides(triangles, edges.sides, count, true, places, vertex_count, edges.starts);
    sort_sides(triangles, edges.starts, count, false, places, vertex_count, edges.sides);
    edges.count = mark_edges(triangles, edges.sides, count, edges.starts);
    *out_edges = edges;
    edges = (SnSurfaceEdges){0};
done:
    sn_free(allocator, places);
    sn_surface_edges_release(&edges, allocator);
    return status;
}

void sn_surface_edges_release(SnSurfaceEdges *edges, const SinewAllocator *allocator)
{
    sn_free(allocator, edges->starts);
    sn_free(allocator, edges->sides);
    *edges = (SnSurfaceEdges){0};
}
