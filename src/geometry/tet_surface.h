// The outer surface of a tet mesh: the faces that belong to one tet alone, turned so that their
// normals point out of it. Takes time linear in the size of the mesh; the triangles come in the
// order of their tets, so the same mesh always gives the same surface.
#ifndef SN_GEOMETRY_TET_SURFACE_H
#define SN_GEOMETRY_TET_SURFACE_H

#include "base/memory.h"

typedef struct SnTetSurface {
    int triangle_count;
    int *triangles; // three vertex indices of the tet mesh a triangle, counter-clockwise from
                    // outside
    int *tets;      // the tet behind each triangle
} SnTetSurface;

// `tets` holds four vertex indices a tet, positively oriented as in SnTetMesh. A face that three or
// more tets share is inside.
SinewStatus sn_tet_surface_create(const int *tets, int tet_count, int vertex_count,
                                  const SinewAllocator *allocator, SnTetSurface **out_surface,
                                  SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_tet_surface_destroy(SnTetSurface *surface, const SinewAllocator *allocator);

#endif
