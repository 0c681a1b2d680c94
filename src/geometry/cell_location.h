// Where points are in a lattice of cells: the cell around a point and its trilinear weights there,
// or, outside, the nearest cell with weights that go on beyond it, as in tets.
#ifndef SN_GEOMETRY_CELL_LOCATION_H
#define SN_GEOMETRY_CELL_LOCATION_H

#include "geometry/cell_lattice.h"
#include "geometry/element_tree.h"

// How a lattice is searched. Const once made; the lattice must outlive it.
typedef struct SnCellLocator {
    const SnCellLattice *lattice;
    SnElementTree *tree; // over the places that have cells
    int *cells;          // the first cell at each place of the tree
} SnCellLocator;

// A lattice without cells is refused.
SinewStatus sn_cell_locator_create(const SnCellLattice *lattice, SnWorkers *workers,
                                   const SinewAllocator *allocator, SnCellLocator **out_locator,
                                   SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_cell_locator_destroy(SnCellLocator *locator, const SinewAllocator *allocator);

typedef struct SnCellLocation {
    int cell;
    double weights[8]; // in the order of the cell's nodes; their sum is 1
    double distance;   // m, from the cell; 0 inside
} SnCellLocation;

// The point must be within SN_ELEMENT_REACH. A point on the face between two cells is in the upper
// one if the lattice has it. Of cells equally far the one with the lowest index is taken. Where
// several parts have cells at one place, the part whose cubes are nearest to the point.
SnCellLocation sn_cell_locate(const SnCellLocator *locator, const double p[3]);

#endif
