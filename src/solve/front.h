// Fronts: the dense matrices of the multifrontal factorisation. The front of a supernode holds its
// own columns and the update that it leaves to its parent; the matrix and the children's updates
// are added into it, its columns are eliminated, and the result goes into panels.
#ifndef SN_SOLVE_FRONT_H
#define SN_SOLVE_FRONT_H

#include "kernel/kernel_table.h"
#include "solve/factor_layout.h"

// What a factorisation reads and writes, shared by all workers.
typedef struct SnFactoring {
    const SnSupernodes *supernodes;
    const SnFactorLayout *layout;
    const SnDenseKernels *dense;
    const SnSparse *matrix;
    const int *first_child; // of each supernode, then along next_sibling, ascending
    const int *next_sibling;
    double **updates;      // where each supernode's update stands until its parent has taken it
    float *float_values;   // nullable
    double *double_values; // nullable
} SnFactoring;

// One worker's scratch.
typedef struct SnFrontWork {
    double *stack; // updates that wait for their parents, and the present front on top
    size_t used;
    int *local;      // row -> row of the present front, both in rows of the matrix
    int *child_rows; // a child's rows in the present front, in unknowns
    double *block;   // rows below one panel, as products are made of them
    double *inverse; // W = L11^-1, of a panel's pivot block
    double *inverse_t;
    double *pivot; // W^T W
} SnFrontWork;

// Numbers of the update that a supernode leaves, its lower triangle packed, and of its front.
size_t sn_front_update_size(const SnSupernodes *s, int block, int i);
size_t sn_front_size(const SnSupernodes *s, int block, int i);

// Numbers that SnFrontWork.block needs for a front of `rows` unknowns.
size_t sn_front_block_size(int rows);
size_t sn_front_pivot_size(void);

// Factors supernode i. The children's updates on this stack are on its top, and are taken off; the
// own update is left there instead, or copied to `keep` where that is not NULL. Answers the unknown
// (in elimination order) whose pivot is not positive, or -1. Large products are shared by
// `workers`.
int sn_front_factor(const SnFactoring *f, SnFrontWork *work, SnWorkers *workers, int i,
                    double *keep);

#endif
