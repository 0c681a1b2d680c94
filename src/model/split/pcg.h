// Newton's direction by conjugate gradients on the exact tangent, preconditioned by the constant
// matrix and the coarse space. Held components never move: residuals and preconditioned residuals
// are filtered, so that partly held vertices need no matrix of their own.
#ifndef SN_MODEL_SPLIT_PCG_H
#define SN_MODEL_SPLIT_PCG_H

#include "model/split/potential.h"

// z = A^-1 r, filtered: A alone.
SinewStatus sn_split_precondition(const SnSplitProblem *problem, const float *r, float *z,
                                  SinewError *error);

// When conjugate gradients end, and how they did.
typedef struct SnSplitSolve {
    int least;          // iterations, whatever the two below say
    int most;           //
    double tolerance;   // of residual and `rest`, relative to the first and the step; 0: none
    double enough;      // m, norm of an iteration's move; 0: none
    double rest_enough; // m, of `rest`, with a tolerance alone
    // Out.
    double left;  // norm of the residual
    double first; // m, norm of the first iteration's move
    double last;  // m, of the last one's
    double rest;  // m, norm of the move that the residual still asks for; with a tolerance alone
} SnSplitSolve;

// From the room's residual to its `step`. The room's residual is then that of the linear system.
SinewStatus sn_split_direction(const SnSplitProblem *problem, SnSplitSolve *solve,
                               SinewError *error);

#endif
