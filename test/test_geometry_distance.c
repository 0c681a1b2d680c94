#include "support/brute.h"
#include "support/fail_allocator.h"
#include "support/soups.h"
#include "support/test.h"

#include "base/random.h"
#include "geometry/point.h"
#include "geometry/triangle_point.h"
#include "math/angle.h"

#include <math.h>

static SnDistance *make_distance(const SnTestSoup *soup)
{
    SnDistance *distance = NULL;
    SinewError error;
    if (sn_distance_create(&soup->soup, NULL, &distance, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return distance;
}

static void random_point(SnRandom *random, double low, double high, double out[3])
{
    for (int k = 0; k < 3; ++k) {
        out[k] = sn_random_between(random, low, high);
    }
}

static const double origin[3] = {0.0, 0.0, 0.0};

static void closest_points_agree_with_brute_force(void **state)
{
    (void)state;
    const double sizes[] = {0.02, 0.3, 5.0};
    for (int s = 0; s < SN_COUNT(sizes); ++s) {
        SnTestSoup soup = sn_test_random_soup(700, sizes[s], 11);
        SnDistance *distance = make_distance(&soup);
        SnRandom random = {5};
        for (int i = 0; i < sn_test_share(400); ++i) {
            double p[3];
            random_point(&random, -1.0, 2.0, p);
            double least = 1e300;
            for (int t = 0; t < soup.soup.triangle_count; ++t) {
                least = fmin(least, sn_test_triangle_distance(soup.positions + 9 * t, p));
            }
            SnClosest closest;
            sn_distance_closest(distance, p, &closest);
            // Coordinates of size 6 and a few roundings each.
            assert_at_most(fabs(closest.distance - least), 1e-13);
            assert_at_most(fabs(sn_distance_to_triangle(distance, closest.triangle, p) - least),
                           1e-13);
            double sum = 0.0;
            double at[3] = {0.0};
            for (int c = 0; c < 3; ++c) {
                assert_true(closest.weights[c] >= -1e-15);
                sum += closest.weights[c];
                sn_point_along(at, closest.weights[c],
                               soup.positions + 9 * closest.triangle + 3 * c, at);
            }
            assert_at_most(fabs(sum - 1.0), 1e-15);
            assert_at_most(sqrt(sn_point_distance_squared(at, closest.point)), 1e-14);
            assert_at_most(fabs(sqrt(sn_point_distance_squared(p, closest.point)) - least), 1e-13);
            SnClosest within;
            sn_distance_closest_within(distance, p, closest.distance * 1.001, &within);
            assert_int_equal(within.triangle, closest.triangle);
            sn_distance_closest_within(distance, p, closest.distance * 0.999, &within);
            assert_int_equal(within.triangle, -1);
        }
        sn_distance_destroy(distance);
        sn_test_soup_free(&soup);
    }
}

// Above the inside, beside each edge and beyond each corner of one triangle, and on them.
static void every_region_of_a_triangle_is_right(void **state)
{
    (void)state;
    const double corners[9] = {0, 0, 0, 4, 0, 0, 0, 3, 0};
    const double cases[][7] = {
        // point, closest point, square of the distance
        {1, 1, 2, 1, 1, 0, 4},     {1, 1, 0, 1, 1, 0, 0},      {2, -3, 4, 2, 0, 0, 25},
        {-2, 1, 0, 0, 1, 0, 4},    {5, 5.5, 0, 2, 1.5, 0, 25}, {-1, -2, 2, 0, 0, 0, 9},
        {7, -4, 0, 4, 0, 0, 25},   {-3, 7, 0, 0, 3, 0, 25},    {4, 0, 0, 4, 0, 0, 0},
        {2, 1.5, 0, 2, 1.5, 0, 0},
    };
    for (int c = 0; c < SN_COUNT(cases); ++c) {
        for (int turn = 0; turn < 3; ++turn) {
            double turned[9], point[3], weights[3];
            for (int v = 0; v < 3; ++v) {
                memcpy(turned + 3 * v, corners + 3 * ((v + turn) % 3), 3 * sizeof(double));
            }
            double square = sn_triangle_closest(turned, cases[c], weights);
            sn_triangle_point(turned, weights, point);
            assert_at_most(fabs(square - cases[c][6]), 1e-14);
            assert_at_most(sqrt(sn_point_distance_squared(point, cases[c] + 3)), 1e-15);
        }
    }
}

// Coordinates of few bits, which can be moved without a rounding: distances must not notice.
static void closest_points_do_not_depend_on_the_origin(void **state)
{
    (void)state;
    SnRandom random = {14};
    for (int i = 0; i < 2000; ++i) {
        double here[12], there[12], weights[2][3];
        for (int k = 0; k < 12; ++k) {
            here[k] = floor(sn_random_between(&random, -512.0, 512.0)) / 512.0;
            there[k] = here[k] + (k % 3 == 0 ? 0x1p30 : -0x1p20);
        }
        double square = sn_triangle_closest(here, here + 9, weights[0]);
        assert_true(square == sn_triangle_closest(there, there + 9, weights[1]));
        assert_memory_equal(weights[0], weights[1], sizeof weights[0]);
        // Coordinates below one and a few roundings each.
        assert_at_most(fabs(sqrt(square) - sn_test_triangle_distance(here, here + 9)), 1e-14);
    }
}

static void triangles_without_area_are_segments_and_points(void **state)
{
    (void)state;
    const double shapes[][9] = {
        {1, 1, 1, 1, 1, 1, 1, 1, 1},   {0, 0, 0, 0, 0, 0, 1, 0},
        {0, 0, 0, 1, 0, 0, 1, 0},      {0, 0, 0, 1, 0, 0, 0.25, 0},
        {0, 0, 0, 0.5, 1e-9, 0, 1, 0}, {0, 0, 0, 1e-170, 0, 0, 0, 1e-170, 0}};
    SnRandom random = {8};
    for (int s = 0; s < SN_COUNT(shapes); ++s) {
        for (int i = 0; i < 200; ++i) {
            double p[3], weights[3];
            random_point(&random, -1.0, 2.0, p);
            double expected = 1e300;
            for (int e = 0; e < 3; ++e) {
                expected = fmin(expected, sn_test_segment_distance(
                                              shapes[s] + 3 * e, shapes[s] + 3 * ((e + 1) % 3), p));
            }
            double got = sqrt(sn_triangle_closest(shapes[s], p, weights));
            // The needle is 1e-9 wide, so its inside may be nearer than its outline by that.
            assert_at_most(fabs(got - expected), s == 4 ? 1e-9 : 1e-15);
            SnTurn turn = sn_turn_zero();
            sn_turn_add_triangle(&turn, shapes[s], p);
            assert_at_most(fabs(sn_turn_value(&turn)), 1e-6);
        }
        SnTestSoup soup = sn_test_soup_cube();
        memcpy(soup.positions, shapes[s], sizeof shapes[s]);
        SnDistance *distance = make_distance(&soup);
        for (int v = 0; v < soup.soup.vertex_count; ++v) {
            const double *x = soup.positions + 3 * v;
            assert_true(isfinite(sn_distance_winding(distance, x)));
            assert_at_most(fabs(sn_distance_signed(distance, x)), 1e-15);
        }
        sn_distance_destroy(distance);
        sn_test_soup_free(&soup);
    }
}

static void spheres_agree_with_their_closed_form(void **state)
{
    (void)state;
    // Far from the origin, as scanned models are.
    const double centre[3] = {100.0, -50.0, 20.0};
    SnTestSoup soup = sn_test_soup_sphere(40, centre);
    SnDistance *distance = make_distance(&soup);
    SnRandom random = {12};
    // The faces sag by at most an eighth of their longest edge squared; edges are below 0.08.
    double sag = 0.08 * 0.08 / 2.0;
    for (int i = 0; i < sn_test_share(5000); ++i) {
        double p[3], q[3];
        random_point(&random, -1.5, 1.5, p);
        sn_point_along(centre, 1.0, p, q);
        double exact = sn_point_length(p) - 1.0;
        double got = sn_distance_signed(distance, q);
        assert_at_most(fabs(got - exact), sag);
    }
    SnBox box = sn_distance_bounds(distance);
    assert_true(box.min[0] == 99.0 && box.max[1] == -49.0);
    sn_distance_destroy(distance);
    sn_test_soup_free(&soup);
}

static void winding_numbers_agree_with_closed_forms(void **state)
{
    (void)state;
    SnTestSoup cube = sn_test_soup_cube();
    SnDistance *distance = make_distance(&cube);
    SnRandom random = {2};
    for (int i = 0; i < 1000; ++i) {
        double p[3];
        random_point(&random, -2.0, 2.0, p);
        bool inside = fabs(p[0]) < 1.0 && fabs(p[1]) < 1.0 && fabs(p[2]) < 1.0;
        assert_at_most(fabs(sn_distance_winding_far(distance, p, 1e9) - inside), 1e-14);
    }
    sn_distance_destroy(distance);
    // From a corner, the three faces that do not touch it cover an eighth of the sphere.
    SnTurn turn = sn_turn_zero();
    const double corner[3] = {-1.0, -1.0, -1.0};
    for (int t = 0; t < 12; ++t) {
        sn_turn_add_triangle(&turn, cube.positions + 9 * t, corner);
    }
    assert_at_most(fabs(sn_turn_value(&turn) - 0.125), 1e-15);
    sn_test_soup_free(&cube);

    // A hemisphere without its disc: the disc would cover 2 pi (1 - h / sqrt(h^2 + 1)) from height
    // h above its middle, and makes the whole closed.
    SnTestSoup sphere = sn_test_soup_sphere(60, origin);
    int kept = 0;
    for (int t = 0; t < sphere.soup.triangle_count; ++t) {
        const double *x = sphere.positions + 9 * t;
        if (x[2] + x[5] + x[8] > 0.0) {
            memmove(sphere.positions + 9 * kept++, x, 9 * sizeof(double));
        }
    }
    sphere.soup.triangle_count = kept;
    distance = make_distance(&sphere);
    for (double h = -0.9; h < 2.0; h += 0.1) {
        const double p[3] = {0.0, 0.0, h};
        double disc =
            h > -1e-9 ? 0.5 - 0.5 * h / sqrt(h * h + 1.0) : -0.5 - 0.5 * h / sqrt(h * h + 1.0);
        double expected = (h > -1e-9 && h < 1.0) - disc;
        // The rim is a polygon of 240 corners, which covers less by a few of 1 / 240^2.
        assert_at_most(fabs(sn_distance_winding_far(distance, p, 1e9) - expected), 2e-4);
    }
    sn_distance_destroy(distance);
    sn_test_soup_free(&sphere);
}

// The largest error of the far field among `count` points in and around a soup.
static double worst_winding(const SnDistance *distance, double far, int count)
{
    SnRandom random = {21};
    double worst = 0.0;
    for (int i = 0; i < count; ++i) {
        double p[3];
        random_point(&random, -1.3, 1.3, p);
        worst = fmax(worst, fabs(sn_distance_winding_far(distance, p, far) -
                                 sn_distance_winding_far(distance, p, 1e9)));
    }
    return worst;
}

static void the_far_field_is_as_accurate_as_stated(void **state)
{
    (void)state;
    SnTestSoup sphere = sn_test_soup_sphere(16, origin);
    SnTestSoup random = sn_test_random_soup(2000, 0.1, 4);
    SnTestSoup both = sn_test_soup_join(&sphere, &random, 0);
    const SnTestSoup *soups[] = {&sphere, &random, &both};
    for (int s = 0; s < SN_COUNT(soups); ++s) {
        SnDistance *distance = make_distance(soups[s]);
        int count = sn_test_share(s == 0 ? 10000 : 2000);
        double at2 = worst_winding(distance, SN_WINDING_FAR, count);
        double at4 = worst_winding(distance, 2.0 * SN_WINDING_FAR, count);
        printf("winding error %.1e at 2, %.1e at 4\n", at2, at4);
        // As distance.h states.
        assert_at_most(at2, 4e-3);
        assert_at_most(at4, 2e-4);
        sn_distance_destroy(distance);
    }
    sn_test_soup_free(&both);
    sn_test_soup_free(&random);
    sn_test_soup_free(&sphere);
}

// How many of `count` random points get the sign that `is_inside` demands; points within `skip` of
// the unit sphere, or within `gap` of `hole`, are left out.
static double right_signs(const SnTestSoup *soup, const double hole[3], double gap, int count)
{
    SnDistance *distance = make_distance(soup);
    SnRandom random = {31};
    int right = 0;
    int total = 0;
    while (total < count) {
        double p[3];
        random_point(&random, -1.4, 1.4, p);
        double radius = sn_point_length(p);
        if (fabs(radius - 1.0) < 0.01 || sn_point_distance_squared(p, hole) < gap * gap) {
            continue;
        }
        total++;
        right += (sn_distance_signed(distance, p) < 0.0) == (radius < 1.0);
    }
    sn_distance_destroy(distance);
    return (double)right / total;
}

static void dirty_spheres_keep_their_inside(void **state)
{
    (void)state;
    const double pole[3] = {0.0, 0.0, 1.0};
    SnTestSoup sphere = sn_test_soup_sphere(24, origin);
    int all = sphere.soup.triangle_count;
    int count = sn_test_share(4000);

    // Doubled: 2 inside. Turned inside out: -1.
    SnTestSoup doubled = sn_test_soup_join(&sphere, &sphere, 0);
    assert_true(right_signs(&doubled, pole, 0.0, count) == 1.0);
    sn_test_soup_free(&doubled);
    SnTestSoup nothing = {.soup = {0, 0, NULL, NULL}, .positions = sphere.positions};
    SnTestSoup turned = sn_test_soup_join(&nothing, &sphere, 1);
    assert_true(right_signs(&turned, pole, 0.0, count) == 1.0);
    sn_test_soup_free(&turned);

    // Smaller spheres inside it and through it: whatever is in either is inside, and the sign of
    // points in the large one does not change.
    SnTestSoup inner = sn_test_soup_sphere(8, origin);
    for (int v = 0; v < 3 * inner.soup.vertex_count; ++v) {
        inner.positions[v] = 0.5 * inner.positions[v] + (v % 3 == 0 ? 0.5 : 0.0);
    }
    SnTestSoup crossed = sn_test_soup_join(&sphere, &inner, 0);
    assert_true(right_signs(&crossed, pole, 0.0, count) == 1.0);
    sn_test_soup_free(&crossed);
    sn_test_soup_free(&inner);

    // 5 % missing here and there, and 3 % turned: the number dips near each, by at most its share
    // of the sphere seen from there.
    SnRandom random = {6};
    for (int t = 0; t < all; ++t) {
        double luck = sn_random_unit(&random);
        if (luck < 0.03) {
            sphere.triangles[3 * t + 1] = 3 * t + 2;
            sphere.triangles[3 * t + 2] = 3 * t + 1;
        } else if (luck < 0.08) {
            sphere.triangles[3 * t] = sphere.triangles[3 * t + 1];
        }
    }
    double spread = right_signs(&sphere, pole, 0.0, count);
    printf("5 %% holes and 3 %% flips here and there: %.4f right\n", spread);
    assert_true(spread >= 0.999);
    sn_test_soup_free(&sphere);

    // One hole of 5 % of the triangles, a cap of radius 0.4; away from it all is well.
    SnTestSoup open = sn_test_soup_sphere(24, origin);
    int kept = 0;
    for (int t = 0; t < all; ++t) {
        const double *x = open.positions + 9 * t;
        if (x[2] + x[5] + x[8] < 2.775) {
            memmove(open.positions + 9 * kept++, x, 9 * sizeof(double));
        }
    }
    assert_in_range(all - kept, all / 20, all / 16);
    open.soup.triangle_count = kept;
    assert_true(right_signs(&open, pole, 0.5, count) >= 0.999);
    sn_test_soup_free(&open);
}

static void bad_soups_are_refused(void **state)
{
    (void)state;
    SnTestSoup cube = sn_test_soup_cube();
    SnDistance *distance = NULL;
    SinewError error;
    SnSoup soup = cube.soup;
    soup.triangle_count = 0;
    assert_int_equal(sn_distance_create(&soup, NULL, &distance, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "0 triangles"));
    const int wrong[] = {-1, 36};
    for (int i = 0; i < SN_COUNT(wrong); ++i) {
        cube.triangles[10] = wrong[i];
        assert_int_equal(sn_distance_create(&cube.soup, NULL, &distance, &error),
                         SINEW_ERROR_ARGUMENT);
        assert_int_equal(error.index, 3);
        assert_non_null(strstr(error.text, "expected 0 to 35"));
    }
    cube.triangles[10] = 10;
    const double numbers[] = {NAN, INFINITY, -1e31};
    for (int i = 0; i < SN_COUNT(numbers); ++i) {
        cube.positions[3 * 7 + 1] = numbers[i];
        assert_int_equal(sn_distance_create(&cube.soup, NULL, &distance, &error),
                         SINEW_ERROR_ARGUMENT);
        assert_int_equal(error.index, 7);
        assert_null(distance);
    }
    sn_test_soup_free(&cube);
}

static void points_that_are_no_points_do_no_harm(void **state)
{
    (void)state;
    SnTestSoup cube = sn_test_soup_cube();
    SnDistance *distance = make_distance(&cube);
    const double p[3] = {0.0, NAN, 0.0};
    SnClosest closest;
    sn_distance_closest(distance, p, &closest);
    assert_int_equal(closest.triangle, -1);
    const double far[3] = {1e40, -1e40, 1e40};
    assert_at_most(fabs(sn_distance_signed(distance, far) / (1e40 * sqrt(3.0)) - 1.0), 1e-14);
    sn_distance_destroy(distance);
    sn_test_soup_free(&cube);
}

static void the_sign_alone_agrees_with_the_distance(void **state)
{
    (void)state;
    SnTestSoup soup = sn_test_soup_sphere(12, origin);
    SnDistance *distance = make_distance(&soup);
    SnRandom random = {3};
    int inside = 0;
    for (int i = 0; i < 2000; ++i) {
        double p[3];
        random_point(&random, -1.2, 1.2, p);
        double value = sn_distance_fn(distance, p);
        assert_true((sn_distance_sign_fn(distance, p) < 0.0) == (value < 0.0));
        inside += value < 0.0;
    }
    assert_true(inside > 100 && inside < 1900);
    sn_distance_destroy(distance);
    sn_test_soup_free(&soup);
}

// Whether the box [0, x] x [0, y] x [0, z], or only its first faces, has an inside.
static bool box_has_inside(double x, double y, double z, int triangle_count)
{
    static const int triangles[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                      1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
    const double positions[24] = {0, 0, 0, x, 0, 0, x, y, 0, 0, y, 0,
                                  0, 0, z, x, 0, z, x, y, z, 0, y, z};
    SnSoup soup = {8, triangle_count, positions, triangles};
    SnDistance *distance = NULL;
    assert_int_equal(sn_distance_create(&soup, NULL, &distance, NULL), SINEW_OK);
    bool answer = sn_distance_has_inside(distance, &soup);
    sn_distance_destroy(distance);
    return answer;
}

static void insides_are_found_however_thin(void **state)
{
    (void)state;
    assert_true(box_has_inside(1.0, 1.0, 1.0, 12));
    assert_true(box_has_inside(1.0, 1.0, 1.0, 10)); // with a hole
    assert_true(box_has_inside(1.0, 1.0, 1e-5, 12));
    assert_true(box_has_inside(1e-4, 1e20, 1e-4, 12));
    assert_false(box_has_inside(1.0, 1.0, 1.0, 1));  // a triangle
    assert_false(box_has_inside(1.0, 1.0, 1.0, 2));  // a square
    assert_false(box_has_inside(1.0, 1.0, 0.0, 12)); // flat
}

// Two sheets that face the same way: each adds a little to the winding number beside the other.
static void sheets_one_behind_the_other_have_no_inside(void **state)
{
    (void)state;
    static const int triangles[6] = {0, 1, 2, 3, 4, 5};
    const double positions[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0.3, 1, 0, 0.3, 0, 1, 0.3};
    SnSoup soup = {6, 2, positions, triangles};
    SnDistance *distance = NULL;
    assert_int_equal(sn_distance_create(&soup, NULL, &distance, NULL), SINEW_OK);
    assert_false(sn_distance_has_inside(distance, &soup));
    sn_distance_destroy(distance);
}

static SinewStatus create_and_destroy(const SinewAllocator *allocator, void *context,
                                      SinewError *error)
{
    const SnTestSoup *soup = context;
    SnDistance *distance = NULL;
    SinewStatus status = sn_distance_create(&soup->soup, allocator, &distance, error);
    assert_true((status == SINEW_OK) == (distance != NULL));
    sn_distance_destroy(distance);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnTestSoup cube = sn_test_soup_cube();
    assert_int_equal(sn_fail_each_allocation(create_and_destroy, &cube), 10);
    sn_test_soup_free(&cube);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(closest_points_agree_with_brute_force),
    cmocka_unit_test(every_region_of_a_triangle_is_right),
    cmocka_unit_test(closest_points_do_not_depend_on_the_origin),
    cmocka_unit_test(triangles_without_area_are_segments_and_points),
    cmocka_unit_test(spheres_agree_with_their_closed_form),
    cmocka_unit_test(winding_numbers_agree_with_closed_forms),
    cmocka_unit_test(the_far_field_is_as_accurate_as_stated),
    cmocka_unit_test(dirty_spheres_keep_their_inside),
    cmocka_unit_test(bad_soups_are_refused),
    cmocka_unit_test(points_that_are_no_points_do_no_harm),
    cmocka_unit_test(the_sign_alone_agrees_with_the_distance),
    cmocka_unit_test(insides_are_found_however_thin),
    cmocka_unit_test(sheets_one_behind_the_other_have_no_inside),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(geometry_distance, tests);
