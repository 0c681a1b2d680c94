// How an iterative solve went, as data.
#ifndef SN_SOLVE_REPORT_H
#define SN_SOLVE_REPORT_H

typedef enum SnStopReason {
    SN_STOP_CONVERGED,  // the residual is within tolerance
    SN_STOP_ITERATIONS, // the count was used up
    SN_STOP_STALLED,    // the residual no longer gets smaller
    SN_STOP_NEGATIVE,   // a direction of negative or zero curvature: the matrix is not definite
    SN_STOP_NOT_FINITE  // a number left the range of double
} SnStopReason;

typedef struct SnSolveReport {
    int iterations;
    double residual; // |b - A x| / |b| at the end; 0 for b = 0
    SnStopReason reason;
} SnSolveReport;

// "converged", "used up its iterations", ...
const char *sn_stop_reason_text(SnStopReason reason);

#endif
