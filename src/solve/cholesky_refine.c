// Iterative refinement: the factor solves, the residual in double says what is still missing.
#include "solve/cholesky_internal.h"

#include <math.h>
#include <string.h>

// A correction that does not at least halve the residual has met the end of what precision allows.
static const double STALL = 0.5;

static double norm(const double *x, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// step = A^-1 residual, by whichever panels are kept.
static SinewStatus correct(const SnCholesky *c, SnCholeskyWork *work, SnWorkers *workers,
                           const double *residual, size_t count, double *step, SinewError *error)
{
    if (c->double_values != NULL) {
        memcpy(step, residual, count * sizeof *step);
        return sn_cholesky_solve_double(c, work, workers, step, error);
    }
    // Floats in the front half of the doubles' memory; scaled, so that small residuals do not
    // vanish below the smallest float.
    float *narrow = (float *)step;
    double scale = norm(residual, count);
    for (size_t i = 0; i < count; ++i) {
        narrow[i] = (float)(residual[i] / scale);
    }
    SinewStatus status = sn_cholesky_solve_float(c, work, workers, narrow, error);
    for (size_t i = count; status == SINEW_OK && i-- > 0;) {
        float value; // by memcpy, since these bytes are about to become a double
        memcpy(&value, narrow + i, sizeof value);
        double wide = scale * (double)value;
        memcpy(step + i, &wide, sizeof wide);
    }
    return status;
}

SinewStatus sn_cholesky_refine(const SnCholesky *cholesky, SnCholeskyWork *work, SnWorkers *workers,
                               const SnRefinement *refinement, const double *b, double *x,
                               SnSolveReport *out_report, SinewError *error)
{
    const SnSparse *A = refinement->matrix;
    size_t count = (size_t)A->count * (size_t)A->block * (size_t)cholesky->right_sides;
    double *residual = refinement->scratch;
    double *step = refinement->scratch + count;
    SnSolveReport report = {.residual = 0.0, .reason = SN_STOP_CONVERGED};
    SinewStatus status = SINEW_OK;
    double b_norm = norm(b, count);
    memset(x, 0, count * sizeof *x);
    memcpy(residual, b, count * sizeof *b);
    report.residual = b_norm > 0.0 ? 1.0 : 0.0;
    while (report.residual > refinement->tolerance) {
        if (report.iterations == refinement->max_iterations) {
            report.reason = SN_STOP_ITERATIONS;
            break;
        }
        SN_TRY(correct(cholesky, work, workers, residual, count, step, error));
        for (size_t i = 0; i < count; ++i) {
            x[i] += step[i];
        }
        sn_sparse_multiply(A, workers, cholesky->right_sides, x, residual);
        for (size_t i = 0; i < count; ++i) {
            residual[i] = b[i] - residual[i];
        }
        report.iterations++;
        double before = report.residual;
        report.residual = norm(residual, count) / b_norm;
        if (!isfinite(report.residual)) {
            report.reason = SN_STOP_NOT_FINITE;
            break;
        }
        if (report.residual > refinement->tolerance && report.residual > STALL * before) {
            report.reason = SN_STOP_STALLED;
            break;
        }
    }
    if (report.reason != SN_STOP_CONVERGED) {
        status = SINEW_NOT_CONVERGED;
    }
done:
    if (out_report != NULL) {
        *out_report = report;
    }
    return status;
}
