#include "support/soups.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static SnTestSoup make_soup(int triangle_count)
{
    SnTestSoup soup = {.positions = malloc(9 * (size_t)triangle_count * sizeof(double)),
                       .triangles = malloc(3 * (size_t)triangle_count * sizeof(int))};
    for (int i = 0; i < 3 * triangle_count; ++i) {
        soup.triangles[i] = i;
    }
    soup.soup = (SnSoup){3 * triangle_count, triangle_count, soup.positions, soup.triangles};
    return soup;
}

void sn_test_soup_free(SnTestSoup *soup)
{
    free(soup->positions);
    free(soup->triangles);
}

// The point of octant `o` with barycentric coordinates i, j, n - i - j, blown up.
static void put_sphere_point(int o, int i, int j, int n, const double centre[3], double *out)
{
    double x[3] = {(o & 1 ? -1.0 : 1.0) * i, (o & 2 ? -1.0 : 1.0) * j,
                   (o & 4 ? -1.0 : 1.0) * (n - i - j)};
    double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int k = 0; k < 3; ++k) {
        out[k] = centre[k] + x[k] / length;
    }
}

SnTestSoup sn_test_sphere(int n, const double centre[3])
{
    SnTestSoup soup = make_soup(8 * n * n);
    double *out = soup.positions;
    for (int o = 0; o < 8; ++o) {
        bool is_mirrored = ((o & 1) + (o >> 1 & 1) + (o >> 2)) % 2 == 1;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n - i; ++j) {
                for (int half = 0; half < (i + j + 1 < n ? 2 : 1); ++half) {
                    // Counter-clockwise from outside in the first octant.
                    int a[2] = {i + half, j + half};
                    int b[2] = {i + 1, j};
                    int c[2] = {i, j + 1};
                    int *second = (half == 1) != is_mirrored ? b : c;
                    int *third = second == b ? c : b;
                    put_sphere_point(o, a[0], a[1], n, centre, out);
                    put_sphere_point(o, third[0], third[1], n, centre, out + 3);
                    put_sphere_point(o, second[0], second[1], n, centre, out + 6);
                    out += 9;
                }
            }
        }
    }
    return soup;
}

SnTestSoup sn_test_cube(void)
{
    SnTestSoup soup = make_soup(12);
    double *out = soup.positions;
    for (int axis = 0; axis < 3; ++axis) {
        for (int side = -1; side <= 1; side += 2) {
            // Corners of the face counter-clockwise seen along the axis from its tip.
            const int order[2][6] = {{0, 2, 1, 0, 3, 2}, {0, 1, 2, 0, 2, 3}};
            const int corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
            for (int v = 0; v < 6; ++v) {
                const int *c = corner[order[side > 0][v]];
                out[axis] = side;
                out[(axis + 1) % 3] = c[0];
                out[(axis + 2) % 3] = c[1];
                out += 3;
            }
        }
    }
    return soup;
}

SnTestSoup sn_test_random_soup(int count, double size, uint64_t seed)
{
    SnTestSoup soup = make_soup(count);
    SnRandom random = {seed};
    for (int t = 0; t < count; ++t) {
        double *x = soup.positions + 9 * t;
        for (int k = 0; k < 9; ++k) {
            x[k] = k < 3 ? sn_random_unit(&random)
                         : x[k % 3] + size * sn_random_between(&random, -1.0, 1.0);
        }
    }
    return soup;
}

SnTestSoup sn_test_soup_join(const SnTestSoup *a, const SnTestSoup *b, int turn_second)
{
    int first = a->soup.triangle_count;
    SnTestSoup soup = make_soup(first + b->soup.triangle_count);
    memcpy(soup.positions, a->positions, 9 * (size_t)first * sizeof(double));
    memcpy(soup.positions + 9 * first, b->positions,
           9 * (size_t)b->soup.triangle_count * sizeof(double));
    for (int t = first; turn_second && t < soup.soup.triangle_count; ++t) {
        soup.triangles[3 * t + 1] = 3 * t + 2;
        soup.triangles[3 * t + 2] = 3 * t + 1;
    }
    return soup;
}
