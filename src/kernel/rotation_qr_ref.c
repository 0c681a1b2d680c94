// Rotation by orthogonalising columns, one matrix at a time; see rotation_qr.kernel.c.
#include "kernel/rotation_ref.h"

SnRotationFn sn_rotation_qr_ref;

static float dot(const float a[3], const float b[3])
{
    return ref_dot(a, 1, b, 1);
}

static void normalise(float a[3])
{
    float inverse = ref_rsqrt(dot(a, a));
    for (int k = 0; k < 3; ++k) {
        a[k] *= inverse;
    }
}

// a without its part along the unit vector n.
static void reject(const float a[3], const float n[3], float out[3])
{
    float along = dot(a, n);
    for (int k = 0; k < 3; ++k) {
        out[k] = a[k] - along * n[k];
    }
}

static bool has_direction(const float part[3], float whole2)
{
    return ref_max(whole2 * 1e-12f, 1e-30f) < dot(part, part);
}

// The first column, else across the others, else across the longer of them.
static void first_axis(float f[3][3], float out[3])
{
    float normal[3];
    float unused[3];
    ref_cross(f[1], f[2], normal);
    if (has_direction(f[0], 0.0f)) {
        memcpy(out, f[0], sizeof normal);
    } else if (has_direction(normal, dot(f[1], f[1]) * dot(f[2], f[2]))) {
        memcpy(out, normal, sizeof normal);
    } else {
        float longer[3];
        memcpy(longer, dot(f[1], f[1]) < dot(f[2], f[2]) ? f[2] : f[1], sizeof longer);
        normalise(longer);
        sn_ref_frame_complete(longer, out, unused);
    }
    normalise(out);
}

// What the first axis leaves of the second column, else from the third, else any.
static void second_axis(float f[3][3], const float first[3], float out[3])
{
    float part[3];
    float axis[3];
    reject(f[1], first, axis);
    if (!has_direction(axis, dot(f[1], f[1]))) {
        reject(f[2], first, part);
        if (has_direction(part, dot(f[2], f[2]))) {
            ref_cross(part, first, axis);
        } else {
            sn_ref_frame_complete(first, axis, part);
        }
    }
    normalise(axis);
    reject(axis, first, out);
    normalise(out);
}

void sn_rotation_qr_ref(const SnRotationBatch *b, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        float F[9];
        float column[3][3];
        float axis[3][3];
        float R[9];
        ref_load(b->F, 9, b->stride, i, F);
        sn_ref_normalise(F);
        for (int k = 0; k < 9; ++k) {
            column[k % 3][k / 3] = F[k];
        }
        first_axis(column, axis[0]);
        second_axis(column, axis[0], axis[1]);
        ref_cross(axis[0], axis[1], axis[2]);
        for (int k = 0; k < 9; ++k) {
            R[k] = axis[k % 3][k / 3];
        }
        sn_ref_rotation_store(b, i, R);
    }
}
