// The coarse cells of a body and what they are made from: its voxels gathered by coarse cell, parts
// that do not touch inside a cell kept apart with corners of their own, and cells of equal content
// made once.
#ifndef SN_MODEL_VOXEL_GRID_H
#define SN_MODEL_VOXEL_GRID_H

#include "base/share.h"
#include "base/workers.h"
#include "geometry/solid.h"
#include "io/volume.h"
#include "material/material.h"
#include "model/voxel/cell.h"
#include "sinew/world.h"

typedef struct SnVoxelGridDef {
    const char *image_name; // its file, for sentences; NULL without one
    const SnVolume *image;  // by which moduli are multiplied, empty where 0; nullable: none
    const SnSolid *solid;
    const SnMaterials *materials;
    const SnKernels *kernels;
    SnVoxelKind kind;
    int division;     // voxels along a side of a cell
    bool hollow;      // nothing but what a surface touches
    bool halves;      // [E]: voxels that a surface touches count half, whatever is inside
    const char *name; // of the body, for progress and sentences
    const SinewProgress *progress; // nullable
    const char *cache;             // folder in which made cells are kept; nullable: none
    SnShare *share;                // where equal cells of other bodies are; nullable: none are
} SnVoxelGridDef;

// Frames: a cell's own one has its axes along the grid's and its origin in its middle.
typedef struct SnVoxelGrid {
    int division;
    int shown;        // voxels along a side as far as points inside go: division, or 1 where cells
                      // are trilinear
    double edge;      // m, of a cell
    double origin[3]; // m, of the grid's lowest corner at rest
    double axes[9];   // rows: the grid's axes at rest, unit vectors
    int size[3];      // cells along each axis
    int cell_count;
    int *places;  // i, j, k a cell; several cells may be at one place
    int *corners; // eight vertices a cell
    int vertex_count;
    double *rest;   // m, xyz a vertex
    int *kinds;     // a cell: its content and matrices
    int *first_at;  // a place (i size[1] + j) size[2] + k: its first cell, or -1; cells of a place
                    // follow each other
    int kind_count; //
    SnShared *shared; // what lends the three below, see kinds.h; NULL: they are the grid's own
    SnVoxel *content; // division^3 a kind
    SnVoxelCell *cells;
    SnVoxelMaterial *materials;
} SnVoxelGrid;

SinewStatus sn_voxel_grid_create(const SnVoxelGridDef *def, SnWorkers *workers,
                                 const SinewAllocator *allocator, SnVoxelGrid *out_grid,
                                 SinewError *error);
void sn_voxel_grid_release(SnVoxelGrid *grid, const SinewAllocator *allocator);

// The content of a cell: its voxels, of which there are division^3.
static inline const SnVoxel *sn_voxel_grid_content(const SnVoxelGrid *grid, int cell)
{
    size_t m = (size_t)grid->division;
    return grid->content + (size_t)grid->kinds[cell] * m * m * m;
}

static inline const SnVoxelCell *sn_voxel_grid_cell(const SnVoxelGrid *grid, int cell)
{
    return &grid->cells[grid->kinds[cell]];
}

#endif
