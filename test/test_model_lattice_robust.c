// How far `lattice` can be driven: long stretches in single steps, stiff cells in soft ones, starts
// that are no shapes at all, columns that buckle, pieces that nothing holds.
#include "support/test.h"

#include "support/lattice_rig.h"
#include "support/worlds.h"

#include <math.h>

// Stretched by s the sides of a bar of this law shrink to 1 - nu (s - 1), until they meet: at 4.33
// times its length for nu = 0.3, at 3.22 for 0.45. Up to there one solve leads from each length to
// the next.
static void long_stretches_converge(void **state)
{
    (void)state;
    const int cells[3] = {12, 4, 4};
    const struct {
        double poisson, factors[3];
    } cases[] = {{0.05, {2.4, 5.0, 10.0}}, {0.3, {2.4, 3.0, 4.0}}, {0.45, {2.4, 2.6, 2.9}}};
    for (int n = 0; n < 2 * SN_COUNT(cases); ++n) {
        LatticeRig rig;
        SinewLatticeDef options = sinew_lattice_def_default();
        options.element = n % 2 == 0 ? SINEW_LATTICE_WILSON : SINEW_LATTICE_MCADAMS;
        lattice_rig_make(&rig, cells, cases[n / 2].poisson, &options);
        for (int f = 0; f < 3; ++f) {
            SinewError error = {0};
            double factor = cases[n / 2].factors[f];
            if (lattice_rig_stretch(&rig, factor, 1e-6, &error) != SINEW_OK) {
                fail_msg("Poisson %g, %gx: %s", cases[n / 2].poisson, factor, error.text);
            }
            print_message("element %d, Poisson %g, %gx: %d iterations, %d load steps\n", n % 2,
                          cases[n / 2].poisson, factor, rig.report.iterations, rig.report.substeps);
        }
        lattice_rig_release(&rig);
    }
}

// Beyond that there is no equilibrium with a gradient. Steps of motion stay finite all the same,
// and what is let go comes back.
static void what_is_torn_comes_back(void **state)
{
    (void)state;
    const int cells[3] = {8, 2, 2};
    const double factors[] = {2.4, 5.0, 10.0, 5.0, 2.4, 1.0, 1.0, 1.0, 1.0, 1.0};
    for (int n = 0; n < 2; ++n) {
        LatticeRig rig;
        SnMeasure measure;
        SinewLatticeDef options = sinew_lattice_def_default();
        SinewError error = {0};
        lattice_rig_make(&rig, cells, n == 0 ? 0.3 : 0.45, &options);
        for (int f = 0; f < SN_COUNT(factors); ++f) {
            SnStep step = {.pin_motions = rig.motions, .dt = 0.5};
            rig.motions[1].m[3] = (factors[f] - 1.0) * rig.body->size;
            if (sn_lattice_model.step(rig.body, &step, &rig.report, &error) < 0) {
                fail_msg("%gx: %s", factors[f], error.text);
            }
        }
        sn_lattice_model.measure(rig.body, &measure);
        assert_int_equal(measure.inverted_count, 0);
        assert_at_most(measure.elastic, 1e-3 * 32.0 * 1e6); // of what a strain of 1 would store
        lattice_rig_release(&rig);
    }
}

// A bar with a core of stiff cells, held at one end, under its weight: iterations of the solver for
// each of Newton's.
static double solver_iterations(double contrast)
{
    SinewError error;
    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyDef def = sinew_body_def_default();
    SinewMaterialRegion bone = {.within = region_box(0.0, 0.3, 0.3, 1.5, 0.7, 0.7)};
    SinewWorld *world = NULL;
    SinewBodyId body;
    for (int k = 0; k < 3; ++k) {
        def.shape.max[k] = k == 0 ? 3.0 : 1.0;
        def.cells[k] = k == 0 ? 30 : 10;
    }
    def.shape.kind = SINEW_SHAPE_BOX;
    def.model = SINEW_MODEL_LATTICE;
    bone.material = def.material;
    bone.material.young = contrast * def.material.young;
    def.regions = &bone;
    def.region_count = 1;
    expect_done(sinew_world_create(&world_def, &world, &error), &error);
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    world_hold(world, body, region_box(-1, -1, -1, 0.01, 2, 2));
    expect_done(sinew_world_solve_static(world, 1.0, 1e-6, &error), &error);
    SinewStepReport report = sinew_world_report(world);
    print_message("contrast %g: %d iterations, %d of the solver\n", contrast, report.iterations,
                  report.linear_solves);
    sinew_world_destroy(world);
    return (double)report.linear_solves / report.iterations;
}

static void contrast_converges(void **state)
{
    (void)state;
    // 3.6, 6 and 8.3 without the check of stability, which adds one solve.
    assert_at_most(solver_iterations(1.0), 7.0);
    assert_at_most(solver_iterations(1e2), 12.0);
    assert_at_most(solver_iterations(1e4), 20.0);
}

static void expect_recovery(const double size[3], int cells_per_side, SinewStart start,
                            double poisson)
{
    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyDef def = sinew_body_def_default();
    SinewWorld *world = NULL;
    SinewBodyId body;
    SinewError error;
    double values[6];
    world_def.gravity[1] = 0.0;
    for (int k = 0; k < 3; ++k) {
        def.shape.max[k] = size[k];
        def.cells[k] = (int)lround(size[k] / size[1]) * cells_per_side;
    }
    def.shape.kind = SINEW_SHAPE_BOX;
    def.model = SINEW_MODEL_LATTICE;
    def.start = start;
    def.material.poisson = poisson;
    def.material.damping_mass = 5.0;
    def.lattice.tolerance = 1e-4;
    expect_done(sinew_world_create(&world_def, &world, &error), &error);
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    world_hold(world, body, region_box(-0.01, -1, -1, 0.01, 1, 1));
    world_steps(world, 60, 0.05);
    world_read(world, world_probe(world, body, SINEW_REPORT_ENERGY), values);
    if (values[0] + values[1] > 1.0) { // a strain of a thousandth stores as much
        fail_msg("start %d, %d cells a side: %g J are left", (int)start, cells_per_side,
                 values[0] + values[1]);
    }
    sinew_world_destroy(world);
}

static void bad_starts_recover(void **state)
{
    (void)state;
    const double cube[3] = {0.4, 0.4, 0.4}, bar[3] = {1.6, 0.2, 0.2}, thick[3] = {1.6, 0.4, 0.4};
    if (sn_test_is_slow()) {
        expect_recovery(bar, 2, SINEW_START_SCRAMBLED, 0.3);
        return;
    }
    for (int start = SINEW_START_MIRRORED; start <= SINEW_START_SCRAMBLED; ++start) {
        expect_recovery(cube, 4, (SinewStart)start, 0.3);
        expect_recovery(bar, 2, (SinewStart)start, 0.3);
        // Mirrored it would end bent back at its clamp, an equilibrium of the law.
        expect_recovery(thick, 4, (SinewStart)start, 0.3);
    }
    expect_recovery(thick, 4, SINEW_START_SCRAMBLED, 0.45);
}

// A free ring, scrambled: with the law alone that of seed 1 ends 53 % off. Its momentum stays.
static void rings_recover(void **state)
{
    (void)state;
    SinewWorldDef world_def = sinew_world_def_default();
    world_def.gravity[1] = 0.0;
    for (int seed = 0; seed < sn_test_share(3); ++seed) {
        SinewBodyDef def = sinew_body_def_default();
        SinewWorld *world = NULL;
        SinewBodyId body;
        SinewError error;
        double before[6], after[6], energy[6];
        def.shape.kind = SINEW_SHAPE_TORUS;
        def.shape.radius = 0.2;
        def.shape.tube = 0.07;
        def.resolution = 8;
        def.model = SINEW_MODEL_LATTICE;
        def.start = SINEW_START_SCRAMBLED;
        def.start_seed = seed;
        def.angular_velocity[1] = 2.0;
        expect_done(sinew_world_create(&world_def, &world, &error), &error);
        expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
        SinewProbeId spin = world_probe(world, body, SINEW_REPORT_MOMENTUM);
        world_read(world, spin, before);
        world_steps(world, 3, 0.01); // all of them lost ones
        world_read(world, spin, after);
        for (int k = 0; k < 6; ++k) {
            assert_at_most(fabs(after[k] - before[k]), 1e-6); // solves end at 1e-4 of a step
        }
        world_steps(world, 60, 0.01);
        world_read(world, world_probe(world, body, SINEW_REPORT_ENERGY), energy);
        assert_at_most(energy[1], 1.0); // a strain of a thousandth stores as much
        sinew_world_destroy(world);
    }
}

// Euler's load of a column held at both ends is at a strain of 4 pi^2 I / (A L^2), here 0.0228.
static void buckled_columns_are_noticed(void **state)
{
    (void)state;
    const int cells[3] = {24, 2, 2};
    LatticeRig rig;
    SinewLatticeDef options = sinew_lattice_def_default();
    SinewError error = {0};
    double aside = 0.0;
    lattice_rig_make(&rig, cells, 0.3, &options);
    assert_int_equal(lattice_rig_stretch(&rig, 0.985, 1e-8, &error), SINEW_OK);
    SinewStatus status = lattice_rig_stretch(&rig, 0.9, 1e-8, &error);
    for (int v = 0; v < rig.body->mesh->vertex_count; ++v) {
        aside = fmax(aside, fabs(rig.body->state.positions[3 * v + 1] -
                                 rig.body->mesh->positions[3 * v + 1]));
    }
    // Straight it is an equilibrium, but none that lasts: it must be refused, or found bent.
    if (status < 0) {
        assert_int_equal(status, SINEW_ERROR_DIVERGED);
        assert_non_null(strstr(error.text, "no stable equilibrium"));
    } else {
        assert_true(aside > 1.0);
    }
    lattice_rig_release(&rig);
}

// Two boxes in one surface: one is pinned, one is loose until something ties it.
static void loose_pieces_are_named(void **state)
{
    (void)state;
    SinewError error = {0};
    SinewWorld *world = world_make(1);
    SinewShape parts[2] = {sinew_shape_default(), sinew_shape_default()};
    SinewBodyDef def = sinew_body_def_default();
    SinewBodyId body;
    SinewAttachmentDef tie = sinew_attachment_def_default();
    SinewAttachmentId id;
    for (int p = 0; p < 2; ++p) {
        parts[p].kind = SINEW_SHAPE_SPHERE;
        parts[p].radius = 0.5;
        parts[p].center[0] = 3.0 * p;
    }
    def.shape.kind = SINEW_SHAPE_BLOB;
    def.shape.parts = parts;
    def.shape.part_count = 2;
    def.model = SINEW_MODEL_LATTICE;
    def.material.young = 1e5;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    world_hold(world, body, region_box(-1, -1, -1, -0.2, 1, 1));
    // The world knows of pieces; loads that balance are left to the model.
    assert_int_equal(sinew_world_solve_static(world, 1.0, 0.0, &error), SINEW_ERROR_DIVERGED);
    assert_non_null(strstr(error.text, "in 2 pieces, and no pin holds the one with vertex"));
    assert_true(sinew_body_mesh(world, body).rest[3 * error.index] > 1.5);
    tie.body = body;
    tie.within = region_box(2, -1, -1, 4, 1, 1);
    tie.stiffness = 1e6;
    expect_done(sinew_world_add_attachment(world, &tie, &id, &error), &error);
    expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
    sinew_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(long_stretches_converge),
    cmocka_unit_test(what_is_torn_comes_back),
    cmocka_unit_test(contrast_converges),
    cmocka_unit_test(bad_starts_recover),
    cmocka_unit_test(buckled_columns_are_noticed),
    cmocka_unit_test(loose_pieces_are_named),
    cmocka_unit_test(rings_recover),
};

SN_TEST_GROUP(model_lattice_robust, tests);
