// The swinging armadillo S1 of the validation set by `tetmg`, against two other codes; and
// iterations on other meshes of it. Built where its mesh is, see SINEW_MESHES in
// test/CMakeLists.txt.
#include "support/split_checks.h"
#include "support/test.h"

#include "model/split/pcg.h"
#include "model/split/step.h"

static SnSplitRigDef rig_default(void)
{
    SnSplitRigDef def = sn_split_rig_default();
    def.model = &sn_tetmg_model;
    return def;
}

static void swings_as_the_reference(void **state)
{
    (void)state;
    SnSplitRigDef def = rig_default();
    sn_split_check_swing(&def);
}

// Iterations to 1e-3 at the starts of the third, sixth and ninth step.
static int iterations_of(const char *size)
{
    SinewStepReport report = {0};
    SnSplitSolve solve = {.most = 200, .tolerance = 1e-3};
    SnTetMesh *mesh = NULL;
    SnSplitRig rig = sn_split_armadillo(rig_default(), size, &mesh);
    for (int i = 0; i < 3; ++i) {
        sn_split_rig_step(&rig, 0.01, i == 0 ? 2 : 3);
        SnSplitRule rule = sn_split_rule(rig.body, 0.01);
        SnSplitProblem problem = sn_split_problem_make(rig.body, &rig.step, &report);
        problem.h = rule.h;
        problem.h2 = rule.h * rule.h;
        sn_split_load(rig.body, &rig.step);
        sn_split_begin(&problem, &rule, false);
        sn_split_gradient(&problem, rig.body->room.move, true);
        assert_int_equal(sn_split_direction(&problem, &solve, NULL), SINEW_OK);
    }
    sn_split_rig_destroy(&rig);
    sn_tet_mesh_destroy(mesh, NULL);
    return report.linear_solves;
}

static void iterations_do_not_grow_with_the_mesh(void **state)
{
    (void)state;
    int coarse = iterations_of("6k"), fine = iterations_of("173k");
    printf("iterations to 1e-3, three systems: %d at 6k, %d at 173k\n", coarse, fine);
    assert_at_most((double)fine, 1.3 * coarse);
    assert_at_most((double)coarse, 1.3 * fine);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(swings_as_the_reference),
    cmocka_unit_test(iterations_do_not_grow_with_the_mesh),
};

SN_TEST_GROUP(model_tetmg_swing, tests);
