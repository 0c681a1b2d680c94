// Cells and nodes of a lattice where all that is in a place is one cell.
#include "geometry/cell_grid.h"

#include <limits.h>
#include <string.h>

SinewStatus sn_cell_lattice_make_cells(SnCellLattice *lattice, int cell_count,
                                       const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (cell_count > INT_MAX / 8) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "a lattice of %d cells, expected at most %d",
                       cell_count, INT_MAX / 8);
    }
    lattice->cell_count = cell_count;
    SN_ALLOC(lattice->cells, allocator, 3 * (size_t)cell_count, error);
    SN_ALLOC(lattice->labels, allocator, cell_count, error);
    SN_ALLOC(lattice->fills, allocator, cell_count, error);
    SN_ALLOC(lattice->nodes, allocator, 8 * (size_t)cell_count, error);
done:
    return status;
}

SinewStatus sn_cell_lattice_make_nodes(SnCellLattice *lattice, int node_count,
                                       const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    lattice->node_count = node_count;
    SN_ALLOC(lattice->node_cells, allocator, 3 * (size_t)node_count, error);
    SN_ALLOC(lattice->positions, allocator, 3 * (size_t)node_count, error);
done:
    return status;
}

void sn_cell_lattice_set_node(SnCellLattice *lattice, int node, int cell, int corner)
{
    for (int c = 0; c < 3; ++c) {
        int along = lattice->cells[3 * (size_t)cell + (size_t)c] + (corner >> (2 - c) & 1);
        lattice->node_cells[3 * (size_t)node + (size_t)c] = along;
        lattice->positions[3 * (size_t)node + (size_t)c] =
            lattice->origin[c] + along * lattice->cell_size;
    }
}

// Lists the cells that are not exterior, in the order of the grid.
static void gather_cells(const SnCellGrid *grid, SnCellLattice *lattice)
{
    int cell = 0;
    for (size_t n = 0; n < grid->count; ++n) {
        if (grid->labels[n] != SN_CELL_EXTERIOR) {
            sn_cell_grid_place(grid, (int)n, lattice->cells + 3 * (size_t)cell);
            lattice->labels[cell] = grid->labels[n];
            lattice->boundary_count += grid->labels[n] == SN_CELL_BOUNDARY;
            lattice->fills[cell] = 1.0f;
            lattice->row_start[n / (size_t)grid->size[2] + 1]++;
            cell++;
        }
    }
    for (size_t row = 0; row < (size_t)grid->size[0] * (size_t)grid->size[1]; ++row) {
        lattice->row_start[row + 1] += lattice->row_start[row];
    }
    for (int s = 0; s < grid->sampled_count; ++s) {
        int ijk[3];
        sn_cell_grid_place(grid, grid->sampled[s], ijk);
        cell = sn_cell_lattice_find(lattice, ijk[0], ijk[1], ijk[2], NULL);
        if (cell >= 0) {
            lattice->fills[cell] = (float)grid->inside[s] / (float)grid->cube_count;
        }
    }
}

// Numbers the nodes as cells name them. A window of two layers of the grid's nodes is enough to
// know those named before, since cells come sorted by i. Returns how many there are.
static int name_nodes(SnCellLattice *lattice, int *layers)
{
    size_t row = (size_t)lattice->size[2] + 1;
    size_t layer = row * ((size_t)lattice->size[1] + 1);
    int count = 0;
    int at = -2; // the layer i of the window's first half
    for (int cell = 0; cell < lattice->cell_count; ++cell) {
        const int *ijk = lattice->cells + 3 * (size_t)cell;
        if (ijk[0] != at) {
            // The old upper layer becomes the new lower one where they meet.
            if (ijk[0] == at + 1) {
                memcpy(layers, layers + layer, layer * sizeof *layers);
            } else {
                memset(layers, -1, layer * sizeof *layers);
            }
            memset(layers + layer, -1, layer * sizeof *layers);
            at = ijk[0];
        }
        for (int corner = 0; corner < 8; ++corner) {
            int *node = layers + layer * (size_t)(corner >> 2) +
                        row * (size_t)(ijk[1] + (corner >> 1 & 1)) + (size_t)ijk[2] +
                        (size_t)(corner & 1);
            *node = *node < 0 ? count++ : *node;
            lattice->nodes[8 * (size_t)cell + (size_t)corner] = *node;
        }
    }
    return count;
}

SinewStatus sn_cell_number_joined(const SnCellGrid *grid, const SinewAllocator *allocator,
                                  SnCellLattice *lattice, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *layers = NULL;
    int cell_count = 0;
    for (size_t n = 0; n < grid->count; ++n) {
        cell_count += grid->labels[n] != SN_CELL_EXTERIOR;
    }
    SN_TRY(sn_cell_lattice_make_cells(lattice, cell_count, allocator, error));
    gather_cells(grid, lattice);
    size_t layer = ((size_t)grid->size[1] + 1) * ((size_t)grid->size[2] + 1);
    SN_ALLOC(layers, allocator, 2 * layer, error);
    memset(layers, -1, 2 * layer * sizeof *layers);
    SN_TRY(sn_cell_lattice_make_nodes(lattice, name_nodes(lattice, layers), allocator, error));
    for (int cell = 0; cell < cell_count; ++cell) {
        for (int corner = 0; corner < 8; ++corner) {
            int node = lattice->nodes[8 * (size_t)cell + (size_t)corner];
            sn_cell_lattice_set_node(lattice, node, cell, corner);
        }
    }
done:
    sn_free(allocator, layers);
    return status;
}
