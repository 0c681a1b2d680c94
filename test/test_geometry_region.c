#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/random.h"
#include "geometry/region.h"

#include <math.h>

static void boxes_and_spheres_hold_their_surface(void **state)
{
    (void)state;
    SinewRegion box = {.kind = SINEW_REGION_BOX, .min = {0.0, 0.0, 0.0}, .max = {1.0, 2.0, 0.0}};
    assert_true(sn_region_holds(&box, 0, (double[3]){1.0, 2.0, 0.0}));
    assert_true(sn_region_holds(&box, 0, (double[3]){0.0, 0.0, 0.0}));
    assert_false(sn_region_holds(&box, 0, (double[3]){1.0, 2.0, 1e-300}));
    assert_false(sn_region_holds(&box, 0, (double[3]){-1e-300, 1.0, 0.0}));
    SinewRegion ball = {.kind = SINEW_REGION_SPHERE, .center = {1.0, 0.0, 0.0}, .radius = 0.5};
    assert_true(sn_region_holds(&ball, 0, (double[3]){1.0, -0.5, 0.0}));
    assert_false(sn_region_holds(&ball, 0, (double[3]){1.0, -0.5001, 0.0}));
    assert_true(sn_region_holds(&(SinewRegion){.kind = SINEW_REGION_ALL}, 7, ball.center));
    assert_false(sn_region_holds(&(SinewRegion){.kind = SINEW_REGION_NONE}, 7, ball.center));
}

// Lists in any order, with repeats.
static void lists_are_searched(void **state)
{
    (void)state;
    SnRandom random = {9};
    for (int count = 1; count < 60; ++count) {
        int list[60];
        bool is_in[100] = {false};
        for (int i = 0; i < count; ++i) {
            list[i] = (int)(sn_random_bits(&random) % 100);
            is_in[list[i]] = true;
        }
        SinewRegion given = {
            .kind = SINEW_REGION_VERTICES, .vertices = list, .vertex_count = count};
        SinewRegion copy;
        assert_int_equal(sn_region_check(&given, 100, "pin 0", NULL), SINEW_OK);
        assert_int_equal(sn_region_copy(&given, NULL, &copy, NULL), SINEW_OK);
        for (int v = -1; v < 101; ++v) {
            bool expected = v >= 0 && v < 100 && is_in[v];
            assert_int_equal(sn_region_holds(&copy, v, (double[3]){0.0, 0.0, 0.0}), expected);
        }
        sn_region_release(&copy, NULL);
        assert_null(copy.vertices);
    }
}

static void expect_refused(const SinewRegion *region, const char *part)
{
    SinewError error;
    assert_int_equal(sn_region_check(region, 10, "pin 2 of body \"beam\"", &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "pin 2 of body \"beam\": "));
    if (strstr(error.text, part) == NULL) {
        fail_msg("\"%s\" does not hold \"%s\"", error.text, part);
    }
}

static void bad_regions_are_refused(void **state)
{
    (void)state;
    const double nan = (double)NAN;
    const int list[2] = {3, 10};
    expect_refused(&(SinewRegion){.kind = SINEW_REGION_NONE}, "where it acts is not said");
    expect_refused(&(SinewRegion){.kind = (SinewRegionKind)77}, "a region of kind 77");
    expect_refused(&(SinewRegion){.kind = SINEW_REGION_BOX, .max = {1.0, -1.0, 1.0}},
                   "from 0 to -1 m along y");
    expect_refused(&(SinewRegion){.kind = SINEW_REGION_BOX, .max = {nan, 1.0, 1.0}}, "[nan, 1, 1]");
    expect_refused(&(SinewRegion){.kind = SINEW_REGION_SPHERE, .radius = 0.0}, "is 0 m");
    expect_refused(&(SinewRegion){.kind = SINEW_REGION_SPHERE, .radius = nan}, "is nan m");
    expect_refused(
        &(SinewRegion){.kind = SINEW_REGION_SPHERE, .radius = 1.0, .center = {0, 0, nan}},
        "[0, 0, nan]");
    expect_refused(&(SinewRegion){.kind = SINEW_REGION_VERTICES}, "a list of 0 vertices at NULL");
    expect_refused(
        &(SinewRegion){.kind = SINEW_REGION_VERTICES, .vertices = list, .vertex_count = 2},
        "vertex 10 is in its list, expected 0 to 9");
}

static SinewStatus copy_one(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewRegion copy;
    SinewStatus status = sn_region_copy(context, allocator, &copy, error);
    sn_region_release(&copy, allocator);
    return status;
}

static void copies_survive_short_memory(void **state)
{
    (void)state;
    const int list[3] = {3, 1, 2};
    SinewRegion given = {.kind = SINEW_REGION_VERTICES, .vertices = list, .vertex_count = 3};
    assert_int_equal(sn_fail_each_allocation(copy_one, &given), 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(boxes_and_spheres_hold_their_surface),
    cmocka_unit_test(lists_are_searched),
    cmocka_unit_test(bad_regions_are_refused),
    cmocka_unit_test(copies_survive_short_memory),
};
SN_TEST_GROUP(geometry_region, tests);
