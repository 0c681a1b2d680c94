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
#include "model/split/triangle.h"
#include "solve/sweep_order.h"

// The tangent and its pattern: rows are vertices inside. See kernel/block_rows.h, tet_blocks.h.
typedef struct SnTetmgMatrix {
    int entry_count; // off the diagonal
    int edge_count;
    int *start;       // a row
    int *later;       // a row
    int *columns;     // an entry: three times the column
    int *slots;       // 6 planes a block of tets
    uint16_t *turned; // 6 a block of tets
    int *edge_start;  // an edge
    int *edge_first;  //
    int *edge_second; //
    SnSweepOrder order;
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

// What the coarse space knows of contact, see coarse_contact.h.
typedef struct SnTetmgContact {
    int node_max;      // touched nodes that there is memory for
    int node_count;    // touched
    int *nodes;        // touched ones
    int *place;        // per node: which of the touched ones, or -1
    int known_count;   // of nodes that `schur` was made for; 0: it holds nothing
    int *known;        //
    int slot_count;    // of columns of C^-1, three each
    int *slots;        // per node: its slot, or -1
    int *slot_nodes;   // per slot: its node, or -1
    float *columns;    // 9 times the nodes per slot
    double *schur;     // S^-1
    double *stiffness; // Q
    double *work[2];   // matrices under way
    double *scales;    // per row of S
    int *stamps;       // per vertex inside: the linearisation that last had it
    int stamp;
    SnSplitTriangle factor; // of S^-1 + Q
    bool is_ready;          // the last linearisation made it
    float *gathered, *moved;
} SnTetmgContact;

struct SnTetmgTies;

// How the preconditioner without springs is applied: z from r.
typedef SinewStatus SnTetmgApply(const SnSplitProblem *problem, const float *r, float *z,
                                 SinewError *error);

// Blocks of a level side by side that go to the same part of the next one.
typedef struct SnTetmgRun {
    int entry;   // the first
    int count;   // of entries, and of control bytes
    int control; // its first control byte
    int pair;    // its first pair
} SnTetmgRun;

// The streams of [D alg 1], one for each part of the next level's rows, so that threads share them:
// a block is read by all parts that it goes to, and each sum has the order that one stream gives.
typedef struct SnTetmgStream {
    int part_count;
    int *row_start; // a part: its rows
    int *rows;
    int *run_start; // a part: its runs
    SnTetmgRun *runs;
    unsigned char *control;
} SnTetmgStream;

// One level of mode paper, see hierarchy.h.
typedef struct SnTetmgLevel {
    int count;       // rows
    int entry_count; // off the diagonal; block i of the diagonal is entry entry_count + i
    int *start;      // as in SnTetmgMatrix
    int *later;
    int *columns;
    int *entry_rows; // an entry, the diagonal too
    int *mirrors;    // an entry: the one across the diagonal; not of the first level
    SnSweepOrder order;
    float *values; // 9 an entry, the diagonal too
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
    SnTetmgStream stream;        // product: stream
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
    int *lanes;                               // a tet: its lane; smoothed rotations alone
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
    SnTetmgContact *contact;  // in the coarse space; NULL until a step needs it
    struct SnTetmgTies *ties; // stiff springs, see ties.h; NULL until a step needs it
    SnTetmgPaper paper;
    double *phases; // s, SN_TETMG_PHASE_COUNT that steps of mode paper add to; nullable
} SnTetmg;

extern const SnSplitSolver sn_tetmg_solver;
extern const SnSplitSolver sn_tetmg_paper_solver;

#endif
