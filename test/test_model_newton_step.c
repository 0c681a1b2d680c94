// Steps of the reference model against closed forms: an oscillator of one cell under each rule of
// motion, free flight, damping.
#include "support/newton_rig.h"
#include "support/test.h"

#include <math.h>

// P15 of the validation set: one cell of side 1, nu = 0, bottom held, top lifted by 0.1 m; the
// axial motion is exactly linear. omega = sqrt(2 E / rho) lumped, sqrt(3 E / rho) consistent.
static SnNewtonRig make_oscillator(SinewIntegrator integrator, SinewMass mass,
                                   const double damping[2])
{
    SnNewtonRigDef def = sn_newton_rig_default();
    def.material.young = 1e5;
    def.material.poisson = 0.0;
    def.material.damping_mass = damping[0];
    def.material.damping_stiffness = damping[1];
    def.newton.element = SINEW_ELEMENT_HEX;
    def.newton.integrator = integrator;
    def.newton.mass = mass;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SnNewtonRigPin pin = {{-1, -1, -1}, {2, 1e-6, 2}, "xyz"};
    assert_int_equal(sn_newton_rig_pins(&rig, &pin, 1, NULL), SINEW_OK);
    for (int v = 0; v < rig.body->elements.vertex_count; ++v) {
        if (rig.body->elements.rest[3 * v + 1] > 0.5) {
            rig.body->state.positions[3 * v + 1] += 0.1;
        }
    }
    return rig;
}

static double top_of(const SnNewtonRig *rig)
{
    return sn_newton_rig_moved(rig, sn_newton_rig_vertex(rig, 0.0, 1.0, 0.0), 1);
}

static double omega_of(SinewMass mass)
{
    return sqrt((mass == SINEW_MASS_LUMPED ? 2.0 : 3.0) * 1e5 / 1000.0);
}

static void test_backward_euler(void **state)
{
    (void)state;
    for (int mass = 0; mass < 2; ++mass) {
        SnNewtonRig rig =
            make_oscillator(SINEW_INTEGRATOR_EULER, (SinewMass)mass, (double[2]){0.0, 0.0});
        double w = omega_of((SinewMass)mass);
        for (int n = 1; n <= 50; ++n) {
            sn_newton_rig_step(&rig, 0.01, 1);
            double expected = 0.1 * pow(1.0 + w * w * 1e-4, -0.5 * n) * cos(n * atan(0.01 * w));
            assert_at_most(fabs(top_of(&rig) - expected), 1e-11); // rounding of 50 steps
        }
        sn_newton_rig_destroy(&rig);
    }
}

// (1 + h alpha) v1 - v0 + h w^2 (q1 + beta v1) = 0 with q1 = q0 + h v1.
static void test_rayleigh_damping(void **state)
{
    (void)state;
    for (int mass = 0; mass < 2; ++mass) {
        const double damping[2] = {0.7, 0.02};
        SnNewtonRig rig = make_oscillator(SINEW_INTEGRATOR_EULER, (SinewMass)mass, damping);
        double w = omega_of((SinewMass)mass), h = 0.01, q = 0.1, v = 0.0;
        for (int n = 1; n <= 30; ++n) {
            sn_newton_rig_step(&rig, h, 1);
            v = (v - h * w * w * q) / (1.0 + h * damping[0] + h * w * w * (damping[1] + h));
            q += h * v;
            assert_at_most(fabs(top_of(&rig) - q), 1e-11);
        }
        sn_newton_rig_destroy(&rig);
    }
}

// The rule of average acceleration keeps the energy of a linear body.
static void test_newmark_keeps_energy(void **state)
{
    (void)state;
    for (int mass = 0; mass < 2; ++mass) {
        SnNewtonRig rig =
            make_oscillator(SINEW_INTEGRATOR_NEWMARK, (SinewMass)mass, (double[2]){0.0, 0.0});
        SnMeasure measure;
        sn_newton_model.measure(rig.body, &measure);
        double start = measure.kinetic + measure.elastic;
        for (int n = 0; n < 200; ++n) {
            sn_newton_rig_step(&rig, 0.02, 1);
            sn_newton_model.measure(rig.body, &measure);
            assert_at_most(fabs(measure.kinetic + measure.elastic - start), 1e-9 * start);
        }
        sn_newton_rig_destroy(&rig);
    }
}

// Error after 0.2 s with n steps, of equal length or of lengths that alternate.
static double oscillator_error(SinewIntegrator integrator, int n, bool uneven)
{
    SnNewtonRig rig = make_oscillator(integrator, SINEW_MASS_LUMPED, (double[2]){0.0, 0.0});
    for (int i = 0; i < n; ++i) {
        double h = 0.2 / n;
        sn_newton_rig_step(&rig, uneven ? (i % 2 == 0 ? 1.25 * h : 0.75 * h) : h, 1);
    }
    double error = fabs(top_of(&rig) - 0.1 * cos(0.2 * omega_of(SINEW_MASS_LUMPED)));
    sn_newton_rig_destroy(&rig);
    return error;
}

static void test_orders(void **state)
{
    (void)state;
    double euler = oscillator_error(SINEW_INTEGRATOR_EULER, 200, false) /
                   oscillator_error(SINEW_INTEGRATOR_EULER, 400, false);
    assert_true(euler > 1.9 && euler < 2.1);
    for (int uneven = 0; uneven < 2; ++uneven) {
        double bdf2 = oscillator_error(SINEW_INTEGRATOR_BDF2, 200, uneven == 1) /
                      oscillator_error(SINEW_INTEGRATOR_BDF2, 400, uneven == 1);
        double newmark = oscillator_error(SINEW_INTEGRATOR_NEWMARK, 200, uneven == 1) /
                         oscillator_error(SINEW_INTEGRATOR_NEWMARK, 400, uneven == 1);
        assert_true(bdf2 > 3.7 && bdf2 < 4.3);
        assert_true(newmark > 3.9 && newmark < 4.1);
    }
}

// Free fall is a parabola, which BDF2 follows exactly if its first step does.
static void test_fall(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    def.newton.integrator = SINEW_INTEGRATOR_BDF2;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    double before = rig.body->state.positions[1];
    rig.step.gravity[1] = -10.0;
    for (int n = 1; n <= 4; ++n) {
        sn_newton_rig_step(&rig, 0.01, 1);
        double t = 0.01 * n;
        // Steps are solved to 1e-8 or so of the forces at play.
        assert_at_most(fabs(rig.body->state.positions[1] - before + 5.0 * t * t), 1e-9);
        assert_at_most(fabs(rig.body->state.velocities[1] + 10.0 * t), 1e-7);
    }
    sn_newton_rig_destroy(&rig);
}

// A free body that spins and rings keeps its momentum over ten thousand steps.
static void test_momentum(void **state)
{
    (void)state;
    for (int rule = 0; rule < 3; ++rule) {
        SnNewtonRigDef def = sn_newton_rig_default();
        def.cut = SN_BOX_FIVE;
        def.newton.integrator = (SinewIntegrator)rule;
        def.newton.mass = rule == 1 ? SINEW_MASS_CONSISTENT : SINEW_MASS_LUMPED;
        SnNewtonRig rig = sn_newton_rig_make(&def);
        SnMeasure before, after;
        sn_newton_model.start(rig.body, SINEW_START_REST, (double[3]){1.0, -2.0, 0.5},
                              (double[3]){3.0, 1.0, -2.0});
        sn_newton_model.measure(rig.body, &before);
        int steps = sn_test_share(10000);
        sn_newton_rig_step(&rig, 0.01, steps);
        sn_newton_model.measure(rig.body, &after);
        for (int k = 0; k < 3; ++k) {
            // 1e4 roundings of 1e-16, were they all to one side.
            assert_at_most(fabs(after.momentum[k] - before.momentum[k]), 1e-12 * 2291.0);
            // The middle of mass flies straight.
            double way = before.momentum[k] / before.mass * 0.01 * steps;
            assert_at_most(fabs(after.mass_center[k] - before.mass_center[k] - way), 1e-9);
        }
        sn_newton_rig_destroy(&rig);
    }
}

// P14: a stiff box that spins freely loses angular momentum under backward Euler, by the recursion
// tan(D') = sin(D) / (2 - cos(D)) of a rigid one.
static void test_spin(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    memcpy(def.max, (double[3]){1.0, 0.6, 0.4}, sizeof def.max);
    memcpy(def.cells, (int[3]){3, 2, 1}, sizeof def.cells);
    def.newton.element = SINEW_ELEMENT_HEX; // whose mass is as symmetric as the box
    def.material.young = 1e9;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SnMeasure before, after;
    double turn = atan(5.0 * 0.01);
    sn_newton_model.start(rig.body, SINEW_START_REST, (double[3]){0}, (double[3]){0, 0, 5.0});
    sn_newton_model.measure(rig.body, &before);
    for (int n = 1; n <= 50; ++n) {
        sn_newton_rig_step(&rig, 0.01, 1);
        sn_newton_model.measure(rig.body, &after);
        double expected = sin(turn) / (5.0 * 0.01);
        // The box is not rigid: 1e-5 at E = 1e8, less here.
        assert_at_most(fabs(after.angular_momentum[2] / before.angular_momentum[2] - expected),
                       5e-6);
        turn = atan(sin(turn) / (2.0 - cos(turn)));
    }
    sn_newton_rig_destroy(&rig);
}

// A stiff body far from the origin, fast and without forces, still converges and keeps its shape.
static void test_far_flight(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    memcpy(def.min, (double[3]){1e4, -1e4, 1e3}, sizeof def.min);
    memcpy(def.max, (double[3]){1e4 + 1.0, -1e4 + 1.0, 1e3 + 1.0}, sizeof def.max);
    memcpy(def.cells, (int[3]){2, 2, 2}, sizeof def.cells);
    def.material.young = 1e9;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SnMeasure measure;
    sn_newton_model.start(rig.body, SINEW_START_REST, (double[3]){300, 20, -5}, (double[3]){0});
    sn_newton_rig_step(&rig, 1e-3, 200);
    sn_newton_model.measure(rig.body, &measure);
    assert_at_most(fabs(measure.momentum[0] / measure.mass - 300.0), 1e-10);
    assert_at_most(measure.elastic, 1e-6); // strains of 1e-12, places being rounded to 2e-12 m
    sn_newton_rig_destroy(&rig);
}

// Free fall: backward Euler falls g h^2 n (n + 1) / 2, the second-order rule g t^2 / 2; no strain.
static void test_free_fall(void **state)
{
    (void)state;
    for (int rule = 0; rule < 3; rule += 2) {
        SnNewtonRigDef def = sn_newton_rig_default();
        def.newton.integrator = (SinewIntegrator)rule;
        SnNewtonRig rig = sn_newton_rig_make(&def);
        SnMeasure measure;
        rig.step.gravity[2] = -9.81;
        sn_newton_rig_step(&rig, 0.01, 100);
        sn_newton_model.measure(rig.body, &measure);
        double fall = rule == 0 ? 9.81 * 1e-4 * 100 * 101 / 2 : 9.81 / 2;
        for (int v = 0; v < 8; ++v) {
            assert_at_most(fabs(sn_newton_rig_moved(&rig, v, 2) + fall), 1e-11);
        }
        assert_at_most(measure.elastic, 1e-18);
        sn_newton_rig_destroy(&rig);
    }
}

// A pin that moves at an even speed drags the body along; in the end the whole moves so.
static void test_moving_pin(void **state)
{
    (void)state;
    for (int rule = 0; rule < 3; ++rule) {
        SnNewtonRigDef def = sn_newton_rig_default();
        def.newton.integrator = (SinewIntegrator)rule;
        def.material.law = SINEW_LAW_NEO_HOOKEAN;
        def.material.damping_mass = 0.0;
        def.material.damping_stiffness = 0.05;
        SnNewtonRig rig = sn_newton_rig_make(&def);
        SnNewtonRigPin pin = {{-1, -1, -1}, {1e-6, 2, 2}, "xyz"};
        double wrench[6];
        assert_int_equal(sn_newton_rig_pins(&rig, &pin, 1, NULL), SINEW_OK);
        for (int i = 1; i <= 300; ++i) {
            rig.motions[0].m[3] = 0.02 * i;
            sn_newton_rig_step(&rig, 0.01, 1);
        }
        for (int v = 0; v < 8; ++v) {
            assert_at_most(fabs(rig.body->state.velocities[3 * v] - 2.0), 1e-3);
        }
        sn_newton_model.reaction(rig.body, 0, wrench);
        assert_at_most(fabs(wrench[0]), 10.0);
        sn_newton_rig_destroy(&rig);
    }
}

// A hanging body in equilibrium: the pin carries the weight, and its moment is about the origin.
static void test_reaction_in_motion(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    def.material.damping_mass = 20.0;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SnNewtonRigPin pin = {{-1, 1 - 1e-6, -1}, {2, 2, 2}, "xyz"};
    double wrench[6];
    assert_int_equal(sn_newton_rig_pins(&rig, &pin, 1, NULL), SINEW_OK);
    rig.step.gravity[1] = -9.81;
    sn_newton_rig_step(&rig, 0.05, 200);
    sn_newton_model.reaction(rig.body, 0, wrench);
    SnMeasure measure;
    sn_newton_model.measure(rig.body, &measure);
    assert_at_most(fabs(wrench[1] - 9810.0), 1e-4);
    assert_at_most(fabs(wrench[5] - 9810.0 * measure.mass_center[0]), 1e-3);
    assert_at_most(fabs(wrench[3] + 9810.0 * measure.mass_center[2]), 1e-3);
    sn_newton_rig_destroy(&rig);
}

static void test_wrong_start_is_named(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    def.material.law = SINEW_LAW_NEO_HOOKEAN;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SinewError error;
    sn_newton_model.start(rig.body, SINEW_START_MIRRORED, (double[3]){0}, (double[3]){0});
    rig.step.dt = 0.01;
    assert_int_equal(sn_newton_model.step(rig.body, &rig.step, &rig.report, &error),
                     SINEW_ERROR_DIVERGED);
    assert_non_null(strstr(error.text, "body \"rig\": det F of element 0 is -1 at the start"));
    rig.body->state.positions[4] = NAN;
    assert_int_equal(sn_newton_model.step(rig.body, &rig.step, &rig.report, &error),
                     SINEW_ERROR_DIVERGED);
    assert_non_null(strstr(error.text, "the position of vertex 1 is nan m"));
    sn_newton_rig_destroy(&rig);
}

// From any start a law without a barrier comes back to its shape.
static void test_robust_starts(void **state)
{
    (void)state;
    for (int start = SINEW_START_FLATTENED; start <= SINEW_START_SCRAMBLED; ++start) {
        SnNewtonRigDef def = sn_newton_rig_default();
        def.material.law = SINEW_LAW_STABLE_NEO_HOOKEAN;
        def.material.damping_mass = 5.0;
        memcpy(def.cells, (int[3]){2, 2, 2}, sizeof def.cells);
        SnNewtonRig rig = sn_newton_rig_make(&def);
        SnMeasure measure;
        SinewError error;
        sn_newton_model.start(rig.body, (SinewStart)start, (double[3]){0}, (double[3]){0});
        rig.step.dt = 0.05;
        rig.step.pin_motions = rig.motions;
        for (int i = 0; i < 100; ++i) {
            SinewStatus status = sn_newton_model.step(rig.body, &rig.step, &rig.report, &error);
            if (status < 0) {
                fail_msg("start %d, step %d: %s", start, i, error.text);
            }
        }
        sn_newton_model.measure(rig.body, &measure);
        assert_true(isfinite(measure.elastic));
        if (start == SINEW_START_SCRAMBLED) {
            assert_int_equal(measure.inverted_count, 0);
            assert_at_most(measure.elastic, 1e-3);
        }
        sn_newton_rig_destroy(&rig);
    }
}

// A soft cantilever let go, in long steps: many linearisations each.
static SnNewtonRig make_soft(int max_solves)
{
    SnNewtonRigDef def = sn_newton_rig_default();
    memcpy(def.max, (double[3]){1.0, 0.2, 0.2}, sizeof def.max);
    memcpy(def.cells, (int[3]){10, 2, 2}, sizeof def.cells);
    def.material.young = 1e4;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SnNewtonRigPin pin = {{-1, -1, -1}, {1e-6, 1, 1}, "xyz"};
    assert_int_equal(sn_newton_rig_pins(&rig, &pin, 1, NULL), SINEW_OK);
    rig.step.gravity[1] = -9.81;
    rig.step.dt = 0.3;
    rig.step.max_solves = max_solves;
    return rig;
}

// A step that may take four solves takes about that many, says that it was capped, and the body
// stays whole: it ends near where the unlimited one does.
static void test_capped_steps(void **state)
{
    (void)state;
    SnNewtonRig free_rig = make_soft(0), capped_rig = make_soft(4);
    int capped = 0, most = 0;
    free_rig.step.pin_motions = free_rig.motions;
    capped_rig.step.pin_motions = capped_rig.motions;
    for (int n = 0; n < 40; ++n) {
        SinewError error;
        SinewStatus status =
            sn_newton_model.step(free_rig.body, &free_rig.step, &free_rig.report, &error);
        assert_int_equal(status, SINEW_OK);
        assert_int_equal(free_rig.report.capped, 0);
        most = free_rig.report.linear_solves > most ? free_rig.report.linear_solves : most;
        status =
            sn_newton_model.step(capped_rig.body, &capped_rig.step, &capped_rig.report, &error);
        assert_int_equal(status, capped_rig.report.capped ? SINEW_NOT_CONVERGED : SINEW_OK);
        // The last iteration may factor again where the tangent is not definite.
        assert_true(capped_rig.report.linear_solves <= 4 + 3);
        capped += capped_rig.report.capped;
    }
    assert_true(most > 6);
    assert_true(capped > 0);
    double whole = sn_newton_rig_moved(&free_rig, sn_newton_rig_vertex(&free_rig, 1, 0, 0), 1);
    double cut = sn_newton_rig_moved(&capped_rig, sn_newton_rig_vertex(&capped_rig, 1, 0, 0), 1);
    // Both hang still after 12 s of backward Euler, which takes energy out in long steps.
    assert_at_most(fabs(cut / whole - 1.0), 1e-2);
    sn_newton_rig_destroy(&free_rig);
    sn_newton_rig_destroy(&capped_rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_capped_steps),
    cmocka_unit_test(test_backward_euler),
    cmocka_unit_test(test_rayleigh_damping),
    cmocka_unit_test(test_newmark_keeps_energy),
    cmocka_unit_test(test_orders),
    cmocka_unit_test(test_fall),
    cmocka_unit_test(test_momentum),
    cmocka_unit_test(test_spin),
    cmocka_unit_test(test_far_flight),
    cmocka_unit_test(test_free_fall),
    cmocka_unit_test(test_moving_pin),
    cmocka_unit_test(test_reaction_in_motion),
    cmocka_unit_test(test_wrong_start_is_named),
    cmocka_unit_test(test_robust_starts),
};

SN_TEST_GROUP(model_newton_step, tests);
