// The rotation kernels one matrix at a time: the plain references, operation by operation in the
// order of the wide sources, so that the portable variants must give the same bits. What each step
// means is said in rotation_wide.h and rotation_svd_wide.h.
#ifndef SN_KERNEL_ROTATION_REF_H
#define SN_KERNEL_ROTATION_REF_H

#include "kernel/rotation.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// The constants are those of the wide sources; a test that compares bits sees when one is not.
#define REF_SVD_SWEEPS 4
#define REF_TINY 1e-18f

static inline void ref_load(const float *planes, int count, int stride, int i, float *out)
{
    for (int k = 0; k < count; ++k) {
        out[k] = planes[(size_t)k * (size_t)stride + (size_t)i];
    }
}

// Nothing when the batch does not ask for these planes.
static inline void ref_store(float *planes, int count, int stride, int i, const float *values)
{
    for (int k = 0; planes != NULL && k < count; ++k) {
        planes[(size_t)k * (size_t)stride + (size_t)i] = values[k];
    }
}

static inline float ref_max(float a, float b)
{
    return a > b ? a : b;
}

static inline float ref_min(float a, float b)
{
    return a < b ? a : b;
}

static inline float ref_rsqrt(float a)
{
    return 1.0f / sqrtf(a);
}

// Dot product of three components, `step` apart in a and in b.
static inline float ref_dot(const float *a, int a_step, const float *b, int b_step)
{
    return a[0] * b[0] + a[a_step] * b[b_step] + a[2 * a_step] * b[2 * b_step];
}

static inline void ref_cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void ref_multiply(const float a[9], const float b[9], float out[9])
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * r + c] = ref_dot(a + 3 * r, 1, b + c, 3);
        }
    }
}

// a^T b.
static inline void ref_transpose_multiply(const float a[9], const float b[9], float out[9])
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * r + c] = ref_dot(a + r, 3, b + c, 3);
        }
    }
}

// a b^T.
static inline void ref_multiply_transpose(const float a[9], const float b[9], float out[9])
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * r + c] = ref_dot(a + 3 * r, 1, b + 3 * c, 1);
        }
    }
}

// A power of two near 1 / |value|, value given by its bits.
typedef struct RefScale {
    float scale;
    float unscale;
    bool useless; // zero, or not finite
} RefScale;

RefScale sn_ref_scale_of(int32_t bits);

// Scales a matrix to order one, or makes it the identity where it is useless.
RefScale sn_ref_normalise(float a[9]);

void sn_ref_quat_to_mat3(const float q[4], float out[9]);     // q unit
void sn_ref_quat_to_rotation(const float q[4], float out[9]); // q of any length
void sn_ref_quat_normalise(float q[4]);
void sn_ref_quat_from_mat3(const float R[9], float out[4]);

// Completes the unit vector x to a rotation with columns x, y, z.
void sn_ref_frame_complete(const float x[3], float out_y[3], float out_z[3]);

// F of order one.
void sn_ref_svd(const float F[9], float out_U[9], float out_sigma[3], float out_V[9]);

// The closest rotation to any F.
void sn_ref_rotation_of_any(const float F[9], float out_R[9]);

// One Newton step for the rotation closest to F from the unit quaternion q, written to q; false
// when the step is not to be trusted.
bool sn_ref_newton_step(const float F[9], float q[4]);

// Writes a rotation in the forms the batch asks for.
void sn_ref_rotation_store(const SnRotationBatch *b, int i, const float R[9]);

#endif
