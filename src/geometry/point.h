// Points and vectors of three doubles: the few operations that geometry repeats everywhere.
#ifndef SN_GEOMETRY_POINT_H
#define SN_GEOMETRY_POINT_H

#include <math.h>

// a - b.
static inline void sn_point_minus(const double a[3], const double b[3], double out[3])
{
    out[0] = a[0] - b[0];
    out[1] = a[1] - b[1];
    out[2] = a[2] - b[2];
}

static inline double sn_point_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// a x b; `out` may not be an input.
static inline void sn_point_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// a + t b; `out` may be an input.
static inline void sn_point_along(const double a[3], double t, const double b[3], double out[3])
{
    out[0] = a[0] + t * b[0];
    out[1] = a[1] + t * b[1];
    out[2] = a[2] + t * b[2];
}

static inline double sn_point_length(const double a[3])
{
    return sqrt(sn_point_dot(a, a));
}

static inline double sn_point_distance_squared(const double a[3], const double b[3])
{
    double d[3];
    sn_point_minus(a, b, d);
    return sn_point_dot(d, d);
}

#endif
