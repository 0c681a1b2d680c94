// Rayleigh's damping by stiffness, and cells that count with the share of them that is filled.
#include "support/test.h"

#include "support/worlds.h"

#include <math.h>

static SinewWorld *make_world(void)
{
    SinewError error;
    SinewWorldDef def = sinew_world_def_default();
    SinewWorld *world = NULL;
    def.gravity[1] = 0.0;
    expect_done(sinew_world_create(&def, &world, &error), &error);
    return world;
}

static SinewBodyDef bar_of(SinewModelKind kind, double beta)
{
    SinewBodyDef def = sinew_body_def_default();
    def.shape.kind = SINEW_SHAPE_BOX;
    for (int k = 0; k < 3; ++k) {
        def.shape.max[k] = k == 0 ? 2.0 : 0.5;
        def.cells[k] = k == 0 ? 8 : 2;
    }
    def.model = kind;
    def.newton.element = SINEW_ELEMENT_HEX;
    def.newton.integrator = def.lattice.integrator = SINEW_INTEGRATOR_BDF2;
    def.lattice.tolerance = 1e-7;
    def.material.damping_stiffness = beta;
    def.linear_velocity[0] = 0.2;
    return def;
}

// A bar that runs into its clamp, and rings: what is left of its energy after some periods.
static double energy_left(SinewModelKind kind, double beta)
{
    SinewError error;
    SinewWorld *world = make_world();
    SinewBodyDef def = bar_of(kind, beta);
    SinewBodyId body;
    double values[6];
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    world_hold(world, body, region_box(-0.01, -1, -1, 0.01, 1, 1));
    for (int s = 0; s < 200; ++s) {
        expect_done(sinew_world_step(world, 0.002, &error), &error);
    }
    world_read(world, world_probe(world, body, SINEW_REPORT_ENERGY), values);
    sinew_world_destroy(world);
    return values[0] + values[1];
}

static void it_damps_as_newton_does(void **state)
{
    (void)state;
    double free = energy_left(SINEW_MODEL_LATTICE, 0.0);
    double damped = energy_left(SINEW_MODEL_LATTICE, 6e-3);
    double reference = energy_left(SINEW_MODEL_NEWTON, 6e-3);
    assert_true(damped < 0.5 * free);
    // The cells differ by some per cent in stiffness, and so do the periods.
    assert_at_most(fabs(damped / reference - 1.0), 0.05);
}

// K of a rigid motion is nothing, also when beta is large: the body flies and spins on.
static void rigid_motion_is_not_damped(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = make_world();
    SinewBodyDef def = bar_of(SINEW_MODEL_LATTICE, 0.1);
    SinewBodyId body;
    double first[6], last[6];
    def.lattice.integrator = SINEW_INTEGRATOR_EULER;
    def.linear_velocity[1] = 3.0;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    SinewProbeId momentum = world_probe(world, body, SINEW_REPORT_MOMENTUM);
    world_read(world, momentum, first);
    for (int s = 0; s < 20; ++s) {
        expect_done(sinew_world_step(world, 0.01, &error), &error);
    }
    world_read(world, momentum, last);
    for (int k = 0; k < 3; ++k) { // 1.5e3 kg m/s, each step solved to 1e-7
        assert_at_most(fabs(last[k] - first[k]), 1e-6 * 1.5e3);
    }
    sinew_world_destroy(world);
}

// Half of a bar damps: materials have their own beta.
static void regions_damp_by_themselves(void **state)
{
    (void)state;
    SinewError error;
    double left[2];
    for (int n = 0; n < 2; ++n) {
        SinewWorld *world = make_world();
        SinewBodyDef def = bar_of(SINEW_MODEL_LATTICE, 0.0);
        SinewMaterialRegion half = {.within = region_box(0, 0, 0, 1, 1, 1)};
        SinewBodyId body;
        double values[6];
        half.material = def.material;
        half.material.damping_stiffness = n == 0 ? 0.0 : 2e-3;
        def.regions = &half;
        def.region_count = 1;
        expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
        world_hold(world, body, region_box(-0.01, -1, -1, 0.01, 1, 1));
        world_steps(world, 100, 0.002);
        world_read(world, world_probe(world, body, SINEW_REPORT_ENERGY), values);
        left[n] = values[0] + values[1];
        sinew_world_destroy(world);
    }
    assert_true(left[1] < 0.8 * left[0]);
}

// A rod held at one end sags by its weight; stiffness and mass are those of a circle, if cells on
// the outside count as they are filled.
static double sag_of(int resolution, SinewLatticeFill fill, double *out_mass)
{
    SinewError error;
    SinewWorldDef world_def = sinew_world_def_default();
    SinewWorld *world = NULL;
    SinewBodyDef def = sinew_body_def_default();
    SinewBodyId body;
    SinewProbeDef probe = sinew_probe_def_default();
    SinewProbeId tip;
    double values[6];
    world_def.gravity[1] = -0.1;
    expect_done(sinew_world_create(&world_def, &world, &error), &error);
    def.shape.kind = SINEW_SHAPE_CYLINDER;
    def.shape.radius = 0.22;
    def.shape.to[0] = 2.0;
    def.resolution = resolution;
    def.model = SINEW_MODEL_LATTICE;
    def.lattice.fill = fill;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    world_hold(world, body, region_box(-1, -1, -1, 1e-6, 1, 1));
    expect_done(sinew_world_solve_static(world, 1.0, 1e-6, &error), &error);
    probe.body = body;
    probe.has_point = 1;
    probe.point[0] = 2.0;
    probe.report = SINEW_REPORT_DISPLACEMENT;
    expect_done(sinew_world_add_probe(world, &probe, &tip, &error), &error);
    world_read(world, tip, values);
    *out_mass = sinew_body_info(world, body).mass;
    // One material, so that the volume at rest is the mass over the density; 64 shares a cell, and
    // sums of some thousand terms.
    assert_at_most(fabs(1000.0 * sinew_body_info(world, body).volume / *out_mass - 1.0), 1e-9);
    print_message("resolution %d, fill %d: sag %g m, mass %g kg, %d of the solver\n", resolution,
                  (int)fill, values[1], *out_mass, sinew_world_report(world).linear_solves);
    sinew_world_destroy(world);
    return values[1];
}

static void filled_shares_are_nearer_the_truth(void **state)
{
    (void)state;
    double exact_mass = 1000.0 * 3.14159265358979 * 0.22 * 0.22 * 2.0;
    double inertia = 3.14159265358979 / 4.0 * 0.22 * 0.22 * 0.22 * 0.22;
    // Euler and Bernoulli, w L^4 / (8 E I), and Timoshenko's shear w L^2 / (2 k G A) with k =
    // 0.886.
    double load = exact_mass / 2.0 * 0.1;
    double exact = load * 16.0 / (8.0 * 1e6 * inertia) +
                   load * 4.0 / (2.0 * 0.886 * 1e6 / 2.6 * exact_mass / 2000.0);
    double mass[2], sag[2];
    for (int fill = 0; fill < 2; ++fill) {
        sag[fill] = -sag_of(28, (SinewLatticeFill)fill, &mass[fill]);
    }
    print_message("exact: %g m, %g kg\n", exact, exact_mass);
    assert_at_most(fabs(mass[1] / exact_mass - 1.0), 0.03); // 64 points a cell
    // Material of a cut cell counts at the cell's middle, which lies too far out: 20 % too stiff at
    // 3.5 cells of thickness, less here.
    assert_at_most(fabs(sag[1] / exact - 1.0), 0.1);
    assert_true(fabs(mass[0] / exact_mass - 1.0) > 0.1);
    assert_true(fabs(sag[0] / exact - 1.0) > 2.0 * fabs(sag[1] / exact - 1.0));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(it_damps_as_newton_does),
    cmocka_unit_test(rigid_motion_is_not_damped),
    cmocka_unit_test(regions_damp_by_themselves),
    cmocka_unit_test(filled_shares_are_nearer_the_truth),
};

SN_TEST_GROUP(model_lattice_damping, tests);
