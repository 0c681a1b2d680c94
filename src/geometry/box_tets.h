// A box cut into cells and the cells into tets. Vertex (i, j, k) of the grid has the index
// (i (ny + 1) + j) (nz + 1) + k, and the outermost vertices lie exactly on the box.
#ifndef SN_GEOMETRY_BOX_TETS_H
#define SN_GEOMETRY_BOX_TETS_H

#include "geometry/tet_mesh.h"

typedef enum SnBoxCut {
    // Five tets a cell: one in the middle, joining the corners whose i + j + k is even, and one at
    // each other corner. Neighbouring cells are mirror images, so faces match.
    SN_BOX_FIVE,
    // Six tets a cell around the diagonal from its min to its max corner, the same in every cell.
    SN_BOX_KUHN
} SnBoxCut;

typedef struct SnBoxTetsDef {
    double min[3]; // m
    double max[3]; // m, greater than min on each axis
    int cells[3];  // along x, y, z, at least 1 each
    SnBoxCut cut;
} SnBoxTetsDef;

// Where the grid's vertices with this index along an axis (0 to cells[axis]) are.
double sn_box_tets_coordinate(const SnBoxTetsDef *def, int axis, int index);

// The index of the grid's vertex (i, j, k).
static inline int sn_box_tets_vertex(const SnBoxTetsDef *def, int i, int j, int k)
{
    return (i * (def->cells[1] + 1) + j) * (def->cells[2] + 1) + k;
}

// Refuses bounds and cells that are none, and more cells than indices can count.
SinewStatus sn_box_tets_check(const SnBoxTetsDef *def, SinewError *error);

SinewStatus sn_box_tets_create(const SnBoxTetsDef *def, const SinewAllocator *allocator,
                               SnTetMesh **out_mesh, SinewError *error);

#endif
