#include "solve/conjugate_gradients.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 4096 };

const char *sn_stop_reason_text(SnStopReason reason)
{
    switch (reason) {
    case SN_STOP_CONVERGED:
        return "converged";
    case SN_STOP_ITERATIONS:
        return "used up its iterations";
    case SN_STOP_STALLED:
        return "stalled";
    case SN_STOP_NEGATIVE:
        return "met a direction of negative curvature";
    case SN_STOP_NOT_FINITE:
        return "met a number that is not finite";
    }
    return "unknown";
}

typedef struct Pair {
    const double *a;
    const double *b;
} Pair;

static void dot_block(void *context, int begin, int end, double *sums)
{
    const Pair *pair = context;
    double sum = 0.0;
    for (int i = begin; i < end; ++i) {
        sum += pair->a[i] * pair->b[i];
    }
    sums[0] = sum;
}

static double dot(SnWorkers *workers, int count, const double *a, const double *b)
{
    Pair pair = {a, b};
    double sum;
    sn_parallel_sum(workers, count, 1, dot_block, &pair, &sum);
    return sum;
}

// y = a x + b y
typedef struct Combine {
    double a;
    const double *x;
    double b;
    double *y;
} Combine;

static void combine_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Combine *c = context;
    for (int i = begin; i < end; ++i) {
        c->y[i] = c->a * c->x[i] + c->b * c->y[i];
    }
}

static void combine(SnWorkers *workers, int count, double a, const double *x, double b, double *y)
{
    Combine c = {a, x, b, y};
    sn_parallel_for(workers, count, GRAIN, combine_range, &c);
}

static void precondition(const SnConjugateGradients *cg, SnWorkers *workers, const double *r,
                         double *z)
{
    if (cg->precondition != NULL) {
        cg->precondition(cg->precondition_context, workers, r, z);
    } else {
        memcpy(z, r, (size_t)cg->count * sizeof *z);
    }
}

// Iterations from a residual r > 0 on; the report's residual is kept up to date.
static SnStopReason iterate(const SnConjugateGradients *cg, SnWorkers *workers, double b_norm,
                            double *x, double *r, SnSolveReport *report)
{
    double *z = r + cg->count;
    double *p = z + cg->count;
    double *q = p + cg->count;
    int n = cg->count;
    precondition(cg, workers, r, z);
    memcpy(p, z, (size_t)n * sizeof *p);
    double rz = dot(workers, n, r, z);
    while (report->iterations < cg->max_iterations) {
        cg->apply(cg->apply_context, workers, p, q);
        double curvature = dot(workers, n, p, q);
        if (!isfinite(curvature) || !isfinite(rz)) {
            return SN_STOP_NOT_FINITE;
        }
        // A preconditioner that is not definite shows in r.z as a matrix that is not does in p.q.
        if (curvature <= 0.0 || rz <= 0.0) {
            return SN_STOP_NEGATIVE;
        }
        double alpha = rz / curvature;
        combine(workers, n, alpha, p, 1.0, x);
        combine(workers, n, -alpha, q, 1.0, r);
        report->iterations++;
        report->residual = sqrt(dot(workers, n, r, r)) / b_norm;
        if (report->residual <= cg->tolerance) {
            return SN_STOP_CONVERGED;
        }
        precondition(cg, workers, r, z);
        double rz_next = dot(workers, n, r, z);
        combine(workers, n, 1.0, z, rz_next / rz, p);
        rz = rz_next;
    }
    return SN_STOP_ITERATIONS;
}

SinewStatus sn_conjugate_gradients(const SnConjugateGradients *cg, SnWorkers *workers,
                                   const double *b, double *x, SnSolveReport *out_report)
{
    SnSolveReport report = {.reason = SN_STOP_CONVERGED};
    double b_norm = sqrt(dot(workers, cg->count, b, b));
    double *r = cg->scratch;
    if (b_norm == 0.0) {
        memset(x, 0, (size_t)cg->count * sizeof *x);
    } else {
        cg->apply(cg->apply_context, workers, x, r);
        combine(workers, cg->count, 1.0, b, -1.0, r);
        report.residual = sqrt(dot(workers, cg->count, r, r)) / b_norm;
        if (!isfinite(report.residual)) {
            report.reason = SN_STOP_NOT_FINITE;
        } else if (report.residual > cg->tolerance) {
            report.reason = iterate(cg, workers, b_norm, x, r, &report);
        }
    }
    if (out_report != NULL) {
        *out_report = report;
    }
    return report.reason == SN_STOP_CONVERGED ? SINEW_OK : SINEW_NOT_CONVERGED;
}
