// A grid of cells in blocks of sixteen along its last axis, of which those that hold a cell are
// stored, and the node blocks around them: how a level of a lattice lies in memory. Const once
// made.
//
// Not taken: the whole bounding box. A body with limbs fills a tenth of it.
#ifndef SN_MODEL_LATTICE_GRID_H
#define SN_MODEL_LATTICE_GRID_H

#include "base/workers.h"
#include "kernel/lattice.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct SnLatticeGrid {
    int size[3];            // cells along i, j, k
    double h;               // m
    int row_blocks;         // blocks of a row of nodes, which are those of cells and maybe one more
    int cell_count;         //
    int cell_blocks;        //
    int node_blocks;        // block 0, all zeros, among them
    SnLatticeBlock *blocks; // cell blocks, sorted by (i, j, k)
    int *places;            // i, j and the first k of each cell block
    uint16_t *masks;        // bit n of a cell block: its cell n is there
    int *slab_start;        // size[0] + 1 places among cell blocks
    int *plane_start;       // size[0] + 2 places among node blocks
    int *cell_at;           // cell block at [(i size[1] + j) row_blocks + k / 16], or -1
    int *node_at;           // node block at [(i (size[1] + 1) + j) row_blocks + k / 16], or 0
    int *no_row;            // row_blocks zeros: a row of nodes that is not there
} SnLatticeGrid;

// A grid's cells, a bit each: `masks` at [(i size[1] + j) row_blocks + k / 16], with row_blocks as
// sn_lattice_row_blocks says.
SinewStatus sn_lattice_grid_create(const int size[3], double h, const uint16_t *masks,
                                   const SinewAllocator *allocator, SnLatticeGrid *out_grid,
                                   SinewError *error);
void sn_lattice_grid_release(SnLatticeGrid *grid, const SinewAllocator *allocator);

// A grid of cells twice as large: those that hold a cell of `fine`.
SinewStatus sn_lattice_grid_coarsen(const SnLatticeGrid *fine, const SinewAllocator *allocator,
                                    SnLatticeGrid *out_grid, SinewError *error);

static inline int sn_lattice_row_blocks(const int size[3])
{
    return size[2] / SN_LATTICE_BLOCK + 1;
}

// The cell (i, j, k) as block * 16 + lane, or -1 where there is none.
static inline int sn_lattice_grid_cell(const SnLatticeGrid *grid, int i, int j, int k)
{
    if (i < 0 || j < 0 || k < 0 || i >= grid->size[0] || j >= grid->size[1] || k >= grid->size[2]) {
        return -1;
    }
    int block =
        grid->cell_at[((size_t)i * (size_t)grid->size[1] + (size_t)j) * (size_t)grid->row_blocks +
                      (size_t)(k / SN_LATTICE_BLOCK)];
    int lane = k % SN_LATTICE_BLOCK;
    bool there = block >= 0 && (grid->masks[block] >> lane & 1);
    return there ? block * SN_LATTICE_BLOCK + lane : -1;
}

// The node blocks of row (i, j); those of no_row where there is none.
static inline const int *sn_lattice_grid_row(const SnLatticeGrid *grid, int i, int j)
{
    if (i < 0 || j < 0 || i > grid->size[0] || j > grid->size[1]) {
        return grid->no_row;
    }
    return grid->node_at +
           ((size_t)i * (size_t)(grid->size[1] + 1) + (size_t)j) * (size_t)grid->row_blocks;
}

// Where the x of node (i, j, k) is in a vector over node blocks; y and z are 16 and 32 after. Below
// 48 where there is no such node.
static inline int sn_lattice_grid_node(const SnLatticeGrid *grid, int i, int j, int k)
{
    if (k > grid->size[2]) {
        return k % SN_LATTICE_BLOCK;
    }
    return sn_lattice_grid_row(grid, i, j)[k / SN_LATTICE_BLOCK] * SN_LATTICE_NODE +
           k % SN_LATTICE_BLOCK;
}

// The eight corners of the cell (i, j, k) by the same number.
static inline void sn_lattice_grid_corners(const SnLatticeGrid *grid, int i, int j, int k,
                                           int out[8])
{
    for (int c = 0; c < 8; ++c) {
        out[c] = sn_lattice_grid_node(grid, i + (c >> 2 & 1), j + (c >> 1 & 1), k + (c & 1));
    }
}

// Numbers in a vector over node blocks.
static inline int sn_lattice_grid_numbers(const SnLatticeGrid *grid)
{
    return grid->node_blocks * SN_LATTICE_NODE;
}

#endif
