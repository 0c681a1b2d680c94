// Property maps: volume images that say how stiff and how dense each voxel of a body is. An image's
// values multiply Young's modulus, or the density, of the materials; a voxel has the mean over it.
// Where the image of stiffness is 0 or less nothing is, and the voxel goes.
#ifndef SN_MODEL_FRAMES_MAPS_H
#define SN_MODEL_FRAMES_MAPS_H

#include "model/frames/grid.h"

// Reads the images that the body's options name, if any, fills the grid's factors and takes empty
// cubes out of it. Refuses images that leave no cube, and densities of 0 or less where cubes are.
SinewStatus sn_frames_maps_take(const SnModelDef *def, SnFramesGrid *grid, SinewError *error);

#endif
