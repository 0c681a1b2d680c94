// One level of cells for iterative solves: the body's own, with the matrices of their kinds and
// their rotations, or coarser ones with matrices of their own in the world's frame. Products go
// cell by cell and are then summed by vertex, so that the order never changes.
#ifndef SN_MODEL_VOXEL_LEVEL_H
#define SN_MODEL_VOXEL_LEVEL_H

#include "base/workers.h"
#include "kernel/kernel_table.h"

// Vectors have four floats a vertex: x y z 0.
typedef struct SnVoxelLevel {
    const SnKernels *kernels;
    int cell_count;
    int vertex_count;
    const int *corners;        // eight a cell
    const int *kinds;          // a cell; NULL: each has its own matrix
    const float *matrices;     // SN_VOXEL_ENTRIES a kind
    float *rotations;          // 9 a cell; NULL: matrices are in the world's frame
    const int *vertex_start;   // cells' corners at a vertex: 8 cell + corner, in ascending order
    const int *vertex_corners; //
    float *numbers;            // what follows, of which it is the owner
    float *x, *r, *z, *p, *q;
    float *free;    // 1, or 0 where held
    float *inverse; // SN_VOXEL_INVERSE a vertex: of the matrix' diagonal blocks
    float *out;     // SN_VOXEL_OUT a cell
} SnVoxelLevel;

// Room for vectors, of a level whose counts are set.
SinewStatus sn_voxel_level_create(SnVoxelLevel *level, const SinewAllocator *allocator,
                                  SinewError *error);
void sn_voxel_level_release(SnVoxelLevel *level, const SinewAllocator *allocator);

// out = A p of each cell; then q = free times its sum over the cells at a vertex, which answers
// p . q.
void sn_voxel_level_apply(const SnVoxelLevel *level, SnWorkers *workers);
double sn_voxel_level_gather(const SnVoxelLevel *level, SnWorkers *workers);

// x += alpha p, r -= alpha q, z = inverse r. Sums are r . z and r . r.
void sn_voxel_level_advance(const SnVoxelLevel *level, SnWorkers *workers, double alpha,
                            double sums[2]);

// Sum of a . b over vertices.
double sn_voxel_level_dot(const SnVoxelLevel *level, SnWorkers *workers, const float *a,
                          const float *b);

// p = a z + b p.
void sn_voxel_level_follow(const SnVoxelLevel *level, SnWorkers *workers, double a, double b);

#endif
