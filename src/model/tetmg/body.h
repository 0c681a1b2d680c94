// A body of `tetmg`: a body of `split`, whose steps, pins, points and measures it shares, with
// another way to solve its linear systems. The tangent is assembled as a matrix of 3x3 blocks;
// conjugate gradients work on that with two levels as their preconditioner: a Gauss-Seidel sweep
// each way, and between them an exact solve with a coarse matrix, made once at rest on a lattice
// around the body and carried along by the rotations of its nodes. Nothing is factored as the body
// moves, so that large and stiff bodies cost little more a tet than small and soft ones.
#ifndef SN_MODEL_TETMG_BODY_H
#define SN_MODEL_TETMG_BODY_H

#include "model/split/potential.h"
#include "model/split/system.h"

// The tangent and its pattern: rows are vertices inside. See kernel/block_rows.h, tet_blocks.h.
typedef struct SnTetmgMatrix {
    int entry_count; // off the diagonal
    int edge_count;
    int *start;        // a row
    int *later;        // a row
    int *columns;      // an entry: three times the column
    int *slots;        // 6 planes a block of tets
    uint16_t *turned;  // 6 a block of tets
    int *edge_start;   // an edge
    int *edge_first;   //
    int *edge_second;  //
    int block_count;   // row blocks
    int *block_start;  // block_count + 1: rows
    int colour_count;  // of row blocks that share no entry
    int *colour_start; // colour_count + 1
    int *row_blocks;   // colour after colour
    float *values;
    size_t value_room; // floats that `values` has room for
    float *diagonal;
    float *inverse;
    float *added; // 12 a row, all zero but where contact acts
    float *edges;
    float *lasts;
    float *left;       // xyz a row: what a sweep leaves
    bool is_assembled; // since pins last changed
} SnTetmgMatrix;

// The coarse space, kernel/node_blend.h.
typedef struct SnTetmgCoarse {
    int count;    // nodes; 0: none
    int *nodes;   // 8 a vertex inside: four times a node
    double *full; // 8 a vertex: trilinear weights
    float *weights;
    int *start;           // a node: its members
    int *members;         //
    int *root;            // a node: which it was before all cuts
    int *sample_start;    // a node: tets whose rotations make its own
    int *samples;         // 64 block + lane of each
    float *sample_size;   // its weight
    float *turns;         // 12 a node
    float *right;         // xyz a node
    float *moves;         // 4 a node
    int *row_start;       // the coarse matrix: nodes
    int *column;          //
    double *value;        // 9 an entry
    size_t value_room;    // numbers that `value` has room for
    double *plain;        // 9 an entry: before springs and all that makes it definite
    int *carried;         // a node: 1 where the plain row is already there; NULL: nowhere
    bool is_carried;      // some are, for the scales of the body that was cut
    SnCholesky *cholesky; //
    SnCholeskyWork *work; //
} SnTetmgCoarse;

// One level of mode paper, see hierarchy.h.
typedef struct SnTetmgLevel {
    int count;       // rows
    int entry_count; // off the diagonal; block i of the diagonal is entry entry_count + i
    int *start;      // as in SnTetmgMatrix
    int *later;
    int *columns;
    int *entry_rows; // an entry, the diagonal too
    int *mirrors;    // an entry: the one across the diagonal; not of the first level
    float *values;   // 9 an entry, the diagonal too
    float *diagonal;
    float *inverse;
    float *free;
    float *right, *z, *left; // xyz a row
    double *rest;            // m, xyz a row
    // To the next level, where there is one.
    int *parents;                // 4 a row
    float *full;                 // 4 a row: barycentric weights
    float *weights;              // 4 a row: those, zero where it is held
    int *member_start;           // a row of the next level
    int *members;                // 4 row + k
    unsigned char *control;      // product: stream
    float *pair_weights;         // stream, gather
    int *pair_places;            // stream: where to; gather: where from
    unsigned char *pair_corners; // which of the 16 pairs of its entry
    int *gather_start;           // gather: an entry of the next level
    int *middle_start;           // two-stage: a row of B = K P
    int *middle_nodes;           //
    float *middle;               // 9 an entry of B
    int *first_slots;            // 4 an entry of this level: its place in B
    int *second_slots; // an entry of the next level's rows, member by member: see product.c
    int *second_start; // a member
} SnTetmgLevel;

enum { SN_TETMG_LEVELS_MAX = 16 }; // the body, the user's meshes and as many lattices

// Mode paper alone.
typedef struct SnTetmgPaper {
    SnTetMesh *meshes[SINEW_TETMG_HIERARCHY_MAX]; // of the user's, as the body before it is placed
    int mesh_count;
    int level_count;
    SnTetmgLevel levels[SN_TETMG_LEVELS_MAX]; // the first is the body's matrix, lent
    double *dense;                            // of the coarsest level
    double *dense_right;                      //
    float *F;                                 // 9 planes a block of tets
    float *moments;                           // 6 planes a block of tets
    float *smooth;                            // 4 a vertex; smoothed rotations alone
} SnTetmgPaper;

// Phases of a step of mode paper that are timed.
typedef enum SnTetmgPhase {
    SN_TETMG_ROTATE, // and forces
    SN_TETMG_ASSEMBLE,
    SN_TETMG_UPDATE,
    SN_TETMG_SOLVE,
    SN_TETMG_PHASE_COUNT
} SnTetmgPhase;

typedef struct SnTetmg {
    SnSplit tets; // first, so that the table's functions of `split` take a body of `tetmg`
    SinewTetmgDef options;
    SnSplitScales scales;         // that the coarse matrix was factored for; mass_scale 0: none
    SnSplitScales carried_scales; // that carried rows are of
    SnTetmgMatrix matrix;
    SnTetmgCoarse coarse;
    SnTetmgPaper paper;
    double *phases; // s, SN_TETMG_PHASE_COUNT that steps of mode paper add to; nullable
} SnTetmg;

extern const SnSplitSolver sn_tetmg_solver;
extern const SnSplitSolver sn_tetmg_paper_solver;

#endif
