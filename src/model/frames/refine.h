// A finer grid where a body has too few cells for its frames: each cube is cut into equal ones.
#ifndef SN_MODEL_FRAMES_REFINE_H
#define SN_MODEL_FRAMES_REFINE_H

#include "geometry/solid.h"

// Cuts each cube into `division` along each side; corners that cubes share stay shared. The finer
// cubes, whose fills are not found, are the caller's.
SinewStatus sn_frames_refine(const SnSolidCubes *cubes, int division,
                             const SinewAllocator *allocator, SnSolidCubes *out_cubes,
                             SinewError *error);

#endif
