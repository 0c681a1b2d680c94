// 3x3 matrices and quaternions in double precision, for set-up, references and tests. Matrices are
// nine doubles, row-major; quaternions are (x, y, z, w). An output may not be an input unless it
// says so.
#ifndef SN_MATH_MAT3_H
#define SN_MATH_MAT3_H

#include <math.h>
#include <string.h>

static inline void sn_mat3_identity(double out[9])
{
    memset(out, 0, 9 * sizeof *out);
    out[0] = out[4] = out[8] = 1.0;
}

// a b.
static inline void sn_mat3_multiply(const double a[9], const double b[9], double out[9])
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * r + c] = a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c] + a[3 * r + 2] * b[6 + c];
        }
    }
}

static inline void sn_mat3_transpose(const double a[9], double out[9])
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * c + r] = a[3 * r + c];
        }
    }
}

// a^T b.
static inline void sn_mat3_transpose_multiply(const double a[9], const double b[9], double out[9])
{
    double t[9];
    sn_mat3_transpose(a, t);
    sn_mat3_multiply(t, b, out);
}

// a b^T.
static inline void sn_mat3_multiply_transpose(const double a[9], const double b[9], double out[9])
{
    double t[9];
    sn_mat3_transpose(b, t);
    sn_mat3_multiply(a, t, out);
}

static inline void sn_mat3_apply(const double a[9], const double v[3], double out[3])
{
    for (int r = 0; r < 3; ++r) {
        out[r] = a[3 * r] * v[0] + a[3 * r + 1] * v[1] + a[3 * r + 2] * v[2];
    }
}

static inline double sn_mat3_determinant(const double a[9])
{
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
           a[2] * (a[3] * a[7] - a[4] * a[6]);
}

static inline double sn_mat3_trace(const double a[9])
{
    return a[0] + a[4] + a[8];
}

// Square root of the sum of squares.
static inline double sn_mat3_norm(const double a[9])
{
    double sum = 0.0;
    for (int k = 0; k < 9; ++k) {
        sum += a[k] * a[k];
    }
    return sqrt(sum);
}

// |a - b|.
static inline double sn_mat3_distance(const double a[9], const double b[9])
{
    double difference[9];
    for (int k = 0; k < 9; ++k) {
        difference[k] = a[k] - b[k];
    }
    return sn_mat3_norm(difference);
}

// How far a is from a rotation: |a^T a - I|, or 2 where it is a reflection.
static inline double sn_mat3_rotation_error(const double a[9])
{
    double product[9];
    double identity[9];
    sn_mat3_transpose_multiply(a, a, product);
    sn_mat3_identity(identity);
    double error = sn_mat3_distance(product, identity);
    return sn_mat3_determinant(a) > 0.0 || error > 2.0 ? error : 2.0;
}

// R of a unit quaternion.
static inline void sn_quat_to_mat3(const double q[4], double out[9])
{
    double x = q[0];
    double y = q[1];
    double z = q[2];
    double w = q[3];
    out[0] = 1.0 - 2.0 * (y * y + z * z);
    out[1] = 2.0 * (x * y - w * z);
    out[2] = 2.0 * (x * z + w * y);
    out[3] = 2.0 * (x * y + w * z);
    out[4] = 1.0 - 2.0 * (x * x + z * z);
    out[5] = 2.0 * (y * z - w * x);
    out[6] = 2.0 * (x * z - w * y);
    out[7] = 2.0 * (y * z + w * x);
    out[8] = 1.0 - 2.0 * (x * x + y * y);
}

// a b: first b turns, then a.
static inline void sn_quat_multiply(const double a[4], const double b[4], double out[4])
{
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

static inline double sn_quat_norm(const double q[4])
{
    return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
}

#endif
