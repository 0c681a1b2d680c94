// The shadows on the ground, as a map of the plane: worked out once a texel, blurred until the
// separate directions that light comes from no longer show, and looked up for each pixel.
#ifndef SN_TOOL_GROUND_H
#define SN_TOOL_GROUND_H

#include "tool/picture/shade.h"

typedef struct SnGround {
    float corner[2]; // m, x and z of the map's first corner
    float texel;     // m
    int side;        // texels
    float *kept;     // part of its light that the ground keeps: 1 in the open
} SnGround;

// The ground at height `height` under a scene within `radius` of `centre`.
SinewStatus sn_ground_create(const SnStudio *studio, SnVec3 centre, float radius, float height,
                             SnWorkers *workers, const SinewAllocator *allocator,
                             SnGround **out_ground, SinewError *error);

void sn_ground_destroy(SnGround *ground, const SinewAllocator *allocator);

// 1 outside of the map.
float sn_ground_at(const SnGround *ground, float x, float z);

#endif
