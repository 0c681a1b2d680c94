// The coarsest level as a sparse matrix, factored in double and solved directly: in steps in float,
// since it is a preconditioner whose solves are bound by what they read. Without inertia a body
// that only contact carries is nearly free to slide and turn, and float leaves nothing of its
// answer: static solves have double, and so do bodies of many levels, of whose steps it is a small
// part.
#ifndef SN_MODEL_LATTICE_COARSEST_H
#define SN_MODEL_LATTICE_COARSEST_H

#include "model/lattice/level.h"
#include "solve/cholesky.h"

typedef struct SnLatticeCoarsest {
    int row_count; // nodes
    int *nodes;    // a row: its node, as sn_lattice_grid_node gives
    int *rows;     // [node / 48 * 16 + node % 16]: the row, or -1
    int *row_start;
    int *column;
    double *value; // 9 an entry
    double *right_side;
    float *right_side_float;
    SnCholesky *cholesky;
    SnCholeskyWork *work;
    bool in_float;                // steps have a factor in float too
    bool is_lent;                 // rows, pattern and order are another's
    SnLatticeCellSprings springs; // that the next factor has, with `numbers` NULL the level's own
} SnLatticeCoarsest;

SinewStatus sn_lattice_coarsest_create(const SnLatticeGrid *grid, bool in_float,
                                       const SnKernels *kernels, int worker_count,
                                       const SinewAllocator *allocator,
                                       SnLatticeCoarsest *out_coarsest, SinewError *error);

// Another of the same shape: rows, pattern and order are lent by `from`, which must outlive it.
SinewStatus sn_lattice_coarsest_copy(const SnLatticeCoarsest *from, int worker_count,
                                     const SinewAllocator *allocator,
                                     SnLatticeCoarsest *out_coarsest, SinewError *error);

// Ends all that is not lent to copies, but for what tells the order.
void sn_lattice_coarsest_shrink(SnLatticeCoarsest *coarsest, const SinewAllocator *allocator);
void sn_lattice_coarsest_release(SnLatticeCoarsest *coarsest, const SinewAllocator *allocator);

// Takes the level as it is linearised. A body that may slide or turn freely is short of definite by
// rounding alone, and gets a little more on its diagonal.
SinewStatus sn_lattice_coarsest_factor(SnLatticeCoarsest *coarsest, const SnLatticeLevel *level,
                                       SnWorkers *workers, SinewError *error);

// x = K^-1 b, zero where d_inverse is.
void sn_lattice_coarsest_solve(const SnLatticeCoarsest *coarsest, const SnLatticeLevel *level,
                               SnWorkers *workers, const float *b, float *x);

#endif
