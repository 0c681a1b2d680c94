// A finer grid where a body has too few cells for its frames: each cube is cut into equal ones.
#ifndef SN_MODEL_FRAMES_REFINE_H
#define SN_MODEL_FRAMES_REFINE_H

#include "geometry/solid.h"

// Cuts each cube into `division` along each side; corners that cubes share stay shared.
SinewStatus sn_frames_refine(SnSolidCubes *cubes, int division, const SinewAllocator *allocator,
                             SinewError *error);

#endif
