// Motions by keys: exact at keys and at quarters of a turn, linear or the short way in between.
#include "support/test.h"

#include "base/random.h"
#include "world/motion.h"

#include <math.h>

static SinewKey key_at(double t, double x, double y, double z, double degrees)
{
    return (SinewKey){.t = t, .axis = {x, y, z}, .degrees = degrees};
}

static void expect_map(const SnAffine *map, const double x[3], const double expected[3], double off)
{
    double y[3];
    sn_affine_apply(map, x, y);
    for (int k = 0; k < 3; ++k) {
        assert_at_most(fabs(y[k] - expected[k]), off);
    }
}

static void nothing_moves_without_keys_or_turns(void **state)
{
    (void)state;
    SnAffine identity = sn_affine_identity();
    SnAffine map = sn_motion_at(NULL, 0, 3.0);
    assert_memory_equal(&map, &identity, sizeof map);
    SinewKey whole[2] = {key_at(0.0, 1.0, 2.0, 3.0, 720.0), key_at(1.0, 1.0, 2.0, 3.0, -360.0)};
    for (int i = 0; i < 2; ++i) {
        map = sn_motion_at(&whole[i], 1, 0.5);
        for (int k = 0; k < 12; ++k) {
            assert_true(map.m[k] == identity.m[k]);
        }
    }
    assert_true(sn_ramp_at(NULL, 0, 0.5) == 1.0);
}

static void quarters_are_exact(void **state)
{
    (void)state;
    const double x[3] = {3.0, 5.0, 7.0};
    SinewKey keys[2] = {key_at(0.0, 0.0, 1.0, 0.0, 0.0), key_at(8.0, 0.0, 0.0, 2.5, 720.0)};
    keys[1].about[0] = 1.0;
    const double corners[4][3] = {
        {3.0, 5.0, 7.0}, {-4.0, 2.0, 7.0}, {-1.0, -5.0, 7.0}, {6.0, -2.0, 7.0}};
    // From rest about z, twice round: a quarter a second. The first key has no axis of its own.
    for (int t = 0; t <= 8; ++t) {
        SnAffine map = sn_motion_at(keys, 2, t);
        expect_map(&map, x, corners[t % 4], 0.0);
    }
    SnAffine late = sn_motion_at(keys, 2, 100.0);
    expect_map(&late, x, x, 0.0);
}

static void keys_are_exact(void **state)
{
    (void)state;
    SnRandom random = {1};
    SinewKey keys[6];
    for (int i = 0; i < 6; ++i) {
        keys[i] = key_at(
            0.1 * i, sn_random_between(&random, -1.0, 1.0), sn_random_between(&random, -1.0, 1.0),
            sn_random_between(&random, -1.0, 1.0), sn_random_between(&random, -400.0, 400.0));
        for (int k = 0; k < 3; ++k) {
            keys[i].translate[k] = sn_random_between(&random, -1.0, 1.0);
            keys[i].about[k] = sn_random_between(&random, -1.0, 1.0);
        }
    }
    for (int i = 0; i < 6; ++i) {
        SnAffine own = sn_motion_at(&keys[i], 1, 0.0);
        SnAffine map = sn_motion_at(keys, 6, keys[i].t);
        assert_memory_equal(&own, &map, sizeof map);
        // Rigid in between, and continuous: a thousandth of the way moves as little.
        for (int n = 0; i < 5 && n < 10; ++n) {
            map = sn_motion_at(keys, 6, keys[i].t + 0.1 * sn_random_unit(&random));
            assert_at_most(fabs(sn_affine_determinant(&map) - 1.0), 1e-14);
            for (int c = 0; c < 3; ++c) {
                double square = 0.0;
                for (int r = 0; r < 3; ++r) {
                    square += map.m[4 * r + c] * map.m[4 * r + c];
                }
                assert_at_most(fabs(square - 1.0), 1e-14); // roundings of a product of turns
            }
        }
        double x[3] = {0.3, 0.2, 0.1}, y[3];
        sn_affine_apply(&own, x, y);
        map = sn_motion_at(keys, 6, keys[i].t + 1e-8);
        expect_map(&map, x, y, 1e-6);
        map = sn_motion_at(keys, 6, keys[i].t - 1e-8);
        expect_map(&map, x, y, 1e-6);
    }
}

static void same_axes_turn_linearly(void **state)
{
    (void)state;
    SinewKey keys[2] = {key_at(1.0, 1.0, 1.0, 0.5, 30.0), key_at(3.0, 4.0, 4.0, 2.0, 1000.0)};
    keys[0].about[2] = keys[1].about[2] = 0.5;
    keys[1].translate[1] = 2.0;
    for (int n = 0; n <= 20; ++n) {
        double t = n / 20.0;
        SinewKey expected = keys[0];
        expected.degrees = 30.0 + t * 970.0;
        expected.translate[1] = 2.0 * t;
        SnAffine a = sn_motion_at(keys, 2, 1.0 + 2.0 * t);
        SnAffine b = sn_motion_at(&expected, 1, 0.0);
        for (int k = 0; k < 12; ++k) {
            assert_at_most(fabs(a.m[k] - b.m[k]), 1e-14);
        }
    }
}

static void other_axes_go_the_short_way(void **state)
{
    (void)state;
    // From a quarter about x to a quarter about y, and the same turn given as -270 degrees: both
    // pass through the same half-way turn.
    SinewKey keys[2] = {key_at(0.0, 1.0, 0.0, 0.0, 90.0), key_at(1.0, 0.0, 1.0, 0.0, 90.0)};
    SnAffine near = sn_motion_at(keys, 2, 0.25);
    keys[1].degrees = -270.0;
    SnAffine same = sn_motion_at(keys, 2, 0.25);
    for (int k = 0; k < 12; ++k) {
        assert_at_most(fabs(near.m[k] - same.m[k]), 1e-15);
    }
    // Half-way, x and y change places in it: it is the mean of the two quaternions.
    SnAffine middle = sn_motion_at(keys, 2, 0.5);
    double h = 1.0 / sqrt(6.0); // (h, h, 0, 2 h) of length one
    assert_at_most(fabs(middle.m[0] - (1.0 - 2.0 * h * h)), 1e-15);
    assert_at_most(fabs(middle.m[1] - 2.0 * h * h), 1e-15);
    assert_at_most(fabs(middle.m[2] - 4.0 * h * h), 1e-15);
}

static void ramps_and_poses(void **state)
{
    (void)state;
    const SinewRampKey ramp[3] = {{1.0, 0.5}, {2.0, 1.5}, {4.0, -0.5}};
    const double times[7] = {0.0, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0};
    const double values[7] = {0.5, 0.5, 1.0, 1.5, 0.5, -0.5, -0.5};
    for (int i = 0; i < 7; ++i) {
        assert_true(sn_ramp_at(ramp, 3, times[i]) == values[i]);
    }
    SinewPose pose = {
        .translate = {1.0, 2.0, 3.0}, .axis = {0.0, 0.0, -9.0}, .degrees = 90.0, .scale = 2.0};
    SnAffine map = sn_pose_map(&pose);
    expect_map(&map, (double[3]){1.0, 0.5, 0.25}, (double[3]){2.0, 0.0, 3.5}, 0.0);
}

static void expect_refused(SinewStatus status, const SinewError *error, const char *part)
{
    assert_int_equal(status, SINEW_ERROR_ARGUMENT);
    if (strstr(error->text, part) == NULL) {
        fail_msg("\"%s\" does not hold \"%s\"", error->text, part);
    }
}

static void bad_keys_are_refused(void **state)
{
    (void)state;
    SinewError error;
    SinewKey keys[2] = {key_at(0.0, 0.0, 1.0, 0.0, 0.0), key_at(1.0, 0.0, 1.0, 0.0, 90.0)};
    assert_int_equal(sn_motion_check(keys, 2, "pin 0", &error), SINEW_OK);
    assert_int_equal(sn_motion_check(NULL, 0, "pin 0", &error), SINEW_OK);
    expect_refused(sn_motion_check(NULL, 2, "pin 0", &error), &error, "pin 0: 2 keys at NULL");
    expect_refused(sn_motion_check(keys, -1, "pin 0", &error), &error, "pin 0: -1 keys");
    SinewKey bad[2] = {keys[0], keys[1]};
    bad[1].t = 0.0;
    expect_refused(sn_motion_check(bad, 2, "pin 0", &error), &error,
                   "pin 0: t of key 1 is 0 after 0, expected times that ascend");
    assert_int_equal(error.index, 1);
    bad[1] = keys[1];
    bad[1].t = (double)NAN;
    expect_refused(sn_motion_check(bad, 2, "pin 0", &error), &error, "t of key 1 is nan");
    bad[1] = keys[1];
    bad[1].translate[2] = (double)INFINITY;
    expect_refused(sn_motion_check(bad, 2, "pin 0", &error), &error,
                   "pin 0: key 1: translate is [0, 0, inf]");
    bad[1] = keys[1];
    bad[1].about[0] = (double)NAN;
    expect_refused(sn_motion_check(bad, 2, "pin 0", &error), &error, "about is [nan, 0, 0]");
    bad[1] = keys[1];
    bad[1].axis[1] = 0.0;
    expect_refused(sn_motion_check(bad, 2, "pin 0", &error), &error, "axis is [0, 0, 0]");
    bad[1] = keys[1];
    bad[1].degrees = 1e16;
    expect_refused(sn_motion_check(bad, 2, "pin 0", &error), &error, "degrees is 1e+16");
    SinewRampKey ramp[2] = {{0.0, 0.0}, {1.0, (double)NAN}};
    expect_refused(sn_ramp_check(ramp, 2, "load 3", &error), &error,
                   "load 3: scale of key 1 is nan");
    ramp[1] = (SinewRampKey){-1.0, 1.0};
    expect_refused(sn_ramp_check(ramp, 2, "load 3", &error), &error, "t of key 1 is -1 after 0");
    SinewPose pose = {.axis = {0.0, 1.0, 0.0}, .scale = 1.0};
    assert_int_equal(sn_pose_check(&pose, "body \"a\"", &error), SINEW_OK);
    pose.scale = 0.0;
    expect_refused(sn_pose_check(&pose, "body \"a\"", &error), &error,
                   "body \"a\": pose: scale is 0, expected a positive number");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_moves_without_keys_or_turns),
    cmocka_unit_test(quarters_are_exact),
    cmocka_unit_test(keys_are_exact),
    cmocka_unit_test(same_axes_turn_linearly),
    cmocka_unit_test(other_axes_go_the_short_way),
    cmocka_unit_test(ramps_and_poses),
    cmocka_unit_test(bad_keys_are_refused),
};
SN_TEST_GROUP(world_motion, tests);
