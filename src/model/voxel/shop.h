// Room in which cells are made, one a worker, and what of their content is found first: its nodes,
// their trilinear weights, and the plain trilinear cell.
#ifndef SN_MODEL_VOXEL_SHOP_H
#define SN_MODEL_VOXEL_SHOP_H

#include "model/voxel/content.h"
#include "model/voxel/faces.h"
#include "model/voxel/layers.h"

// Right-hand sides of a condensation at most.
enum { SN_VOXEL_SIDES_MAX = 64 };

typedef struct SnVoxelShop {
    int division, nodes_max;
    SnVoxelLayers layers;
    SnVoxelFaces faces;
    int *numbers;                      // a node: its number among those in use, or -1
    int node_count;                    //
    int dof_count;                     // three times that
    double *weights;                   // trilinear, 8 a node in use
    double *masses;                    // of nodes in use, for a cell of 1 m
    double *damped;                    // the same times alpha
    double *product;                   // K L, 24 a degree of freedom
    double *rows;                      // face averages that are held
    double *sides;                     // right-hand sides
    double *shapes;                    // N
    double trilinear[SN_VOXEL_MATRIX]; // L^T K L
} SnVoxelShop;

SinewStatus sn_voxel_shop_create(int division, bool condenses, const SnKernels *kernels,
                                 const SinewAllocator *allocator, SnVoxelShop *out_shop,
                                 SinewError *error);
void sn_voxel_shop_release(SnVoxelShop *shop, const SinewAllocator *allocator);

// Calls for each voxel that is there.
typedef void SnVoxelVisitFn(void *context, const SnVoxel *voxel, const int corners[8]);
void sn_voxel_visit(const SnVoxelContent *content, SnVoxelVisitFn *fn, void *context);

// Numbers the content's nodes, x slowest, with their trilinear weights; masses become zero.
void sn_voxel_shop_number(SnVoxelShop *shop, const SnVoxelContent *content);

// K L and L^T K L.
void sn_voxel_shop_stiffness(SnVoxelShop *shop, const SnVoxelContent *content);

// N = L.
void sn_voxel_shop_shapes(SnVoxelShop *shop);

#endif
