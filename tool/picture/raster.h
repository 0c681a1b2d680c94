// The rasteriser's core: a triangle as three edge functions over the picture. They are built from
// homogeneous coordinates, so a triangle that reaches behind the camera needs no clipping, and from
// products that change nothing but their sign when an edge is walked the other way, so that of two
// triangles at an edge exactly one covers each sample.
#ifndef SN_TOOL_RASTER_H
#define SN_TOOL_RASTER_H

#include "tool/picture/camera.h"

#include <stdbool.h>

typedef struct SnRasterTriangle {
    // e_i(x, y) = edge[i][0] x + (edge[i][1] y + edge[i][2]) is positive inside, zero on the edge
    // opposite corner i, and proportional to corner i's weight divided by the distance.
    double edge[3][3];
    double scale;  // 1 / distance = scale * (e_0 + e_1 + e_2)
    int bounds[4]; // pixels it may cover: left, top, right, bottom, the last two excluded
} SnRasterTriangle;

// False when the triangle covers nothing: behind the camera, outside the picture, seen edge-on.
bool sn_raster_setup(const SnView *view, int width, int height, const SnVec3 corners[3],
                     SnRasterTriangle *out_triangle);

// Whether the sample at (x, y) is inside; `e` gets the edge functions.
static inline bool sn_raster_covers(const SnRasterTriangle *triangle, double x, double y,
                                    double e[3])
{
    for (int i = 0; i < 3; ++i) {
        const double *a = triangle->edge[i];
        e[i] = a[0] * x + (a[1] * y + a[2]);
        // A sample exactly on an edge belongs to the triangle on its right, or below it.
        if (!(e[i] > 0.0 || (e[i] == 0.0 && (a[0] > 0.0 || (a[0] == 0.0 && a[1] > 0.0))))) {
            return false;
        }
    }
    return true;
}

#endif
