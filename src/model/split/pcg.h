// Newton's direction by conjugate gradients on the exact tangent, preconditioned by the constant
// matrix and the coarse space. Held components never move: residuals and preconditioned residuals
// are filtered, so that partly held vertices need no matrix of their own.
#ifndef SN_MODEL_SPLIT_PCG_H
#define SN_MODEL_SPLIT_PCG_H

#include "model/split/potential.h"

// z = A^-1 r, filtered; with `coarse` the frames' share is added.
SinewStatus sn_split_precondition(const SnSplitProblem *problem, const float *r, bool coarse,
                                  float *z, SinewError *error);

// From the room's residual to its `step`. Stops after `iterations`, or where the residual has
// fallen to `tolerance` of what it was; the room's residual is then that of the linear system.
// *out_left: its norm.
SinewStatus sn_split_direction(const SnSplitProblem *problem, int iterations, double tolerance,
                               double *out_left, SinewError *error);

#endif
