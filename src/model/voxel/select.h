// Which face averages the corners of a cell hold: greedily, those that the cell's own eight corners
// can tell apart, in an order that keeps what bends, twists and stretches the cell as a whole.
#ifndef SN_MODEL_VOXEL_SELECT_H
#define SN_MODEL_VOXEL_SELECT_H

#include "model/voxel/faces.h"

// 24, and up to nine for faces without an opposite one, or four for a stiff part inside soft stuff.
enum { SN_VOXEL_ROWS_MAX = 33 };

// Fills rows of 3 node_count numbers, orthonormal, and answers how many; 0 where no face is
// touched. `weights`: trilinear weights of the cell's corners, 8 a node in use.
int sn_voxel_select(const SnVoxelFaces *faces, const double *weights, double *out_rows);

#endif
