// Connected components: triangles that share a vertex belong together.
#ifndef SN_GEOMETRY_SURFACE_COMPONENTS_H
#define SN_GEOMETRY_SURFACE_COMPONENTS_H

#include "geometry/surface.h"

// Writes the component of each triangle to out_components[0..triangle_count), numbered by their
// first triangles, and answers how many there are. Vertices must be welded to count as shared.
SinewStatus sn_triangle_components(const int *triangles, int triangle_count, int vertex_count,
                                   const SinewAllocator *allocator, int *out_components,
                                   int *out_count, SinewError *error);

#endif
