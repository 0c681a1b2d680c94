// Voxel bodies of a shape, as the tests of the model take them: made with malloc, of one material.
#ifndef SN_TEST_SUPPORT_VOXEL_RIG_H
#define SN_TEST_SUPPORT_VOXEL_RIG_H

#include "model/voxel/body.h"

// Must not move: the solid borrows the shape.
typedef struct VoxelRig {
    SnShape box, shape; // of a bar
    SnSolid *solid;
    SnMaterial material;
    SnVoxelBody *body;
} VoxelRig;

typedef struct VoxelRigDef {
    const SnShape *shape;
    int resolution;                  // cells along the longest side
    double young;                    // Pa; 0: the default
    const SinewVoxelDef *options;    // nullable: the defaults
    SnWorkers *workers;              // nullable
    const SinewAllocator *allocator; // nullable: malloc
} VoxelRigDef;

// Fail the test where something cannot be made.
void voxel_rig_make(const VoxelRigDef *def, VoxelRig *out_rig);

// A bar of whole cells along x, 1 m each, one wide and 0.6 of one high.
void voxel_rig_bar(int cells, double young, const SinewVoxelDef *options, VoxelRig *out_rig);

void voxel_rig_release(VoxelRig *rig);

// The options of a mode.
SinewVoxelDef voxel_rig_options(SinewVoxelMode mode);

#endif
