// A mesh of hexahedra: vertices and the eight corners of each. Corner c of a hexahedron is the one
// at (c >> 2 & 1, c >> 1 & 1, c & 1) along its own x, y, z, as in SnCellLattice; edges along x, y,
// z form a right-handed system.
#ifndef SN_GEOMETRY_HEX_MESH_H
#define SN_GEOMETRY_HEX_MESH_H

#include "base/memory.h"

typedef struct SnHexMesh {
    int vertex_count;
    int hex_count;
    double *positions; // m, xyz packed
    int *hexes;        // eight vertex indices each
} SnHexMesh;

// Room for the given counts, uninitialised.
SinewStatus sn_hex_mesh_create(int vertex_count, int hex_count, const SinewAllocator *allocator,
                               SnHexMesh **out_mesh, SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_hex_mesh_destroy(SnHexMesh *mesh, const SinewAllocator *allocator);

#endif
