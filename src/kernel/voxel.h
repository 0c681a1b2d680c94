// Coarse cells with a matrix of their own: A x for cells that are turned, and points inside them.
// Corners of a cell come axis by axis: number 8 i + c is the component i of the corner c.
#ifndef SN_KERNEL_VOXEL_H
#define SN_KERNEL_VOXEL_H

enum { SN_VOXEL_NUMBERS = 24, SN_VOXEL_ENTRIES = 576, SN_VOXEL_SITE = 96 };

// out = R A R^T x of each cell.
typedef struct SnVoxelBatch {
    const float *matrices;  // SN_VOXEL_ENTRIES a kind, symmetric; 32-byte aligned
    const int *kinds;       // a cell: its matrix
    const int *corners;     // eight vertices a cell
    const float *rotations; // 9 a cell, row-major, from its frame to the world
    const float *x;         // xyz a vertex
    float *out;             // SN_VOXEL_NUMBERS a cell; 32-byte aligned
} SnVoxelBatch;

// Places of nodes inside cells, in their frames: rest + N u.
typedef struct SnVoxelSites {
    const float *shapes; // SN_VOXEL_SITE a site: 24 columns of N, x y z and a zero each
    const int *cells;    // a site
    const float *rest;   // four a site: x y z and a zero
    const float *u;      // SN_VOXEL_NUMBERS a cell
    float *out;          // four a site
} SnVoxelSites;

typedef struct SnVoxelKernels {
    void (*apply)(const SnVoxelBatch *batch, int begin, int end);
    // out = A u, one matrix.
    void (*multiply)(const float *matrix, const float *u, float *out);
    void (*place)(const SnVoxelSites *sites, int begin, int end);
} SnVoxelKernels;

#endif
