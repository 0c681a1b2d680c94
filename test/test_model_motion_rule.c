// The rule of motion: exact where it should be, and Euler's without a step before.
#include "support/test.h"

#include "model/motion_rule.h"

#include <math.h>

// x = 3 + 2 t + 5 t^2 through steps of 0.25 and 0.1, the velocity along with it as a parabola of
// its own: what BDF2 says at the end is exact but for rounding.
static void bdf2_is_exact_on_parabolas(void **state)
{
    (void)state;
    const double last_dt = 0.25, dt = 0.1, end = last_dt + dt;
    double last_move[1] = {2.0 * last_dt + 5.0 * last_dt * last_dt};
    double move[1] = {2.0 * end + 5.0 * end * end - last_move[0]};
    double velocities[1] = {2.0 + 10.0 * last_dt}, last_change[1] = {10.0 * last_dt};
    double v0[1], a0[1];
    SnMotionState motion = {velocities, last_move, last_change};
    SnMotionRule rule = sn_motion_rule_make(dt, last_dt);
    sn_motion_rule_begin(&rule, &motion, 1, v0, a0);
    assert_at_most(fabs(rule.a_rate * move[0] + a0[0] - 10.0), 1e-12);
    sn_motion_rule_end(rule.v_rate, move, v0, 1, &motion);
    assert_at_most(fabs(velocities[0] - (2.0 + 10.0 * end)), 1e-13);
    assert_at_most(fabs(last_change[0] - 10.0 * dt), 1e-13);
    assert_true(last_move[0] == move[0]);
}

static void euler_is_the_rule_without_a_past(void **state)
{
    (void)state;
    double velocities[1] = {4.0}, last_move[1] = {7.0}, last_change[1] = {9.0};
    double move[1] = {0.5}, v0[1], a0[1];
    SnMotionState motion = {velocities, last_move, last_change};
    SnMotionRule rule = sn_motion_rule_make(0.25, 0.0);
    sn_motion_rule_begin(&rule, &motion, 1, v0, a0);
    assert_true(rule.v_rate == 4.0 && rule.a_rate == 16.0);
    assert_true(v0[0] == 0.0 && a0[0] == -16.0);
    sn_motion_rule_end(rule.v_rate, move, v0, 1, &motion);
    assert_true(velocities[0] == 2.0 && last_change[0] == -2.0 && last_move[0] == 0.5);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bdf2_is_exact_on_parabolas),
    cmocka_unit_test(euler_is_the_rule_without_a_past),
};

SN_TEST_GROUP(model_motion_rule, tests);
