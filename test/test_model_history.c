// The step that BDF2 makes up before its first one.
#include "support/test.h"

#include "model/history.h"

#include <math.h>

enum { DOFS = 6 };

typedef struct Made {
    double move[DOFS];
    double change[DOFS];
} Made;

static const double positions[DOFS] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
static const double velocities[DOFS] = {0.5, -1.0, 0.0, 2.0, 0.25, -0.5};

// Two vertices, the second held along x and on its way to x = 4.5.
static Made make(const double *accelerations, double farthest)
{
    static const unsigned char held[2] = {0, 1};
    static const double ends[DOFS] = {9.0, 9.0, 9.0, 4.5, 9.0, 9.0};
    Made made = {{0.0}, {0.0}};
    SnHistory history = {.vertex_count = 2,
                         .dt = 0.5,
                         .farthest = farthest,
                         .held = held,
                         .ends = ends,
                         .positions = positions,
                         .velocities = velocities,
                         .last_move = made.move,
                         .last_change = made.change};
    sn_history_begin(&history, accelerations);
    return made;
}

static void free_components_go_back_along_a_parabola(void **state)
{
    (void)state;
    const double a[DOFS] = {0.0, -8.0, 4.0, 1e30, 1.0, 0.0};
    Made made = make(a, 10.0);
    for (int i = 0; i < DOFS; ++i) {
        if (i != 3) {
            // All numbers are short in binary, so nothing is rounded.
            assert_true(made.move[i] == 0.5 * velocities[i] - 0.125 * a[i]);
            assert_true(made.change[i] == 0.5 * a[i]);
        }
    }
}

// (3/2 d - 1/2 d_last) / dt is d / dt, and so for the velocity.
static void held_components_take_the_step_of_euler(void **state)
{
    (void)state;
    const double a[DOFS] = {0.0};
    Made made = make(a, 10.0);
    double v = (1.5 * 0.5 - 0.5 * made.move[3]) / 0.5;
    assert_true(v == 1.0);
    assert_true((1.5 * (v - velocities[3]) - 0.5 * made.change[3]) / 0.5 ==
                (v - velocities[3]) / 0.5);
}

static void wild_accelerations_count_as_none(void **state)
{
    (void)state;
    const double wild[][DOFS] = {{0.0, -800.0, 400.0, 0.0, 16.0, 0.0}, // 800 dt^2 is 200 m
                                 {NAN, 0.0, 0.0, 0.0, 1.0, 0.0},
                                 {0.0, INFINITY, 0.0, 0.0, 1.0, 0.0}};
    for (int w = 0; w < 3; ++w) {
        Made made = make(wild[w], 10.0);
        for (int i = 0; i < DOFS; ++i) {
            assert_true(i == 3 || (made.move[i] == 0.5 * velocities[i] && made.change[i] == 0.0));
        }
        assert_true(made.move[3] == 0.5);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(free_components_go_back_along_a_parabola),
    cmocka_unit_test(held_components_take_the_step_of_euler),
    cmocka_unit_test(wild_accelerations_count_as_none),
};

SN_TEST_GROUP(model_history, tests);
