// A blade: a plane, a disc or a triangle surface that a tet mesh is cut with. A mesh and where its
// vertices are go in; out comes what the blade cuts, for tet_cut.h.
//
// Two tets that share a face are parted where the way from the middle of the one to the middle of
// the other passes through the blade an odd number of times. So a tet lies on the side of its
// middle, surfaces may be open, and closed ones part inside from outside. Where the way meets an
// edge or a vertex of a surface, both triangles judge it by the same numbers, so nothing slips
// between them.
#ifndef SN_GEOMETRY_BLADE_H
#define SN_GEOMETRY_BLADE_H

#include "geometry/surface.h"
#include "geometry/tet_cut.h"

// Borrowed.
typedef struct SnBlade {
    const SnSurface *surface; // NULL: a plane
    double point[3];          // m, of a plane
    double normal[3];         // any length but zero
    double radius;            // m, of a disc around the point; 0: the whole plane
} SnBlade;

// A mesh whose vertices are at `positions`, xyz each.
typedef struct SnBladeMesh {
    const int *tets;
    int tet_count;
    int vertex_count;
    const double *positions;
    const int *neighbours; // of sn_tet_neighbours_create, at least of vertices near the blade
} SnBladeMesh;

// 1 at vertices that the blade may touch: all corners of what sn_blade_find lists, and some more.
// Needs no neighbours. The caller frees it.
SinewStatus sn_blade_mark(const SnBlade *blade, const SnBladeMesh *mesh,
                          const SinewAllocator *allocator, unsigned char **out_near,
                          SinewError *error);

// With `removes` the tets that the blade passes through, else the faces that it parts; ascending.
// The list may be empty. The caller releases it.
SinewStatus sn_blade_find(const SnBlade *blade, const SnBladeMesh *mesh, bool removes,
                          const SinewAllocator *allocator, SnTetCutList *out_list,
                          SinewError *error);

#endif
