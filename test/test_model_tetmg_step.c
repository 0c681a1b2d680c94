// Bodies of `tetmg`: what they agree with, what they survive, and what never changes their bits.
#include "support/fail_allocator.h"
#include "support/newton_rig.h"
#include "support/split_rig.h"
#include "support/test.h"

#include "base/hash.h"
#include "model/split/pcg.h"
#include "model/split/step.h"

#include <math.h>
#include <stdlib.h>

static SnSplitRigDef rig_default(void)
{
    SnSplitRigDef def = sn_split_rig_default();
    def.model = &sn_tetmg_model;
    return def;
}

// S5 of the validation set: a beam under its weight, by double residuals and float directions.
static void bends_as_the_reference(void **state)
{
    (void)state;
    for (int tangent = 0; tangent < 2; ++tangent) {
        SnSplitRigDef def = rig_default();
        def.tetmg.tangent = (SinewTangent)tangent;
        SnSplitRig rig = sn_split_rig_make(&def);
        SinewError error = {.text = ""};
        const double expected[3] = {-0.059930, -0.221495, 0.0};
        double mean[3] = {0.0, 0.0, 0.0};
        double wrench[6];
        sn_split_rig_pin(&rig, 1e-6, "xyz");
        rig.step.gravity[1] = -9.81;
        rig.step.pin_motions = rig.motions;
        rig.step.tolerance = 1e-8;
        if (sn_tetmg_model.solve_static(rig.body, &rig.step, &rig.report, &error) != SINEW_OK) {
            fail_msg("%s; residual %g", error.text, rig.report.residual);
        }
        SinewBodyMesh mesh = sn_tetmg_model.mesh(rig.body);
        for (int i = 0; i < 3 * mesh.vertex_count; ++i) {
            mean[i % 3] += (mesh.positions[i] - mesh.rest[i]) / mesh.vertex_count;
        }
        for (int k = 0; k < 3; ++k) {
            assert_at_most(fabs(mean[k] - expected[k]), 2e-6); // the two codes differ by 8e-7
        }
        // The wall carries the weight of 40 kg.
        sn_tetmg_model.reaction(rig.body, 0, wrench);
        assert_at_most(fabs(wrench[1] - 40.0 * 9.81), 1e-4);
        sn_split_rig_destroy(&rig);
    }
}

// Largest distance of a vertex from `newton`'s after ten steps of a falling cantilever; the far
// half is `contrast` times as stiff.
static double error_of(const SinewTetmgDef *options, SinewLaw law, double contrast)
{
    SnSplitRigDef def = rig_default();
    SnNewtonRigDef truth_def = sn_newton_rig_default();
    SnNewtonRigPin wall = {{-1.0, -1.0, -1.0}, {1e-6, 1.0, 1.0}, "xyz"};
    SinewRegion half = {
        .kind = SINEW_REGION_BOX, .min = {0.45, -1.0, -1.0}, .max = {2.0, 2.0, 2.0}};
    def.cells[0] = 10, def.cells[1] = def.cells[2] = 2;
    def.material.law = law;
    def.tetmg = *options;
    SinewMaterial stiff = def.material;
    stiff.young *= contrast;
    def.regions = truth_def.regions = &half;
    def.region_materials = truth_def.region_materials = &stiff;
    def.region_count = truth_def.region_count = 1;
    truth_def.max[1] = truth_def.max[2] = 0.2;
    memcpy(truth_def.cells, def.cells, sizeof def.cells);
    truth_def.cut = SN_BOX_FIVE;
    truth_def.material = def.material;
    truth_def.newton.integrator = options->integrator;
    SnSplitRig rig = sn_split_rig_make(&def);
    SnNewtonRig truth = sn_newton_rig_make(&truth_def);
    sn_split_rig_pin(&rig, 1e-6, "xyz");
    assert_int_equal(sn_newton_rig_pins(&truth, &wall, 1, NULL), SINEW_OK);
    rig.step.gravity[1] = truth.step.gravity[1] = -9.81;
    sn_split_rig_step(&rig, 0.02, 10);
    sn_newton_rig_step(&truth, 0.02, 10);
    double worst = 0.0;
    for (size_t i = 0; i < sn_split_dofs(rig.body); ++i) {
        worst = fmax(worst, fabs(rig.body->state.positions[i] - truth.body->state.positions[i]));
    }
    sn_newton_rig_destroy(&truth);
    sn_split_rig_destroy(&rig);
    return worst;
}

static void converges_to_newton(void **state)
{
    (void)state;
    SinewTetmgDef options = sinew_tetmg_def_default();
    for (int i = 0; i < 8; ++i) {
        SinewLaw law = i % 2 == 0 ? SINEW_LAW_COROTATED : SINEW_LAW_FIXED_COROTATED;
        options.integrator = i / 2 % 2 == 0 ? SINEW_INTEGRATOR_EULER : SINEW_INTEGRATOR_BDF2;
        options.tangent = i / 4 == 0 ? SINEW_TANGENT_EXACT : SINEW_TANGENT_WARPED;
        options.newton = 0, options.pcg = 0;
        double standard = error_of(&options, law, 1.0);
        options.newton = 12, options.pcg = 40;
        double fine = error_of(&options, law, 1.0);
        // The tip moves by some 0.2 m; float places are good to 1e-7, stresses to some 1e-6 of E.
        assert_at_most(standard, 2e-3);
        assert_at_most(fine, 1e-5);
    }
}

static void bears_contrast(void **state)
{
    (void)state;
    SinewTetmgDef options = sinew_tetmg_def_default();
    options.accuracy = 1e-5;
    // Stresses of the stiff half are good to 1e-7 of its modulus, which is 1e-3 of the soft one's;
    // the soft half bends by some 0.2 m.
    assert_at_most(error_of(&options, SINEW_LAW_COROTATED, 1e4), 1e-3);
    assert_at_most(error_of(&options, SINEW_LAW_COROTATED, 1e-4), 5e-3);
}

static uint64_t hash_after(const SnSplitRigDef *def, int steps)
{
    SnSplitRig rig = sn_split_rig_make(def);
    sn_split_rig_pin(&rig, 1e-6, "xyz");
    rig.step.gravity[1] = -9.81;
    sn_split_rig_step(&rig, 0.01, steps);
    uint64_t hash =
        sn_hash(SN_HASH_START, rig.body->state.positions, sn_split_dofs(rig.body) * sizeof(double));
    sn_split_rig_destroy(&rig);
    return hash;
}

static void workers_never_change_the_bits(void **state)
{
    (void)state;
    static const int counts[] = {2, 3, 8};
    SnSplitRigDef def = rig_default();
    def.cells[0] = 40, def.cells[1] = def.cells[2] = 8;
    uint64_t one = hash_after(&def, 4);
    for (int i = 0; i < SN_COUNT(counts); ++i) {
        def.worker_count = counts[i];
        assert_true(hash_after(&def, 4) == one);
    }
}

static void portable_bits_are_those_of_every_instruction_set(void **state)
{
    (void)state;
    const char *was = getenv("SINEW_ISA");
    char kept[32] = "";
    SnSplitRigDef def = rig_default();
    def.determinism = SN_PORTABLE_BITS;
    snprintf(kept, sizeof kept, "%s", was != NULL ? was : "");
    setenv("SINEW_ISA", "ref", 1);
    uint64_t expected = hash_after(&def, 3);
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        if (sn_isa_runs((SnIsa)isa)) {
            setenv("SINEW_ISA", sn_isa_name((SnIsa)isa), 1);
            assert_true(hash_after(&def, 3) == expected);
        }
    }
    if (was != NULL) {
        setenv("SINEW_ISA", kept, 1);
    } else {
        unsetenv("SINEW_ISA");
    }
}

static void restored_states_go_on_with_the_same_bits(void **state)
{
    (void)state;
    for (int rule = 0; rule < 2; ++rule) {
        SnSplitRigDef def = rig_default();
        def.tetmg.integrator = (SinewIntegrator)rule;
        SnSplitRig rig = sn_split_rig_make(&def);
        sn_split_rig_pin(&rig, 1e-6, "xyz");
        rig.step.gravity[1] = -9.81;
        size_t size = sn_tetmg_model.state_size(rig.body);
        char *kept = malloc(size), *first = malloc(size), *second = malloc(size);
        sn_split_rig_step(&rig, 0.01, 3);
        sn_tetmg_model.save(rig.body, kept);
        sn_split_rig_step(&rig, 0.02, 3); // another time step: refactored
        sn_tetmg_model.save(rig.body, first);
        sn_tetmg_model.restore(rig.body, kept);
        sn_split_rig_step(&rig, 0.02, 3);
        sn_tetmg_model.save(rig.body, second);
        assert_memory_equal(first, second, size);
        free(kept);
        free(first);
        free(second);
        sn_split_rig_destroy(&rig);
    }
}

// How far the shape is from rest, moved as a whole not counted: RMS of edge lengths over the size.
static double strain_of(const SnSplitRig *rig)
{
    SinewBodyMesh mesh = sn_tetmg_model.mesh(rig->body);
    double sum = 0.0;
    for (int e = 0; e < mesh.element_count; ++e) {
        double now = 0.0, rest = 0.0;
        for (int k = 0; k < 3; ++k) {
            int a = 3 * mesh.elements[4 * e] + k, b = 3 * mesh.elements[4 * e + 1] + k;
            now +=
                (mesh.positions[a] - mesh.positions[b]) * (mesh.positions[a] - mesh.positions[b]);
            rest += (mesh.rest[a] - mesh.rest[b]) * (mesh.rest[a] - mesh.rest[b]);
        }
        sum += (sqrt(now) - sqrt(rest)) * (sqrt(now) - sqrt(rest));
    }
    return sqrt(sum / mesh.element_count) / rig->body->size;
}

static void recovers_from_any_start(void **state)
{
    (void)state;
    const double none[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 8; ++i) {
        SnSplitRigDef def = rig_default();
        def.max[0] = 0.4, def.cells[0] = 8;
        def.material.poisson = 0.3;
        def.material.law = i / 4 == 1 ? SINEW_LAW_FIXED_COROTATED : SINEW_LAW_COROTATED;
        SnSplitRig rig = sn_split_rig_make(&def);
        SnMeasure measure;
        sn_tetmg_model.start(rig.body, (SinewStart)(SINEW_START_MIRRORED + i % 4), none, none);
        sn_split_rig_step(&rig, 0.01, 200);
        sn_tetmg_model.measure(rig.body, &measure);
        assert_int_equal(measure.inverted_count, 0);
        assert_at_most(strain_of(&rig), 0.01);
        sn_split_rig_destroy(&rig);
    }
}

// A pin that holds two axes and moves along one of them.
static void pins_go_where_they_are_told(void **state)
{
    (void)state;
    SnSplitRigDef def = rig_default();
    SnSplitRig rig = sn_split_rig_make(&def);
    sn_split_rig_pin(&rig, 1e-6, "xy");
    for (int t = 1; t <= 10; ++t) {
        rig.motions[0].m[7] = 0.02 * t;
        sn_split_rig_step(&rig, 0.01, 1);
    }
    SinewBodyMesh mesh = sn_tetmg_model.mesh(rig.body);
    double lowest = 1.0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        lowest = fmin(lowest, mesh.positions[3 * v + 1] - mesh.rest[3 * v + 1]);
        if (mesh.rest[3 * v] <= 1e-6) {
            assert_true(mesh.positions[3 * v] == mesh.rest[3 * v]);
            assert_at_most(fabs(mesh.positions[3 * v + 1] - mesh.rest[3 * v + 1] - 0.2), 1e-12);
        }
    }
    assert_true(lowest < 0.19); // the far end lags behind
    assert_int_equal(sn_tetmg_model.dof_count(rig.body), 3 * 525 - 50);
    sn_split_rig_destroy(&rig);
}

// A floor at y = 0 that pushes back.
static void push_up(void *context, int begin, int end, const double *x, SnPointForce *out)
{
    double stiffness = *(const double *)context;
    for (int p = begin; p < end; ++p) {
        double depth = fmax(0.0, -x[3 * p + 1]);
        out[p - begin] = (SnPointForce){.force = {0.0, stiffness * depth, 0.0},
                                        .stiffness = {[4] = depth > 0.0 ? stiffness : 0.0},
                                        .energy = 0.5 * stiffness * depth * depth};
    }
}

static void rests_on_a_stiff_floor(void **state)
{
    (void)state;
    SnSplitRigDef def = rig_default();
    SnSplitRig rig = sn_split_rig_make(&def);
    SinewBodyMesh mesh = sn_tetmg_model.mesh(rig.body);
    double stiffness = 1e6, force = 0.0; // N/m a vertex: some thousand times that of the body
    void *points = NULL;
    SinewError error = {.text = ""};
    assert_int_equal(
        sn_tetmg_model.points_create(rig.body, mesh.rest, mesh.vertex_count, &points, &error),
        SINEW_OK);
    SnPointForce *room = calloc((size_t)mesh.vertex_count, sizeof *room);
    SnPointForces floor = {.points = points,
                           .count = mesh.vertex_count,
                           .evaluate = push_up,
                           .context = &stiffness,
                           .room = room};
    rig.step.contacts = &floor;
    rig.step.gravity[1] = -9.81;
    sn_split_rig_step(&rig, 0.01, 100);
    mesh = sn_tetmg_model.mesh(rig.body);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        force += stiffness * fmax(0.0, -mesh.positions[3 * v + 1]);
    }
    // 40 kg; Euler's damping leaves little motion after a second, and float places of 1e-8 m are
    // 0.01 N at each of 105 vertices.
    assert_at_most(fabs(force - 40.0 * 9.81), 4.0);
    free(room);
    sn_tetmg_model.points_destroy(rig.body, points);
    sn_split_rig_destroy(&rig);
}

// Iterations to 1e-3 of a bar that has swung for five steps.
static int iterations_of(int across)
{
    SnSplitRigDef def = rig_default();
    SinewStepReport report = {0};
    SnSplitSolve solve = {.most = 200, .tolerance = 1e-3};
    def.cells[0] = 5 * across, def.cells[1] = def.cells[2] = across;
    SnSplitRig rig = sn_split_rig_make(&def);
    sn_split_rig_pin(&rig, 1e-6, "xyz");
    rig.step.gravity[1] = -9.81;
    sn_split_rig_step(&rig, 0.01, 5);
    SnSplitRule rule = sn_split_rule(rig.body, 0.01);
    SnSplitProblem problem = sn_split_problem_make(rig.body, &rig.step, &report);
    problem.h = rule.h;
    problem.h2 = rule.h * rule.h;
    sn_split_load(rig.body, &rig.step);
    sn_split_begin(&problem, &rule, false);
    sn_split_gradient(&problem, rig.body->room.move, true);
    assert_int_equal(sn_split_direction(&problem, &solve, NULL), SINEW_OK);
    sn_split_rig_destroy(&rig);
    return report.linear_solves;
}

static void iterations_do_not_grow_with_the_mesh(void **state)
{
    (void)state;
    int coarse = iterations_of(6), fine = iterations_of(16); // 5,400 and 102,400 tets
    printf("iterations to 1e-3: %d and %d\n", coarse, fine);
    assert_in_range(coarse, 2, 16);
    assert_at_most((double)fine, 1.3 * (double)coarse);
}

static void refuses_other_laws(void **state)
{
    (void)state;
    SnSplitRigDef def = rig_default();
    SnSplitRig rig;
    SinewError error;
    def.material.law = SINEW_LAW_NEO_HOOKEAN;
    assert_int_equal(sn_split_rig_try(&def, &rig, &error), SINEW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "neo_hookean"));
    assert_non_null(strstr(error.text, "corotated or fixed_corotated for model tetmg"));
    sn_split_rig_destroy(&rig);
}

static SinewStatus make_and_step(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SnSplitRigDef def = rig_default();
    SnSplitRig rig;
    (void)context;
    def.cells[0] = 6, def.cells[1] = def.cells[2] = 2;
    def.allocator = allocator;
    SinewStatus status = sn_split_rig_try(&def, &rig, error);
    if (status == SINEW_OK) {
        rig.step.dt = 0.01;
        status = sn_tetmg_model.step(rig.body, &rig.step, &rig.report, error);
    }
    sn_split_rig_destroy(&rig);
    return status;
}

static void survives_every_allocation_that_fails(void **state)
{
    (void)state;
    assert_true(sn_fail_each_allocation(make_and_step, NULL) > 20);
}

static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    SnFailAllocator counter;
    SnSplitRigDef def = rig_default();
    sn_fail_allocator_init(&counter, -1);
    def.allocator = &counter.allocator;
    SnSplitRig rig = sn_split_rig_make(&def);
    rig.step.gravity[1] = -9.81;
    sn_split_rig_step(&rig, 0.01, 1);
    int64_t before = counter.calls;
    sn_split_rig_step(&rig, 0.01, 5);
    assert_int_equal(counter.calls, before);
    sn_split_rig_destroy(&rig);
    assert_int_equal(counter.blocks, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bends_as_the_reference),
    cmocka_unit_test(converges_to_newton),
    cmocka_unit_test(bears_contrast),
    cmocka_unit_test(workers_never_change_the_bits),
    cmocka_unit_test(portable_bits_are_those_of_every_instruction_set),
    cmocka_unit_test(restored_states_go_on_with_the_same_bits),
    cmocka_unit_test(recovers_from_any_start),
    cmocka_unit_test(pins_go_where_they_are_told),
    cmocka_unit_test(rests_on_a_stiff_floor),
    cmocka_unit_test(iterations_do_not_grow_with_the_mesh),
    cmocka_unit_test(refuses_other_laws),
    cmocka_unit_test(survives_every_allocation_that_fails),
    cmocka_unit_test(warm_steps_allocate_nothing),
};

SN_TEST_GROUP(model_tetmg_step, tests);
