// The voxels of a body of frames: its cubes, which vertices share one, what they are made of and
// where a rest point is among them. Weights, flexibility and samples are all made on it.
#ifndef SN_MODEL_FRAMES_GRID_H
#define SN_MODEL_FRAMES_GRID_H

#include "geometry/element_tree.h"
#include "model/model.h"

enum { SN_FRAMES_CELLS_PER_FRAME = 8 }; // that a frame needs to deform on its own

typedef struct SnFramesGrid {
    SnSolidCubes cubes; // owned
    int division;       // in how many sides of the body's own cells were cut for them
    SnSolidCubes given; // owned: those cells where they were cut; no mesh: they were not
    double origin[3];   // m, of the grid's corner (0, 0, 0) at rest
    double axes[9];     // rows: the grid's axes at rest, unit vectors
    double center[3];   // m, middle of its bounds: blends take rest positions from here
    double size;        // m, the longest side of its bounds
    int *row_start;     // vertices that share a cube with a vertex, itself among them, ascending
    int *column;        //
    int *materials;     // a cube
    double *stiffness;  // a cube: what its moduli are multiplied by, its fill and that of an image;
                        // NULL: 1
    double *density;    // the same of its density
    double *masses;     // kg a vertex: eighths of its cubes
    SnElementTree *tree;
} SnFramesGrid;

// Where a grid is. Bodies whose frames nobody placed have it in coordinates of the body, before it
// is turned and moved, so that equal bodies have the same grid to the last bit. What a scene gives
// in coordinates of the world, frames, skeletons and images, needs it there.
typedef struct SnFramesGridPlace {
    bool is_unplaced;
    SnAffine placement; // from the grid to where the body is at rest
    SnAffine unplaced;  // from coordinates of the body, before it is placed, to the grid
} SnFramesGridPlace;

// Takes the cubes that a grid begins with, which the caller destroys, and tells where it is.
SinewStatus sn_frames_grid_begin(const SnModelDef *def, SnFramesGridPlace *out_place,
                                 SnSolidCubes *out_cubes, SinewError *error);

// In how many each side of a cube is cut, of `count` cubes, so that frames that nobody placed have
// cells enough to deform on their own.
int sn_frames_grid_division(const SnModelDef *def, int count);

// The cubes are the grid's from then on, in any case.
SinewStatus sn_frames_grid_create(const SnModelDef *def, const SnFramesGridPlace *place,
                                  SnSolidCubes *cubes, SnFramesGrid *out_grid, SinewError *error);
void sn_frames_grid_release(SnFramesGrid *grid, const SinewAllocator *allocator);

// Of one cube.
static inline double sn_frames_grid_stiffness(const SnFramesGrid *grid, int cell)
{
    return grid->stiffness != NULL ? grid->stiffness[cell] : 1.0;
}

static inline double sn_frames_grid_density(const SnFramesGrid *grid, int cell)
{
    return grid->density != NULL ? grid->density[cell] : 1.0;
}

// Rest position of a cube's middle.
void sn_frames_grid_middle(const SnFramesGrid *grid, int cell, double out[3]);

// The corners' trilinear functions at a place of a cube, whose sides are at -1 and 1 along the
// grid's axes, and their gradients, 1/m; xyz a corner.
void sn_frames_grid_shapes(const SnFramesGrid *grid, const double at[3], double out_weights[8],
                           double out_slopes[24]);

// Gradients in the middle of a cube.
void sn_frames_grid_slopes(const SnFramesGrid *grid, double out[24]);

// The cube that holds X, or the nearest, the weights of its corners and the distance from it, m.
int sn_frames_grid_locate(const SnFramesGrid *grid, const double X[3], double out_weights[8],
                          double *out_distance);

// Where (row, column) is in the pattern, or -1.
int sn_frames_grid_entry(const SnFramesGrid *grid, int row, int column);

// `count` cubes far from each other, the caller's; fewer where there are fewer.
SinewStatus sn_frames_grid_spread(const SnFramesGrid *grid, int count,
                                  const SinewAllocator *allocator, int *out_count, int **out_cells,
                                  SinewError *error);

// The vertex nearest to X, the first among equals.
int sn_frames_grid_nearest(const SnFramesGrid *grid, const double X[3]);

#endif
