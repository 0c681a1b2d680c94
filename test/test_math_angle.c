#include "support/test.h"

#include "math/angle.h"

#include "base/random.h"

#include <math.h>

static void angles_agree_with_libm(void **state)
{
    (void)state;
    SnRandom random = {3};
    double worst = 0.0;
    for (int i = 0; i < 100000; ++i) {
        double x = sn_random_between(&random, -1.0, 1.0);
        double y = sn_random_between(&random, -1.0, 1.0);
        y *= i % 3 == 0 ? 1e-9 : 1.0;
        worst = fmax(worst, fabs(sn_angle_of(x, y) - atan2(y, x)));
    }
    // One rounding of pi and one or two of the series.
    assert_at_most(worst, 1e-15);
    assert_true(sn_angle_of(0.0, 0.0) == 0.0);
    assert_true(sn_angle_of(-1.0, 0.0) == SN_PI);
    assert_true(sn_angle_of(0.0, -2.0) == -SN_PI / 2.0);
}

static void circle_points_agree_with_libm(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int count = 1; count <= 200; ++count) {
        for (int i = 0; i <= count; ++i) {
            double p[2];
            sn_circle_point(i, count, p);
            double angle = 2.0 * SN_PI * i / count;
            worst = fmax(worst, fmax(fabs(p[0] - cos(angle)), fabs(p[1] - sin(angle))));
        }
    }
    // libm's own argument is rounded too, by up to half of 9e-16.
    assert_at_most(worst, 1.5e-15);
    double quarter[2];
    sn_circle_point(3, 12, quarter);
    assert_true(quarter[0] == 0.0 && quarter[1] == 1.0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(angles_agree_with_libm),
    cmocka_unit_test(circle_points_agree_with_libm),
};
SN_TEST_GROUP(math_angle, tests);
