// Triangles and lines split where they cross the planes of a grid of cubes, so that none reaches
// from one cube into another and a surface can follow what bends from cube to cube. Neighbours
// share the new vertices: a closed surface stays closed, areas stay what they were. Old vertices
// keep their places in the list, new ones follow.
#ifndef SN_GEOMETRY_SURFACE_SPLIT_H
#define SN_GEOMETRY_SURFACE_SPLIT_H

#include "geometry/surface.h"

// The planes are where the coordinate axis . (x - origin) / edge is a whole number.
typedef struct SnSplitGrid {
    double origin[3]; // m
    double axes[9];   // rows: unit vectors
    double edge;      // m, of a cube
} SnSplitGrid;

SinewStatus sn_surface_split(const SnSurface *from, const SnSplitGrid *grid,
                             const SinewAllocator *allocator, SnSurface **out_surface,
                             SinewError *error);

#endif
