// Rotation by orthogonalising the columns of F in their order, [E sec 4.1]: the first keeps its
// direction, the second gives up its part along the first, the third is their cross product, so
// the result is a rotation also where det F < 0. Not the closest rotation: it depends on the order
// of the columns. Columns without a direction of their own are completed from the others.
#include "kernel/rotation_svd_wide.h"

SnRotationFn SN_NAME(rotation_qr);

// F is of order one. A vector whose square is below QR_LENGTH2 has no direction, and of one that is
// parallel to another, to QR_PARALLEL2 in the square of the sine, only rounding remains.
#define QR_LENGTH2 1e-30f
#define QR_PARALLEL2 1e-12f

typedef struct WideVec3 {
    Wide x, y, z;
} WideVec3;

static inline WideVec3 vec3_cross(WideVec3 a, WideVec3 b)
{
    return (WideVec3){cross2(a.y, b.z, a.z, b.y), cross2(a.z, b.x, a.x, b.z),
                      cross2(a.x, b.y, a.y, b.x)};
}

static inline Wide vec3_dot(WideVec3 a, WideVec3 b)
{
    return dot3(a.x, b.x, a.y, b.y, a.z, b.z);
}

static inline WideVec3 vec3_select(Mask mask, WideVec3 yes, WideVec3 no)
{
    return (WideVec3){wide_select(mask, yes.x, no.x), wide_select(mask, yes.y, no.y),
                      wide_select(mask, yes.z, no.z)};
}

static inline WideVec3 vec3_normalise(WideVec3 a)
{
    Wide inverse = wide_rsqrt(vec3_dot(a, a));
    return (WideVec3){a.x * inverse, a.y * inverse, a.z * inverse};
}

// a without its part along the unit vector n.
static inline WideVec3 vec3_reject(WideVec3 a, WideVec3 n)
{
    Wide along = vec3_dot(a, n);
    return (WideVec3){SN_NMADD(along, n.x, a.x), SN_NMADD(along, n.y, a.y),
                      SN_NMADD(along, n.z, a.z)};
}

// A unit vector across the unit vector n.
static inline WideVec3 vec3_across(WideVec3 n)
{
    WideFrame f = {.x = {n.x, n.y, n.z}};
    frame_complete(&f);
    return (WideVec3){f.y[0], f.y[1], f.y[2]};
}

// Whether `part`, made from a vector or two whose squares multiply to `whole2`, is more than
// rounding.
static inline Mask has_direction(WideVec3 part, Wide whole2)
{
    Wide floor2 = wide_max(whole2 * QR_PARALLEL2, wide_set(QR_LENGTH2));
    return wide_less(floor2, vec3_dot(part, part));
}

// The first axis: the first column, else across the other two, else across the longer of them.
static inline WideVec3 first_axis(WideVec3 a, WideVec3 b, WideVec3 c)
{
    Wide b2 = vec3_dot(b, b);
    Wide c2 = vec3_dot(c, c);
    WideVec3 longer = vec3_select(wide_less(b2, c2), c, b);
    WideVec3 normal = vec3_cross(b, c);
    WideVec3 axis = vec3_across(vec3_normalise(longer));
    axis = vec3_select(has_direction(normal, b2 * c2), normal, axis);
    axis = vec3_select(has_direction(a, wide_set(0.0f)), a, axis);
    return vec3_normalise(axis);
}

// The second axis: the second column across the first axis, else such that the third axis has what
// the third column leaves, else any. Twice, since the first time may leave mostly rounding.
static inline WideVec3 second_axis(WideVec3 first, WideVec3 b, WideVec3 c)
{
    WideVec3 b_part = vec3_reject(b, first);
    WideVec3 c_part = vec3_reject(c, first);
    WideVec3 axis = vec3_across(first);
    axis = vec3_select(has_direction(c_part, vec3_dot(c, c)), vec3_cross(c_part, first), axis);
    axis = vec3_select(has_direction(b_part, vec3_dot(b, b)), b_part, axis);
    return vec3_normalise(vec3_reject(vec3_normalise(axis), first));
}

void SN_NAME(rotation_qr)(const SnRotationBatch *b, int begin, int end)
{
    for (int i = begin; i < end; i += SN_LANES) {
        WideMat3 F = mat3_load(b->F, b->stride, i);
        mat3_normalise(&F);
        WideVec3 f0 = {F.m[0], F.m[3], F.m[6]};
        WideVec3 f1 = {F.m[1], F.m[4], F.m[7]};
        WideVec3 f2 = {F.m[2], F.m[5], F.m[8]};
        WideVec3 x = first_axis(f0, f1, f2);
        WideVec3 y = second_axis(x, f1, f2);
        WideVec3 z = vec3_cross(x, y);
        rotation_store(b, i, (WideMat3){{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}});
    }
}
