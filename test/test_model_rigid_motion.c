// The rigid part of a motion: momentum stays, what changes the shape goes.
#include "support/test.h"

#include "base/random.h"
#include "model/rigid_motion.h"

#include <math.h>

enum { COUNT = 20 };

typedef struct Cloud {
    double masses[COUNT];
    double x[3 * COUNT];
    double v[3 * COUNT];
} Cloud;

static Cloud make_cloud(double thickness)
{
    SnRandom random = {7};
    Cloud cloud;
    for (int i = 0; i < COUNT; ++i) {
        cloud.masses[i] = sn_random_between(&random, 0.5, 2.0);
        for (int k = 0; k < 3; ++k) {
            cloud.x[3 * i + k] = 5.0 + sn_random_between(&random, -1.0, 1.0);
            cloud.x[3 * i + k] =
                k > 0 ? 5.0 + thickness * (cloud.x[3 * i + k] - 5.0) : cloud.x[3 * i + k];
            cloud.v[3 * i + k] = sn_random_between(&random, -3.0, 4.0);
        }
    }
    return cloud;
}

static SnRigidMotion motion_of(const Cloud *cloud)
{
    return sn_rigid_motion_of(cloud->masses, cloud->x, cloud->v, COUNT);
}

static void momentum_stays_and_shape_too(void **state)
{
    (void)state;
    Cloud cloud = make_cloud(1.0);
    SnRigidMotion before = motion_of(&cloud);
    sn_rigid_motion_velocities(&before, cloud.x, COUNT, cloud.v);
    SnRigidMotion after = motion_of(&cloud);
    for (int k = 0; k < 3; ++k) {
        assert_at_most(fabs(after.drift[k] - before.drift[k]), 1e-12);
        // A share of 1e-12 of the moments is added to all of them.
        assert_at_most(fabs(after.spin[k] - before.spin[k]), 1e-9);
        assert_at_most(fabs(after.turn[k] - before.turn[k]), 1e-9);
    }
    for (int a = 0; a < COUNT; ++a) {
        for (int b = 0; b < a; ++b) {
            double rate = 0.0; // of half the square of their distance
            for (int k = 0; k < 3; ++k) {
                rate += (cloud.x[3 * a + k] - cloud.x[3 * b + k]) *
                        (cloud.v[3 * a + k] - cloud.v[3 * b + k]);
            }
            assert_at_most(fabs(rate), 1e-12);
        }
    }
}

static void spin_is_given(void **state)
{
    (void)state;
    Cloud cloud = make_cloud(1.0);
    const double wanted[3] = {1.0, -2.0, 3.0};
    SnRigidMotion before = motion_of(&cloud);
    sn_rigid_motion_spin(cloud.masses, cloud.x, COUNT, wanted, cloud.v);
    SnRigidMotion after = motion_of(&cloud);
    for (int k = 0; k < 3; ++k) {
        assert_at_most(fabs(after.spin[k] - wanted[k]), 1e-9);
        assert_at_most(fabs(after.drift[k] - before.drift[k]), 1e-12);
    }
}

// Points and rods have no turn about themselves; nothing may become huge or not a number.
static void thin_clouds_stay_finite(void **state)
{
    (void)state;
    Cloud rod = make_cloud(0.0);
    SnRigidMotion motion = motion_of(&rod);
    assert_at_most(fabs(motion.turn[0]), 1e-3);
    assert_true(isfinite(motion.turn[1]) && fabs(motion.turn[1]) < 100.0);
    Cloud point = rod;
    for (int i = 0; i < 3 * COUNT; ++i) {
        point.x[i] = 5.0;
    }
    motion = motion_of(&point);
    for (int k = 0; k < 3; ++k) {
        assert_true(motion.turn[k] == 0.0 || fabs(motion.turn[k]) < 100.0);
    }
    motion = sn_rigid_motion_of(NULL, NULL, NULL, 0);
    assert_true(motion.turn[0] == 0.0 && motion.drift[0] == 0.0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(momentum_stays_and_shape_too),
    cmocka_unit_test(spin_is_given),
    cmocka_unit_test(thin_clouds_stay_finite),
};

SN_TEST_GROUP(model_rigid_motion, tests);
