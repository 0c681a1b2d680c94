// What bodies tell of themselves: two mass points by hand, and the worst of some elements.
#include "support/test.h"

#include "model/measure.h"

#include <math.h>

static void mass_points_have_their_sums(void **state)
{
    (void)state;
    const double masses[2] = {1.0, 3.0}, positions[6] = {4, 0, 0, 0, 4, 0};
    const double velocities[6] = {0, 2, 0, 0, 0, 1};
    SnMeasure measure = {0};
    sn_measure_masses(&measure, masses, positions, velocities, 2);
    assert_true(measure.mass == 4.0);
    assert_true(measure.kinetic == 0.5 * 4.0 + 0.5 * 3.0);
    assert_memory_equal(measure.mass_center, ((double[3]){1, 3, 0}), sizeof measure.mass_center);
    assert_memory_equal(measure.momentum, ((double[3]){0, 2, 3}), sizeof measure.momentum);
    // (4, 0, 0) x (0, 2, 0) + (0, 4, 0) x (0, 0, 3)
    assert_memory_equal(measure.angular_momentum, ((double[3]){12, 0, 8}),
                        sizeof measure.angular_momentum);
}

static void the_worst_element_is_kept(void **state)
{
    (void)state;
    const double dets[] = {1.0, -0.5, 0.0, -0.25};
    SnMeasure measure = {.smallest_det = INFINITY};
    for (int e = 0; e < SN_COUNT(dets); ++e) {
        sn_measure_det(&measure, e, dets[e]);
    }
    assert_int_equal(measure.inverted_count, 3);
    assert_int_equal(measure.smallest_element, 1);
    assert_true(measure.smallest_det == -0.5);
    sn_measure_det(&measure, 7, NAN);
    assert_int_equal(measure.inverted_count, 4);
    assert_int_equal(measure.smallest_element, 7);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(mass_points_have_their_sums),
    cmocka_unit_test(the_worst_element_is_kept),
};
SN_TEST_GROUP(model_measure, tests);
