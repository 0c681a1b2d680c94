// The one rotation of a body without its shape.
#include "support/test.h"

#include "math/mat3.h"
#include "model/one_turn.h"

#include <math.h>

// A third of a turn about (1, 1, 1): x to y, y to z, z to x.
static const double CYCLE[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};

static const double REST[12] = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3};

static SnPinSet no_pins = {0};

static SnOneTurn make_turn(const double sum[9])
{
    SnOneTurn one = {.weight = 1.0, .pins = &no_pins, .rest = REST, .places = REST};
    memcpy(one.sum, sum, sizeof one.sum);
    sn_mat3_identity(one.at_rest);
    return one;
}

static void assert_rotation(const SnOneTurn *one, const double expected[9], double limit)
{
    double R[9];
    sn_one_turn_find(one, R);
    assert_at_most(sn_mat3_rotation_error(R), 1e-12);
    assert_at_most(sn_mat3_distance(R, expected), limit);
}

static void deformations_say_it(void **state)
{
    (void)state;
    double identity[9];
    sn_mat3_identity(identity);
    SnOneTurn one = make_turn(CYCLE);
    assert_rotation(&one, CYCLE, 1e-8); // rest has a share of 1e-9
    // Nothing at all, and a mirror, leave it open.
    one = make_turn((double[9]){0});
    assert_rotation(&one, identity, 1e-12);
    one = make_turn((double[9]){-1, 0, 0, 0, 1, 0, 0, 0, 1});
    assert_rotation(&one, identity, 1e-6);
    memcpy(one.at_rest, (double[9]){-1, 0, 0, 0, -1, 0, 0, 0, 1}, sizeof one.at_rest);
    one.sum[0] = 0.0, one.sum[4] = 0.0, one.sum[8] = 0.0;
    assert_rotation(&one, one.at_rest, 1e-12);
}

static void it_goes_on_turning(void **state)
{
    (void)state;
    double identity[9], angle = 0.01;
    sn_mat3_identity(identity);
    SnOneTurn one = make_turn(identity);
    one.turn[2] = angle;
    const double expected[9] = {cos(angle), -sin(angle), 0, sin(angle), cos(angle), 0, 0, 0, 1};
    assert_rotation(&one, expected, angle * angle * angle); // 2 atan(angle / 2) is taken
}

// Four vertices, of which the first three are held whole, turned by CYCLE and moved, and the last
// one in part, anywhere.
static void pins_outweigh_them(void **state)
{
    (void)state;
    int start[3] = {0, 3, 4}, vertices[4] = {0, 1, 2, 3};
    unsigned char axes[2] = {7, 1}, held[4] = {7, 7, 7, 1};
    SnPinSet pins = {2, start, vertices, axes, held, 10};
    double places[12], identity[9];
    sn_mat3_identity(identity);
    for (int v = 0; v < 4; ++v) {
        sn_mat3_apply(CYCLE, REST + 3 * v, places + 3 * v);
        for (int k = 0; k < 3; ++k) {
            places[3 * v + k] += v < 3 ? 5.0 + k : -7.0;
        }
    }
    SnOneTurn one = make_turn(identity);
    one.pins = &pins;
    one.places = places;
    assert_rotation(&one, CYCLE, 1e-2); // a thousand times the weight
    // Points that are held have no list of what is held, but axes alone.
    pins.held = NULL;
    pins.held_count = 0;
    assert_rotation(&one, CYCLE, 1e-2);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(deformations_say_it),
    cmocka_unit_test(it_goes_on_turning),
    cmocka_unit_test(pins_outweigh_them),
};

SN_TEST_GROUP(model_one_turn, tests);
