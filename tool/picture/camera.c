#include "tool/picture/camera.h"

static float half_slope(float field_of_view)
{
    return tanf(0.5f * field_of_view * 0.01745329252f);
}

// Axes that look along `forward`; where `up` is along it too, another up is taken.
static void make_axes(SnVec3 forward, SnVec3 up, SnVec3 axis[3])
{
    axis[2] = sn_vec3_unit(forward);
    SnVec3 right = sn_vec3_cross(axis[2], up);
    if (!(sn_vec3_length(right) > 1e-5f * sn_vec3_length(up))) {
        SnVec3 other = fabsf(axis[2].y) < 0.9f ? sn_vec3(0, 1, 0) : sn_vec3(0, 0, -1);
        right = sn_vec3_cross(axis[2], other);
    }
    axis[0] = sn_vec3_unit(right);
    axis[1] = sn_vec3_cross(axis[0], axis[2]);
}

SinewStatus sn_camera_view(const SnCamera *camera, int width, int height, SnView *out_view,
                           SinewError *error)
{
    if (!(camera->field_of_view >= 1.0f && camera->field_of_view <= 160.0f)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a camera's field of view is %g degrees, expected 1 to 160",
                       (double)camera->field_of_view);
    }
    if (!(camera->near_distance > 0.0f) || !isfinite(camera->near_distance)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a camera's near distance is %g m, expected a positive number",
                       (double)camera->near_distance);
    }
    SnVec3 forward = sn_vec3_sub(camera->target, camera->eye);
    float distance = sn_vec3_length(forward);
    if (!sn_vec3_is_finite(camera->eye) || !isfinite(distance) || !(distance > 0.0f) ||
        !sn_vec3_is_finite(camera->up)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "a camera looks from (%g, %g, %g) to (%g, %g, %g), expected two places",
                       (double)camera->eye.x, (double)camera->eye.y, (double)camera->eye.z,
                       (double)camera->target.x, (double)camera->target.y,
                       (double)camera->target.z);
    }
    out_view->eye = camera->eye;
    make_axes(forward, camera->up, out_view->axis);
    out_view->pixel_scale = 0.5f * (float)height / half_slope(camera->field_of_view);
    out_view->centre[0] = 0.5f * (float)width;
    out_view->centre[1] = 0.5f * (float)height;
    out_view->near_distance = camera->near_distance;
    return SINEW_OK;
}

// Each corner must lie inside the pyramid of sight, less the margin; along the line of sight
// through the box's middle that is a smallest distance for each corner and side.
SnCamera sn_camera_fit(const float low[3], const float high[3], SnVec3 direction,
                       float field_of_view, float aspect, float margin)
{
    SnVec3 axis[3];
    make_axes(direction, sn_vec3(0, 1, 0), axis);
    SnVec3 target = sn_vec3_scale(0.5f, sn_vec3_add(sn_vec3_load(low), sn_vec3_load(high)));
    float slope_y = half_slope(field_of_view) * (1.0f - 2.0f * margin);
    float slope_x = slope_y * aspect;
    float distance = 0.0f;
    float depth = 0.0f;
    for (int corner = 0; corner < 8; ++corner) {
        SnVec3 d = sn_vec3_sub(sn_vec3(corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1],
                                       corner & 4 ? high[2] : low[2]),
                               target);
        float z = sn_vec3_dot(axis[2], d);
        distance = fmaxf(distance, fabsf(sn_vec3_dot(axis[0], d)) / slope_x - z);
        distance = fmaxf(distance, fabsf(sn_vec3_dot(axis[1], d)) / slope_y - z);
        depth = fmaxf(depth, -z);
    }
    distance = fmaxf(distance, 1e-6f);
    return (SnCamera){.eye = sn_vec3_add_scaled(target, -distance, axis[2]),
                      .target = target,
                      .up = sn_vec3(0, 1, 0),
                      .field_of_view = field_of_view,
                      .near_distance = fmaxf(0.01f * distance, 0.5f * (distance - depth))};
}
