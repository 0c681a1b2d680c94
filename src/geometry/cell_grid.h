// A grid of cells while a lattice is made from it: what touches each cell, which sign its centre
// has, and how full the crossed ones are. Shared by the files cell_*.c.
#ifndef SN_GEOMETRY_CELL_GRID_H
#define SN_GEOMETRY_CELL_GRID_H

#include "geometry/cell_lattice.h"
#include "geometry/facet.h"

// What is known of a cell, as bits.
enum {
    SN_GRID_SKIN = 1,   // a triangle touches the closed cell
    SN_GRID_STRICT = 2, // and not only its skin
    SN_GRID_INSIDE = 4, // the centre is inside
    SN_GRID_SAMPLED = 8 // its samples were taken
};

typedef struct SnCellGrid {
    const SnCellBody *body;
    const SnCellLatticeDef *def;
    double origin[3];
    double cell_size;
    double slack; // m: what counts as touching
    int size[3];
    size_t count;
    unsigned char *state;  // bits a cell
    unsigned char *labels; // SnCellLabel a cell
    int sampled_count;
    int *sampled; // cells whose samples were taken, in rising order
    int *inside;  // how many samples of each of those were inside
    int cube_count;
    unsigned char *cubes; // a byte a sample of a sampled cell, if parts are kept apart: occupied
} SnCellGrid;

static inline size_t sn_cell_grid_index(const SnCellGrid *grid, int i, int j, int k)
{
    return ((size_t)i * (size_t)grid->size[1] + (size_t)j) * (size_t)grid->size[2] + (size_t)k;
}

static inline void sn_cell_grid_place(const SnCellGrid *grid, int index, int out_ijk[3])
{
    out_ijk[2] = index % grid->size[2];
    out_ijk[1] = index / grid->size[2] % grid->size[1];
    out_ijk[0] = index / grid->size[2] / grid->size[1];
}

// Sets SN_GRID_SKIN and SN_GRID_STRICT.
void sn_cell_grid_touch(SnCellGrid *grid, SnWorkers *workers);

// Marks the cubes of sampled cells that a facet touches as occupied. `index_of` gives the place of
// each cell of the grid among the sampled ones, or -1.
void sn_cell_grid_touch_cubes(SnCellGrid *grid, const int *index_of, SnWorkers *workers);

// Puts the lattice's cells, fills, labels and nodes together from the grid: parts joined, or apart.
SinewStatus sn_cell_number_joined(const SnCellGrid *grid, const SinewAllocator *allocator,
                                  SnCellLattice *lattice, SinewError *error);
SinewStatus sn_cell_number_apart(const SnCellGrid *grid, const int *index_of,
                                 const SinewAllocator *allocator, SnCellLattice *lattice,
                                 SinewError *error);

// Room for the cells of a lattice, then for its nodes.
SinewStatus sn_cell_lattice_make_cells(SnCellLattice *lattice, int cell_count,
                                       const SinewAllocator *allocator, SinewError *error);
SinewStatus sn_cell_lattice_make_nodes(SnCellLattice *lattice, int node_count,
                                       const SinewAllocator *allocator, SinewError *error);
// Writes a node's place and position.
void sn_cell_lattice_set_node(SnCellLattice *lattice, int node, int cell, int corner);

#endif
