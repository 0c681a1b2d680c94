// Newton's method on rotations, [B sec 3.3]: the rotation R that makes tr(R^T F) largest, from a
// close start. Shared by `apd` and `energy`.
#ifndef SN_KERNEL_ROTATION_NEWTON_WIDE_H
#define SN_KERNEL_ROTATION_NEWTON_WIDE_H

#include "kernel/rotation_svd_wide.h"

// A Newton step is trusted where H is safely positive definite: det H > NEWTON_FLOOR tr(H)^3 (at
// best det is tr^3 / 27), which also bounds the step. Where tr(H) is smaller than NEWTON_TRACE,
// products of three entries come near the smallest normal number; where it is large they overflow,
// and the comparison fails by itself.
#define NEWTON_FLOOR 1e-3f
#define NEWTON_TRACE 1e-10f

typedef struct WideNewton {
    WideQuat q; // unit
    Mask lost;  // the step is not to be trusted, nor is q
} WideNewton;

// One step. With Y = R^T F the gradient is axl(Y), the Hessian H = tr(Y) I - sym(Y), and the step
// w = H^-1 axl(Y). R is then turned about w by the angle atan |w|, for which the quaternion
// (w, 1 + sqrt(1 + |w|^2)) needs no trigonometry. [B] prints a Cayley map that turns by 2 |w|.
// Any angle |w| + O(|w|^3) converges quadratically; this one is exact in one step when F is a
// multiple of a rotation by less than a quarter turn, and never turns by more than that.
static inline WideNewton newton_step(WideMat3 F, WideQuat q)
{
    WideMat3 Y = mat3_transpose_multiply(quat_to_mat3(q), F);
    const Wide *y = Y.m;
    Wide g0 = y[7] - y[5];
    Wide g1 = y[2] - y[6];
    Wide g2 = y[3] - y[1];
    Wide h00 = y[4] + y[8];
    Wide h11 = y[0] + y[8];
    Wide h22 = y[0] + y[4];
    Wide h01 = (y[1] + y[3]) * -0.5f;
    Wide h02 = (y[2] + y[6]) * -0.5f;
    Wide h12 = (y[5] + y[7]) * -0.5f;

    Wide c00 = cross2(h11, h22, h12, h12);
    Wide c01 = cross2(h02, h12, h01, h22);
    Wide c02 = cross2(h01, h12, h02, h11);
    Wide c11 = cross2(h00, h22, h02, h02);
    Wide c12 = cross2(h01, h02, h00, h12);
    Wide c22 = cross2(h00, h11, h01, h01);
    Wide det = dot3(h00, c00, h01, c01, h02, c02);
    Wide trace = (h00 + h11) + h22;

    // The three invariants are positive just when all eigenvalues are.
    Mask safe = wide_less(trace * trace * trace * NEWTON_FLOOR, det);
    safe = mask_and(safe, wide_less(wide_set(0.0f), (c00 + c11) + c22));
    safe = mask_and(safe, wide_less(wide_set(NEWTON_TRACE), trace));

    Wide inverse = wide_reciprocal(det);
    Wide w0 = dot3(c00, g0, c01, g1, c02, g2) * inverse;
    Wide w1 = dot3(c01, g0, c11, g1, c12, g2) * inverse;
    Wide w2 = dot3(c02, g0, c12, g1, c22, g2) * inverse;
    Wide length2 = SN_MADD(w2, w2, SN_MADD(w1, w1, SN_MADD(w0, w0, wide_set(1.0f))));
    Wide scalar = wide_sqrt(length2) + 1.0f;
    return (WideNewton){
        .q = quat_normalise(quat_multiply(q, (WideQuat){w0, w1, w2, scalar})),
        .lost = mask_not(safe),
    };
}

#endif
