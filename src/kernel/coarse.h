// The coarse space of `split`: clusters of vertices that move as affine frames. A vertex belongs to
// four clusters with weights w and follows their frames through the basis w (1, X - X_c), turned by
// a rotation of its own. Down: residuals to frames. Across: the dense inverse. Up: frames to
// vertices.
#ifndef SN_KERNEL_COARSE_H
#define SN_KERNEL_COARSE_H

enum {
    SN_COARSE_CLUSTERS = 4, // of a vertex
    SN_COARSE_GROUP = 16,   // vertices
    SN_COARSE_COLUMNS = 16, // numbers of a frame as columns
    SN_COARSE_FRAME = 12,   // unknowns of a cluster: for each of x, y, z four numbers of the basis
    SN_COARSE_ROWS = 96     // the dense matrix is padded to a multiple of this: 40 clusters fill it
};

#define SN_COARSE_TINY 1e-20f // squares of quaternions below this are none
#define SN_COARSE_SQRT2 1.41421356f

// Vertices come in groups of 16, each component of a group side by side; those beyond the last have
// no shares. Frames stand in two forms: 12 numbers about the cluster's middle for the matrix, and
// 16 about the body's for vertices, which are columns (x, y, z, 0) that go with 1, X, Y and Z.
// Vectors over vertices are xyz packed, with room for one float more.
typedef struct SnCoarse {
    int vertex_count;           //
    int row_count;              // 12 a cluster, padded to SN_COARSE_ROWS
    const int *clusters;        // 4 planes a group: four times the cluster
    const float *shares;        // 4 planes a group: w, 0 where held
    const float *place;         // 4 a vertex: 1, X
    const int *start;           // a cluster: its first place in `members`, and the end
    const int *members;         // 4 vertex + which of its clusters this is
    const float *member_shares; // w of each
    const float *inverse;       // blocks of SN_COARSE_ROWS rows: their column 0, column 1, ...
    const float *rotations;     // a cluster: unit quaternion
    float *turns;               // 4 planes a group: quaternion times sqrt 2
    const float *residual;      // xyz a vertex
    float *turned;              // 16 a vertex: the residual turned back, times 1, X, Y, Z
    float *sums;                // 16 a cluster: their sum
    const float *right;         // row_count
    float *frames;              // row_count
    const float *columns;       // 16 a cluster
    const float *free;          // xyz: 1, or 0 where held
    float *z;                   // xyz a vertex, added to
} SnCoarse;

typedef void SnCoarseFn(const SnCoarse *coarse, int begin, int end);

typedef struct SnCoarseKernels {
    SnCoarseFn *blend;  // groups: `turns` from the rotations of their clusters
    SnCoarseFn *turn;   // groups: `turned`
    SnCoarseFn *gather; // clusters: `sums`, members at even and at odd places, then both
    SnCoarseFn *solve;  // blocks of SN_COARSE_ROWS rows: frames = inverse right
    SnCoarseFn *spread; // groups: z += turned-forward columns
} SnCoarseKernels;

#endif
