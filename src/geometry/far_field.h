// The winding number that a cluster of triangles contributes to points far from it: the expansion
// of Barill, Dickson, Schmidt, Levin and Jacobson, "Fast winding numbers for soups and clouds",
// 2018, to second order about the cluster's centre. Moments are integrals over the triangles
// themselves, and those of a union follow from those of its parts.
//
// With d = centre - q, area normals a n and offsets x from the centre, the terms are
//   N d / |d|^3,                            N_k   = sum a n_k
//   (tr M) / |d|^3 - 3 d M d / |d|^5,       M_ik  = integral of x_i n_k
//   -3/2 u d / |d|^5 + 15/2 T ddd / |d|^7,  T_ijk = integral of x_i x_j n_k
//                                           u_k   = sum_i T_iik + 2 T_kii
// all over 4 pi. Only the symmetric parts of M and T ever count, 6 and 10 numbers.
#ifndef SN_GEOMETRY_FAR_FIELD_H
#define SN_GEOMETRY_FAR_FIELD_H

#include "geometry/point.h"

// While clusters are put together.
typedef struct SnMoments {
    double centre[3]; // weighted by area
    double radius;    // of a ball around the centre that holds the triangles
    double area;
    double n[3];
    double m[3][3];    // i, k
    double t[3][3][3]; // i, j, k
} SnMoments;

// Ready to be evaluated: the factors of the expansion and 1 / 4 pi are multiplied in.
typedef struct SnFarField {
    double centre[3];
    double radius_squared;
    double n[3];
    double trace;
    double m[6]; // xx yy zz xy xz yz
    double u[3];
    double t[10]; // xxx yyy zzz xxy xxz yyx yyz zzx zzy xyz
} SnFarField;

// Of `count` triangles, nine doubles each.
void sn_moments_of_triangles(const double *corners, int count, SnMoments *out);

void sn_moments_join(const SnMoments *a, const SnMoments *b, SnMoments *out);

void sn_far_field_of(const SnMoments *moments, SnFarField *out);

// The contribution at a point whose offset to it is d = centre - q, with square |d|^2.
static inline double sn_far_field_at(const SnFarField *far, const double d[3], double d2)
{
    double x = d[0], y = d[1], z = d[2];
    double r2 = 1.0 / d2;
    double r3 = r2 * sqrt(r2);
    double xx = x * x, yy = y * y, zz = z * z;
    double line = far->n[0] * x + far->n[1] * y + far->n[2] * z + far->trace;
    double square = far->m[0] * xx + far->m[1] * yy + far->m[2] * zz + far->m[3] * x * y +
                    far->m[4] * x * z + far->m[5] * y * z + far->u[0] * x + far->u[1] * y +
                    far->u[2] * z;
    double cube = xx * (far->t[0] * x + far->t[3] * y + far->t[4] * z) +
                  yy * (far->t[1] * y + far->t[5] * x + far->t[6] * z) +
                  zz * (far->t[2] * z + far->t[7] * x + far->t[8] * y) + far->t[9] * x * y * z;
    return r3 * (line + r2 * (square + r2 * cube));
}

#endif
