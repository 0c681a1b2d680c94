// A block-tridiagonal system, factored and solved by dense blocks: the nodes inside a cell, layer
// by layer, where a layer touches the one before and the one after alone. Layers of a cell are so
// small that dense blocks at full speed beat a sparse factor that has to be analysed first.
#ifndef SN_MODEL_VOXEL_LAYERS_H
#define SN_MODEL_VOXEL_LAYERS_H

#include "base/memory.h"
#include "kernel/kernel_table.h"

#include <stdbool.h>

enum { SN_VOXEL_LAYERS_MAX = 17 };

// Blocks are column-major with columns of `stride` numbers, a multiple of SN_DENSE_ROWS.
typedef struct SnVoxelLayers {
    const SnKernels *kernels;
    int count;                       // layers in use
    int sizes[SN_VOXEL_LAYERS_MAX];  // unknowns of each
    int starts[SN_VOXEL_LAYERS_MAX]; // the first one
    int layers_max, stride;
    double *block;
    double *diagonal[SN_VOXEL_LAYERS_MAX]; // in: the layer's own block; after factoring, L^-1
    double *inverse[SN_VOXEL_LAYERS_MAX];  // after factoring: L^-T
    double *below[SN_VOXEL_LAYERS_MAX];    // in: rows of this layer, columns of the one before
    double *above[SN_VOXEL_LAYERS_MAX];    // after factoring: the transpose of `below`
    double *room;                          // one block, or one layer of right-hand sides
} SnVoxelLayers;

// Room for so many layers of at most so many unknowns, and right-hand sides.
SinewStatus sn_voxel_layers_create(int layers_max, int size_max, int right_sides_max,
                                   const SnKernels *kernels, const SinewAllocator *allocator,
                                   SnVoxelLayers *out_layers, SinewError *error);
void sn_voxel_layers_release(SnVoxelLayers *layers, const SinewAllocator *allocator);

// Sets sizes and zeroes the blocks, to which the caller adds.
void sn_voxel_layers_begin(SnVoxelLayers *layers, int count, const int *sizes);

// False where the matrix is not definite.
bool sn_voxel_layers_factor(SnVoxelLayers *layers);

// X <- A^-1 X; X[unknown * right_sides + r], right_sides a multiple of SN_DENSE_ROWS.
void sn_voxel_layers_solve(const SnVoxelLayers *layers, int right_sides, double *X);

#endif
