// A body of `tetmg`: a body of `split`, whose steps, pins, points and measures it shares, with
// another way to solve its linear systems. The tangent is assembled as a matrix of 3x3 blocks;
// conjugate gradients work on that with two levels as their preconditioner: a Gauss-Seidel sweep
// each way, and between them an exact solve with a coarse matrix, made once at rest on a lattice
// around the body and carried along by the rotations of its nodes. Nothing is factored as the body
// moves, so that large and stiff bodies cost little more a tet than small and soft ones.
#ifndef SN_MODEL_TETMG_BODY_H
#define SN_MODEL_TETMG_BODY_H

#include "model/split/potential.h"

// The tangent and its pattern: rows are vertices inside. See kernel/block_rows.h, tet_blocks.h.
typedef struct SnTetmgMatrix {
    int entry_count; // off the diagonal
    int edge_count;
    int *start;        // a row
    int *later;        // a row
    int *columns;      // an entry: three times the column
    int *slots;        // 6 planes a block of tets
    int *edge_start;   // an edge
    int *edge_turned;  //
    int *edge_first;   //
    int *edge_second;  //
    int colour_count;  // of row blocks that share no entry
    int *colour_start; // colour_count + 1
    int *row_blocks;   // colour after colour
    float *values;
    float *diagonal;
    float *inverse;
    float *added; // 12 a row, all zero but where contact acts
    float *edges;
    float *lasts;
} SnTetmgMatrix;

// The coarse space, kernel/node_blend.h.
typedef struct SnTetmgCoarse {
    int count;    // nodes; 0: none
    int *nodes;   // 8 a vertex inside: four times a node
    double *full; // 8 a vertex: trilinear weights
    float *weights;
    int *start;           // a node: its members
    int *members;         //
    int *sample_start;    // a node: tets whose rotations make its own
    int *samples;         // 64 block + lane of each
    float *sample_size;   // its weight
    float *turns;         // 12 a node
    float *right;         // xyz a node
    float *moves;         // 4 a node
    int *row_start;       // the coarse matrix: nodes
    int *column;          //
    double *value;        // 9 an entry
    SnCholesky *cholesky; //
    SnCholeskyWork *work; //
} SnTetmgCoarse;

typedef struct SnTetmg {
    SnSplit tets; // first, so that the table's functions of `split` take a body of `tetmg`
    SinewTetmgDef options;
    SnTetmgMatrix matrix;
    SnTetmgCoarse coarse;
} SnTetmg;

extern const SnSplitSolver sn_tetmg_solver;

#endif
