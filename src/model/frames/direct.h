// Matrices on the voxels of a body of frames, each solved once when the body is made: factored and
// solved in double for some right sides, and forgotten.
#ifndef SN_MODEL_FRAMES_DIRECT_H
#define SN_MODEL_FRAMES_DIRECT_H

#include "model/model.h"
#include "solve/sparse.h"

// Columns of X := A^-1 X, one after the other; A is symmetric and definite.
SinewStatus sn_frames_direct_solve(const SnModelDef *model, const SnSparse *A, int columns,
                                   double *X, SinewError *error);

#endif
