// A perspective camera: where it stands, where it looks, and how wide.
#ifndef SN_TOOL_CAMERA_H
#define SN_TOOL_CAMERA_H

#include "base/status.h"
#include "tool/export/vec3.h"

typedef struct SnCamera {
    SnVec3 eye;          // m
    SnVec3 target;       // m, appears in the middle of the picture
    SnVec3 up;           // this direction points up in the picture
    float field_of_view; // degrees, from the bottom to the top of the picture
    float near_distance; // m, nearer things are not drawn
} SnCamera;

// The camera's axes and scale, ready for use: x to the right, y up, z into the picture.
typedef struct SnView {
    SnVec3 eye;
    SnVec3 axis[3];      // unit vectors
    float pixel_scale;   // pixels for a thing as wide as it is far
    float centre[2];     // of the picture, pixels
    float near_distance; // m
} SnView;

SinewStatus sn_camera_view(const SnCamera *camera, int width, int height, SnView *out_view,
                           SinewError *error);

// A camera that looks along `direction` (from the eye to the things) and stands just far enough
// away to see the whole box from `low` to `high`. `margin` of 0.1 leaves a tenth of the picture
// free on each side.
SnCamera sn_camera_fit(const float low[3], const float high[3], SnVec3 direction,
                       float field_of_view, float aspect, float margin);

// Camera coordinates of a point, m.
static inline SnVec3 sn_view_point(const SnView *view, SnVec3 point)
{
    SnVec3 d = sn_vec3_sub(point, view->eye);
    return sn_vec3(sn_vec3_dot(view->axis[0], d), sn_vec3_dot(view->axis[1], d),
                   sn_vec3_dot(view->axis[2], d));
}

// The direction in the world of the ray through a place in the picture (pixels, y down from the
// top), scaled so that it advances 1 m along the camera's z.
static inline SnVec3 sn_view_ray(const SnView *view, float x, float y)
{
    SnVec3 ray =
        sn_vec3_add_scaled(view->axis[2], (x - view->centre[0]) / view->pixel_scale, view->axis[0]);
    return sn_vec3_add_scaled(ray, (view->centre[1] - y) / view->pixel_scale, view->axis[1]);
}

#endif
