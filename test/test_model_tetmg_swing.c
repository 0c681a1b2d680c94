// The swinging armadillo S1 of the validation set by `tetmg`: fifty steps of 10 ms of 15,929 tets,
// against two other codes; and iterations on other meshes of it. Needs ../shared; skipped, and said
// so, without it.
#include "support/split_rig.h"
#include "support/test.h"

#include "io/tet_files.h"
#include "model/split/pcg.h"
#include "model/split/step.h"

#include <math.h>

// Mean displacement at 0.05, 0.10 ... 0.50 s, m.
static const double MEANS[10][3] = {
    {-0.001772, -0.011222, 0.001627}, {-0.011873, -0.032065, 0.008172},
    {-0.033792, -0.054930, 0.019769}, {-0.066807, -0.074812, 0.035911},
    {-0.105438, -0.085181, 0.053352}, {-0.140875, -0.082980, 0.067367},
    {-0.166533, -0.074029, 0.074887}, {-0.180643, -0.066672, 0.075468},
    {-0.183473, -0.065717, 0.069775}, {-0.174900, -0.071147, 0.058824}};

// The set's transform: half a turn about y, then a tenth of the size.
static SnTetMesh *load_armadillo(const char *size)
{
    char path[400];
    snprintf(path, sizeof path, "%s/data/armadillo_%s.node", SINEW_SHARED_DIR, size);
    SnTetMesh *mesh = NULL;
    SinewError error;
    if (sn_tet_mesh_read(path, NULL, &mesh, &error) != SINEW_OK) {
        printf("skipped: %s\n", error.text);
        skip();
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        mesh->positions[3 * v] *= -0.1;
        mesh->positions[3 * v + 1] *= 0.1;
        mesh->positions[3 * v + 2] *= -0.1;
    }
    return mesh;
}

static double mean_error(const SnSplitRig *rig, const double expected[3])
{
    SinewBodyMesh mesh = sn_tetmg_model.mesh(rig->body);
    double mean[3] = {0.0, 0.0, 0.0};
    double square = 0.0;
    for (int i = 0; i < 3 * mesh.vertex_count; ++i) {
        mean[i % 3] += (mesh.positions[i] - mesh.rest[i]) / mesh.vertex_count;
    }
    for (int k = 0; k < 3; ++k) {
        square += (mean[k] - expected[k]) * (mean[k] - expected[k]);
    }
    return sqrt(square);
}

static void swings_as_the_reference(void **state)
{
    (void)state;
    SnTetMesh *mesh = load_armadillo("16k");
    SnSplitRigDef def = sn_split_rig_default();
    def.model = &sn_tetmg_model;
    SinewRegion hand = {
        .kind = SINEW_REGION_SPHERE, .center = {-0.1112805, 0.171487, 0.06512415}, .radius = 0.02};
    SnPin pin = {&hand, {true, true, true}};
    def.tets = mesh;
    def.material.young = 1e6;
    def.material.poisson = 0.33;
    SnSplitRig rig = sn_split_rig_make(&def);
    assert_int_equal(sn_tetmg_model.set_pins(rig.body, &pin, 1, NULL), SINEW_OK);
    rig.step.gravity[1] = -9.81;
    for (int t = 0; t < 10; ++t) {
        sn_split_rig_step(&rig, 0.01, 5);
        double error = mean_error(&rig, MEANS[t]);
        double size =
            sqrt(MEANS[t][0] * MEANS[t][0] + MEANS[t][1] * MEANS[t][1] + MEANS[t][2] * MEANS[t][2]);
        // What is asked of the default.
        assert_at_most(error / size, 0.01);
        assert_int_equal(rig.report.rescues, 0);
    }
    sn_split_rig_destroy(&rig);
    sn_tet_mesh_destroy(mesh, NULL);
}

// Iterations to 1e-3 at the starts of the third, sixth and ninth step.
static int iterations_of(const char *size)
{
    SnTetMesh *mesh = load_armadillo(size);
    SnSplitRigDef def = sn_split_rig_default();
    SinewRegion hand = {
        .kind = SINEW_REGION_SPHERE, .center = {-0.1112805, 0.171487, 0.06512415}, .radius = 0.02};
    SnPin pin = {&hand, {true, true, true}};
    SinewStepReport report = {0};
    SnSplitSolve solve = {.most = 200, .tolerance = 1e-3};
    def.model = &sn_tetmg_model;
    def.tets = mesh;
    def.material.young = 1e6;
    def.material.poisson = 0.33;
    SnSplitRig rig = sn_split_rig_make(&def);
    assert_int_equal(sn_tetmg_model.set_pins(rig.body, &pin, 1, NULL), SINEW_OK);
    rig.step.gravity[1] = -9.81;
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
