// Welding: vertices at the same place become one. Files such as STL give each triangle corners of
// its own, and only welded triangles know their neighbours.
#ifndef SN_GEOMETRY_SURFACE_WELD_H
#define SN_GEOMETRY_SURFACE_WELD_H

#include "geometry/surface.h"

// Writes to out_map[0..count) which vertex each one becomes, numbered in order of first appearance,
// and answers how many there are. With a tolerance of 0 vertices must have equal coordinates
// (0 equals -0); otherwise each vertex, in index order, becomes the nearest kept one within the
// tolerance or is kept itself. So kept vertices are further apart than the tolerance, none moves by
// more, and time is linear. A tolerance finer than 2^-40 of the largest coordinate counts as that.
SinewStatus sn_weld_map(const double *positions, int count, double tolerance,
                        const SinewAllocator *allocator, int *out_map, int *out_count,
                        SinewError *error);

// Welds in place: vertex_count falls, positions move up, triangles and lines speak of the kept.
SinewStatus sn_surface_weld(SnSurface *surface, double tolerance, const SinewAllocator *allocator,
                            SinewError *error);

#endif
