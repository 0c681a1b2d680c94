// Pins of the reference model: what they hold, what they refuse, and what a change of pins costs.
#include "support/newton_rig.h"
#include "support/test.h"

#include <math.h>

static void test_refusals(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SinewError error;
    SnNewtonRigPin good = {{-1, -1, -1}, {1e-6, 2, 2}, "xyz"};
    assert_int_equal(sn_newton_rig_pins(&rig, &good, 1, &error), SINEW_OK);

    SnNewtonRigPin away[] = {good, {{5, 5, 5}, {6, 6, 6}, "xyz"}};
    assert_int_equal(sn_newton_rig_pins(&rig, away, 2, &error), SINEW_ERROR_ARGUMENT);
    assert_int_equal(error.index, 1);
    assert_string_equal(error.text, "body \"rig\": pin 1 holds none of the 8 vertices, expected at "
                                    "least one in its region");

    SnNewtonRigPin twice[] = {
        good, {{0.5, -1, -1}, {2, 2, 2}, "z"}, {{-1, -1, -1}, {2, 1e-6, 2}, "y"}};
    assert_int_equal(sn_newton_rig_pins(&rig, twice, 3, &error), SINEW_ERROR_ARGUMENT);
    assert_int_equal(error.index, 2);
    assert_string_equal(error.text, "body \"rig\": pin 2 holds the component y of vertex 0, which "
                                    "pin 0 holds already, expected one pin for each");

    SnNewtonRigPin idle = {{-1, -1, -1}, {2, 2, 2}, ""};
    assert_int_equal(sn_newton_rig_pins(&rig, &idle, 1, &error), SINEW_ERROR_ARGUMENT);
    assert_string_equal(error.text,
                        "body \"rig\": pin 0 holds no axis, expected at least one of x, y, z");

    // Nothing has changed.
    assert_int_equal(sn_newton_model.dof_count(rig.body), 12);
    sn_newton_rig_destroy(&rig);
}

static void test_wrong_options(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    SnNewtonRig rig;
    SinewError error;
    def.newton.tolerance = -1.0;
    assert_int_equal(sn_newton_rig_try(&def, &rig, &error), SINEW_ERROR_ARGUMENT);
    assert_null(rig.body);
    assert_string_equal(error.text, "body \"rig\": newton's tolerance is -1, expected 0 or more "
                                    "and below 1");
    sn_newton_rig_destroy(&rig);
    def.newton.tolerance = 1e-9;
    def.newton.max_iterations = 0;
    assert_int_equal(sn_newton_rig_try(&def, &rig, &error), SINEW_ERROR_ARGUMENT);
    assert_string_equal(error.text,
                        "body \"rig\": newton's max_iterations is 0, expected at least 1");
    sn_newton_rig_destroy(&rig);
    def.newton.max_iterations = 60;
    def.newton.integrator = (SinewIntegrator)7;
    assert_int_equal(sn_newton_rig_try(&def, &rig, &error), SINEW_ERROR_ARGUMENT);
    sn_newton_rig_destroy(&rig);
}

// Only components that are held leave the system: a body on rollers slides, and vertices held in
// part stay exactly where they are in those components.
static void test_rollers(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    memcpy(def.cells, (int[3]){2, 2, 2}, sizeof def.cells);
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SnNewtonRigPin floor = {{-1, -1, -1}, {2, 1e-6, 2}, "y"};
    double wrench[6];
    assert_int_equal(sn_newton_rig_pins(&rig, &floor, 1, NULL), SINEW_OK);
    assert_int_equal(sn_newton_model.dof_count(rig.body), 81 - 9);
    rig.step.gravity[0] = 1.0;
    rig.step.gravity[1] = -9.81;
    sn_newton_rig_step(&rig, 0.01, 50);
    SnMeasure measure;
    sn_newton_model.measure(rig.body, &measure);
    assert_at_most(fabs(measure.momentum[0] - 1000.0 * 0.5), 1e-8);
    for (int v = 0; v < rig.body->elements.vertex_count; ++v) {
        if (rig.body->elements.rest[3 * v + 1] < 1e-6) {
            assert_true(rig.body->state.positions[3 * v + 1] == rig.body->elements.rest[3 * v + 1]);
        }
    }
    sn_newton_model.reaction(rig.body, 0, wrench);
    assert_true(wrench[0] == 0.0 && wrench[1] > 0.0);
    sn_newton_rig_destroy(&rig);
}

// Other axes of vertices that stay free in part need no new analysis; other vertices do.
static void test_analysis_is_kept(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    SnNewtonRig rig = sn_newton_rig_make(&def);
    const SnCholesky *first = rig.body->pins.cholesky;
    SnNewtonRigPin pin = {{-1, -1, -1}, {2, 1e-6, 2}, "y"};
    assert_int_equal(sn_newton_rig_pins(&rig, &pin, 1, NULL), SINEW_OK);
    assert_ptr_equal(rig.body->pins.cholesky, first);
    pin.axes = "xz";
    assert_int_equal(sn_newton_rig_pins(&rig, &pin, 1, NULL), SINEW_OK);
    assert_ptr_equal(rig.body->pins.cholesky, first);
    pin.axes = "xyz";
    assert_int_equal(sn_newton_rig_pins(&rig, &pin, 1, NULL), SINEW_OK);
    assert_int_equal(rig.body->pins.row_count, 4);
    sn_newton_rig_destroy(&rig);
}

// Everything held: nothing to solve, and the pin carries the weight.
static void test_all_held(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SnNewtonRigPin pin = {{-1, -1, -1}, {2, 2, 2}, "xyz"};
    double wrench[6];
    assert_int_equal(sn_newton_rig_pins(&rig, &pin, 1, NULL), SINEW_OK);
    assert_int_equal(sn_newton_model.dof_count(rig.body), 0);
    rig.step.gravity[1] = -9.81;
    sn_newton_rig_step(&rig, 0.01, 3);
    sn_newton_model.reaction(rig.body, 0, wrench);
    assert_at_most(fabs(wrench[1] - 9810.0), 1e-9);
    sn_newton_rig_solve(&rig, SINEW_OK);
    sn_newton_rig_destroy(&rig);
}

// In one step a pin moves a face through the body: the barrier law comes along bit by bit, where
// the linear answer alone would invert it.
static void test_long_way(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    def.material.law = SINEW_LAW_NEO_HOOKEAN;
    memcpy(def.cells, (int[3]){3, 1, 1}, sizeof def.cells);
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SnNewtonRigPin pins[] = {{{-1, -1, -1}, {1e-6, 2, 2}, "xyz"},
                             {{1 - 1e-6, -1, -1}, {2, 2, 2}, "xyz"}};
    SnMeasure measure;
    assert_int_equal(sn_newton_rig_pins(&rig, pins, 2, NULL), SINEW_OK);
    rig.motions[1].m[3] = -0.9;
    sn_newton_rig_step(&rig, 0.01, 1);
    assert_true(rig.report.substeps > 0);
    sn_newton_model.measure(rig.body, &measure);
    assert_int_equal(measure.inverted_count, 0);
    // Where no place is left the step says so.
    SinewError error;
    rig.motions[1].m[3] = -1.1;
    assert_int_equal(sn_newton_model.step(rig.body, &rig.step, &rig.report, &error),
                     SINEW_ERROR_DIVERGED);
    assert_non_null(strstr(error.text, "body \"rig\": det F of element"));
    assert_non_null(strstr(error.text, "on the way of its pins"));
    sn_newton_rig_destroy(&rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_refusals), cmocka_unit_test(test_wrong_options),
    cmocka_unit_test(test_rollers),  cmocka_unit_test(test_analysis_is_kept),
    cmocka_unit_test(test_all_held), cmocka_unit_test(test_long_way),
};

SN_TEST_GROUP(model_newton_pins, tests);
