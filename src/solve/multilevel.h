// A solve whose cost is linear in the number of unknowns: conjugate gradients for three right-hand
// sides at once, in float, with one V-cycle over a hierarchy of ever smaller matrices as the
// preconditioner. For matrices of masses and a Laplacian, as the constant matrix of `split` is.
//
// Levels come from smoothed aggregation (solve/aggregation.h); on each, Chebyshev polynomials of
// Jacobi smooth before and after, and the last is solved by its factor. Levels follow from the
// values alone: there is no analysis to keep, since grouping is a small part of making them. Every
// row has one writer and every sum one order: the same bits for any number of workers.
//
// Not taken: plain aggregation, whose levels are cheaper to make but need twice the iterations; and
// Gauss-Seidel, which smooths better a sweep but needs colours to be parallel.
#ifndef SN_SOLVE_MULTILEVEL_H
#define SN_SOLVE_MULTILEVEL_H

#include "kernel/kernel_table.h"
#include "solve/report.h"
#include "solve/sparse.h"

typedef struct SnMultilevel SnMultilevel;
typedef struct SnMultilevelWork SnMultilevelWork;

typedef struct SnMultilevelInfo {
    int levels;
    int coarsest;        // unknowns of the last level
    double complexity;   // entries of all levels over those of the first
    size_t bytes;        // of the hierarchy, without the work space
    int64_t cycle_reads; // bytes of matrices that one iteration reads
} SnMultilevelInfo;

// Groups the rows of a matrix, level after level. `kernels` and `allocator` (nullable) must outlive
// the hierarchy. Refuses a diagonal that is not positive: SINEW_ERROR_NOT_DEFINITE, and the row in
// error->index.
SinewStatus sn_multilevel_create(const SnSparse *matrix, const SnKernels *kernels,
                                 const SinewAllocator *allocator, SnMultilevel **out_multilevel,
                                 SinewError *error);

void sn_multilevel_destroy(SnMultilevel *multilevel); // NULL is fine

SnMultilevelInfo sn_multilevel_info(const SnMultilevel *multilevel);

// Scratch for solves, one per caller that solves at the same time.
SinewStatus sn_multilevel_work_create(const SnMultilevel *multilevel, int worker_count,
                                      SnMultilevelWork **out_work, SinewError *error);
void sn_multilevel_work_destroy(SnMultilevelWork *work); // NULL is fine

// When to stop.
typedef struct SnMultilevelGoal {
    double tolerance; // on |b - A x| / |b|, over all three right-hand sides
    int max_iterations;
} SnMultilevelGoal;

// x = A^-1 x in place, xyz a row, from a first guess of zero: then the residual is x itself, and
// warm starts are the caller's, who solves for what is left. Allocates nothing. Answers
// SINEW_NOT_CONVERGED, with x the best it has, when the goal was not reached.
SinewStatus sn_multilevel_solve(const SnMultilevel *multilevel, SnMultilevelWork *work,
                                SnWorkers *workers, const SnMultilevelGoal *goal, float *x,
                                SnSolveReport *out_report, SinewError *error);

#endif
