// Embedded points: x_p = sum_k w_k x_node(k), four nodes a point (a tet, barycentric weights) or
// eight (a cell, trilinear weights). Positions go in and come out as contiguous xyz floats, the
// form in which they are lent to the user.
#ifndef SN_KERNEL_EMBED_H
#define SN_KERNEL_EMBED_H

// Node k of point p is nodes[width * p + k], its weight weights[width * p + k], width 4 or 8.
//
// Not taken: planes of nodes and weights and SN_LANES points at a time. That needs three gathers a
// node, as many loads as here, and then a transposition to xyz; one point's x, y and z side by side
// in a register need one load a node.
typedef struct SnEmbedBatch {
    const int *nodes;
    const float *weights;
    const float *positions; // of the nodes, xyz packed
    float *xyz;             // of the points, xyz packed; must not overlap the positions
} SnEmbedBatch;

// Computes points [begin, end). Reads and writes nothing beyond them.
typedef void SnEmbedFn(const SnEmbedBatch *batch, int begin, int end);

typedef struct SnEmbedKernels {
    SnEmbedFn *four;  // nodes a point
    SnEmbedFn *eight; // nodes a point
} SnEmbedKernels;

#endif
