// What bodies of one rest shape have in common: cells, grids, the multigrid's layout, masses and
// materials, before the body is placed. Const once made, found by content in the world's store.
//
// The material is isotropic, so a body may be turned and moved: it only places the shape, and all
// that depends on where it is (rotations, tangents, factors) is its own.
#ifndef SN_MODEL_LATTICE_SHAPE_H
#define SN_MODEL_LATTICE_SHAPE_H

#include "model/lattice/body.h"

// `body` is what bodies copy: all of it is lent, and it does nothing by itself.
struct SnLatticeShape {
    SnShared shared;
    SnSolidCubes cubes; // unplaced
    int *indices;       // a cell: its material
    SnMaterial *materials;
    int material_count;
    SnLattice body;
};

// The shape that a body of the def has: one that is there, or a new one. Materials that lattice
// cannot do are refused.
SinewStatus sn_lattice_shape_take(const SnModelDef *def, SnLatticeShape **out_shape,
                                  SinewError *error);

// Fills a body with what the shape lends; it takes over one use of the shape.
void sn_lattice_shape_lend(SnLatticeShape *shape, SnLattice *body);

// One body less; NULL is fine.
void sn_lattice_shape_leave(SnLatticeShape *shape);

#endif
