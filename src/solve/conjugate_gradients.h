// Conjugate gradients for a symmetric positive definite operator, with or without a preconditioner.
// Everything in double; sums in fixed blocks, so that any number of workers gives the same bits.
#ifndef SN_SOLVE_CONJUGATE_GRADIENTS_H
#define SN_SOLVE_CONJUGATE_GRADIENTS_H

#include "base/workers.h"
#include "solve/report.h"

// y = A x, or y = M^-1 x. x and y do not overlap.
typedef void SnApplyFn(void *context, SnWorkers *workers, const double *x, double *y);

typedef struct SnConjugateGradients {
    int count; // unknowns
    SnApplyFn *apply;
    void *apply_context;
    SnApplyFn *precondition; // nullable: none
    void *precondition_context;
    double tolerance; // on |b - A x| / |b|
    int max_iterations;
    double *scratch; // 4 count numbers
} SnConjugateGradients;

// Improves x, which holds the first guess. Stops at the tolerance, at max_iterations, or where it
// cannot go on; x is the best it has in every case, and finite where the guess was. Allocates
// nothing. Answers SINEW_OK when it converged, SINEW_NOT_CONVERGED otherwise; the report says why.
SinewStatus sn_conjugate_gradients(const SnConjugateGradients *cg, SnWorkers *workers,
                                   const double *b, double *x, SnSolveReport *out_report);

#endif
