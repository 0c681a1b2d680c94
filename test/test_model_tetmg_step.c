// Bodies of `tetmg`: what they agree with, what they survive, and what never changes their bits.
#include "support/fail_allocator.h"
#include "support/split_checks.h"
#include "support/test.h"

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

// S5 of the validation set, by double residuals and float directions.
static void bends_as_the_reference(void **state)
{
    (void)state;
    for (int tangent = 0; tangent < 2; ++tangent) {
        SnSplitRigDef def = rig_default();
        def.tetmg.tangent = (SinewTangent)tangent;
        sn_split_check_beam(&def);
    }
}

static void converges_to_newton(void **state)
{
    (void)state;
    SnSplitRigDef def = rig_default();
    for (int i = 0; i < 8; ++i) {
        SinewIntegrator rule = i / 2 % 2 == 0 ? SINEW_INTEGRATOR_EULER : SINEW_INTEGRATOR_BDF2;
        def.material.law = i % 2 == 0 ? SINEW_LAW_COROTATED : SINEW_LAW_FIXED_COROTATED;
        def.tetmg.tangent = i / 4 == 0 ? SINEW_TANGENT_EXACT : SINEW_TANGENT_WARPED;
        def.tetmg.newton = 0, def.tetmg.pcg = 0;
        double standard = sn_split_newton_distance(def, rule);
        def.tetmg.newton = 12, def.tetmg.pcg = 40;
        double fine = sn_split_newton_distance(def, rule);
        // The tip moves by some 0.2 m; float places are good to 1e-7, stresses to some 1e-6 of E.
        assert_at_most(standard, 2e-3);
        assert_at_most(fine, 1e-5);
    }
}

// The far half is `contrast` times as stiff.
static double error_with(double contrast)
{
    SnSplitRigDef def = rig_default();
    SinewRegion half = {
        .kind = SINEW_REGION_BOX, .min = {0.45, -1.0, -1.0}, .max = {2.0, 2.0, 2.0}};
    SinewMaterial stiff = def.material;
    stiff.young *= contrast;
    def.regions = &half;
    def.region_materials = &stiff;
    def.region_count = 1;
    def.tetmg.accuracy = 1e-5;
    return sn_split_newton_distance(def, SINEW_INTEGRATOR_EULER);
}

static void bears_contrast(void **state)
{
    (void)state;
    // One rounding of a stress in the stiff half is 1.2e-7 of its modulus, and equal cells round
    // alike: 1.2e-3 of the soft one's, and as much of a metre at the tip, where the soft half bends
    // by some 0.2 m. Seen are 1.4e-4 to 1.8e-3, by how the last bits fall.
    assert_at_most(error_with(1e4), 4e-3);
    // The soft half hangs on the stiff one and feels nothing of that: 1.2e-6 seen.
    assert_at_most(error_with(1e-4), 1e-5);
}

static void workers_never_change_the_bits(void **state)
{
    (void)state;
    static const int counts[] = {2, 3, 8};
    SnSplitRigDef def = rig_default();
    def.cells[0] = 40, def.cells[1] = def.cells[2] = 8;
    uint64_t one = sn_split_hash_after(&def, 4);
    for (int i = 0; i < SN_COUNT(counts); ++i) {
        def.worker_count = counts[i];
        assert_true(sn_split_hash_after(&def, 4) == one);
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
    uint64_t expected = sn_split_hash_after(&def, 3);
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        if (sn_isa_runs((SnIsa)isa)) {
            setenv("SINEW_ISA", sn_isa_name((SnIsa)isa), 1);
            assert_true(sn_split_hash_after(&def, 3) == expected);
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
        sn_split_check_restored(&def);
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

static void pins_go_where_they_are_told(void **state)
{
    (void)state;
    SnSplitRigDef def = rig_default();
    sn_split_check_pins(&def);
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
    assert_int_equal(sn_split_rig_try(&def, &rig, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "neo_hookean"));
    assert_non_null(strstr(error.text, "corotated or fixed_corotated for model tetmg"));
    sn_split_rig_destroy(&rig);
}

static SinewStatus make_and_step(const SinewAllocator *allocator, void *context, SinewError *error)
{
    (void)context;
    return sn_split_try_small(rig_default(), allocator, error);
}

static void survives_every_allocation_that_fails(void **state)
{
    (void)state;
    assert_true(sn_fail_each_allocation(make_and_step, NULL) > 20);
}

static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    SnSplitRigDef def = rig_default();
    sn_split_check_warm_steps_allocate_nothing(&def);
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
