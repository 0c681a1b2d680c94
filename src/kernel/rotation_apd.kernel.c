// Analytic polar decomposition, [B sec 3.3 alg 3]: a few Newton steps from last time's quaternion.
// Lanes in which a step cannot be trusted get the exact rotation instead, whatever their
// neighbours do.
#include "kernel/rotation_newton_wide.h"

SnRotationFn SN_NAME(rotation_apd);

// Rare, and kept out of the loop so that the loop keeps its registers.
static __attribute__((noinline)) void rescue(const SnRotationBatch *b, int i, Mask lost,
                                             WideQuat *q)
{
    WideMat3 R = rotation_of_any(mat3_load(b->F, b->stride, i));
    *q = quat_select(lost, quat_from_mat3(R), *q);
}

void SN_NAME(rotation_apd)(const SnRotationBatch *b, int begin, int end)
{
    for (int i = begin; i < end; i += SN_LANES) {
        WideMat3 F = mat3_load(b->F, b->stride, i);
        WideQuat q = quat_load(b->q, b->stride, i);
        for (int k = 0; k < b->iterations; ++k) {
            WideNewton step = newton_step(F, q);
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
