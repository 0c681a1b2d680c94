// What is inside one coarse cell: m x m x m voxels, each empty or of a material, and the nodes at
// their corners. Coordinates are those of the cell, from 0 to 1, with x slowest: voxel (i, j, k) is
// number (i m + j) m + k, node (i, j, k) is number (i (m + 1) + j) (m + 1) + k.
#ifndef SN_MODEL_VOXEL_CONTENT_H
#define SN_MODEL_VOXEL_CONTENT_H

#include "model/voxel/leaf.h"

#include <stddef.h>

enum { SN_VOXEL_DIVISION_MAX = 16 };

// Moduli in Pa, density in kg/m^3, damping as Rayleigh's alpha (1/s) and beta (s).
typedef struct SnVoxelMaterial {
    double young, density;
    double damping_mass, damping_stiffness;
    double leaf[SN_VOXEL_MATRIX]; // of a full voxel with an edge of 1 m
} SnVoxelMaterial;

// Compared as bytes: no room between members.
typedef struct SnVoxel {
    int material;    // -1: empty
    float stiffness; // share of the material's moduli
    float mass;      // share of its density
} SnVoxel;

typedef struct SnVoxelContent {
    int division; // m
    double edge;  // m, of the cell
    const SnVoxel *voxels;
    const SnVoxelMaterial *materials;
} SnVoxelContent;

static inline int sn_voxel_node(int division, int i, int j, int k)
{
    return (i * (division + 1) + j) * (division + 1) + k;
}

// Nodes of the voxel (i, j, k), in the order of a cell's corners.
static inline void sn_voxel_corners(int division, int i, int j, int k, int out[8])
{
    for (int c = 0; c < 8; ++c) {
        out[c] = sn_voxel_node(division, i + (c >> 2 & 1), j + (c >> 1 & 1), k + (c & 1));
    }
}

// Trilinear weights of the cell's corners at u.
static inline void sn_voxel_weights(const double u[3], double out[8])
{
    for (int c = 0; c < 8; ++c) {
        out[c] = (c >> 2 & 1 ? u[0] : 1.0 - u[0]) * (c >> 1 & 1 ? u[1] : 1.0 - u[1]) *
                 (c & 1 ? u[2] : 1.0 - u[2]);
    }
}

#endif
