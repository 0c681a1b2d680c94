// Triangles that say nothing: those without an area, and those that repeat another one.
#ifndef SN_GEOMETRY_SURFACE_CLEAN_H
#define SN_GEOMETRY_SURFACE_CLEAN_H

#include "geometry/surface.h"

#include <stdbool.h>

// A triangle with a repeated corner, or whose height over its longest edge is less than 1e-12 of
// that edge: rounding alone makes as much out of three points in a line.
bool sn_triangle_is_degenerate(const double *positions, const int corner[3]);

// Marks each triangle that has the same three vertices, in whatever order, as one before it.
// Linear time. Counts them.
SinewStatus sn_triangle_duplicates(const int *triangles, int triangle_count,
                                   const SinewAllocator *allocator, bool *out_is_duplicate,
                                   int *out_count, SinewError *error);

// Takes degenerate and duplicate triangles out, in place; the others keep their order. Counts what
// is gone. A pair of triangles that differ in their direction alone is a sheet seen from both
// sides: the first one stays.
SinewStatus sn_surface_clean(SnSurface *surface, const SinewAllocator *allocator,
                             int *out_degenerate, int *out_duplicate, SinewError *error);

#endif
