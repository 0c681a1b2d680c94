// The kinds of cells of a body: contents without repetition and what was made of each. It is most
// of the work of making a body and of its memory, the same for all copies of a body wherever they
// are, and shared by them through base/share.h. Found by contents and materials, to the last bit.
#ifndef SN_MODEL_VOXEL_KINDS_H
#define SN_MODEL_VOXEL_KINDS_H

#include "base/share.h"
#include "model/voxel/grid.h"

// What the kinds of a grid are made from. All borrowed.
typedef struct SnVoxelKindsDef {
    const SnVoxelGrid *grid; // division, edge, kind_count, content, materials
    const SnKernels *kernels;
    SnVoxelKind kind;
    int material_count;
} SnVoxelKindsDef;

typedef struct SnVoxelKinds {
    SnShared shared;
    SinewAllocator allocator;
    const SnKernels *kernels;
    SnVoxelKind kind;
    int material_count;
    SnVoxelGrid made; // the members that a def names, and cells
} SnVoxelKinds;

// Takes content, materials and cells of the grid from the store, where another grid's are equal;
// what the grid had is then released. False: there are none.
bool sn_voxel_kinds_find(SnShare *store, const SnVoxelKindsDef *def,
                         const SinewAllocator *allocator, SnVoxelGrid *grid);

// Puts those of a grid, with its cells made, into the store (nullable). The grid goes on with them.
SinewStatus sn_voxel_kinds_add(SnShare *store, const SnVoxelKindsDef *def,
                               const SinewAllocator *allocator, SnVoxelGrid *grid,
                               SinewError *error);

#endif
