// Normals for shading a triangle surface: one for each corner of each triangle, so that the surface
// looks smooth where it bends gently and keeps an edge where it bends sharply.
#ifndef SN_TOOL_NORMALS_H
#define SN_TOOL_NORMALS_H

#include "base/workers.h"
#include "tool/export/vec3.h"

// The normal of a corner is the mean, weighted by angle, over those triangles around its vertex
// whose own normals are within `crease_degrees` of this triangle's. Zero or less: flat. Triangles
// without area, or with a vertex that is not finite, have zero normals and add nothing.
// `out_faces` gets one unit normal a triangle, `out_corners` three.
SinewStatus sn_normals(const float *positions, int vertex_count, const int *triangles,
                       int triangle_count, float crease_degrees, SnWorkers *workers,
                       const SinewAllocator *allocator, SnVec3 *out_faces, SnVec3 *out_corners,
                       SinewError *error);

#endif
