// The swinging armadillo S1 of the validation set: five steps of 10 ms of 15,929 tets, against two
// other codes. Built where its mesh is, see SINEW_MESHES in test/CMakeLists.txt.
#include "support/newton_rig.h"
#include "support/test.h"

#include "io/tet_files.h"

#include <math.h>

// The set's transform: half a turn about y, then a tenth of the size.
static SnTetMesh *load_armadillo(void)
{
    const char *path = SINEW_MESHES_DIR "/armadillo_16k.node";
    SnTetMesh *mesh = NULL;
    SinewError error;
    if (sn_tet_mesh_read(path, NULL, &mesh, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        mesh->positions[3 * v] *= -0.1;
        mesh->positions[3 * v + 1] *= 0.1;
        mesh->positions[3 * v + 2] *= -0.1;
    }
    return mesh;
}

static void test_swing(void **state)
{
    (void)state;
    SnTetMesh *mesh = load_armadillo();
    SnNewtonRigDef def = sn_newton_rig_default();
    SinewRegion hand = {
        .kind = SINEW_REGION_SPHERE, .center = {-0.1112805, 0.171487, 0.06512415}, .radius = 0.02};
    SnPin pin = {.region = &hand, .axes = {true, true, true}};
    SnMeasure measure;
    double mean[3] = {0.0, 0.0, 0.0};
    def.tets = mesh;
    def.material.poisson = 0.33;
    def.worker_count = 2;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    assert_int_equal(sn_newton_model.set_pins(rig.body, &pin, 1, NULL), SINEW_OK);
    assert_int_equal(sn_newton_model.dof_count(rig.body), 3 * (4021 - 25));
    rig.step.gravity[1] = -9.81;
    sn_newton_rig_step(&rig, 0.01, 5);
    sn_newton_model.measure(rig.body, &measure);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            mean[k] += sn_newton_rig_moved(&rig, v, k) / mesh->vertex_count;
        }
    }
    // Six digits are given.
    const double expected[3] = {-0.001772, -0.011222, 0.001627};
    const double foot[3] = {-0.004594, -0.012914, -0.000230};
    for (int k = 0; k < 3; ++k) {
        assert_at_most(fabs(mean[k] - expected[k]), 6e-7);
        assert_at_most(fabs(sn_newton_rig_moved(&rig, 88, k) - foot[k]), 6e-7);
    }
    assert_at_most(fabs(measure.elastic - 0.032745), 6e-7);
    assert_at_most(fabs(measure.kinetic - 0.132342), 6e-7);
    assert_at_most(fabs(measure.mass - 1.820893), 6e-7);
    sn_newton_rig_destroy(&rig);
    sn_tet_mesh_destroy(mesh, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_swing),
};

SN_TEST_GROUP(model_newton_swing, tests);
