// Polar decomposition by Newton iteration, one matrix at a time; see rotation_polar.kernel.c.
#include "kernel/rotation_ref.h"

SnRotationFn sn_rotation_polar_ref;

// Rows of the cofactor matrix are cross products of the other two rows.
static void cofactors_of(const float X[9], float out[9])
{
    ref_cross(X + 3, X + 6, out);
    ref_cross(X + 6, X, out + 3);
    ref_cross(X, X + 3, out + 6);
}

static float norm2_of(const float a[9])
{
    float sum = a[0] * a[0];
    for (int k = 1; k < 9; ++k) {
        sum += a[k] * a[k];
    }
    return sum;
}

// X <- (g X + X^-T / g) / 2; returns the square of the change.
static float polar_step(float X[9])
{
    float cofactors[9];
    cofactors_of(X, cofactors);
    float inverse_det = 1.0f / ref_dot(X, 1, cofactors, 1);
    float ratio2 = norm2_of(cofactors) * inverse_det * inverse_det / norm2_of(X);
    float g = sqrtf(sqrtf(ratio2));
    float keep = g * 0.5f;
    float add = inverse_det * 0.5f / g;
    float change2 = 0.0f;
    for (int k = 0; k < 9; ++k) {
        float next = add * cofactors[k] + keep * X[k];
        float change = next - X[k];
        change2 += change * change;
        X[k] = next;
    }
    return change2;
}

void sn_rotation_polar_ref(const SnRotationBatch *b, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        float F[9];
        float X[9];
        float cofactors[9];
        ref_load(b->F, 9, b->stride, i, F);
        memcpy(X, F, sizeof X);
        bool useless = sn_ref_normalise(X).useless;
        cofactors_of(X, cofactors);
        float det = ref_dot(X, 1, cofactors, 1);
        float norm2 = norm2_of(X);
        if (norm2 * sqrtf(norm2) * 1e-3f < det && !useless) {
            float change2 = 1.0f;
            for (int k = 0; k < 12 && 1e-7f < change2; ++k) {
                change2 = polar_step(X);
            }
        } else {
            sn_ref_rotation_of_any(F, X);
        }
        sn_ref_rotation_store(b, i, X);
    }
}
