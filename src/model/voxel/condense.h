// Shape functions that let a cell's content take the state of least energy for given face averages
// of its corners' motion, and the stiffness that follows.
#ifndef SN_MODEL_VOXEL_CONDENSE_H
#define SN_MODEL_VOXEL_CONDENSE_H

#include "model/voxel/shop.h"

// N in the shop, which has nodes, masses and the trilinear cell; and K for a cell of 1 m. Where
// nothing of it can be done, the trilinear ones.
void sn_voxel_condense(SnVoxelShop *shop, const SnVoxelContent *content, double K[SN_VOXEL_MATRIX]);

#endif
