#include "support/test.h"

#include "geometry/polygon.h"

#include "base/random.h"

#include <math.h>

static double cross(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Cuts a polygon in the plane and answers its area; each triangle must have a positive one, so that
// none covers what is outside.
static double cut_area(const double *positions, int count, int *out_triangles)
{
    int *corners = malloc(3 * (size_t)count * sizeof *corners);
    assert_non_null(corners);
    for (int i = 0; i < count; ++i) {
        corners[i] = i;
    }
    sn_polygon_cut(positions, corners, count, corners + count, out_triangles);
    free(corners);
    double area = 0.0;
    for (int t = 0; t < count - 2; ++t) {
        const int *corner = out_triangles + 3 * t;
        double twice =
            cross(positions + 3 * corner[0], positions + 3 * corner[1], positions + 3 * corner[2]);
        assert_true(twice >= 0.0);
        area += 0.5 * twice;
    }
    return area;
}

static void quads_are_cut_along_the_better_diagonal(void **state)
{
    (void)state;
    int triangles[6];
    double flat[] = {0, 0, 0, 4, 0, 0, 5, 1, 0, 1, 1, 0}; // 1 to 3 is the shorter
    assert_true(cut_area(flat, 4, triangles) == 4.0);
    assert_int_equal(triangles[0], 1);
    double dented[] = {0, 0, 0, 4, 4, 0, 0, 1, 0, -4, 4, 0}; // 2 is the dent
    assert_true(cut_area(dented, 4, triangles) == 4.0);
    double other[] = {4, 4, 0, 0, 1, 0, -4, 4, 0, 0, 0, 0};
    assert_true(cut_area(other, 4, triangles) == 4.0);
}

static void convex_polygons_become_fans(void **state)
{
    (void)state;
    double positions[18];
    for (int i = 0; i < 6; ++i) {
        positions[3 * i] = cos(i);
        positions[3 * i + 1] = sin(i);
        positions[3 * i + 2] = 7.0;
    }
    int triangles[12];
    cut_area(positions, 6, triangles);
    static const int fan[] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5};
    assert_memory_equal(triangles, fan, sizeof fan);
}

// Stars with random radii: concave in many places, area known by the shoelace sum.
static void stars_lose_their_ears(void **state)
{
    (void)state;
    SnRandom random = {7};
    for (int round = 0; round < 200; ++round) {
        int count = 5 + round % 60;
        double positions[3 * 70];
        double area = 0.0;
        for (int i = 0; i < count; ++i) {
            double angle = 6.283185307179586 * i / count;
            double radius = sn_random_between(&random, 0.1, 1.0);
            positions[3 * i] = radius * cos(angle);
            positions[3 * i + 1] = radius * sin(angle);
            positions[3 * i + 2] = 0.1 * positions[3 * i];
        }
        for (int i = 0; i < count; ++i) {
            const double *a = positions + 3 * i;
            const double *b = positions + 3 * ((i + 1) % count);
            area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
        }
        int triangles[3 * 70];
        // Some seventy roundings of numbers below one.
        assert_at_most(fabs(cut_area(positions, count, triangles) - area), 1e-14);
    }
}

// Points without order: nothing sensible comes out, but all triangles do, and soon.
static void tangles_end(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    SnRandom random = {9};
    double *positions = malloc(3 * COUNT * sizeof *positions);
    int *corners = malloc(3 * COUNT * sizeof *corners);
    int *triangles = malloc(3 * COUNT * sizeof *triangles);
    assert_true(positions != NULL && corners != NULL && triangles != NULL);
    for (int i = 0; i < 3 * COUNT; ++i) {
        positions[i] = sn_random_unit(&random);
        corners[i] = i % COUNT;
    }
    for (int i = 0; i < 3 * (COUNT - 2); ++i) {
        triangles[i] = -1;
    }
    sn_polygon_cut(positions, corners, COUNT, corners + COUNT, triangles);
    for (int i = 0; i < 3 * (COUNT - 2); ++i) {
        assert_true(triangles[i] >= 0 && triangles[i] < COUNT);
    }
    free(positions);
    free(corners);
    free(triangles);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(quads_are_cut_along_the_better_diagonal),
    cmocka_unit_test(convex_polygons_become_fans),
    cmocka_unit_test(stars_lose_their_ears),
    cmocka_unit_test(tangles_end),
};

SN_TEST_GROUP(geometry_polygon, tests);
