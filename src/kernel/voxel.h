// Coarse cells with a matrix of their own: A x for cells that are turned, points inside them, and
// the vectors over their corners that conjugate gradients work on. Numbers of a cell come axis by
// axis: number 8 i + c is the component i of the corner c. Vectors have four floats a vertex:
// x y z 0, so that a corner is one load.
#ifndef SN_KERNEL_VOXEL_H
#define SN_KERNEL_VOXEL_H

#include <stdbool.h>

enum {
    SN_VOXEL_NUMBERS = 24,
    SN_VOXEL_ENTRIES = 576,
    SN_VOXEL_SITES = 16,   // sites that are placed together
    SN_VOXEL_BLOCK = 1216, // their numbers: planes of 72 shapes, 3 places at rest and a share
    SN_VOXEL_QUADS = 4,    // points that are shown together
    SN_VOXEL_OUT = 32,     // 4 a corner
    SN_VOXEL_INVERSE = 12, // three columns x y z 0
    SN_VOXEL_GROUP = 16,   // cells that are posed together
    SN_VOXEL_KIND = 196    // 24 quads omega, 24 quads weight, a quad moment
};

// Planes of a group: SN_VOXEL_GROUP numbers each.
enum {
    SN_VOXEL_PLANE_U = 0,     // 24: displacements in the cell's frame, m
    SN_VOXEL_PLANE_R = 24,    // 9: its rotation
    SN_VOXEL_PLANE_TURN = 33, // 9: from a change of u to a rotation
    SN_VOXEL_PLANE_OK = 42,   // 1: that exists, else 0
    SN_VOXEL_PLANE_MEAN = 43, // 3: m, the mean of the corners from the first of them
    SN_VOXEL_PLANES = 46
};

// out = R A R^T x of each cell.
typedef struct SnVoxelBatch {
    const float *matrices;  // SN_VOXEL_ENTRIES a kind, symmetric; 32-byte aligned
    const int *kinds;       // a cell: its matrix; nullable: each has its own
    const int *corners;     // eight vertices a cell
    const float *rotations; // 9 a cell, row-major, from its frame to the world; nullable: none
    const float *x;         // 4 a vertex
    float *out;             // SN_VOXEL_OUT a cell: x y z 0 a corner
} SnVoxelBatch;

// How rotations of cells are found.
typedef enum SnVoxelTurning {
    SN_VOXEL_STAYS, // they stay
    SN_VOXEL_OMEGA, // the mean rotation of the content becomes zero
    SN_VOXEL_EDGES  // from the mean edges
} SnVoxelTurning;

// Where cells are and the forces at their corners, in groups of SN_VOXEL_GROUP cells, a lane each.
// Behind the last cell the last one is repeated.
//
// Places of vertices are sums of two floats, so that differences of near ones are good to a float's
// last bit wherever the body is.
typedef struct SnVoxelGroups {
    SnVoxelTurning turning;
    int turns;
    bool exact; // forces have what comes of the rotation's change
    int cell_count;
    float edge;            // m, of a cell
    float gravity[3];      // m/s^2
    const float *high;     // 4 a vertex, m
    const float *low;      // 4 a vertex: what is left
    const int *corners;    // eight a cell
    const int *kinds;      // a cell
    const float *matrices; // SN_VOXEL_ENTRIES a kind: K
    const float *data;     // SN_VOXEL_KIND a kind: quads omega (row r, corner c at 3 c + r), then
                           // weight (component k of corner c at 3 c + k), then moment
    const double *base;    // 9 a cell: rotations to start from
    const float *pulls;    // nullable: 32 a cell: 24 numbers to take from forces, then a torque
    float *planes;         // SN_VOXEL_PLANES * SN_VOXEL_GROUP a group
    float *out;            // SN_VOXEL_OUT a cell: N, x y z 0 a corner; in place of the first zero
                           // its energy, J: u'K u / 2 less the work of its weight from its middle
} SnVoxelGroups;

// Vectors of conjugate gradients and of Chebyshev's iteration.
typedef struct SnVoxelVectors {
    const int *start;     // a vertex: its first corner; and the end
    const int *corners;   // 8 cell + corner, in ascending order
    const float *out;     // of the cells
    const float *free;    // 4 a vertex: 1, or 0 where held; nullable: all free, and no p . q
    const float *inverse; // SN_VOXEL_INVERSE a vertex
    float *x, *r, *z, *p, *q;
} SnVoxelVectors;

// Places of nodes inside cells: shares of c + R (rest + N u), in blocks of SN_VOXEL_SITES that one
// cell has, a lane each. Lanes behind the last have a share of zero.
typedef struct SnVoxelSites {
    const float *blocks; // SN_VOXEL_BLOCK a block: the planes 3 k + i of N's column k, rest, share
    const int *cells;    // a block
    const float *planes; // of the cells' groups: u
    const float *rotations; // 9 a cell
    const float *centers;   // 3 a cell, m
    float *out;             // 4 a lane: x y z 0
} SnVoxelSites;

// Matrices of cells that are made of up to eight finer ones, whose corners follow the coarser
// corners by trilinear weights: sum T^T R A R^T T.
typedef struct SnVoxelMerge {
    const int *child_start;       // a coarser cell
    const int *children;          // its finer ones
    const unsigned char *octants; // a finer cell: 4 i + 2 j + k inside the coarser one
    const float *matrices;        // of finer cells, as in SnVoxelBatch
    const int *kinds;             //
    const float *rotations;       //
    const int *corners;           // of finer cells
    const float *free;            // 4 a finer vertex; nullable: all
    float *out;                   // SN_VOXEL_ENTRIES a coarser cell
} SnVoxelMerge;

// Points inside voxels, between their eight nodes: middle + sum w x. Those of one voxel follow each
// other in groups of SN_VOXEL_QUADS, the last of them repeated.
//
// Not taken: eight nodes and weights a point. Points of one voxel share a polynomial of eight
// terms, which takes three numbers a point instead of sixteen and seven multiplications.
typedef struct SnVoxelShown {
    const int *nodes;     // 8 a voxel, in the order of a cell's corners
    const int *start;     // a voxel: its first point; and the end
    const float *at;      // 4 a point: where it is in the voxel, from 0 to 1, and a zero
    const int *order;     // a point: three times its place in `out`
    const float *places;  // 4 a node
    const double *middle; // xyz
    double *out;          // xyz a point
} SnVoxelShown;

typedef struct SnVoxelKernels {
    void (*apply)(const SnVoxelBatch *batch, int begin, int end);
    // Blocks [begin, end), and voxels.
    void (*place)(const SnVoxelSites *sites, int begin, int end);
    void (*show)(const SnVoxelShown *shown, int begin, int end);
    // Vertices [begin, end). q = free times the sum over the cells; answers p . q.
    double (*gather)(const SnVoxelVectors *vectors, int begin, int end);
    // x += alpha p, r -= alpha q, z = inverse r; sums are r . z and r . r.
    void (*advance)(const SnVoxelVectors *vectors, float alpha, int begin, int end, double *sums);
    // Groups [begin, end): planes; and out from them, R (K u - weight - pulls) and the turn's part.
    void (*pose)(const SnVoxelGroups *groups, int begin, int end);
    void (*force)(const SnVoxelGroups *groups, int begin, int end);
    // Coarser cells [begin, end).
    void (*merge)(const SnVoxelMerge *merge, int begin, int end);
    // p = a z + b p.
    void (*follow)(const SnVoxelVectors *vectors, float a, float b, int begin, int end);
} SnVoxelKernels;

#endif
