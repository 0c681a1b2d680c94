#include "geometry/far_field.h"

#include "math/angle.h"

#include <string.h>

// Sums of area and of area times centroid, three times both; the centre of a cluster without area
// is its first corner.
static void find_centre(const double *corners, int count, SnMoments *out)
{
    double sum[3] = {0.0};
    for (int i = 0; i < count; ++i) {
        const double *c = corners + 9 * i;
        double ab[3], ac[3], normal[3];
        sn_point_minus(c + 3, c, ab);
        sn_point_minus(c + 6, c, ac);
        sn_point_cross(ab, ac, normal);
        double area = 0.5 * sn_point_length(normal);
        out->area += area;
        for (int k = 0; k < 3; ++k) {
            // Relative to the first corner of all, so that far from the origin nothing is lost.
            sum[k] += area * (c[k] + c[3 + k] + c[6 + k] - 3.0 * corners[k]) / 3.0;
        }
    }
    for (int k = 0; k < 3; ++k) {
        out->centre[k] = corners[k] + (out->area > 0.0 ? sum[k] / out->area : 0.0);
    }
}

static void add_triangle(const double *corners, SnMoments *out)
{
    double v[3][3], ab[3], ac[3], normal[3], mean[3];
    for (int c = 0; c < 3; ++c) {
        sn_point_minus(corners + 3 * c, out->centre, v[c]);
        double length = sn_point_length(v[c]);
        out->radius = length > out->radius ? length : out->radius;
    }
    sn_point_minus(v[1], v[0], ab);
    sn_point_minus(v[2], v[0], ac);
    sn_point_cross(ab, ac, normal);
    for (int k = 0; k < 3; ++k) {
        normal[k] *= 0.5;
        mean[k] = (v[0][k] + v[1][k] + v[2][k]) / 3.0;
        out->n[k] += normal[k];
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            out->m[i][k] += mean[i] * normal[k];
        }
        for (int j = 0; j < 3; ++j) {
            // The integral of x x^T over a triangle, over its area.
            double second = (v[0][i] * v[0][j] + v[1][i] * v[1][j] + v[2][i] * v[2][j] +
                             9.0 * mean[i] * mean[j]) /
                            12.0;
            for (int k = 0; k < 3; ++k) {
                out->t[i][j][k] += second * normal[k];
            }
        }
    }
}

void sn_moments_of_triangles(const double *corners, int count, SnMoments *out)
{
    memset(out, 0, sizeof *out);
    find_centre(corners, count, out);
    for (int i = 0; i < count; ++i) {
        add_triangle(corners + 9 * i, out);
    }
}

// Adds a part's moments about a centre that is `s` behind the part's own.
static void add_part(const SnMoments *part, SnMoments *out)
{
    double s[3];
    sn_point_minus(part->centre, out->centre, s);
    double reach = part->radius + sn_point_length(s);
    out->radius = reach > out->radius ? reach : out->radius;
    for (int k = 0; k < 3; ++k) {
        out->n[k] += part->n[k];
        for (int i = 0; i < 3; ++i) {
            out->m[i][k] += part->m[i][k] + s[i] * part->n[k];
            for (int j = 0; j < 3; ++j) {
                out->t[i][j][k] += part->t[i][j][k] + s[i] * part->m[j][k] + s[j] * part->m[i][k] +
                                   s[i] * s[j] * part->n[k];
            }
        }
    }
}

void sn_moments_join(const SnMoments *a, const SnMoments *b, SnMoments *out)
{
    memset(out, 0, sizeof *out);
    out->area = a->area + b->area;
    double share = out->area > 0.0 ? b->area / out->area : 0.5;
    double ab[3];
    sn_point_minus(b->centre, a->centre, ab);
    sn_point_along(a->centre, share, ab, out->centre);
    add_part(a, out);
    add_part(b, out);
}

void sn_far_field_of(const SnMoments *moments, SnFarField *out)
{
    const double unit = 1.0 / (4.0 * SN_PI);
    const double(*m)[3] = moments->m;
    const double(*t)[3][3] = moments->t;
    out->radius_squared = moments->radius * moments->radius;
    out->trace = unit * (m[0][0] + m[1][1] + m[2][2]);
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3;
        int j = (k + 2) % 3;
        out->centre[k] = moments->centre[k];
        out->n[k] = unit * moments->n[k];
        out->m[k] = -3.0 * unit * m[k][k];
        out->u[k] = -1.5 * unit *
                    (3.0 * t[k][k][k] + t[i][i][k] + t[j][j][k] + 2.0 * (t[k][i][i] + t[k][j][j]));
        out->t[k] = 7.5 * unit * t[k][k][k];
    }
    out->m[3] = -3.0 * unit * (m[0][1] + m[1][0]);
    out->m[4] = -3.0 * unit * (m[0][2] + m[2][0]);
    out->m[5] = -3.0 * unit * (m[1][2] + m[2][1]);
    // Where a pair i i j of axes goes in t, after the three cubes.
    const int pairs[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};
    for (int q = 0; q < 6; ++q) {
        int i = pairs[q][0];
        int j = pairs[q][1];
        out->t[3 + q] = 7.5 * unit * (t[i][i][j] + 2.0 * t[i][j][i]);
    }
    out->t[9] = 15.0 * unit * (t[0][1][2] + t[0][2][1] + t[1][2][0]);
}
