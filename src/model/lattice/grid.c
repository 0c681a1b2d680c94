#include "model/lattice/grid.h"

#include <string.h>

enum { LAST = 1 << (SN_LATTICE_BLOCK - 1) }; // the last cell of a block

static size_t cell_index(const SnLatticeGrid *grid, int i, int j, int b)
{
    return ((size_t)i * (size_t)grid->size[1] + (size_t)j) * (size_t)grid->row_blocks + (size_t)b;
}

static size_t node_index(const SnLatticeGrid *grid, int i, int j, int b)
{
    return ((size_t)i * (size_t)(grid->size[1] + 1) + (size_t)j) * (size_t)grid->row_blocks +
           (size_t)b;
}

// Lists cell blocks and marks the node blocks that they need.
static SinewStatus list_cells(SnLatticeGrid *grid, const uint16_t *masks,
                              const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const int *n = grid->size;
    size_t rows = (size_t)n[0] * (size_t)n[1] * (size_t)grid->row_blocks;
    int count = 0;

    for (size_t r = 0; r < rows; ++r) {
        count += masks[r] != 0;
    }
    grid->cell_blocks = count;
    SN_ALLOC_ZERO(grid->blocks, allocator, count, error);
    SN_ALLOC(grid->places, allocator, 3 * (size_t)count, error);
    SN_ALLOC(grid->masks, allocator, count, error);
    SN_ALLOC(grid->cell_at, allocator, rows, error);
    SN_ALLOC(grid->slab_start, allocator, n[0] + 1, error);
    count = 0;
    for (size_t r = 0; r < rows; ++r) {
        int b = (int)(r % (size_t)grid->row_blocks);
        int j = (int)(r / (size_t)grid->row_blocks % (size_t)n[1]);
        int i = (int)(r / (size_t)grid->row_blocks / (size_t)n[1]);
        if (j == 0 && b == 0) {
            grid->slab_start[i] = count;
        }
        grid->cell_at[r] = masks[r] != 0 ? count : -1;
        if (masks[r] != 0) {
            grid->places[3 * count] = i;
            grid->places[3 * count + 1] = j;
            grid->places[3 * count + 2] = SN_LATTICE_BLOCK * b;
            grid->masks[count++] = masks[r];
            for (unsigned bits = masks[r]; bits != 0; bits &= bits - 1) {
                grid->cell_count += 1;
            }
        }
    }
    grid->slab_start[n[0]] = count;

done:
    return status;
}

static SinewStatus number_nodes(SnLatticeGrid *grid, const SinewAllocator *allocator,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const int *n = grid->size;
    size_t rows = (size_t)(n[0] + 1) * (size_t)(n[1] + 1) * (size_t)grid->row_blocks;
    size_t plane = (size_t)(n[1] + 1) * (size_t)grid->row_blocks;
    int count = 1;

    SN_ALLOC_ZERO(grid->node_at, allocator, rows, error);
    SN_ALLOC(grid->plane_start, allocator, n[0] + 2, error);
    SN_ALLOC_ZERO(grid->no_row, allocator, grid->row_blocks, error);
    for (int c = 0; c < grid->cell_blocks; ++c) {
        const int *at = grid->places + 3 * (size_t)c;
        for (int r = 0; r < 4; ++r) {
            size_t node = node_index(grid, at[0] + r / 2, at[1] + r % 2, at[2] / SN_LATTICE_BLOCK);
            grid->node_at[node] = 1;
            if (grid->masks[c] & LAST) {
                grid->node_at[node + 1] = 1;
            }
        }
    }
    for (size_t r = 0; r < rows; ++r) {
        if (r % plane == 0) {
            grid->plane_start[r / plane] = count;
        }
        grid->node_at[r] = grid->node_at[r] != 0 ? count++ : 0;
    }
    grid->plane_start[n[0] + 1] = count;
    grid->node_blocks = count;

done:
    return status;
}

static void join_blocks(SnLatticeGrid *grid)
{
    for (int c = 0; c < grid->cell_blocks; ++c) {
        const int *at = grid->places + 3 * (size_t)c;
        int b = at[2] / SN_LATTICE_BLOCK;
        SnLatticeBlock *block = &grid->blocks[c];
        for (int r = 0; r < 4; ++r) {
            size_t node = node_index(grid, at[0] + r / 2, at[1] + r % 2, b);
            block->nodes[r] = grid->node_at[node];
            block->next[r] = b + 1 < grid->row_blocks ? grid->node_at[node + 1] : 0;
        }
        block->joins = b > 0 && grid->cell_at[cell_index(grid, at[0], at[1], b - 1)] >= 0;
    }
}

SinewStatus sn_lattice_grid_create(const int size[3], double h, const uint16_t *masks,
                                   const SinewAllocator *allocator, SnLatticeGrid *out_grid,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_grid = (SnLatticeGrid){.h = h, .row_blocks = sn_lattice_row_blocks(size)};
    memcpy(out_grid->size, size, sizeof out_grid->size);
    SN_TRY(list_cells(out_grid, masks, allocator, error));
    SN_TRY(number_nodes(out_grid, allocator, error));
    join_blocks(out_grid);
    if ((int64_t)out_grid->node_blocks * SN_LATTICE_NODE > INT32_MAX) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the lattice has %d cells, more than indices can count; use a lower "
                       "resolution",
                       out_grid->cell_count));
    }

done:
    if (status < 0) {
        sn_lattice_grid_release(out_grid, allocator);
    }
    return status;
}

void sn_lattice_grid_release(SnLatticeGrid *grid, const SinewAllocator *allocator)
{
    sn_free(allocator, grid->blocks);
    sn_free(allocator, grid->places);
    sn_free(allocator, grid->masks);
    sn_free(allocator, grid->slab_start);
    sn_free(allocator, grid->plane_start);
    sn_free(allocator, grid->cell_at);
    sn_free(allocator, grid->node_at);
    sn_free(allocator, grid->no_row);
    *grid = (SnLatticeGrid){0};
}

SinewStatus sn_lattice_grid_coarsen(const SnLatticeGrid *fine, const SinewAllocator *allocator,
                                    SnLatticeGrid *out_grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int size[3];
    uint16_t *masks = NULL;

    *out_grid = (SnLatticeGrid){0};
    for (int k = 0; k < 3; ++k) {
        size[k] = (fine->size[k] + 1) / 2;
    }
    size_t row = (size_t)sn_lattice_row_blocks(size);
    SN_ALLOC_ZERO(masks, allocator, (size_t)size[0] * (size_t)size[1] * row, error);
    for (int c = 0; c < fine->cell_blocks; ++c) {
        const int *at = fine->places + 3 * (size_t)c;
        for (int n = 0; n < SN_LATTICE_BLOCK; ++n) {
            if (fine->masks[c] >> n & 1) {
                size_t k = (size_t)(at[2] + n) / 2;
                size_t to = ((size_t)(at[0] / 2) * (size_t)size[1] + (size_t)(at[1] / 2)) * row +
                            k / SN_LATTICE_BLOCK;
                masks[to] = (uint16_t)(masks[to] | 1u << k % SN_LATTICE_BLOCK);
            }
        }
    }
    SN_TRY(sn_lattice_grid_create(size, 2.0 * fine->h, masks, allocator, out_grid, error));

done:
    sn_free(allocator, masks);
    return status;
}
