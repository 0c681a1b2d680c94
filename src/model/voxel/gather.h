// Gathers a body's voxels by coarse cell and labels what is connected inside each.
#ifndef SN_MODEL_VOXEL_GATHER_H
#define SN_MODEL_VOXEL_GATHER_H

#include "model/voxel/grid.h"

// Blocks are the coarse cells that hold any voxel, in the order of their places.
typedef struct SnVoxelBlocks {
    int division;
    int size[3]; // places along each axis
    int count;
    int *places;           // i, j, k a block
    int *block_at;         // a place: its block, or -1
    SnVoxel *voxels;       // division^3 a block
    unsigned char *labels; // (division + 1)^3 nodes a block: 1 + the part it belongs to, or 0
    unsigned char *parts;  // a block: number of parts
} SnVoxelBlocks;

SinewStatus sn_voxel_gather(const SnVoxelGridDef *def, const SnSolidVoxels *voxels,
                            const SinewAllocator *allocator, SnVoxelBlocks *out_blocks,
                            SinewError *error);
void sn_voxel_blocks_release(SnVoxelBlocks *blocks, const SinewAllocator *allocator);

// The part that a voxel of a block belongs to, that of its lowest node; 0 is the first.
static inline int sn_voxel_part(const SnVoxelBlocks *blocks, int block, int voxel)
{
    int m = blocks->division, side = m + 1;
    int node = sn_voxel_node(m, voxel / m / m, voxel / m % m, voxel % m);
    return blocks->labels[(size_t)block * (size_t)(side * side * side) + (size_t)node] - 1;
}

#endif
