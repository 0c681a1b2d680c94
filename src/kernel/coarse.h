// The coarse space of `split`: clusters of vertices that move as affine frames. A vertex belongs to
// four clusters with weights w and follows their frames through the basis w (1, X - X_c), turned by
// a rotation of its own. Down: residuals to frames. Across: the dense inverse. Up: frames to
// vertices.
#ifndef SN_KERNEL_COARSE_H
#define SN_KERNEL_COARSE_H

enum {
    SN_COARSE_CLUSTERS = 4, // of a vertex
    SN_COARSE_FRAME = 12,   // unknowns of a cluster: for each of x, y, z four numbers of the basis
    SN_COARSE_ROWS = 32     // the dense matrix is padded to a multiple of this
};

// Vectors over vertices are xyz packed, with room for one float more.
typedef struct SnCoarse {
    int row_count;          // 12 a cluster, padded to SN_COARSE_ROWS
    const int *clusters;    // 4 a vertex
    const float *basis;     // 4 x 4 a vertex: w (1, X - X_c) of its clusters
    const int *start;       // a cluster: its first place in `members`, and the end
    const int *members;     // 4 vertex + which of its clusters this is
    const float *inverse;   // row_count x row_count, symmetric
    const float *rotations; // a cluster: unit quaternion
    float *turns;           // 12 a vertex: rows of its rotation, each with a zero
    const float *residual;  // xyz a vertex
    float *turned;          // 4 a vertex: the residual turned back
    float *right;           // row_count
    float *frames;          // row_count
    const float *free;      // xyz: 1, or 0 where held
    float *z;               // xyz a vertex, added to
} SnCoarse;

typedef void SnCoarseFn(const SnCoarse *coarse, int begin, int end);

typedef struct SnCoarseKernels {
    SnCoarseFn *blend;  // vertices: `turns` from the rotations of their clusters
    SnCoarseFn *turn;   // vertices: `turned`
    SnCoarseFn *gather; // clusters: `right`
    SnCoarseFn *solve;  // blocks of SN_COARSE_ROWS rows: frames = inverse right
    SnCoarseFn *spread; // vertices: z += turned-forward frames
} SnCoarseKernels;

#endif
