// Affine maps of space in double precision, x -> A x + t, and the translation, rotation and scale
// that skeletons make them of. Twelve doubles, row-major 3x4: the row i is A[i][0..2], t[i]. An
// output may not be an input unless it says so.
#ifndef SN_MATH_AFFINE_H
#define SN_MATH_AFFINE_H

#include <math.h>
#include <stdbool.h>

typedef struct SnAffine {
    double m[12];
} SnAffine;

// Applied scale first, then rotation, then translation.
typedef struct SnPlacement {
    double translation[3];
    double rotation[4]; // unit quaternion, x y z w
    double scale[3];
} SnPlacement;

static inline SnAffine sn_affine_identity(void)
{
    return (SnAffine){{1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0}};
}

static inline SnPlacement sn_placement_identity(void)
{
    return (SnPlacement){.rotation = {0.0, 0.0, 0.0, 1.0}, .scale = {1.0, 1.0, 1.0}};
}

// b first, then a.
static inline SnAffine sn_affine_multiply(const SnAffine *a, const SnAffine *b)
{
    SnAffine out;
    for (int r = 0; r < 3; ++r) {
        const double *row = a->m + 4 * r;
        for (int c = 0; c < 4; ++c) {
            out.m[4 * r + c] = row[0] * b->m[c] + row[1] * b->m[4 + c] + row[2] * b->m[8 + c] +
                               (c == 3 ? row[3] : 0.0);
        }
    }
    return out;
}

// `out` may be `point`.
static inline void sn_affine_apply(const SnAffine *a, const double point[3], double out[3])
{
    double x = point[0], y = point[1], z = point[2];
    for (int r = 0; r < 3; ++r) {
        const double *row = a->m + 4 * r;
        out[r] = row[0] * x + row[1] * y + row[2] * z + row[3];
    }
}

static inline double sn_affine_determinant(const SnAffine *a)
{
    const double *m = a->m;
    return m[0] * (m[5] * m[10] - m[6] * m[9]) - m[1] * (m[4] * m[10] - m[6] * m[8]) +
           m[2] * (m[4] * m[9] - m[5] * m[8]);
}

// False, and nothing written, when the map is flat.
static inline bool sn_affine_invert(const SnAffine *a, SnAffine *out)
{
    const double *m = a->m;
    double scale = 1.0 / sn_affine_determinant(a);
    if (!isfinite(scale) || scale == 0.0) {
        return false;
    }
    for (int r = 0; r < 3; ++r) {
        // Cofactors of the cyclic neighbours carry their sign.
        int r1 = (r + 1) % 3, r2 = (r + 2) % 3;
        double t = 0.0;
        for (int c = 0; c < 3; ++c) {
            int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            double value =
                (m[4 * c1 + r1] * m[4 * c2 + r2] - m[4 * c1 + r2] * m[4 * c2 + r1]) * scale;
            out->m[4 * r + c] = value;
            t += value * m[4 * c + 3];
        }
        out->m[4 * r + 3] = -t;
    }
    return true;
}

static inline SnAffine sn_affine_of_placement(const SnPlacement *p)
{
    double x = p->rotation[0], y = p->rotation[1], z = p->rotation[2], w = p->rotation[3];
    const double *s = p->scale;
    const double *t = p->translation;
    return (SnAffine){{
        (1.0 - 2.0 * (y * y + z * z)) * s[0],
        2.0 * (x * y - w * z) * s[1],
        2.0 * (x * z + w * y) * s[2],
        t[0],
        2.0 * (x * y + w * z) * s[0],
        (1.0 - 2.0 * (x * x + z * z)) * s[1],
        2.0 * (y * z - w * x) * s[2],
        t[1],
        2.0 * (x * z - w * y) * s[0],
        2.0 * (y * z + w * x) * s[1],
        (1.0 - 2.0 * (x * x + y * y)) * s[2],
        t[2],
    }};
}

// The placement whose map comes closest in the plain sense: scale from the lengths of the columns,
// negative x for mirrors, rotation from what is left. Exact unless the map shears.
SnPlacement sn_affine_place(const SnAffine *a);

// The turn from `a` to `b` at the fraction `t`, the short way round, at constant speed. Unit
// quaternions in, unit quaternion out; uses no function but sqrt, so the bits are the same
// everywhere.
void sn_quaternion_slerp(const double a[4], const double b[4], double t, double out[4]);

// False, and the identity, when the length is zero or not finite. `out` may be `q`.
bool sn_quaternion_normalise(const double q[4], double out[4]);

#endif
