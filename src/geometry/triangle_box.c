#include "geometry/triangle_box.h"

#include <math.h>

// Whether the triangle and the box, both about the origin, have shadows apart on an axis.
static bool is_apart(const double axis[3], const double *v, const double half[3])
{
    double reach = half[0] * fabs(axis[0]) + half[1] * fabs(axis[1]) + half[2] * fabs(axis[2]);
    double least = INFINITY;
    double most = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        double x = axis[0] * v[3 * k] + axis[1] * v[3 * k + 1] + axis[2] * v[3 * k + 2];
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    return least > reach || most < -reach;
}

bool sn_triangle_box_touch(const double corners[9], const double centre[3], const double half[3])
{
    double v[3][3];
    double edge[3][3];
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < 3; ++k) {
            v[k][c] = corners[3 * k + c] - centre[c];
        }
        if ((v[0][c] > half[c] && v[1][c] > half[c] && v[2][c] > half[c]) ||
            (v[0][c] < -half[c] && v[1][c] < -half[c] && v[2][c] < -half[c])) {
            return false;
        }
    }
    for (int k = 0; k < 3; ++k) {
        for (int c = 0; c < 3; ++c) {
            edge[k][c] = v[(k + 1) % 3][c] - v[k][c];
        }
    }
    const double *e = edge[0];
    const double *f = edge[1];
    const double normal[3] = {e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2],
                              e[0] * f[1] - e[1] * f[0]};
    if (is_apart(normal, v[0], half)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        // Edge times each axis of the box.
        const double axes[3][3] = {{0.0, -edge[k][2], edge[k][1]},
                                   {edge[k][2], 0.0, -edge[k][0]},
                                   {-edge[k][1], edge[k][0], 0.0}};
        for (int c = 0; c < 3; ++c) {
            if (is_apart(axes[c], v[0], half)) {
                return false;
            }
        }
    }
    return true;
}
