// Singular values of 3x3 matrices without branches, [A sec 9.2]: F = U diag(sigma) V^T with
// rotations U and V, |sigma| decreasing, the last one negative where det F < 0.
//
// Where we differ from [A]: a better formula for the turns, so that four sweeps are enough for
// every matrix, and no square roots in them; and B = F V is not made triangular by Givens turns.
// Instead the largest column gives u1, a frame around it turns the rest into a 2x2 block, and that
// block gets an exact singular value decomposition. F^T F has lost the small singular values when
// sigma2 << sigma1; the block, made from F itself, has not.
#ifndef SN_KERNEL_ROTATION_SVD_WIDE_H
#define SN_KERNEL_ROTATION_SVD_WIDE_H

#include "kernel/rotation_wide.h"

#define SVD_SWEEPS 4
#define SVD_TURN_BETA 1.481f
#define SVD_TURN_DELTA 3.5755f // beta / tan(pi / 8)

// Below this nothing of a matrix of order one is left; its square is a normal number.
#define SVD_TINY 1e-18f

// Added to what a turn is to remove, so that no turn divides zero by zero. The fast variants take
// the fourth power of it; what is smaller is far below the rounding of F^T F.
#define SVD_TURN_TINY (SN_FAST ? 2e-10f : 1e-18f)

typedef struct WideSvd {
    WideMat3 U;
    Wide sigma[3];
    WideMat3 V;
} WideSvd;

// The symmetric matrix F^T F on its way to diagonal form, and the turns so far as a quaternion that
// is not normalised.
typedef struct WideJacobi {
    Wide s00, s11, s22, s01, s12, s20;
    WideQuat q;
} WideJacobi;

static inline WideJacobi jacobi_begin(WideMat3 F)
{
    const Wide *m = F.m;
    return (WideJacobi){
        .s00 = dot3(m[0], m[0], m[3], m[3], m[6], m[6]),
        .s11 = dot3(m[1], m[1], m[4], m[4], m[7], m[7]),
        .s22 = dot3(m[2], m[2], m[5], m[5], m[8], m[8]),
        .s01 = dot3(m[0], m[1], m[3], m[4], m[6], m[7]),
        .s12 = dot3(m[1], m[2], m[4], m[5], m[7], m[8]),
        .s20 = dot3(m[2], m[0], m[5], m[3], m[8], m[6]),
        .q = {wide_set(0.0f), wide_set(0.0f), wide_set(0.0f), wide_set(1.0f)},
    };
}

// Tangent t of half the angle of a turn, t = above / below, and w = 1 / (1 + t^2).
typedef struct WideTurn {
    Wide t, w;
} WideTurn;

// below > 0. Products of numbers below the smallest normal one are slow on some processors. The
// fused operations of the fast variants have no such products, and w need not wait for t there. The
// portable ones leave out turns by less than 1e-15, which do nothing.
static inline WideTurn jacobi_turn_of(Wide above, Wide below)
{
#if SN_FAST
    Wide below2 = below * below;
    return (WideTurn){above / below, below2 / SN_MADD(above, above, below2)};
#else
    Wide t = above / below;
    t = wide_select(wide_less(wide_abs(t), wide_set(1e-15f)), wide_set(0.0f), t);
    return (WideTurn){t, wide_set(1.0f) / SN_MADD(t, t, wide_set(1.0f))};
#endif
}

// One turn in the plane (p, q), r being the third axis. Its angle a should be half that of the
// vector (d, 2 s_pq), d = s_pp - s_qq. Any t gives an exact turn, with cos a = (1-t^2)/(1+t^2),
// sin a = 2t/(1+t^2) and quaternion (t r, 1); the best is t = tan(a / 2). [A alg 4] takes
// s_pq / (2 d), cut off at tan(pi/8), and leaves errors of 2e-3 in the worst matrices after four
// sweeps. Here
//   t = s_pq n / (2 |d| n + delta s_pq^2), n = |d| + beta |s_pq|,
// which is right to second order where s_pq is small, right where d = 0, and within 3 % between.
static inline __attribute__((always_inline)) void jacobi_turn(Wide *pp, Wide *qq, Wide *pq,
                                                              Wide *pr, Wide *qr, Wide *quat_p,
                                                              Wide *quat_q, Wide *quat_r,
                                                              Wide *quat_w)
{
    Wide difference = *pp - *qq;
    Wide d = wide_abs(difference);
    Wide off = wide_abs(*pq) + SVD_TURN_TINY;
    Wide n = SN_MADD(wide_set(SVD_TURN_BETA), off, d);
    Wide below = SN_MADD(d + d, n, off * off * SVD_TURN_DELTA);
    WideTurn turn = jacobi_turn_of(wide_flip_sign(*pq * n, difference), below);
    Wide t = turn.t;
    Wide c = SN_NMADD(t, t, wide_set(1.0f)) * turn.w;
    Wide s = (t + t) * turn.w;

    // S <- Q^T S Q, written as changes, so that the trace stays.
    Wide change = SN_NMADD(c + c, *pq, s * difference);
    Wide change_pq = SN_MADD(s + s, *pq, c * difference);
    *pp = SN_NMADD(s, change, *pp);
    *qq = SN_MADD(s, change, *qq);
    *pq = SN_NMADD(s, change_pq, *pq);
    Wide old_pr = *pr;
    *pr = SN_MADD(s, *qr, c * old_pr);
    *qr = SN_NMADD(s, old_pr, c * *qr);

    Wide old_p = *quat_p;
    Wide old_r = *quat_r;
    *quat_p = SN_MADD(t, *quat_q, old_p);
    *quat_q = SN_NMADD(t, old_p, *quat_q);
    *quat_r = SN_MADD(t, *quat_w, old_r);
    *quat_w = SN_NMADD(t, old_r, *quat_w);
}

static inline void jacobi_turn_xy(WideJacobi *j)
{
    jacobi_turn(&j->s00, &j->s11, &j->s01, &j->s20, &j->s12, &j->q.x, &j->q.y, &j->q.z, &j->q.w);
}

static inline void jacobi_turn_yz(WideJacobi *j)
{
    jacobi_turn(&j->s11, &j->s22, &j->s12, &j->s01, &j->s20, &j->q.y, &j->q.z, &j->q.x, &j->q.w);
}

static inline void jacobi_turn_zx(WideJacobi *j)
{
    jacobi_turn(&j->s22, &j->s00, &j->s20, &j->s12, &j->s01, &j->q.z, &j->q.x, &j->q.y, &j->q.w);
}

// V of the turns, its columns turned in a circle (an even permutation, hence a rotation) so that
// the largest singular value comes first: by a third of a turn about (1,1,1), forth or back.
static inline WideMat3 jacobi_end(const WideJacobi *j)
{
    Mask second = wide_less(j->s00, j->s11);
    Mask third = wide_less(wide_max(j->s00, j->s11), j->s22);
    Wide half = wide_set(0.5f);
    Wide zero = wide_set(0.0f);
    Wide s = wide_select(third, -half, wide_select(second, half, zero));
    Wide w = wide_select(mask_or(second, third), half, wide_set(1.0f));
    WideQuat q = j->q;
    WideQuat turned = {
        SN_MADD(s, (q.w + q.y) - q.z, w * q.x),
        SN_MADD(s, (q.w + q.z) - q.x, w * q.y),
        SN_MADD(s, (q.w + q.x) - q.y, w * q.z),
        SN_NMADD(s, (q.x + q.y) + q.z, w * q.w),
    };
    return quat_to_rotation(turned);
}

// Three axes, columns of a rotation.
typedef struct WideFrame {
    Wide x[3], y[3], z[3];
} WideFrame;

// Two axes that make a rotation with the unit vector x, smooth but for one jump: the columns of the
// reflection that maps the third axis to x or to -x.
static inline void frame_complete(WideFrame *f)
{
    Wide one = wide_set(1.0f);
    Wide sign = wide_select(wide_less(f->x[2], wide_set(0.0f)), -one, one);
    Wide a = wide_reciprocal(sign + f->x[2]);
    Wide xa = f->x[0] * a;
    Wide b = -(xa * f->x[1]);
    f->y[0] = SN_NMADD(sign * f->x[0], xa, one);
    f->y[1] = sign * b;
    f->y[2] = -(sign * f->x[0]);
    f->z[0] = b;
    f->z[1] = SN_NMADD(f->x[1] * f->x[1], a, sign);
    f->z[2] = -f->x[1];
}

// Cosine and sine of half the angle of the vector (x, y), up to a common sign, and its length.
typedef struct WideHalfAngle {
    Wide cosine, sine, length;
} WideHalfAngle;

static inline WideHalfAngle half_angle(Wide x, Wide y)
{
    Wide length2 = SN_MADD(y, y, x * x);
    Wide length = wide_sqrt(length2);
    Wide along = wide_max(length + wide_abs(x), wide_set(SVD_TINY));
    Wide inverse = wide_rsqrt(SN_MADD(y, y, along * along));
    along = along * inverse;
    Wide across = y * inverse;
    Mask behind = wide_less(x, wide_set(0.0f));
    return (WideHalfAngle){
        .cosine = wide_select(behind, across, along),
        .sine = wide_select(behind, along, across),
        .length = length,
    };
}

// Turns the columns y, z by the angle of (cosine, sine), after a Newton step to unit length.
static inline void turn_columns(Wide y[3], Wide z[3], Wide cosine, Wide sine)
{
    Wide length2 = SN_MADD(sine, sine, cosine * cosine);
    Wide correction = SN_NMADD(wide_set(0.5f), length2, wide_set(1.5f));
    cosine = cosine * correction;
    sine = sine * correction;
    for (int k = 0; k < 3; ++k) {
        Wide old_y = y[k];
        y[k] = SN_MADD(sine, z[k], cosine * old_y);
        z[k] = SN_NMADD(sine, old_y, cosine * z[k]);
    }
}

static inline WideMat3 frame_to_mat3(const WideFrame *f)
{
    return (WideMat3){
        {f->x[0], f->y[0], f->z[0], f->x[1], f->y[1], f->z[1], f->x[2], f->y[2], f->z[2]}};
}

// From F and V with the largest singular value first, to the decomposition.
static inline WideSvd svd_finish(WideMat3 F, WideMat3 V)
{
    WideMat3 B = mat3_multiply(F, V);
    const Wide *b = B.m;

    // u1 = b1 / |b1|. F is of order one, so b1 cannot vanish.
    Wide length2 = dot3(b[0], b[0], b[3], b[3], b[6], b[6]);
    Wide inverse = wide_rsqrt(length2);
    WideFrame u = {.x = {b[0] * inverse, b[3] * inverse, b[6] * inverse}};
    frame_complete(&u);

    // The 2x2 block [u2 u3]^T [b2 b3]: half its sum and difference with its own quarter turn.
    Wide b00 = dot3(u.y[0], b[1], u.y[1], b[4], u.y[2], b[7]);
    Wide b01 = dot3(u.y[0], b[2], u.y[1], b[5], u.y[2], b[8]);
    Wide b10 = dot3(u.z[0], b[1], u.z[1], b[4], u.z[2], b[7]);
    Wide b11 = dot3(u.z[0], b[2], u.z[1], b[5], u.z[2], b[8]);
    WideHalfAngle sum = half_angle((b00 + b11) * 0.5f, (b10 - b01) * 0.5f);
    WideHalfAngle difference = half_angle((b00 - b11) * 0.5f, (b10 + b01) * 0.5f);

    // Its left turn is the sum of the two angles, its right turn their difference.
    Wide cc = difference.cosine * sum.cosine;
    Wide sc = difference.sine * sum.cosine;
    turn_columns(u.y, u.z, SN_NMADD(difference.sine, sum.sine, cc),
                 SN_MADD(difference.cosine, sum.sine, sc));
    WideFrame v = {.x = {V.m[0], V.m[3], V.m[6]},
                   .y = {V.m[1], V.m[4], V.m[7]},
                   .z = {V.m[2], V.m[5], V.m[8]}};
    turn_columns(v.y, v.z, SN_MADD(difference.sine, sum.sine, cc),
                 SN_NMADD(difference.cosine, sum.sine, sc));

    // sigma2 may exceed sigma1 in the last bit, where they are equal but for rounding.
    Wide sigma0 = length2 * inverse;
    Wide sigma1 = sum.length + difference.length;
    return (WideSvd){
        .U = frame_to_mat3(&u),
        .sigma = {wide_max(sigma0, sigma1), wide_min(sigma0, sigma1),
                  sum.length - difference.length},
        .V = frame_to_mat3(&v),
    };
}

static inline void jacobi_sweep(WideJacobi *j)
{
    jacobi_turn_xy(j);
    jacobi_turn_yz(j);
    jacobi_turn_zx(j);
}

// The rotation closest to F: for any finite F, and the identity for others. Never fails; the faster
// kernels come here with what they cannot do.
static inline WideMat3 rotation_of_any(WideMat3 F)
{
    mat3_normalise(&F);
    WideJacobi j = jacobi_begin(F);
    for (int sweep = 0; sweep < SVD_SWEEPS; ++sweep) {
        jacobi_sweep(&j);
    }
    WideSvd svd = svd_finish(F, jacobi_end(&j));
    return mat3_multiply_transpose(svd.U, svd.V);
}

#endif
