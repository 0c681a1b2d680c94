// Rotation of an element by energy, [D sec 3]: the Q that makes the integral of
// |Q^T (x + u - c) - (X - c0)|^2 over the element smallest. For F constant over it, that is the
// rotation closest to A = F M, with M the integral of (X - c0)(X - c0)^T. [D] runs Newton on the
// quaternion and a multiplier, a 5x5 system (math/rotation_reference.c); here the Newton of `apd`
// finds the same rotation.
#include "kernel/rotation_newton_wide.h"

SnRotationFn SN_NAME(rotation_energy);

// M, symmetric, six components 00 11 22 01 02 12, as a full matrix.
static inline WideMat3 moment_load(const float *planes, int stride, int i)
{
    static const int place[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    WideMat3 M;
    for (int k = 0; k < 9; ++k) {
        M.m[k] = wide_load(planes + (size_t)place[k] * (size_t)stride + i);
    }
    return M;
}

// M is a length to the fifth power, so it is brought to order one by the exponent of its trace.
static inline WideMat3 moment_normalise(WideMat3 M)
{
    WideScale s = scale_of((WideInt)wide_abs((M.m[0] + M.m[4]) + M.m[8]));
    for (int k = 0; k < 9; ++k) {
        M.m[k] = M.m[k] * s.scale;
    }
    return M;
}

static __attribute__((noinline)) void rescue(const SnRotationBatch *b, int i, Mask lost,
                                             WideQuat *q)
{
    WideMat3 F = mat3_load(b->F, b->stride, i);
    WideMat3 M = moment_load(b->M, b->stride, i);
    Mask useless = mat3_normalise(&F).useless;
    useless = mask_or(useless, mat3_normalise(&M).useless);
    WideMat3 A = mat3_multiply(F, M);
    for (int k = 0; k < 9; ++k) {
        A.m[k] = wide_select(useless, wide_set(0.0f), A.m[k]);
    }
    *q = quat_select(lost, quat_from_mat3(rotation_of_any(A)), *q);
}

void SN_NAME(rotation_energy)(const SnRotationBatch *b, int begin, int end)
{
    for (int i = begin; i < end; i += SN_LANES) {
        WideMat3 M = moment_normalise(moment_load(b->M, b->stride, i));
        WideMat3 A = mat3_multiply(mat3_load(b->F, b->stride, i), M);
        WideQuat q = quat_load(b->q, b->stride, i);
        for (int k = 0; k < b->iterations; ++k) {
            WideNewton step = newton_step(A, q);
            q = step.q;
            if (__builtin_expect(mask_any(step.lost), 0)) {
                WideQuat rescued = q;
                rescue(b, i, step.lost, &rescued);
                q = rescued;
            }
        }
        quat_store(b->q, b->stride, i, q);
        if (b->R != NULL) {
            mat3_store(b->R, b->stride, i, quat_to_rotation(q));
        }
    }
}
