// The light of a photographer's studio, and what of it reaches a point. A sky of even light and a
// broad key lamp are each a set of directions; from each direction the scene is seen once as a map
// of heights, and a point is lit from there if nothing stands higher on its way. Many hard shadows
// make one soft one: the sky gives occlusion in corners and under bodies, the lamp a soft shadow.
//
// Not taken: one shadow map with blur and screen-space occlusion. They are faster, but the first
// cannot tell a near blocker from a far one and the second depends on the camera.
#ifndef SN_TOOL_LIGHTS_H
#define SN_TOOL_LIGHTS_H

#include "base/workers.h"
#include "tool/export/vec3.h"

enum { SN_LIGHTS_SKY = 40, SN_LIGHTS_KEY = 24, SN_LIGHTS_COUNT = SN_LIGHTS_SKY + SN_LIGHTS_KEY };

// The scene seen from one direction, in parallel projection.
typedef struct SnLightMap {
    SnVec3 direction; // unit, from the scene to the light
    SnVec3 axis[3];   // a point's texel coordinates, counted from the first texel's middle, and its
    float offset[3];  // height above the scene's centre in m are axis . point + offset
    int side;         // texels
    float texel;      // m
    float *height;    // m, of what is nearest to the light; -INFINITY: nothing
} SnLightMap;

typedef struct SnLights {
    SnLightMap maps[SN_LIGHTS_COUNT]; // the sky's, then the lamp's
    float *heights;
} SnLights;

// What reaches a point, each 1 on an open surface that faces it squarely.
typedef struct SnLight {
    float sky;  // light of the sky on the surface, with the cosine
    float open; // part of the sky that is free, whatever the surface's normal
    float key;  // part of the lamp that is free, without the cosine
} SnLight;

// Maps a soup of triangles, three points each, that lies within `radius` of `centre`. `key` is the
// unit direction to the lamp, `spread` its radius seen from the scene, in radians.
SinewStatus sn_lights_create(const SnVec3 *points, int triangle_count, SnVec3 centre, float radius,
                             SnVec3 key, float spread, SnWorkers *workers,
                             const SinewAllocator *allocator, SnLights **out_lights,
                             SinewError *error);

void sn_lights_destroy(SnLights *lights, const SinewAllocator *allocator);

// The light at a point of a surface: `face` is the true normal on the lit side, along which the
// point steps out of its own shadow; `normal` the one shaded with.
SnLight sn_lights_at(const SnLights *lights, SnVec3 point, SnVec3 face, SnVec3 normal);

#endif
