// What follows from which corners cells have: the corners at a vertex, and the pattern of the
// matrix in 3x3 blocks, with the place of each cell's blocks in it.
#ifndef SN_MODEL_VOXEL_PATTERN_H
#define SN_MODEL_VOXEL_PATTERN_H

#include "model/voxel/level.h"

// Cells' corners at each vertex: 8 cell + corner, in ascending order. On failure neither is left.
SinewStatus sn_voxel_list_corners(const int *corners, int cell_count, int vertex_count,
                                  const SinewAllocator *allocator, int **out_start,
                                  int **out_corners, SinewError *error);

typedef struct SnVoxelPattern {
    int *row_start; // blocks of a vertex, both triangles
    int *columns;   //
    int *entries;   // 64 a cell: where its blocks go
    double *blocks; // 9 an entry
} SnVoxelPattern;

SinewStatus sn_voxel_pattern_create(const SnVoxelLevel *level, const SinewAllocator *allocator,
                                    SnVoxelPattern *out_pattern, SinewError *error);
void sn_voxel_pattern_release(SnVoxelPattern *pattern, const SinewAllocator *allocator);

#endif
