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

// In units of the value's last place.
static double places_off(double value, long double truth)
{
    int exponent = 0;
    frexp(value, &exponent);
    return (double)(fabsl(value - truth) / ldexpl(1.0L, exponent - 53));
}

static void degrees_agree_with_long_double(void **state)
{
    (void)state;
    const long double pi = 3.14159265358979323846264338327950288L;
    SnRandom random = {7};
    double worst = 0.0;
    for (int i = 0; i < 200000; ++i) {
        double degrees = sn_random_between(&random, -45.0, 45.0) * (i % 5 == 0 ? 1e-7 : 1.0);
        double p[2];
        sn_circle_degrees(degrees, p);
        worst = fmax(worst, places_off(p[0], cosl(degrees * pi / 180.0L)));
        worst = fmax(worst, places_off(p[1], sinl(degrees * pi / 180.0L)));
        // A quarter of a turn more gives the same bits, where it can be added without rounding.
        double more = ldexp(floor(ldexp(degrees, 20)), -20);
        double q[2], r[2];
        sn_circle_degrees(more, q);
        sn_circle_degrees(more + 90.0 * 4001.0, r);
        assert_true(r[0] == -q[1] && r[1] == q[0]);
    }
    assert_at_most(worst, 1.0);
}

static void whole_quarters_are_exact(void **state)
{
    (void)state;
    const double cosines[4] = {1.0, 0.0, -1.0, 0.0};
    for (int i = -4000; i <= 4000; ++i) {
        double p[2];
        sn_circle_degrees(90.0 * i, p);
        assert_true(p[0] == cosines[i & 3] && p[1] == cosines[(i + 3) & 3]);
        assert_false(signbit(p[0]) && p[0] == 0.0);
        assert_false(signbit(p[1]) && p[1] == 0.0);
    }
    double p[2];
    sn_circle_degrees(30.0, p);
    assert_true(p[1] == 0.5);
    sn_circle_degrees(-300.0, p);
    assert_true(p[0] == 0.5);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(degrees_agree_with_long_double),
    cmocka_unit_test(whole_quarters_are_exact),
    cmocka_unit_test(angles_agree_with_libm),
    cmocka_unit_test(circle_points_agree_with_libm),
};
SN_TEST_GROUP(math_angle, tests);
