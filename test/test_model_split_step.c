// Bodies of `split`: what they agree with, what they survive, and what never changes their bits.
#include "support/fail_allocator.h"
#include "support/split_checks.h"
#include "support/test.h"

#include <math.h>

// S5 of the validation set, by double residuals and float directions.
static void bends_as_the_reference(void **state)
{
    (void)state;
    SnSplitRigDef def = sn_split_rig_default();
    sn_split_check_beam(&def);
}

// A straight column under a load beyond Euler's: it balances, but only until something pushes it.
// The solve leaves that state and finds the bent one.
static void columns_buckle(void **state)
{
    (void)state;
    SnSplitRigDef def = sn_split_rig_default();
    memcpy(def.max, (double[3]){1.0, 0.1, 0.12}, sizeof def.max);
    memcpy(def.cells, (int[3]){16, 2, 2}, sizeof def.cells);
    for (int heavy = 0; heavy < 2; ++heavy) {
        SnSplitRig rig = sn_split_rig_make(&def);
        SinewError error = {.text = ""};
        double sideways = 0.0, bent = 0.0;
        sn_split_rig_pin(&rig, 1e-6, "xyz");
        // Euler's critical weight of a standing column is 7.84 E I / L^2 = 32 to 55 N; it has 12
        // kg.
        rig.step.gravity[0] = heavy ? -9.81 : -1.0;
        rig.step.pin_motions = rig.motions;
        rig.step.tolerance = 1e-6;
        if (sn_split_model.solve_static(rig.body, &rig.step, &rig.report, &error) != SINEW_OK) {
            fail_msg("%s; residual %g", error.text, rig.report.residual);
        }
        SinewBodyMesh mesh = sn_split_model.mesh(rig.body);
        for (int v = 0; v < mesh.vertex_count; ++v) {
            sideways = fmax(sideways, fabs(mesh.positions[3 * v + 1] - mesh.rest[3 * v + 1]));
            bent = fmax(bent, mesh.rest[3 * v] - mesh.positions[3 * v]);
        }
        assert_true(heavy ? sideways > 0.3 && bent > 0.3 : sideways < 1e-3 && bent < 0.01);
        sn_split_rig_destroy(&rig);
    }
}

static void converges_to_newton(void **state)
{
    (void)state;
    SnSplitRigDef def = sn_split_rig_default();
    for (int i = 0; i < 4; ++i) {
        SinewIntegrator rule = i / 2 == 0 ? SINEW_INTEGRATOR_EULER : SINEW_INTEGRATOR_BDF2;
        def.material.law = i % 2 == 0 ? SINEW_LAW_COROTATED : SINEW_LAW_FIXED_COROTATED;
        def.split.newton = 1, def.split.pcg = 1;
        double rough = sn_split_newton_distance(def, rule);
        def.split.newton = 0, def.split.pcg = 0;
        double standard = sn_split_newton_distance(def, rule);
        def.split.newton = 8, def.split.pcg = 40;
        double fine = sn_split_newton_distance(def, rule);
        // The tip moves by some 0.2 m; float places are good to 1e-7, stresses to some 1e-6 of E.
        assert_at_most(standard, 2e-3);
        assert_at_most(standard, rough);
        assert_at_most(fine, 1e-5);
    }
}

// Held at rest or bent by its weight, soft or hard: rounding of places is no rise of the energy.
static void rounding_needs_no_rescue(void **state)
{
    (void)state;
    static const double young[] = {1e6, 1e8, 1e9};
    for (int i = 0; i < 4 * SN_COUNT(young); ++i) {
        SnSplitRigDef def = sn_split_rig_default();
        def.cells[0] = 10, def.cells[1] = def.cells[2] = 2;
        def.material.young = young[i / 4];
        def.split.integrator = i % 2 == 0 ? SINEW_INTEGRATOR_EULER : SINEW_INTEGRATOR_BDF2;
        SnSplitRig rig = sn_split_rig_make(&def);
        sn_split_rig_pin(&rig, 1e-6, "xyz");
        rig.step.gravity[1] = i % 4 < 2 ? 0.0 : -9.81;
        for (int t = 0; t < 60; ++t) {
            sn_split_rig_step(&rig, 0.01, 1);
            assert_int_equal(rig.report.rescues, 0);
        }
        double moved = sn_split_rig_distance(&rig, rig.body->state.positions, rig.body->rest);
        // At rest it stays within some roundings of places of 1 m.
        assert_true(rig.step.gravity[1] == 0.0 ? moved < 1e-6 : moved > 1e-5);
        sn_split_rig_destroy(&rig);
    }
}

// Mode paper with each way to find rotations: a beam swings as with the default, and stays whole.
// QR's rotation by itself is not the closest: after these steps it had 20 kJ and 41 inverted tets.
static void any_rotation_will_do(void **state)
{
    (void)state;
    static const SinewRotationMethod methods[] = {SINEW_ROTATION_APD, SINEW_ROTATION_SVD,
                                                  SINEW_ROTATION_POLAR, SINEW_ROTATION_QR};
    double *first = NULL;
    for (int i = 0; i < SN_COUNT(methods); ++i) {
        SnSplitRigDef def = sn_split_rig_default();
        SnMeasure measure;
        def.cells[0] = 10, def.cells[1] = def.cells[2] = 2;
        def.split.mode = SINEW_SPLIT_PAPER;
        def.split.rotation = methods[i];
        SnSplitRig rig = sn_split_rig_make(&def);
        size_t size = sn_split_dofs(rig.body) * sizeof *first;
        sn_split_rig_pin(&rig, 1e-6, "xyz");
        rig.step.gravity[1] = -9.81;
        sn_split_rig_step(&rig, 0.01, 300);
        if (i == 0) {
            first = malloc(size);
            memcpy(first, rig.body->state.positions, size);
        }
        sn_split_model.measure(rig.body, &measure);
        assert_int_equal(measure.inverted_count, 0);
        // Rotations agree within 1e-6 or so in a step, and the motion is damped; it moves by 0.1 m.
        assert_at_most(sn_split_rig_distance(&rig, first, rig.body->state.positions), 1e-4);
        sn_split_rig_destroy(&rig);
    }
    free(first);
}

// Free fall is a parabola, which BDF2 follows if its first step does.
static void falls_along_a_parabola(void **state)
{
    (void)state;
    SnSplitRigDef def = sn_split_rig_default();
    def.split.integrator = SINEW_INTEGRATOR_BDF2;
    SnSplitRig rig = sn_split_rig_make(&def);
    double before = rig.body->state.positions[1];
    rig.step.gravity[1] = -10.0;
    for (int n = 1; n <= 4; ++n) {
        sn_split_rig_step(&rig, 0.01, 1);
        double t = 0.01 * n;
        // Places are floats of a body of 1 m.
        assert_at_most(fabs(rig.body->state.positions[1] - before + 5.0 * t * t), 1e-6);
        assert_at_most(fabs(rig.body->state.velocities[1] + 10.0 * t), 1e-4);
    }
    assert_int_equal(rig.report.factorisations, 0);
    sn_split_rig_destroy(&rig);
}

static void workers_never_change_the_bits(void **state)
{
    (void)state;
    static const int counts[] = {2, 3, 8};
    for (int mode = 0; mode < 2; ++mode) {
        SnSplitRigDef def = sn_split_rig_default();
        def.cells[0] = 40, def.cells[1] = def.cells[2] = 8;
        def.split.mode = (SinewSplitMode)mode;
        uint64_t one = sn_split_hash_after(&def, 4);
        for (int i = 0; i < SN_COUNT(counts); ++i) {
            def.worker_count = counts[i];
            assert_true(sn_split_hash_after(&def, 4) == one);
        }
    }
}

// In portable mode every instruction set gives the same bits, in both modes and by both rules.
static void portable_bits_are_the_same_everywhere(void **state)
{
    (void)state;
    for (int mode = 0; mode < 4; ++mode) {
        uint64_t first = 0;
        for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
            SnSplitRigDef def = sn_split_rig_default();
            def.split.mode = mode == 0 ? SINEW_SPLIT_PAPER : SINEW_SPLIT_IMPLICIT;
            def.split.integrator = mode == 3 ? SINEW_INTEGRATOR_BDF2 : SINEW_INTEGRATOR_EULER;
            def.material.law = mode == 2 ? SINEW_LAW_FIXED_COROTATED : SINEW_LAW_COROTATED;
            if (!sn_isa_runs((SnIsa)isa)) {
                continue;
            }
            def.kernels = sn_kernels_of((SnIsa)isa, SN_PORTABLE_BITS);
            uint64_t hash = sn_split_hash_after(&def, 6);
            first = first == 0 ? hash : first;
            assert_true(hash == first);
        }
    }
}

static void restored_states_go_on_with_the_same_bits(void **state)
{
    (void)state;
    for (int rule = 0; rule < 2; ++rule) {
        SnSplitRigDef def = sn_split_rig_default();
        def.split.integrator = (SinewIntegrator)rule;
        sn_split_check_restored(&def);
    }
}

static void pins_go_where_they_are_told(void **state)
{
    (void)state;
    SnSplitRigDef def = sn_split_rig_default();
    sn_split_check_pins(&def);
}

static void refuses_other_laws(void **state)
{
    (void)state;
    SnSplitRigDef def = sn_split_rig_default();
    SnSplitRig rig;
    SinewError error;
    def.material.law = SINEW_LAW_NEO_HOOKEAN;
    assert_int_equal(sn_split_rig_try(&def, &rig, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "neo_hookean"));
    assert_non_null(strstr(error.text, "corotated or fixed_corotated"));
    sn_split_rig_destroy(&rig);
    def.material.law = SINEW_LAW_COROTATED;
    def.material.damping_stiffness = 0.01;
    def.split.mode = SINEW_SPLIT_PAPER;
    assert_int_equal(sn_split_rig_try(&def, &rig, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "damping by stiffness is 0.01"));
    assert_non_null(strstr(error.text, "mode implicit has it"));
    sn_split_rig_destroy(&rig);
}

static SinewStatus make_and_step(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SnSplitRigDef def = sn_split_rig_default();
    def.split.mode = *(SinewSplitMode *)context;
    return sn_split_try_small(def, allocator, error);
}

static void survives_every_allocation_that_fails(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        SinewSplitMode choice = (SinewSplitMode)mode;
        assert_true(sn_fail_each_allocation(make_and_step, &choice) > 20);
    }
}

static void warm_steps_allocate_nothing(void **state)
{
    (void)state;
    SnSplitRigDef def = sn_split_rig_default();
    sn_split_check_warm_steps_allocate_nothing(&def);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bends_as_the_reference),
    cmocka_unit_test(columns_buckle),
    cmocka_unit_test(converges_to_newton),
    cmocka_unit_test(rounding_needs_no_rescue),
    cmocka_unit_test(any_rotation_will_do),
    cmocka_unit_test(falls_along_a_parabola),
    cmocka_unit_test(workers_never_change_the_bits),
    cmocka_unit_test(portable_bits_are_the_same_everywhere),
    cmocka_unit_test(restored_states_go_on_with_the_same_bits),
    cmocka_unit_test(pins_go_where_they_are_told),
    cmocka_unit_test(refuses_other_laws),
    cmocka_unit_test(survives_every_allocation_that_fails),
    cmocka_unit_test(warm_steps_allocate_nothing),
};

SN_TEST_GROUP(model_split_step, tests);
