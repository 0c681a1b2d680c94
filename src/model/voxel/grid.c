#include "model/voxel/grid.h"

#include "base/hash.h"
#include "base/union_find.h"
#include "model/voxel/cache.h"
#include "model/voxel/gather.h"
#include "model/voxel/kinds.h"

#include <stdio.h>
#include <string.h>

void sn_voxel_grid_release(SnVoxelGrid *grid, const SinewAllocator *allocator)
{
    bool owns = grid->shared == NULL;
    for (int k = 0; k < grid->kind_count && grid->cells != NULL && owns; ++k) {
        sn_voxel_cell_release(&grid->cells[k], allocator);
    }
    sn_free(allocator, grid->places);
    sn_free(allocator, grid->corners);
    sn_free(allocator, grid->rest);
    sn_free(allocator, grid->kinds);
    sn_free(allocator, grid->first_at);
    sn_free(allocator, owns ? grid->content : NULL);
    sn_free(allocator, owns ? grid->cells : NULL);
    sn_free(allocator, owns ? grid->materials : NULL);
    sn_share_leave(grid->shared);
    *grid = (SnVoxelGrid){0};
}

// Materials --------------------------------------------------------------------------------------

static SinewStatus take_materials(const SnVoxelGridDef *def, const SinewAllocator *allocator,
                                  SnVoxelGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnMaterials *materials = def->materials;
    SN_ALLOC_ZERO(grid->materials, allocator, (size_t)materials->region_count + 1, error);
    for (int m = 0; m <= materials->region_count; ++m) {
        const SnMaterial *from = &materials->materials[m];
        SnVoxelMaterial *to = &grid->materials[m];
        to->young = sn_law_young(&from->law);
        to->density = from->density;
        to->damping_mass = from->damping_mass;
        to->damping_stiffness = from->damping_stiffness;
        sn_voxel_leaf(from->law.mu, from->law.lambda, def->kind == SN_VOXEL_CONDENSED, to->leaf);
    }

done:
    return status;
}

// Cells and vertices -----------------------------------------------------------------------------

// One cell a part of a block.
static SinewStatus list_cells(const SnVoxelBlocks *blocks, const SinewAllocator *allocator,
                              SnVoxelGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t places = (size_t)blocks->size[0] * (size_t)blocks->size[1] * (size_t)blocks->size[2];
    int cell = 0;

    for (int b = 0; b < blocks->count; ++b) {
        grid->cell_count += blocks->parts[b];
    }
    SN_ALLOC(grid->places, allocator, 3 * (size_t)grid->cell_count, error);
    SN_ALLOC(grid->corners, allocator, 8 * (size_t)grid->cell_count, error);
    SN_ALLOC(grid->kinds, allocator, grid->cell_count, error);
    SN_ALLOC(grid->first_at, allocator, places, error);
    for (size_t p = 0; p < places; ++p) {
        int b = blocks->block_at[p];
        grid->first_at[p] = b < 0 ? -1 : cell;
        for (int part = 0; b >= 0 && part < blocks->parts[b]; ++part, ++cell) {
            memcpy(grid->places + 3 * (size_t)cell, blocks->places + 3 * (size_t)b,
                   3 * sizeof *grid->places);
        }
    }

done:
    return status;
}

// Unites the corners that two cells at places `step` apart have in common.
static void unite_cells(int *parents, int low, int high, const int step[3])
{
    for (int c = 0; c < 8; ++c) {
        int bits[3] = {c >> 2 & 1, c >> 1 & 1, c & 1}, other = 0;
        bool common = true;
        for (int k = 0; k < 3; ++k) {
            int bit = bits[k] - step[k];
            common = common && (bit == 0 || bit == 1);
            other = 2 * other + bit;
        }
        if (common) {
            sn_union_find_join(parents, 8 * low + c, 8 * high + other);
        }
    }
}

// Parts of two neighbouring blocks that share a node of their contents hang together.
static void link_blocks(const SnVoxelBlocks *blocks, const SnVoxelGrid *grid, int a, int b,
                        const int step[3], int *parents)
{
    int m = blocks->division, side = m + 1, begin[3], end[3];
    size_t nodes = (size_t)(side * side * side);
    const unsigned char *of_a = blocks->labels + (size_t)a * nodes;
    const unsigned char *of_b = blocks->labels + (size_t)b * nodes;
    int first[2];
    for (int s = 0; s < 2; ++s) {
        const int *p = blocks->places + 3 * (size_t)(s == 0 ? a : b);
        first[s] = grid->first_at[(p[0] * grid->size[1] + p[1]) * grid->size[2] + p[2]];
    }
    for (int k = 0; k < 3; ++k) {
        begin[k] = step[k] > 0 ? m : 0;
        end[k] = step[k] < 0 ? 0 : m;
    }
    for (int i = begin[0]; i <= end[0]; ++i) {
        for (int j = begin[1]; j <= end[1]; ++j) {
            for (int k = begin[2]; k <= end[2]; ++k) {
                int there = sn_voxel_node(m, i - m * step[0], j - m * step[1], k - m * step[2]);
                int label_a = of_a[sn_voxel_node(m, i, j, k)], label_b = of_b[there];
                if (label_a > 0 && label_b > 0) {
                    unite_cells(parents, first[0] + label_a - 1, first[1] + label_b - 1, step);
                }
            }
        }
    }
}

static void link_all(const SnVoxelBlocks *blocks, const SnVoxelGrid *grid, int *parents)
{
    for (int i = 0; i < 8 * grid->cell_count; ++i) {
        parents[i] = i;
    }
    for (int b = 0; b < blocks->count; ++b) {
        const int *p = blocks->places + 3 * (size_t)b;
        for (int n = 14; n < 27; ++n) { // half of the 26 neighbours: those after the middle
            int step[3] = {n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1};
            int q[3] = {p[0] + step[0], p[1] + step[1], p[2] + step[2]};
            bool within = true;
            for (int k = 0; k < 3; ++k) {
                within = within && q[k] >= 0 && q[k] < grid->size[k];
            }
            int other = within
                            ? blocks->block_at[(q[0] * grid->size[1] + q[1]) * grid->size[2] + q[2]]
                            : -1;
            if (other >= 0) {
                link_blocks(blocks, grid, b, other, step, parents);
            }
        }
    }
}

// Vertices in the order in which cells first name them.
static SinewStatus number_vertices(const SnVoxelBlocks *blocks, const SinewAllocator *allocator,
                                   SnVoxelGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = 8 * grid->cell_count;
    int *parents = NULL, *numbers = NULL;

    SN_ALLOC(parents, allocator, count, error);
    SN_ALLOC(numbers, allocator, count, error);
    link_all(blocks, grid, parents);
    for (int i = 0; i < count; ++i) {
        int root = sn_union_find_root(parents, i); // the smallest of its set
        numbers[i] = root == i ? grid->vertex_count++ : -1;
        grid->corners[i] = numbers[root];
    }
    SN_ALLOC(grid->rest, allocator, 3 * (size_t)grid->vertex_count, error);
    for (int i = 0; i < count; ++i) {
        const int *place = grid->places + 3 * (size_t)(i / 8);
        double at[3] = {place[0] + (i >> 2 & 1), place[1] + (i >> 1 & 1), place[2] + (i & 1)};
        for (int a = 0; a < 3 && parents[i] == i; ++a) {
            grid->rest[3 * (size_t)grid->corners[i] + (size_t)a] =
                grid->origin[a] + grid->edge * (at[0] * grid->axes[a] + at[1] * grid->axes[3 + a] +
                                                at[2] * grid->axes[6 + a]);
        }
    }

done:
    sn_free(allocator, parents);
    sn_free(allocator, numbers);
    return status;
}

// Kinds ------------------------------------------------------------------------------------------

// The content of a part of a block: its voxels, others empty.
static void take_part(const SnVoxelBlocks *blocks, int block, int part, SnVoxel *out)
{
    int m = blocks->division, cube = m * m * m;
    const SnVoxel *voxels = blocks->voxels + (size_t)block * (size_t)cube;
    for (int v = 0; v < cube; ++v) {
        bool belongs = voxels[v].material >= 0 && sn_voxel_part(blocks, block, v) == part;
        out[v] = belongs ? voxels[v] : (SnVoxel){-1, 0.0f, 0.0f};
    }
}

// Contents without repetition, and which one each cell has.
static SinewStatus find_kinds(const SnVoxelBlocks *blocks, const SinewAllocator *allocator,
                              SnVoxelGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t cube = (size_t)(blocks->division * blocks->division * blocks->division);
    size_t slots = 16, size = cube * sizeof(SnVoxel);
    int *table = NULL, cell = 0;

    while (slots < 2 * (size_t)grid->cell_count) {
        slots *= 2;
    }
    SN_ALLOC(table, allocator, slots, error);
    memset(table, -1, slots * sizeof *table);
    SN_ALLOC(grid->content, allocator, (size_t)grid->cell_count * cube, error);
    for (int b = 0; b < blocks->count; ++b) {
        for (int part = 0; part < blocks->parts[b]; ++part, ++cell) {
            SnVoxel *content = grid->content + (size_t)grid->kind_count * cube;
            take_part(blocks, b, part, content);
            size_t slot = (size_t)sn_hash(SN_HASH_START, content, size) & (slots - 1);
            while (table[slot] >= 0 &&
                   memcmp(grid->content + (size_t)table[slot] * cube, content, size) != 0) {
                slot = (slot + 1) & (slots - 1);
            }
            if (table[slot] < 0) {
                table[slot] = grid->kind_count++;
            }
            grid->kinds[cell] = table[slot];
        }
    }

done:
    sn_free(allocator, table);
    return status;
}

typedef struct Making {
    const SnVoxelGridDef *def;
    SnVoxelGrid *grid;
    const SinewAllocator *allocator;
    SnVoxelShop *shops;    // a worker
    SinewStatus *statuses; // a kind
    int first;             // kind of the loop
} Making;

// Kinds between two words of progress: some tenths of a second of work where it takes long.
enum { TELL_EVERY = 64 };

static void make_range(void *context, int begin, int end, int worker)
{
    const Making *making = context;
    SnVoxelGrid *grid = making->grid;
    size_t cube = (size_t)(grid->division * grid->division * grid->division);
    for (int k = making->first + begin; k < making->first + end; ++k) {
        SnVoxelContent content = {grid->division, grid->edge, grid->content + (size_t)k * cube,
                                  grid->materials};
        making->statuses[k] =
            sn_voxel_cell_make(&making->shops[worker], &content, making->def->kind,
                               making->allocator, &grid->cells[k], NULL);
    }
}

static void tell(const SnVoxelGridDef *def, int done, int total)
{
    char what[80];
    if (def->progress != NULL && def->progress->tell != NULL) {
        snprintf(what, sizeof what, "cells of %s", def->name);
        def->progress->tell(def->progress->context, what, done, total);
    }
}

static SinewStatus make_cells(const SnVoxelGridDef *def, SnWorkers *workers,
                              const SinewAllocator *allocator, SnVoxelGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int worker_count = sn_workers_count(workers);
    Making making = {.def = def, .grid = grid, .allocator = allocator};

    SN_ALLOC_ZERO(making.statuses, allocator, grid->kind_count, error);
    SN_ALLOC_ZERO(making.shops, allocator, worker_count, error);
    for (int w = 0; w < worker_count; ++w) {
        SN_TRY(sn_voxel_shop_create(grid->division, def->kind == SN_VOXEL_CONDENSED, def->kernels,
                                    allocator, &making.shops[w], error));
    }
    tell(def, 0, grid->kind_count);
    for (; making.first < grid->kind_count; making.first += TELL_EVERY) {
        int count = grid->kind_count - making.first;
        count = count < TELL_EVERY ? count : TELL_EVERY;
        sn_parallel_for(workers, count, 1, make_range, &making);
        tell(def, making.first + count, grid->kind_count);
    }
    for (int k = 0; k < grid->kind_count; ++k) {
        if (making.statuses[k] < 0) {
            SN_TRY(sn_fail(error, making.statuses[k], "out of memory for the cells of kind %d", k));
        }
    }

done:
    for (int w = 0; w < worker_count && making.shops != NULL; ++w) {
        sn_voxel_shop_release(&making.shops[w], allocator);
    }
    sn_free(allocator, making.shops);
    sn_free(allocator, making.statuses);
    return status;
}

// From the folder, where they are there, else made and kept there.
static SinewStatus find_cells(const SnVoxelGridDef *def, SnWorkers *workers,
                              const SinewAllocator *allocator, SnVoxelGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool found = false;
    SN_ALLOC_ZERO(grid->cells, allocator, grid->kind_count, error);
    if (def->cache != NULL) {
        SN_TRY(sn_voxel_cache_read(def, allocator, grid, &found, error));
    }
    if (!found) {
        SN_TRY(make_cells(def, workers, allocator, grid, error));
    }
    if (!found && def->cache != NULL) {
        SN_TRY(sn_voxel_cache_write(def, allocator, grid, error));
    }

done:
    return status;
}

// Cells of another body where they are equal, else made. Those that a folder keeps come from there.
static SinewStatus take_kinds(const SnVoxelGridDef *def, SnWorkers *workers,
                              const SinewAllocator *allocator, SnVoxelGrid *grid, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelKindsDef kinds = {.grid = grid,
                             .kernels = def->kernels,
                             .kind = def->kind,
                             .material_count = def->materials->region_count + 1};
    SnShare *share = def->cache == NULL ? def->share : NULL;
    if (sn_voxel_kinds_find(share, &kinds, allocator, grid)) {
        return SINEW_OK;
    }
    SN_TRY(find_cells(def, workers, allocator, grid, error));
    SN_TRY(sn_voxel_kinds_add(share, &kinds, allocator, grid, error));

done:
    return status;
}

SinewStatus sn_voxel_grid_create(const SnVoxelGridDef *def, SnWorkers *workers,
                                 const SinewAllocator *allocator, SnVoxelGrid *out_grid,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSolidVoxels voxels = {0};
    SnVoxelBlocks blocks = {0};
    SnSolidCut cut = {def->division, def->hollow};

    *out_grid = (SnVoxelGrid){.division = def->division,
                              .shown = def->kind == SN_VOXEL_CONDENSED ? def->division : 1};
    SN_TRY(take_materials(def, allocator, out_grid, error));
    SN_TRY(sn_fail_body(error, sn_solid_voxels(def->solid, &cut, &voxels, error), def->name));
    SN_TRY(sn_voxel_gather(def, &voxels, allocator, &blocks, error));
    memcpy(out_grid->size, blocks.size, sizeof out_grid->size);
    memcpy(out_grid->origin, voxels.origin, sizeof out_grid->origin);
    memcpy(out_grid->axes, voxels.axes, sizeof out_grid->axes);
    out_grid->edge = voxels.edge * def->division;
    SN_TRY(list_cells(&blocks, allocator, out_grid, error));
    SN_TRY(number_vertices(&blocks, allocator, out_grid, error));
    SN_TRY(find_kinds(&blocks, allocator, out_grid, error));
    SN_TRY(take_kinds(def, workers, allocator, out_grid, error));

done:
    sn_voxel_blocks_release(&blocks, allocator);
    sn_solid_voxels_destroy(&voxels, allocator);
    if (status < 0) {
        sn_voxel_grid_release(out_grid, allocator);
    }
    return status;
}
