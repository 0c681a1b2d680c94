// What a factor is made of; for the files cholesky*.c alone.
#ifndef SN_SOLVE_CHOLESKY_INTERNAL_H
#define SN_SOLVE_CHOLESKY_INTERNAL_H

#include "solve/cholesky.h"
#include "solve/front.h"

struct SnCholesky {
    SinewAllocator allocator;
    const SnKernels *kernels;
    int right_sides;
    int worker_count;
    SnCholeskyInfo info;
    SnSupernodes supernodes;
    SnFactorLayout layout;
    int entry_count; // of the pattern, to notice another one
    int *order;      // that the analysis began with
    float *float_values;
    double *double_values;
    bool has_values;
    bool is_lent; // the analysis is another factor's

    // For factoring.
    int *first_child;
    int *next_sibling;
    double **updates;
    double *kept;        // updates of the subtrees' roots
    double **kept_at;    // each root's place there, NULL for others
    int *failed;         // by subtree: the unknown whose pivot failed, -1: none
    SnFrontWork *fronts; // one a worker
};

struct SnCholeskyWork {
    SinewAllocator allocator;
    int worker_count;
    int right_sides;
    size_t scratch_size; // bytes a worker
    void *x;             // positions, for the larger precision that is kept
    unsigned char *scratch;
    void *result;    // own columns of a panel that workers share
    double *seconds; // of forward and backward sweeps; nullable
};

#endif
