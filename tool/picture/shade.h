// The colour of a point of a surface under the studio's light, in linear light.
#ifndef SN_TOOL_SHADE_H
#define SN_TOOL_SHADE_H

#include "tool/picture/lights.h"

typedef struct SnStudio {
    const SnLights *lights;
    SnVec3 key;  // unit directions to the lamps: main,
    SnVec3 fill; // from the other side, weak, so that shadows keep their colour,
    SnVec3 rim;  // and from behind, so that outlines stand out
} SnStudio;

// Places the lamps for a camera whose axes are given (right, up, forward). `key` zero: over its
// left shoulder.
SnStudio sn_studio(const SnVec3 axis[3], SnVec3 key);

typedef struct SnSurfacePoint {
    SnVec3 position;
    SnVec3 face;   // true normal, unit, towards the eye
    SnVec3 normal; // shading normal, unit
    SnVec3 to_eye; // unit
    SnVec3 albedo; // linear
    float gloss;   // 0 to 1
} SnSurfacePoint;

SnVec3 sn_shade_surface(const SnStudio *studio, const SnSurfacePoint *point);

// What part of its light a level ground keeps where this much reaches it: 1 in the open.
float sn_shade_ground(const SnStudio *studio, SnLight light);

#endif
