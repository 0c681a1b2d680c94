// A plane that cuts a scene open: what lies on the side its normal points to is not drawn and casts
// no shadow. All zero: no cut.
#ifndef SN_TOOL_CUT_H
#define SN_TOOL_CUT_H

#include "tool/export/vec3.h"

#include <stdbool.h>

typedef struct SnCut {
    SnVec3 normal; // of any length; zero: nothing is cut
    float offset;  // points with normal . x > offset are hidden
} SnCut;

static inline bool sn_cut_is_on(const SnCut *cut)
{
    return cut->normal.x != 0.0f || cut->normal.y != 0.0f || cut->normal.z != 0.0f;
}

// How far above the plane a point is, in units of the normal's length; hidden if positive.
static inline float sn_cut_height(const SnCut *cut, SnVec3 point)
{
    return sn_vec3_dot(cut->normal, point) - cut->offset;
}

// The part of a triangle that is not hidden: none, one or two triangles. Returns how many.
int sn_cut_clip(const SnCut *cut, const SnVec3 corners[3], SnVec3 out_corners[6]);

#endif
