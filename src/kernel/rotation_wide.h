// 3x3 matrices and quaternions, SN_LANES at a time: what the rotation kernels share. Matrices are
// row-major, quaternions (x, y, z, w). Sums run in index order, so that the plain references
// (rotation_ref.h) can follow them operation by operation.
#ifndef SN_KERNEL_ROTATION_WIDE_H
#define SN_KERNEL_ROTATION_WIDE_H

#include "kernel/rotation.h"
#include "kernel/wide.h"

typedef struct WideMat3 {
    Wide m[9];
} WideMat3;

typedef struct WideQuat {
    Wide x, y, z, w;
} WideQuat;

static inline WideMat3 mat3_load(const float *planes, int stride, int i)
{
    WideMat3 a;
    for (int k = 0; k < 9; ++k) {
        a.m[k] = wide_load(planes + (size_t)k * (size_t)stride + i);
    }
    return a;
}

static inline void mat3_store(float *planes, int stride, int i, WideMat3 a)
{
    for (int k = 0; k < 9; ++k) {
        wide_store(planes + (size_t)k * (size_t)stride + i, a.m[k]);
    }
}

static inline WideQuat quat_load(const float *planes, int stride, int i)
{
    size_t s = (size_t)stride;
    return (WideQuat){wide_load(planes + i), wide_load(planes + s + i),
                      wide_load(planes + 2 * s + i), wide_load(planes + 3 * s + i)};
}

static inline void quat_store(float *planes, int stride, int i, WideQuat q)
{
    size_t s = (size_t)stride;
    wide_store(planes + i, q.x);
    wide_store(planes + s + i, q.y);
    wide_store(planes + 2 * s + i, q.z);
    wide_store(planes + 3 * s + i, q.w);
}

// a0 b0 + a1 b1 + a2 b2.
static inline Wide dot3(Wide a0, Wide b0, Wide a1, Wide b1, Wide a2, Wide b2)
{
    return SN_MADD(a2, b2, SN_MADD(a1, b1, a0 * b0));
}

// a b - c d.
static inline Wide cross2(Wide a, Wide b, Wide c, Wide d)
{
    return SN_NMADD(c, d, a * b);
}

static inline WideMat3 mat3_multiply(WideMat3 a, WideMat3 b)
{
    WideMat3 product;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            product.m[3 * r + c] =
                dot3(a.m[3 * r], b.m[c], a.m[3 * r + 1], b.m[3 + c], a.m[3 * r + 2], b.m[6 + c]);
        }
    }
    return product;
}

// a^T b.
static inline WideMat3 mat3_transpose_multiply(WideMat3 a, WideMat3 b)
{
    WideMat3 product;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            product.m[3 * r + c] =
                dot3(a.m[r], b.m[c], a.m[3 + r], b.m[3 + c], a.m[6 + r], b.m[6 + c]);
        }
    }
    return product;
}

// a b^T.
static inline WideMat3 mat3_multiply_transpose(WideMat3 a, WideMat3 b)
{
    WideMat3 product;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            product.m[3 * r + c] = dot3(a.m[3 * r], b.m[3 * c], a.m[3 * r + 1], b.m[3 * c + 1],
                                        a.m[3 * r + 2], b.m[3 * c + 2]);
        }
    }
    return product;
}

static inline WideMat3 mat3_select(Mask mask, WideMat3 yes, WideMat3 no)
{
    WideMat3 a;
    for (int k = 0; k < 9; ++k) {
        a.m[k] = wide_select(mask, yes.m[k], no.m[k]);
    }
    return a;
}

// A power of two that brings the largest entry near one, taken from exponent bits, so that exact.
typedef struct WideScale {
    Wide scale;
    Wide unscale; // 1 / scale
    Mask useless; // all entries are zero, or one is not finite
} WideScale;

// Powers of two that may be used: 2^-126 to 2^126, so that both `scale` and `unscale` are normal.
// Largest entries end in [1, 4); denormal ones, which are a few bits only, in [2^-23, 1).
static inline WideScale scale_of(WideInt largest_bits)
{
    WideInt lowest = wide_int_set(1 << 23);
    WideInt highest = wide_int_set(253 << 23);
    WideInt exponent = wide_int_min(wide_int_max(largest_bits & 0x7f800000, lowest), highest);
    return (WideScale){
        .scale = (Wide)(wide_int_set(254 << 23) - exponent),
        .unscale = (Wide)exponent,
        .useless = mask_or(wide_int_less(largest_bits, wide_int_set(1)),
                           wide_int_less(wide_int_set(0x7f7fffff), largest_bits)),
    };
}

// Scales a matrix to entries of order one. Where it is useless, it becomes the identity. Magnitudes
// are compared as integers, for which infinities and NaNs are the largest.
static inline WideScale mat3_normalise(WideMat3 *a)
{
    WideInt largest = (WideInt)wide_abs(a->m[0]);
    for (int k = 1; k < 9; ++k) {
        largest = wide_int_max(largest, (WideInt)wide_abs(a->m[k]));
    }
    WideScale s = scale_of(largest);
    for (int k = 0; k < 9; ++k) {
        Wide unit = wide_set(k % 4 == 0 ? 1.0f : 0.0f);
        a->m[k] = wide_select(s.useless, unit, a->m[k] * s.scale);
    }
    return s;
}

// I + 2 (w [v]x + [v]x^2) of the quaternion (v, w), given twice v as well.
static inline WideMat3 quat_expand(WideQuat q, Wide x2, Wide y2, Wide z2)
{
    Wide one = wide_set(1.0f);
    Wide xy = q.x * y2;
    Wide xz = q.x * z2;
    Wide yz = q.y * z2;
    Wide not_yy = SN_NMADD(q.y, y2, one);
    Wide not_zz = SN_NMADD(q.z, z2, one);
    return (WideMat3){{
        SN_NMADD(q.z, z2, not_yy),
        SN_NMADD(q.w, z2, xy),
        SN_MADD(q.w, y2, xz),
        SN_MADD(q.w, z2, xy),
        SN_NMADD(q.x, x2, not_zz),
        SN_NMADD(q.w, x2, yz),
        SN_NMADD(q.w, y2, xz),
        SN_MADD(q.w, x2, yz),
        SN_NMADD(q.x, x2, not_yy),
    }};
}

// R of a unit quaternion, as orthogonal as that is unit.
static inline WideMat3 quat_to_mat3(WideQuat q)
{
    return quat_expand(q, q.x + q.x, q.y + q.y, q.z + q.z);
}

static inline Wide quat_length2(WideQuat q)
{
    return SN_MADD(q.w, q.w, dot3(q.x, q.x, q.y, q.y, q.z, q.z));
}

// R of a quaternion of any length: more orthogonal than after normalising, which rounds twice.
static inline WideMat3 quat_to_rotation(WideQuat q)
{
    Wide two = wide_reciprocal(quat_length2(q)) * 2.0f;
    return quat_expand(q, q.x * two, q.y * two, q.z * two);
}

static inline WideQuat quat_multiply(WideQuat a, WideQuat b)
{
    return (WideQuat){
        SN_NMADD(a.z, b.y, SN_MADD(a.y, b.z, SN_MADD(a.x, b.w, a.w * b.x))),
        SN_NMADD(a.x, b.z, SN_MADD(a.z, b.x, SN_MADD(a.y, b.w, a.w * b.y))),
        SN_NMADD(a.y, b.x, SN_MADD(a.x, b.y, SN_MADD(a.z, b.w, a.w * b.z))),
        SN_NMADD(a.z, b.z, SN_NMADD(a.y, b.y, SN_NMADD(a.x, b.x, a.w * b.w))),
    };
}

static inline WideQuat quat_normalise(WideQuat q)
{
    Wide inverse = wide_rsqrt(quat_length2(q));
    return (WideQuat){q.x * inverse, q.y * inverse, q.z * inverse, q.w * inverse};
}

static inline WideQuat quat_select(Mask mask, WideQuat yes, WideQuat no)
{
    return (WideQuat){wide_select(mask, yes.x, no.x), wide_select(mask, yes.y, no.y),
                      wide_select(mask, yes.z, no.z), wide_select(mask, yes.w, no.w)};
}

// Quaternion of a rotation: each row of 4 q q^T that R gives is q times one of its components; the
// row of the largest component is taken, which is at least one, and normalised.
static inline WideQuat quat_from_mat3(WideMat3 R)
{
    const Wide *m = R.m;
    Wide one = wide_set(1.0f);
    Wide xx = (one + m[0]) - (m[4] + m[8]);
    Wide yy = (one + m[4]) - (m[0] + m[8]);
    Wide zz = (one + m[8]) - (m[0] + m[4]);
    Wide ww = (one + m[0]) + (m[4] + m[8]);
    Wide xy = m[1] + m[3];
    Wide xz = m[2] + m[6];
    Wide yz = m[5] + m[7];
    Wide xw = m[7] - m[5];
    Wide yw = m[2] - m[6];
    Wide zw = m[3] - m[1];

    WideQuat q = {xw, yw, zw, ww};
    Wide largest = ww;
    Mask better = wide_less(largest, xx);
    q = quat_select(better, (WideQuat){xx, xy, xz, xw}, q);
    largest = wide_select(better, xx, largest);
    better = wide_less(largest, yy);
    q = quat_select(better, (WideQuat){xy, yy, yz, yw}, q);
    largest = wide_select(better, yy, largest);
    better = wide_less(largest, zz);
    q = quat_select(better, (WideQuat){xz, yz, zz, zw}, q);
    return quat_normalise(q);
}

// Writes the rotation in the forms the batch asks for.
static inline void rotation_store(const SnRotationBatch *b, int i, WideMat3 R)
{
    if (b->R != NULL) {
        mat3_store(b->R, b->stride, i, R);
    }
    if (b->q != NULL) {
        quat_store(b->q, b->stride, i, quat_from_mat3(R));
    }
}

#endif
