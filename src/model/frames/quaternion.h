// Products of quaternions and their matrices, for blends of frames. Quaternions are (x, y, z, w) as
// in math/mat3.h; a vector stands for the quaternion with w = 0. <a, b> is the plain product of
// four numbers, and <g, a b> = <g b*, a> = <a* g, b> is what turns derivatives round.
#ifndef SN_MODEL_FRAMES_QUATERNION_H
#define SN_MODEL_FRAMES_QUATERNION_H

#include "math/mat3.h"

// a b*. An output may not be an input.
static inline void sn_quat_times_conjugate(const double a[4], const double b[4], double out[4])
{
    const double c[4] = {-b[0], -b[1], -b[2], b[3]};
    sn_quat_multiply(a, c, out);
}

// a* b.
static inline void sn_quat_conjugate_times(const double a[4], const double b[4], double out[4])
{
    const double c[4] = {-a[0], -a[1], -a[2], a[3]};
    sn_quat_multiply(c, b, out);
}

// M with M b = a b, row-major.
static inline void sn_quat_left(const double a[4], double out[16])
{
    const double m[16] = {a[3],  -a[2], a[1], a[0], a[2],  a[3],  -a[0], a[1],
                          -a[1], a[0],  a[3], a[2], -a[0], -a[1], -a[2], a[3]};
    memcpy(out, m, sizeof m);
}

// M with M a = a b.
static inline void sn_quat_right(const double b[4], double out[16])
{
    const double m[16] = {b[3], b[2],  -b[1], b[0], -b[2], b[3],  b[0],  b[1],
                          b[1], -b[0], b[3],  b[2], -b[0], -b[1], -b[2], b[3]};
    memcpy(out, m, sizeof m);
}

// M with <g, a b> = a^T M b.
static inline void sn_quat_form(const double g[4], double out[16])
{
    // a^T M b = <a, g b*>: column c is g times the conjugate of the unit c.
    for (int c = 0; c < 4; ++c) {
        double unit[4] = {0.0, 0.0, 0.0, 0.0}, product[4];
        unit[c] = 1.0;
        sn_quat_times_conjugate(g, unit, product);
        for (int r = 0; r < 4; ++r) {
            out[4 * r + c] = product[r];
        }
    }
}

// a b of 4x4 matrices.
static inline void sn_quat_mat_multiply(const double a[16], const double b[16], double out[16])
{
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) {
            out[4 * r + c] = a[4 * r] * b[c] + a[4 * r + 1] * b[4 + c] + a[4 * r + 2] * b[8 + c] +
                             a[4 * r + 3] * b[12 + c];
        }
    }
}

#endif
