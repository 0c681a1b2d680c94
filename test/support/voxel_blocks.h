// Contents of voxel cells that tests make by a rule, and rows of such cells solved by hand.
#ifndef SN_TEST_SUPPORT_VOXEL_BLOCKS_H
#define SN_TEST_SUPPORT_VOXEL_BLOCKS_H

#include "model/voxel/cell.h"

// Whether the voxel with this centre (in cells) is full.
typedef bool VoxelRule(const double centre[3]);

SnVoxelMaterial voxel_material(double young, double poisson, double density, bool wilson);

// m^3 voxels of the cell whose lowest corner is at `place`, in cells; the caller frees them.
SnVoxel *voxel_fill(int division, const double place[3], VoxelRule *rule);

// A cell from such a content, with malloc; fails the test where it cannot.
void voxel_cell(const SnVoxel *voxels, int division, const SnVoxelMaterial *material,
                SnVoxelKind kind, SnVoxelCell *out_cell);

// x = A^-1 b, dense, A is n x n and overwritten; fails the test where A is not definite.
void voxel_solve(int n, double *A, double *b);

#endif
