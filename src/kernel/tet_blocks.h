// The tangent of tets as blocks of a matrix, for `tetmg`: each tet writes its six blocks between
// two corners to slots, those of an edge side by side, and each edge then sums its slots. No block
// of a corner with itself: it is the negative sum of its row.
//
// Not taken: a gather per edge of the outer products of its tets' gradients. It writes less, but
// computes one edge at a time; the exact tangent is some ninety flops an edge and tet, which here
// fill the registers.
#ifndef SN_KERNEL_TET_BLOCKS_H
#define SN_KERNEL_TET_BLOCKS_H

#include "kernel/tet_sweep.h"

enum {
    SN_TET_EDGES = 6,    // corners (0,1) (0,2) (1,2) (0,3) (1,3) (2,3)
    SN_TET_EDGE_SLOT = 8 // floats: all of a block but its last entry, rows side by side
};

// What is taken for W, which made definite is at least -mu.
typedef enum SnTetTangent {
    SN_TET_EXACT,  // W
    SN_TET_WARPED, // -mu: rotations held as they are, `tangent` is not read
    SN_TET_MIXED   // -mu where tr(W + mu) is below 0.3 mu, W above 0.6 mu. Near rest W differs from
                   // -mu to both sides, and made definite it has lost one of them: tets in tension
                   // would be stiffer and none softer
} SnTetTangent;

#define SN_TET_MIXED_BEGIN 0.3f
#define SN_TET_MIXED_LENGTH 0.3f

// Blocks of 16 tets as in tet_sweep.h.
typedef struct SnTetBlocks {
    SnTetLaw law;
    SnTetTangent kind;
    const int *slots;       // 6 planes: eight times the place of the edge's block
    const uint16_t *turned; // 6 a block: a bit a lane, 1 where the block is written transposed
    const float *rest;      // SN_TET_REST planes
    const float *q;         // 4 planes
    const float *tangent;   // sn_tet_tangent_planes of the law
    float *edges;           // 8 floats a slot
    float *lasts;           // a slot: the last entry
} SnTetBlocks;

// value = scale times the sum of an edge's slots for the block of (first, second vertex), and its
// transpose for the block of (second, first).
typedef struct SnEdgeSum {
    const int *start;   // an edge; and the end
    const int *first;   // an edge: nine times the entry of the block
    const int *second;  // an edge: nine times the entry of its transpose
    const float *edges; //
    const float *lasts; //
    float scale;        //
    float *values;      // 9 floats an entry, columns side by side
} SnEdgeSum;

typedef struct SnTetBlockKernels {
    void (*blocks)(const SnTetBlocks *blocks, int begin, int end); // blocks of tets
    void (*sum)(const SnEdgeSum *sum, int begin, int end);         // edges
} SnTetBlockKernels;

#endif
