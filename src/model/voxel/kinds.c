#include "model/voxel/kinds.h"

#include "base/hash.h"

#include <string.h>

static size_t content_size(const SnVoxelGrid *grid)
{
    size_t m = (size_t)grid->division;
    return (size_t)grid->kind_count * m * m * m * sizeof(SnVoxel);
}

static size_t materials_size(const SnVoxelKindsDef *def)
{
    return (size_t)def->material_count * sizeof(SnVoxelMaterial);
}

static bool is_kinds(const SnShared *thing, const void *key)
{
    const SnVoxelKinds *kinds = (const SnVoxelKinds *)thing;
    const SnVoxelGrid *made = &kinds->made;
    const SnVoxelKindsDef *def = key;
    const SnVoxelGrid *grid = def->grid;
    return kinds->kernels == def->kernels && kinds->kind == def->kind &&
           kinds->material_count == def->material_count && made->division == grid->division &&
           made->edge == grid->edge && made->kind_count == grid->kind_count &&
           memcmp(made->materials, grid->materials, materials_size(def)) == 0 &&
           memcmp(made->content, grid->content, content_size(grid)) == 0;
}

static void destroy_kinds(SnShared *thing)
{
    SnVoxelKinds *kinds = (SnVoxelKinds *)thing;
    SinewAllocator allocator = kinds->allocator;
    sn_voxel_grid_release(&kinds->made, &allocator);
    sn_free(&allocator, kinds);
}

static const SnSharedKind kinds_kind = {is_kinds, destroy_kinds};

static uint64_t hash_kinds(const SnVoxelKindsDef *def)
{
    uint64_t hash = sn_hash(SN_HASH_START, &def->grid->edge, sizeof def->grid->edge);
    hash = sn_hash(hash, def->grid->materials, materials_size(def));
    return sn_hash(hash, def->grid->content, content_size(def->grid));
}

static void lend(SnVoxelKinds *kinds, SnVoxelGrid *grid)
{
    grid->shared = &kinds->shared;
    grid->content = kinds->made.content;
    grid->materials = kinds->made.materials;
    grid->cells = kinds->made.cells;
}

bool sn_voxel_kinds_find(SnShare *store, const SnVoxelKindsDef *def,
                         const SinewAllocator *allocator, SnVoxelGrid *grid)
{
    SnShared *found = sn_share_find(store, &kinds_kind, hash_kinds(def), def);
    if (found == NULL) {
        return false;
    }
    sn_free(allocator, grid->content);
    sn_free(allocator, grid->materials);
    lend((SnVoxelKinds *)found, grid);
    return true;
}

SinewStatus sn_voxel_kinds_add(SnShare *store, const SnVoxelKindsDef *def,
                               const SinewAllocator *allocator, SnVoxelGrid *grid,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelKinds *kinds = NULL;
    SN_ALLOC_ZERO(kinds, allocator, 1, error);
    kinds->allocator = *allocator;
    kinds->kernels = def->kernels;
    kinds->kind = def->kind;
    kinds->material_count = def->material_count;
    kinds->made = (SnVoxelGrid){.division = grid->division,
                                .edge = grid->edge,
                                .kind_count = grid->kind_count,
                                .content = grid->content,
                                .materials = grid->materials,
                                .cells = grid->cells};
    sn_share_add(store, &kinds_kind, hash_kinds(def), &kinds->shared);
    lend(kinds, grid);
done:
    return status;
}
