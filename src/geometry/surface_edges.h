// The edges of a surface: each pair of vertices that some triangle joins, and the sides of
// triangles that lie along it. Two sides that run against each other are what a good surface has
// everywhere. Triangles with a repeated corner have no sides here.
#ifndef SN_GEOMETRY_SURFACE_EDGES_H
#define SN_GEOMETRY_SURFACE_EDGES_H

#include "base/memory.h"

#include <stdbool.h>

typedef struct SnSurfaceEdges {
    int count;
    int *starts; // of each edge's sides, count + 1
    int *sides; // 3 * triangle + corner: the side from that corner to the next; sorted in each edge
} SnSurfaceEdges;

// Sorts the sides of `triangle_count` triangles over `vertex_count` vertices. Linear time.
SinewStatus sn_surface_edges_create(const int *triangles, int triangle_count, int vertex_count,
                                    const SinewAllocator *allocator, SnSurfaceEdges *out_edges,
                                    SinewError *error);

// All zero is fine.
void sn_surface_edges_release(SnSurfaceEdges *edges, const SinewAllocator *allocator);

// Corners at the start and the end of a side.
static inline int sn_side_from(const int *triangles, int side)
{
    return triangles[side];
}

static inline int sn_side_to(const int *triangles, int side)
{
    return triangles[side % 3 == 2 ? side - 2 : side + 1];
}

// A side that runs from the lower to the higher vertex.
static inline bool sn_side_is_rising(const int *triangles, int side)
{
    return sn_side_from(triangles, side) < sn_side_to(triangles, side);
}

#endif
