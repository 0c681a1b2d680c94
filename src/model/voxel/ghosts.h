// What the 24x24 matrix of a condensed cell gets at last: no force under rigid motions, and some
// resistance of corners that the content does not see.
#ifndef SN_MODEL_VOXEL_GHOSTS_H
#define SN_MODEL_VOXEL_GHOSTS_H

#include "model/voxel/leaf.h"

// K <- P K P, P without rigid motions.
void sn_voxel_take_rigid_out(double K[SN_VOXEL_MATRIX]);

// Corners that the content does not see would move freely: motions that have hardly anything of the
// trilinear cell's stiffness get a share of it.
void sn_voxel_hold_ghosts(const double trilinear[SN_VOXEL_MATRIX], double K[SN_VOXEL_MATRIX]);

#endif
