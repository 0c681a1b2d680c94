#include "tool/picture/raster.h"

#include <math.h>

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static int clamp_pixel(double x, int size)
{
    return x <= 0.0 ? 0 : x >= size ? size : (int)x;
}

// Pixels around the corners; the whole picture when one of them is behind the camera, since then
// the triangle reaches to where its edges vanish.
static void find_bounds(double h[3][3], double near_distance, int width, int height, int bounds[4])
{
    double low[2] = {INFINITY, INFINITY};
    double high[2] = {-INFINITY, -INFINITY};
    for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < 2; ++i) {
            bool in_front = h[c][2] >= near_distance;
            double x = h[c][i] / h[c][2];
            low[i] = fmin(low[i], in_front ? x : -INFINITY);
            high[i] = fmax(high[i], in_front ? x : INFINITY);
        }
    }
    bounds[0] = clamp_pixel(floor(low[0]), width);
    bounds[1] = clamp_pixel(floor(low[1]), height);
    bounds[2] = clamp_pixel(floor(high[0]) + 1.0, width);
    bounds[3] = clamp_pixel(floor(high[1]) + 1.0, height);
}

bool sn_raster_setup(const SnView *view, int width, int height, const SnVec3 corners[3],
                     SnRasterTriangle *out_triangle)
{
    // Homogeneous picture coordinates: divided by the last they are pixels.
    double h[3][3];
    bool in_front = false;
    for (int c = 0; c < 3; ++c) {
        SnVec3 p = sn_view_point(view, corners[c]);
        h[c][0] = (double)view->centre[0] * p.z + (double)view->pixel_scale * p.x;
        h[c][1] = (double)view->centre[1] * p.z - (double)view->pixel_scale * p.y;
        h[c][2] = p.z;
        in_front = in_front || p.z >= view->near_distance;
    }
    if (!in_front) {
        return false;
    }
    find_bounds(h, view->near_distance, width, height, out_triangle->bounds);
    const int *b = out_triangle->bounds;
    if (b[0] >= b[2] || b[1] >= b[3]) {
        return false;
    }
    for (int i = 0; i < 3; ++i) {
        cross(h[(i + 1) % 3], h[(i + 2) % 3], out_triangle->edge[i]);
    }
    const double *e = out_triangle->edge[0];
    double determinant = h[0][0] * e[0] + h[0][1] * e[1] + h[0][2] * e[2];
    if (!(fabs(determinant) > 0.0) || !isfinite(determinant)) {
        return false;
    }
    for (int i = 0; i < 9 && determinant < 0.0; ++i) {
        out_triangle->edge[i / 3][i % 3] *= -1.0; // seen from behind
    }
    out_triangle->scale = 1.0 / fabs(determinant);
    return true;
}
