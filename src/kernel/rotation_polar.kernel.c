// Polar decomposition by scaled Newton iteration: X <- (g X + X^-T / g) / 2 from X = F, with
// g^2 = |X^-1| / |X| in the Frobenius norm. It keeps the rotation of X and drives the stretches to
// one, whatever they were, as long as det F > 0. Matrices whose determinant is small or negative
// take the way of `svd`. For comparison; `apd` is faster with a start and `svd` without.
#include "kernel/rotation_svd_wide.h"

SnRotationFn SN_NAME(rotation_polar);

// det F is at most (|F|^2 / 3)^(3/2). Below this part of |F|^3 the inverse has lost too many bits.
#define POLAR_FLOOR 1e-3f
// The step after a change whose square is this small brings the error, half that, below rounding.
#define POLAR_CHANGE2 1e-7f
#define POLAR_STEPS 12

static inline WideMat3 mat3_cofactors(WideMat3 a)
{
    const Wide *m = a.m;
    return (WideMat3){{
        cross2(m[4], m[8], m[5], m[7]),
        cross2(m[5], m[6], m[3], m[8]),
        cross2(m[3], m[7], m[4], m[6]),
        cross2(m[2], m[7], m[1], m[8]),
        cross2(m[0], m[8], m[2], m[6]),
        cross2(m[1], m[6], m[0], m[7]),
        cross2(m[1], m[5], m[2], m[4]),
        cross2(m[2], m[3], m[0], m[5]),
        cross2(m[0], m[4], m[1], m[3]),
    }};
}

static inline Wide mat3_norm2(WideMat3 a)
{
    Wide sum = a.m[0] * a.m[0];
    for (int k = 1; k < 9; ++k) {
        sum = SN_MADD(a.m[k], a.m[k], sum);
    }
    return sum;
}

// One step; `out_change2` is the squared size of the change. X^-T is cofactors / det.
static inline WideMat3 polar_step(WideMat3 X, WideMat3 cofactors, Wide det, Wide *out_change2)
{
    Wide inverse_det = wide_reciprocal(det);
    Wide ratio2 = mat3_norm2(cofactors) * inverse_det * inverse_det / mat3_norm2(X); // g^4
    Wide g = wide_sqrt(wide_sqrt(ratio2));
    Wide keep = g * 0.5f;
    Wide add = inverse_det * 0.5f / g;
    WideMat3 next;
    Wide change2 = wide_set(0.0f);
    for (int k = 0; k < 9; ++k) {
        next.m[k] = SN_MADD(add, cofactors.m[k], keep * X.m[k]);
        Wide change = next.m[k] - X.m[k];
        change2 = SN_MADD(change, change, change2);
    }
    *out_change2 = change2;
    return next;
}

static __attribute__((noinline)) void rescue(const SnRotationBatch *b, int i, Mask lost,
                                             WideMat3 *R)
{
    *R = mat3_select(lost, rotation_of_any(mat3_load(b->F, b->stride, i)), *R);
}

// A lane that has arrived stays as it is, so that neighbours which need more steps do not touch it.
void SN_NAME(rotation_polar)(const SnRotationBatch *b, int begin, int end)
{
    for (int i = begin; i < end; i += SN_LANES) {
        WideMat3 X = mat3_load(b->F, b->stride, i);
        WideScale scale = mat3_normalise(&X);
        WideMat3 cofactors = mat3_cofactors(X);
        Wide det = dot3(X.m[0], cofactors.m[0], X.m[1], cofactors.m[1], X.m[2], cofactors.m[2]);
        Wide norm2 = mat3_norm2(X);
        Mask good = wide_less(norm2 * wide_sqrt(norm2) * POLAR_FLOOR, det);
        good = mask_and(good, mask_not(scale.useless));

        Mask moving = good;
        for (int k = 0; k < POLAR_STEPS && mask_any(moving); ++k) {
            Wide change2;
            WideMat3 next = polar_step(X, cofactors, det, &change2);
            X = mat3_select(moving, next, X);
            moving = mask_and(moving, wide_less(wide_set(POLAR_CHANGE2), change2));
            cofactors = mat3_cofactors(X);
            det = dot3(X.m[0], cofactors.m[0], X.m[1], cofactors.m[1], X.m[2], cofactors.m[2]);
        }
        if (mask_any(mask_not(good))) {
            WideMat3 rescued = X;
            rescue(b, i, mask_not(good), &rescued);
            X = rescued;
        }
        rotation_store(b, i, X);
    }
}
