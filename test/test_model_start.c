// Start states: where vertices are and how fast they go.
#include "support/test.h"

#include "model/start.h"

#include <math.h>

// Corners of a box of 2 x 1 x 4 around (2, 0.5, 2), the first of them heavy.
static const double REST[12] = {1, 0, 0, 3, 0, 0, 1, 1, 4, 3, 1, 4};
static const double MASS[4] = {3, 1, 1, 1};

static void check(SinewStart start, const double expected[12])
{
    double x[12], v[12];
    sn_start_vertices(start, (double[3]){0, 0, 0}, (double[3]){0, 0, 0}, REST, MASS, 4, x, v);
    for (int i = 0; i < 12; ++i) {
        assert_true(x[i] == expected[i]);
        assert_true(v[i] == 0.0);
    }
}

static void test_places(void **state)
{
    (void)state;
    check(SINEW_START_REST, REST);
    check(SINEW_START_MIRRORED, (double[12]){3, 0, 0, 1, 0, 0, 3, 1, 4, 1, 1, 4});
    check(SINEW_START_FLATTENED, (double[12]){1, 0.5, 0, 3, 0.5, 0, 1, 0.5, 4, 3, 0.5, 4});
    check(SINEW_START_COLLAPSED, (double[12]){2, 0.5, 2, 2, 0.5, 2, 2, 0.5, 2, 2, 0.5, 2});
}

static void test_scrambled(void **state)
{
    (void)state;
    const double low[3] = {1, 0, 0}, high[3] = {3, 1, 4}, none[3] = {0, 0, 0};
    double x[12], again[12], v[12];
    sn_start_vertices(SINEW_START_SCRAMBLED, none, none, REST, MASS, 4, x, v);
    sn_start_vertices(SINEW_START_SCRAMBLED, none, none, REST, MASS, 4, again, v);
    assert_memory_equal(x, again, sizeof x);
    for (int i = 0; i < 12; ++i) {
        assert_true(x[i] >= low[i % 3] && x[i] <= high[i % 3]);
        assert_true(x[i] != REST[i]);
    }
    sn_start_seeded(SINEW_START_SCRAMBLED, 1, none, none, REST, MASS, 4, again, v);
    for (int i = 0; i < 12; ++i) {
        assert_true(again[i] >= low[i % 3] && again[i] <= high[i % 3]);
        assert_true(again[i] != x[i]);
    }
}

// v = linear + angular x (x - middle of mass), so the momentum is the linear part's alone.
static void test_velocities(void **state)
{
    (void)state;
    const double linear[3] = {1, 2, 3}, angular[3] = {0, 0, 2};
    double x[12], v[12], momentum[3] = {0, 0, 0};
    sn_start_vertices(SINEW_START_REST, linear, angular, REST, MASS, 4, x, v);
    for (int i = 0; i < 12; ++i) {
        momentum[i % 3] += MASS[i / 3] * v[i];
    }
    for (int k = 0; k < 3; ++k) {
        assert_at_most(fabs(momentum[k] - 6.0 * linear[k]), 1e-14);
    }
    assert_at_most(fabs(v[4] - v[1] - 2.0 * 2.0), 1e-14); // 2 m apart along x, 2 rad/s
    assert_true(v[2] == 3.0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_places),
    cmocka_unit_test(test_scrambled),
    cmocka_unit_test(test_velocities),
};

SN_TEST_GROUP(model_start, tests);
