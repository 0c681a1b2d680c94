// A coarse cell made from what is inside it: shape functions N that let the content take the state
// of least energy for given face averages of the corners' motion, and from them stiffness, mass,
// weight and the mean rotation. Or, as in [E], the plain trilinear functions.
#ifndef SN_MODEL_VOXEL_CELL_H
#define SN_MODEL_VOXEL_CELL_H

#include "model/voxel/shop.h"

// Everything in the frame of the cell at rest; matrices over its eight corners, row-major.
typedef struct SnVoxelCell {
    double stiffness[SN_VOXEL_MATRIX]; // N/m
    double mass[SN_VOXEL_MATRIX];      // kg
    double *damping;                   // N s/m; NULL where nothing damps
    double weight[3 * SN_VOXEL_DOFS];  // kg: 24 x 3, forces of a unit of gravity
    double moment[3];                  // kg m: mass times place at rest, from the cell's middle
    double omega[3 * SN_VOXEL_DOFS];   // 1/m: 3 x 24, the mean rotation of the content
    double total;                      // kg
    double volume;                     // m^3 of material
    int node_count;                    // of the content
    short *numbers; // a node of the cell: its number, or -1; (division + 1)^3 of them
    float *shapes;  // N: 3 node_count x 24
} SnVoxelCell;

typedef enum SnVoxelKind {
    SN_VOXEL_CONDENSED, // the default
    SN_VOXEL_TRILINEAR, // [E] 5.3: K = sum L^T K L, lumped mass
    SN_VOXEL_UNIFORM    // [E] 5.1: a full cell times its fill
} SnVoxelKind;

// Fills a cell from its content, which has at least one voxel. The cell's arrays are allocated; on
// failure none is left.
SinewStatus sn_voxel_cell_make(SnVoxelShop *shop, const SnVoxelContent *content, SnVoxelKind kind,
                               const SinewAllocator *allocator, SnVoxelCell *out_cell,
                               SinewError *error);
void sn_voxel_cell_release(SnVoxelCell *cell, const SinewAllocator *allocator);

#endif
