// A tet mesh: vertices and the four corners of each tet. The corners of a tet are ordered so that
// det(x1 - x0, x2 - x0, x3 - x0) is positive; its volume is a sixth of that.
#ifndef SN_GEOMETRY_TET_MESH_H
#define SN_GEOMETRY_TET_MESH_H

#include "geometry/names.h"

typedef struct SnTetMesh {
    int vertex_count;
    int tet_count;
    double *positions; // m, xyz packed
    int *tets;         // four vertex indices a tet
    int *regions;      // the region of each tet: parts that may have a material of their own
    SnNames names;     // of the regions; at least one
} SnTetMesh;

// Room for the given counts, uninitialised but for one region without a name, which all tets are
// in.
SinewStatus sn_tet_mesh_create(int vertex_count, int tet_count, const SinewAllocator *allocator,
                               SnTetMesh **out_mesh, SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_tet_mesh_destroy(SnTetMesh *mesh, const SinewAllocator *allocator);

// Signed volume of one tet, m^3.
double sn_tet_mesh_volume(const SnTetMesh *mesh, int tet);

#endif
