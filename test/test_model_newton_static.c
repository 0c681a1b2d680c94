// Static solves of the reference model against closed forms and figures of other codes.
#include "support/newton_rig.h"
#include "support/test.h"

#include <math.h>

static void pin_box(SnNewtonRig *rig, const SnNewtonRigPin *pins, int count)
{
    SinewError error;
    if (sn_newton_rig_pins(rig, pins, count, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
}

// The beam S5 of the validation set, from two other codes: tip centre and elastic energy.
static void test_beam_of_five_tets(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    memcpy(def.max, (double[3]){1.0, 0.2, 0.2}, sizeof def.max);
    memcpy(def.cells, (int[3]){20, 4, 4}, sizeof def.cells);
    def.cut = SN_BOX_FIVE;
    def.material.young = 5e5;
    def.material.poisson = 0.35;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    pin_box(&rig, &(SnNewtonRigPin){{-1, -1, -1}, {1e-6, 1, 1}, "xyz"}, 1);
    rig.step.gravity[1] = -9.81;
    sn_newton_rig_solve(&rig, SINEW_OK);
    SnMeasure measure;
    sn_newton_model.measure(rig.body, &measure);
    // Six digits are given there.
    assert_at_most(fabs(sn_newton_rig_moved(&rig, 512, 0) + 0.163510), 1e-6);
    assert_at_most(fabs(sn_newton_rig_moved(&rig, 512, 1) + 0.524479), 1e-6);
    assert_at_most(fabs(sn_newton_rig_moved(&rig, 524, 1) + 0.548734), 1e-6);
    assert_at_most(fabs(measure.elastic - 38.867052), 1e-4);
    assert_at_most(fabs(measure.smallest_det - 0.828), 5e-4);
    assert_at_most(rig.report.residual, 1e-9);
    printf("S5: %d iterations, %d cuts, %d projected, %d substeps, residual %g\n",
           rig.report.iterations, rig.report.line_search_cuts, rig.report.projected,
           rig.report.substeps, rig.report.residual);
    sn_newton_rig_destroy(&rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_beam_of_five_tets),
};

SN_TEST_GROUP(model_newton_static, tests);
