// Sparse Cholesky for a matrix that stays while right-hand sides change. Three phases, kept apart:
// create looks at the pattern once, factor takes new values, solve is for every step.
//
// The factorisation is multifrontal and in double. The factor is kept in panels (kernel/panel.h),
// in float, in double or both, and a solve reads it once forward and once backward. Subtrees run in
// parallel, with the same bits for any number of workers.
//
// Not taken: CHOLMOD. Its supernodal code is not permissively licensed, the BLAS under it does not
// repeat its bits, and its solves in double move at least twice the bytes. The tests compare with
// it.
#ifndef SN_SOLVE_CHOLESKY_H
#define SN_SOLVE_CHOLESKY_H

#include "kernel/kernel_table.h"
#include "solve/ordering.h"
#include "solve/report.h"

typedef struct SnCholesky SnCholesky;
typedef struct SnCholeskyWork SnCholeskyWork;

typedef struct SnCholeskyDef {
    const SinewAllocator *allocator; // nullable; must outlive the factor
    const SnKernels *kernels;
    SnOrdering ordering;
    const int *permutation; // for SN_ORDERING_GIVEN: the i-th row to eliminate
    int right_sides;        // solved at once: 1, or 3 where the matrix is of numbers, not of blocks
    int worker_count;       // the most workers that sn_cholesky_factor will be given
    bool is_checked;        // the pattern is known to be in order, so nobody looks through it
    bool keep_float;        // for sn_cholesky_solve_float
    bool keep_double;       // for sn_cholesky_solve_double
} SnCholeskyDef;

// Sizes and choices, for reports.
typedef struct SnCholeskyInfo {
    SnOrdering ordering; // the one taken
    int64_t fill;        // entries of the factor without joined supernodes, diagonal included
    int64_t fill_metis;  // what each ordering would give; 0 where it was not tried
    int64_t fill_amd;
    int64_t stored;      // numbers kept, zeros and pivot inverses included
    int64_t solve_reads; // numbers that one solve reads
    double factor_flops; // of one factorisation
    int supernodes;
    int panels;
    int subtrees;
    size_t bytes; // of the factor and its lists, without the work space
} SnCholeskyInfo;

// Analyses a pattern and allocates all that factor needs.
SinewStatus sn_cholesky_create(const SnCholeskyDef *def, const SnSparse *pattern,
                               SnCholesky **out_cholesky, SinewError *error);

// Another factor for matrices of the same pattern: the analysis is lent by `like`, which must
// outlive it; values and room are its own. Keeps what that one keeps.
SinewStatus sn_cholesky_create_like(const SnCholesky *like, SnCholesky **out_cholesky,
                                    SinewError *error);

// Factors a matrix with the same pattern. Fails with SINEW_ERROR_NOT_DEFINITE, and the row in
// error->index, where a pivot is not positive; the factor then holds no values until a later call
// succeeds. Allocates nothing.
SinewStatus sn_cholesky_factor(SnCholesky *cholesky, const SnSparse *matrix, SnWorkers *workers,
                               SinewError *error);

// Gives back the room that factoring works in, often more than the factor itself. Solves go on, and
// the next factorisation allocates it again.
void sn_cholesky_shrink(SnCholesky *cholesky);

void sn_cholesky_destroy(SnCholesky *cholesky);

SnCholeskyInfo sn_cholesky_info(const SnCholesky *cholesky);

// The order that the analysis began with, lent: given as a permutation for the same pattern, it
// leads to the same factor without another search.
const int *sn_cholesky_order(const SnCholesky *cholesky);

// Scratch for solves, one per caller that solves at the same time; the factor itself is only read.
// Serves workers up to `worker_count`.
SinewStatus sn_cholesky_work_create(const SnCholesky *cholesky, int worker_count,
                                    SnCholeskyWork **out_work, SinewError *error);
void sn_cholesky_work_destroy(SnCholeskyWork *work);

// From now on solves add the time of their forward and backward sweeps to seconds[0] and
// seconds[1]. Nullable: seconds, then nothing is timed.
void sn_cholesky_work_time(SnCholeskyWork *work, double *seconds);

// x = A^-1 x in place; x[row * right_sides + r], a row being one of count * block unknowns.
// Allocates nothing. Fails only if the factor holds no values of that precision.
SinewStatus sn_cholesky_solve_float(const SnCholesky *cholesky, SnCholeskyWork *work,
                                    SnWorkers *workers, float *x, SinewError *error);
SinewStatus sn_cholesky_solve_double(const SnCholesky *cholesky, SnCholeskyWork *work,
                                     SnWorkers *workers, double *x, SinewError *error);

#endif
