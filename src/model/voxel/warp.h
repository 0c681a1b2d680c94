// Newton's method on the forces of mode paper. They are no gradient, and change by
//
//     d (R K u) = R (K (w - theta x y) + theta x K u),    w = R^T dx,  y = X + u
//
// with theta the turn of the cell, which follows its mean edges. The matrix of [E]'s linear solve,
// R K R^T, has the first part alone: near enough for steps of motion, but where a slender body is
// much bent directions by it lead away from its rest. Here the factor of that matrix, A, is the
// preconditioner of GMRES on the whole, A + E, which is not symmetric; and a move is as good as
// what the whole, left as it is, would correct it by afterwards (Deuflhard's natural monotonicity
// test). A search by the residual instead would count stretching, which moves of bending do at
// second order, for far more than bending.
#ifndef SN_MODEL_VOXEL_WARP_H
#define SN_MODEL_VOXEL_WARP_H

#include "model/voxel/potential.h"

// Of a static solve at the pose last looked at: finds a direction and goes along it. *out_moved is
// false where nothing better is found; the pose last looked at is then that of the start. Fails
// where the matrix has no factor.
SinewStatus sn_voxel_warp_search(const SnVoxelProblem *problem, SnVoxelValue *value,
                                 bool *out_moved, SinewError *error);

void sn_voxel_warp_release(SnVoxelWarp *warp, const SinewAllocator *allocator);

#endif
