// The outside of a tet mesh as a surface of its own: the triangles of sn_tet_surface_create with
// the vertices that they use, in the mesh's order and without gaps.
#ifndef SN_GEOMETRY_TET_BOUNDARY_H
#define SN_GEOMETRY_TET_BOUNDARY_H

#include "geometry/surface.h"
#include "geometry/tet_mesh.h"

// The tets must be positively oriented.
SinewStatus sn_tet_boundary_create(const SnTetMesh *mesh, const SinewAllocator *allocator,
                                   SnSurface **out_surface, SinewError *error);

#endif
