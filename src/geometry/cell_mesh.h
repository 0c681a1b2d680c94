// The cells of a lattice as a mesh of hexahedra, for files and for whoever knows no lattices:
// points, eight corners a hexahedron, how full each is, and whether the surface crosses it.
#ifndef SN_GEOMETRY_CELL_MESH_H
#define SN_GEOMETRY_CELL_MESH_H

#include "geometry/cell_lattice.h"
#include "geometry/names.h"

// The regions of a hex mesh, by what its cells are.
enum { SN_HEX_INTERIOR, SN_HEX_BOUNDARY, SN_HEX_REGIONS };

// Corners are ordered as VTK and Gmsh have them: 0 1 2 3 around the face of smaller z, counter-
// clockwise seen from above, and 4 5 6 7 above those. The Jacobian is positive.
typedef struct SnCellMesh {
    int vertex_count;
    int hex_count;
    double *positions; // m, xyz packed
    int *hexes;        // eight vertex indices a hexahedron
    int *regions;      // SN_HEX_INTERIOR or SN_HEX_BOUNDARY
    float *fills;      // 0 to 1, how much of each the body fills
    SnNames names;     // "interior" and "boundary"
} SnCellMesh;

// The lattice's nodes in their order; its cells with the interior ones first, both kinds in the
// lattice's order, so that a file has one block a region.
SinewStatus sn_cell_mesh_of_lattice(const SnCellLattice *lattice, const SinewAllocator *allocator,
                                    SnCellMesh **out_mesh, SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_cell_mesh_destroy(SnCellMesh *mesh, const SinewAllocator *allocator);

// Determinant of the Jacobian of the trilinear map from the unit cube, at its middle, m^3: the
// volume of a hexahedron with parallel faces, negative if it is inside out.
double sn_cell_mesh_volume(const SnCellMesh *mesh, int hex);

// How many parts are not connected by a common vertex.
SinewStatus sn_cell_mesh_count_parts(const SnCellMesh *mesh, const SinewAllocator *allocator,
                                     int *out_count, SinewError *error);

#endif
