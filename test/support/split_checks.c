#include "support/split_checks.h"

#include "support/fail_allocator.h"
#include "support/newton_rig.h"
#include "support/test.h"

#include "base/hash.h"
#include "io/tet_files.h"

#include <math.h>
#include <stdlib.h>

static void find_mean(const SnSplitRig *rig, double out_mean[3])
{
    SinewBodyMesh mesh = rig->model->mesh(rig->body);
    memset(out_mean, 0, 3 * sizeof *out_mean);
    for (int i = 0; i < 3 * mesh.vertex_count; ++i) {
        out_mean[i % 3] += (mesh.positions[i] - mesh.rest[i]) / mesh.vertex_count;
    }
}

// Held at one end, under its weight.
static SnSplitRig make_cantilever(const SnSplitRigDef *def)
{
    SnSplitRig rig = sn_split_rig_make(def);
    sn_split_rig_pin(&rig, 1e-6, "xyz");
    rig.step.gravity[1] = -9.81;
    return rig;
}

void sn_split_check_beam(const SnSplitRigDef *def)
{
    SnSplitRig rig = make_cantilever(def);
    SinewError error = {.text = ""};
    const double expected[3] = {-0.059930, -0.221495, 0.0};
    double mean[3], wrench[6];
    rig.step.pin_motions = rig.motions;
    rig.step.tolerance = 1e-8;
    if (rig.model->solve_static(rig.body, &rig.step, &rig.report, &error) != SINEW_OK) {
        fail_msg("%s; residual %g", error.text, rig.report.residual);
    }
    find_mean(&rig, mean);
    for (int k = 0; k < 3; ++k) {
        assert_at_most(fabs(mean[k] - expected[k]), 2e-6); // the two codes differ by 8e-7
    }
    // The wall carries the weight of 40 kg.
    rig.model->reaction(rig.body, 0, wrench);
    assert_at_most(fabs(wrench[1] - 40.0 * 9.81), 1e-4);
    sn_split_rig_destroy(&rig);
}

double sn_split_newton_distance(SnSplitRigDef def, SinewIntegrator rule)
{
    SnNewtonRigDef truth_def = sn_newton_rig_default();
    SnNewtonRigPin wall = {{-1.0, -1.0, -1.0}, {1e-6, 1.0, 1.0}, "xyz"};
    double worst = 0.0;
    def.cells[0] = 10, def.cells[1] = def.cells[2] = 2;
    def.split.integrator = def.tetmg.integrator = truth_def.newton.integrator = rule;
    memcpy(truth_def.max, def.max, sizeof def.max);
    memcpy(truth_def.cells, def.cells, sizeof def.cells);
    truth_def.cut = SN_BOX_FIVE;
    truth_def.material = def.material;
    truth_def.regions = def.regions;
    truth_def.region_materials = def.region_materials;
    truth_def.region_count = def.region_count;
    SnSplitRig rig = make_cantilever(&def);
    SnNewtonRig truth = sn_newton_rig_make(&truth_def);
    assert_int_equal(sn_newton_rig_pins(&truth, &wall, 1, NULL), SINEW_OK);
    truth.step.gravity[1] = -9.81;
    sn_split_rig_step(&rig, 0.02, 10);
    sn_newton_rig_step(&truth, 0.02, 10);
    for (size_t i = 0; i < sn_split_dofs(rig.body); ++i) {
        worst = fmax(worst, fabs(rig.body->state.positions[i] - truth.body->state.positions[i]));
    }
    sn_newton_rig_destroy(&truth);
    sn_split_rig_destroy(&rig);
    return worst;
}

uint64_t sn_split_hash_after(const SnSplitRigDef *def, int steps)
{
    SnSplitRig rig = make_cantilever(def);
    sn_split_rig_step(&rig, 0.01, steps);
    uint64_t hash =
        sn_hash(SN_HASH_START, rig.body->state.positions, sn_split_dofs(rig.body) * sizeof(double));
    sn_split_rig_destroy(&rig);
    return hash;
}

void sn_split_check_restored(const SnSplitRigDef *def)
{
    SnSplitRig rig = make_cantilever(def);
    size_t size = rig.model->state_size(rig.body);
    char *kept = malloc(size), *first = malloc(size), *second = malloc(size);
    sn_split_rig_step(&rig, 0.01, 3);
    rig.model->save(rig.body, kept);
    sn_split_rig_step(&rig, 0.02, 3); // another time step: refactored
    rig.model->save(rig.body, first);
    rig.model->restore(rig.body, kept);
    sn_split_rig_step(&rig, 0.02, 3);
    rig.model->save(rig.body, second);
    assert_memory_equal(first, second, size);
    free(kept);
    free(first);
    free(second);
    sn_split_rig_destroy(&rig);
}

void sn_split_check_pins(const SnSplitRigDef *def)
{
    SnSplitRig rig = sn_split_rig_make(def);
    double lowest = 1.0;
    sn_split_rig_pin(&rig, 1e-6, "xy");
    for (int t = 1; t <= 10; ++t) {
        rig.motions[0].m[7] = 0.02 * t;
        sn_split_rig_step(&rig, 0.01, 1);
        assert_int_equal(rig.report.factorisations, t == 1 ? 1 : 0);
    }
    SinewBodyMesh mesh = rig.model->mesh(rig.body);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        lowest = fmin(lowest, mesh.positions[3 * v + 1] - mesh.rest[3 * v + 1]);
        if (mesh.rest[3 * v] <= 1e-6) {
            assert_true(mesh.positions[3 * v] == mesh.rest[3 * v]);
            assert_at_most(fabs(mesh.positions[3 * v + 1] - mesh.rest[3 * v + 1] - 0.2), 1e-12);
        }
    }
    assert_true(lowest < 0.19); // the far end lags behind
    assert_int_equal(rig.model->dof_count(rig.body), 3 * 525 - 50);
    sn_split_rig_destroy(&rig);
}

void sn_split_check_warm_steps_allocate_nothing(const SnSplitRigDef *def)
{
    SnFailAllocator counter;
    SnSplitRigDef counted = *def;
    sn_fail_allocator_init(&counter, -1);
    counted.allocator = &counter.allocator;
    SnSplitRig rig = sn_split_rig_make(&counted);
    rig.step.gravity[1] = -9.81;
    sn_split_rig_step(&rig, 0.01, 1);
    int64_t before = counter.calls;
    sn_split_rig_step(&rig, 0.01, 5);
    assert_int_equal(counter.calls, before);
    sn_split_rig_destroy(&rig);
    assert_int_equal(counter.blocks, 0);
}

SinewStatus sn_split_try_small(SnSplitRigDef def, const SinewAllocator *allocator,
                               SinewError *error)
{
    SnSplitRig rig;
    def.cells[0] = 6, def.cells[1] = def.cells[2] = 2;
    def.allocator = allocator;
    SinewStatus status = sn_split_rig_try(&def, &rig, error);
    if (status == SINEW_OK) {
        rig.step.dt = 0.01;
        status = rig.model->step(rig.body, &rig.step, &rig.report, error);
    }
    if (status == SINEW_OK) {
        const double point[3] = {0.1, 0.05, 0.05};
        void *points = NULL;
        status = rig.model->points_create(rig.body, point, 1, &points, error);
        rig.model->points_destroy(rig.body, points);
    }
    sn_split_rig_destroy(&rig);
    return status;
}

// The set's transform: half a turn about y, then a tenth of the size.
static SnTetMesh *load_armadillo(const char *size)
{
    char path[400];
    SnTetMesh *mesh = NULL;
    SinewError error;
    snprintf(path, sizeof path, "%s/armadillo_%s.node", SINEW_MESHES_DIR, size);
    if (sn_tet_mesh_read(path, NULL, &mesh, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    for (int i = 0; i < 3 * mesh->vertex_count; ++i) {
        mesh->positions[i] *= i % 3 == 1 ? 0.1 : -0.1;
    }
    return mesh;
}

SnSplitRig sn_split_armadillo(SnSplitRigDef def, const char *size, SnTetMesh **out_mesh)
{
    SinewRegion hand = {
        .kind = SINEW_REGION_SPHERE, .center = {-0.1112805, 0.171487, 0.06512415}, .radius = 0.02};
    SnPin pin = {.region = &hand, .axes = {true, true, true}};
    def.tets = *out_mesh = load_armadillo(size);
    def.material.young = 1e6;
    def.material.poisson = 0.33;
    SnSplitRig rig = sn_split_rig_make(&def);
    assert_int_equal(rig.model->set_pins(rig.body, &pin, 1, NULL), SINEW_OK);
    rig.step.gravity[1] = -9.81;
    return rig;
}

void sn_split_check_swing(const SnSplitRigDef *def)
{
    // Mean displacement at 0.05, 0.10 ... 0.50 s, m.
    static const double means[10][3] = {
        {-0.001772, -0.011222, 0.001627}, {-0.011873, -0.032065, 0.008172},
        {-0.033792, -0.054930, 0.019769}, {-0.066807, -0.074812, 0.035911},
        {-0.105438, -0.085181, 0.053352}, {-0.140875, -0.082980, 0.067367},
        {-0.166533, -0.074029, 0.074887}, {-0.180643, -0.066672, 0.075468},
        {-0.183473, -0.065717, 0.069775}, {-0.174900, -0.071147, 0.058824}};
    SnTetMesh *mesh = NULL;
    SnSplitRig rig = sn_split_armadillo(*def, "16k", &mesh);
    for (int t = 0; t < 10; ++t) {
        double mean[3], error = 0.0, size = 0.0;
        sn_split_rig_step(&rig, 0.01, 5);
        find_mean(&rig, mean);
        for (int k = 0; k < 3; ++k) {
            error += (mean[k] - means[t][k]) * (mean[k] - means[t][k]);
            size += means[t][k] * means[t][k];
        }
        assert_at_most(sqrt(error / size), 0.01); // what is asked of the default
        assert_int_equal(rig.report.rescues, 0);
    }
    sn_split_rig_destroy(&rig);
    sn_tet_mesh_destroy(mesh, NULL);
}
