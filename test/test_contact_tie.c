#include "support/test.h"

#include "base/random.h"
#include "contact/tie.h"

#include <math.h>

static SnTie random_tie(SnRandom *random, bool directed)
{
    SnTie tie = {.stiffness = sn_random_between(random, 1.0, 100.0)};
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        tie.target[k] = sn_random_between(random, -1.0, 1.0);
        tie.direction[k] = directed ? sn_random_between(random, -1.0, 1.0) : 0.0;
        square += tie.direction[k] * tie.direction[k];
    }
    for (int k = 0; k < 3 && directed; ++k) {
        tie.direction[k] /= sqrt(square);
    }
    tie.across = directed ? sn_random_between(random, 0.0, 1.0) : 0.0;
    return tie;
}

// All is quadratic, so central differences are exact but for rounding.
static void expect_derivatives(const SnTie *tie, const double x[3])
{
    SnPointForce at;
    sn_tie_evaluate(tie, x, &at);
    for (int j = 0; j < 3; ++j) {
        double step = 1e-3, moved[3] = {x[0], x[1], x[2]};
        SnPointForce up, down;
        moved[j] = x[j] + step;
        sn_tie_evaluate(tie, moved, &up);
        moved[j] = x[j] - step;
        sn_tie_evaluate(tie, moved, &down);
        double slope = (up.energy - down.energy) / (2.0 * step);
        // Energies are at most a few hundred J: 1e-16 of that over the step.
        assert_at_most(fabs(slope + at.force[j]), 1e-10 * tie->stiffness);
        for (int i = 0; i < 3; ++i) {
            double k = -(up.force[i] - down.force[i]) / (2.0 * step);
            assert_at_most(fabs(k - at.stiffness[3 * i + j]), 1e-10 * tie->stiffness);
        }
    }
}

static void force_and_stiffness_are_derivatives(void **state)
{
    (void)state;
    SnRandom random = {3};
    for (int n = 0; n < 20; ++n) {
        SnTie tie = random_tie(&random, n % 2 == 1);
        double x[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = sn_random_between(&random, -1.0, 1.0);
        }
        expect_derivatives(&tie, x);
    }
}

static void a_directed_tie_lets_points_slide(void **state)
{
    (void)state;
    SnTie tie = {.target = {1.0, 2.0, 3.0}, .direction = {0.0, 1.0, 0.0}, .stiffness = 10.0};
    SnPointForce force;
    sn_tie_evaluate(&tie, (const double[]){5.0, 1.0, -7.0}, &force);
    assert_at_most(fabs(force.force[0]) + fabs(force.force[2]), 0.0);
    assert_at_most(fabs(force.force[1] - 10.0), 0.0);
    assert_at_most(fabs(force.energy - 5.0), 0.0);
    tie.across = 0.5; // half as stiff across
    sn_tie_evaluate(&tie, (const double[]){5.0, 1.0, 3.0}, &force);
    assert_at_most(fabs(force.force[0] + 20.0) + fabs(force.force[1] - 10.0), 0.0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(force_and_stiffness_are_derivatives),
    cmocka_unit_test(a_directed_tie_lets_points_slide),
};

SN_TEST_GROUP(contact_tie, tests);
