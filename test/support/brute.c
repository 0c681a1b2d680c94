#include "support/brute.h"

#include "geometry/point.h"

#include <math.h>

double sn_test_segment_distance(const double a[3], const double b[3], const double p[3])
{
    double ab[3], ap[3], q[3];
    sn_point_minus(b, a, ab);
    sn_point_minus(p, a, ap);
    double length = sn_point_dot(ab, ab);
    double t = length > 0.0 ? sn_point_dot(ab, ap) / length : 0.0;
    sn_point_along(a, fmin(fmax(t, 0.0), 1.0), ab, q);
    return sqrt(sn_point_distance_squared(p, q));
}

double sn_test_triangle_distance(const double corners[9], const double p[3])
{
    double ab[3], ac[3], ap[3], normal[3];
    sn_point_minus(corners + 3, corners, ab);
    sn_point_minus(corners + 6, corners, ac);
    sn_point_minus(p, corners, ap);
    sn_point_cross(ab, ac, normal);
    double least = 1e300;
    int inside = 0;
    for (int e = 0; e < 3; ++e) {
        const double *a = corners + 3 * e;
        const double *b = corners + 3 * ((e + 1) % 3);
        double edge[3], side[3], to[3];
        least = fmin(least, sn_test_segment_distance(a, b, p));
        sn_point_minus(b, a, edge);
        sn_point_cross(normal, edge, side);
        sn_point_minus(p, a, to);
        inside += sn_point_dot(side, to) > 0.0;
    }
    double plane = fabs(sn_point_dot(normal, ap)) / sn_point_length(normal);
    return inside == 3 ? fmin(least, plane) : least;
}
