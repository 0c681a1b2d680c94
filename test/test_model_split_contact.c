// Contact and stiff springs of `split` in mode paper, whose matrix knows nothing of them: bodies
// stay whole, lose energy and come to rest where those of the implicit mode do. And very stiff
// springs in its implicit steps, which `tetmg` shares.
#include "support/test.h"
#include "support/worlds.h"

#include <math.h>

enum { KIND_FLOOR, KIND_BALL, KIND_POLE, KIND_COUNT };

static SinewBodyDef split_def(SinewSplitMode mode)
{
    SinewBodyDef def = sinew_body_def_default();
    def.model = SINEW_MODEL_SPLIT;
    def.split.mode = mode;
    def.material.law = SINEW_LAW_COROTATED;
    def.material.young = 2e5;
    def.material.poisson = 0.4;
    return def;
}

// A figure of a few hundred tets with a head, a belly and two arms, 0.7 m wide, from height 1 m.
static SinewBodyId add_figure(SinewWorld *world, SinewSplitMode mode)
{
    SinewError error;
    SinewBodyId body;
    SinewBodyDef def = split_def(mode);
    SinewShape parts[4];
    const double ends[4][7] = {{0, 1.2, 0, 0, 1.3, 0, 0.13},
                               {0, 1.52, 0, 0, 1.54, 0, 0.11},
                               {-0.1, 1.36, 0, -0.32, 1.44, 0.04, 0.05},
                               {0.1, 1.36, 0, 0.32, 1.44, 0.04, 0.05}};
    for (int i = 0; i < 4; ++i) {
        parts[i] = sinew_shape_default();
        parts[i].kind = SINEW_SHAPE_CAPSULE;
        memcpy(parts[i].from, ends[i], sizeof parts[i].from);
        memcpy(parts[i].to, ends[i] + 3, sizeof parts[i].to);
        parts[i].radius = ends[i][6];
    }
    def.shape.kind = SINEW_SHAPE_BLOB;
    def.shape.parts = parts;
    def.shape.part_count = 4;
    def.shape.smooth = 0.04;
    def.resolution = 9;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    return body;
}

static void add_colliders(SinewWorld *world, int kind)
{
    SinewError error;
    SinewColliderId id;
    SinewColliderDef def = sinew_collider_def_default();
    world_add_floor(world, 0.0);
    def.friction = 0.5;
    def.shape.radius = kind == KIND_BALL ? 0.3 : 0.08;
    def.shape.kind = kind == KIND_BALL ? SINEW_SHAPE_SPHERE : SINEW_SHAPE_CAPSULE;
    memcpy(def.shape.center, (double[3]){0.03, 0.4, 0.0}, sizeof def.shape.center);
    memcpy(def.shape.from, (double[3]){0.05, 0.7, -2.0}, sizeof def.shape.from);
    memcpy(def.shape.to, (double[3]){0.05, 0.7, 2.0}, sizeof def.shape.to);
    if (kind != KIND_FLOOR) {
        expect_done(sinew_world_add_collider(world, &def, &id, &error), &error);
    }
}

// The longest side of the bounds of all vertices, and the lowest of them, m.
static double extent_of(const SinewWorld *world, SinewBodyId body, double *out_lowest)
{
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double side = 0.0;
    for (int i = 0; i < 3 * mesh.vertex_count; ++i) {
        low[i % 3] = fmin(low[i % 3], mesh.positions[i]);
        high[i % 3] = fmax(high[i % 3], mesh.positions[i]);
    }
    for (int k = 0; k < 3; ++k) {
        side = fmax(side, high[k] - low[k]);
    }
    *out_lowest = low[1];
    return side;
}

static double sum_of_energies(const SinewWorld *world, SinewProbeId probe)
{
    double e[6];
    world_read(world, probe, e);
    return e[0] + e[1] + e[2];
}

static void coarse_bodies_fall_without_spikes(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_COUNT; ++kind) {
        SinewWorld *world = world_make(1);
        SinewBodyId body = add_figure(world, SINEW_SPLIT_PAPER);
        add_colliders(world, kind);
        SinewProbeId energy = world_probe(world, body, SINEW_REPORT_ENERGY);
        double lowest, first = sum_of_energies(world, energy);
        double side = extent_of(world, body, &lowest);
        for (int s = 0; s < 150; ++s) {
            world_steps(world, 1, 0.01);
            // Arms are flung about, which stretches them a little.
            assert_at_most(extent_of(world, body, &lowest), 1.1 * side);
            // A hit at 4 m/s bends its depth into the floor, not a whole radius of a limb.
            assert_true(lowest > -0.05);
            assert_at_most(sum_of_energies(world, energy), first * (1.0 + 1e-6)); // floats inside
        }
        sinew_world_destroy(world);
    }
}

// A cube falls on a floor and lies there: where, with how much left of its motion, by which force.
static void lie(SinewSplitMode mode, int passes, double *out_lowest, double *out_kinetic,
                double *out_force)
{
    SinewError error;
    SinewWorld *world = world_make(1);
    SinewBodyDef def = split_def(mode);
    SinewBodyId body;
    double values[6];
    def.shape.kind = SINEW_SHAPE_BOX;
    for (int k = 0; k < 3; ++k) {
        def.shape.min[k] = k == 1 ? 0.02 : 0.0;
        def.shape.max[k] = def.shape.min[k] + 0.2;
        def.cells[k] = 3;
    }
    def.split.passes = passes;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    world_add_floor(world, 0.0);
    SinewProbeId energy = world_probe(world, body, SINEW_REPORT_ENERGY);
    SinewProbeId contact = world_probe(world, body, SINEW_REPORT_CONTACT);
    world_steps(world, 300, 0.01);
    extent_of(world, body, out_lowest);
    world_read(world, energy, values);
    *out_kinetic = values[0];
    world_read(world, contact, values);
    *out_force = values[1];
    sinew_world_destroy(world);
}

static void rests_as_deep_as_the_implicit_mode(void **state)
{
    (void)state;
    double truth, lowest, kinetic, force;
    lie(SINEW_SPLIT_IMPLICIT, 1, &truth, &kinetic, &force);
    assert_true(truth < 0.0);
    for (int passes = 1; passes <= 4; passes += 3) {
        lie(SINEW_SPLIT_PAPER, passes, &lowest, &kinetic, &force);
        // Forces are balanced to 5 %; volume sweeps are not nu.
        assert_at_most(fabs(lowest - truth), 0.3 * fabs(truth));
        assert_at_most(kinetic, 1e-6);                               // J; it fell with 1.6
        assert_at_most(fabs(force - 8.0 * 9.81), 0.05 * 8.0 * 9.81); // its weight, to that balance
    }
}

// How far the ends of springs are at most from where they should be, m.
static double gap_of(const SinewWorld *world, SinewBodyId body, const double map[12])
{
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    double gap = 0.0;
    for (int i = 0; i < 3 * mesh.vertex_count; ++i) {
        if (mesh.rest[3 * (i / 3)] < 0.11) {
            double target = mesh.rest[i] + map[4 * (i % 3) + 3];
            gap = fmax(gap, fabs(mesh.positions[i] - target));
        }
    }
    return gap;
}

// A bar hangs by springs at one end that suddenly are elsewhere. Answers its largest extent.
static double follow(double stiffness, double dt, double *out_gap)
{
    SinewError error;
    SinewWorld *world = world_make(1);
    SinewBodyDef def = split_def(SINEW_SPLIT_PAPER);
    SinewBodyId body;
    SinewAttachmentDef tie = sinew_attachment_def_default();
    SinewAttachmentId id;
    const double map[12] = {1, 0, 0, 0, 0, 1, 0, 0.3, 0, 0, 1, 0};
    double worst = 0.0;
    def.shape.kind = SINEW_SHAPE_BOX;
    memcpy(def.shape.max, (double[3]){0.6, 0.2, 0.2}, sizeof def.shape.max);
    memcpy(def.cells, (int[3]){6, 2, 2}, sizeof def.cells);
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    tie.body = body;
    tie.within = region_box(-1, -1, -1, 0.11, 1, 1);
    tie.stiffness = stiffness;
    expect_done(sinew_world_add_attachment(world, &tie, &id, &error), &error);
    expect_done(sinew_world_move_attachment(world, id, map, &error), &error);
    for (double t = 0.0; t < 3.0; t += dt) {
        double lowest;
        expect_done(sinew_world_step(world, dt, &error), &error);
        worst = fmax(worst, extent_of(world, body, &lowest));
    }
    *out_gap = gap_of(world, body, map);
    sinew_world_destroy(world);
    return worst;
}

static void stiff_springs_do_not_explode(void **state)
{
    (void)state;
    for (double stiffness = 1e2; stiffness < 2e8; stiffness *= 100.0) {
        for (int i = 0; i < 3; ++i) {
            const double dts[3] = {0.005, 0.01, 0.033};
            double gap;
            // The bar of 0.6 m swings up by 0.3 m, which stretches it a little.
            assert_at_most(follow(stiffness, dts[i], &gap), 0.75);
            // 24 kg that still swing pull with some three times their weight at two layers of
            // vertices, whose shares of the springs go with their masses.
            if (stiffness > 1e5) {
                assert_at_most(gap, 10.0 * 3.0 * 24.0 * 9.81 / stiffness + 1e-6); // floats
            }
        }
    }
}

// A box hangs by a spring at one point inside of it that rises. Answers where its middle moved to,
// m, and the force of the spring, N.
static void hang(SinewModelKind model, double stiffness, double out_middle[3], double out_force[3])
{
    SinewError error;
    SinewWorld *world = world_make(1);
    SinewBodyDef def = split_def(SINEW_SPLIT_IMPLICIT);
    SinewAttachmentDef tie = sinew_attachment_def_default();
    SinewAttachmentId id;
    double values[6], map[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    def.model = model;
    def.material.damping_mass = 1.0;
    def.shape.kind = SINEW_SHAPE_BOX;
    memcpy(def.shape.max, (double[3]){0.6, 0.4, 0.4}, sizeof def.shape.max);
    memcpy(def.cells, (int[3]){6, 4, 4}, sizeof def.cells);
    expect_done(sinew_world_add_body(world, &def, &tie.body, &error), &error);
    tie.points = (const double[3]){0.53, 0.21, 0.17};
    tie.point_count = 1;
    tie.stiffness = stiffness;
    expect_done(sinew_world_add_attachment(world, &tie, &id, &error), &error);
    SinewProbeDef probe = sinew_probe_def_default();
    SinewProbeId pull;
    probe.report = SINEW_REPORT_ATTACHMENT;
    probe.body = tie.body;
    probe.attachment = id;
    expect_done(sinew_world_add_probe(world, &probe, &pull, &error), &error);
    SinewProbeId middle = world_probe(world, tie.body, SINEW_REPORT_MEAN_DISPLACEMENT);
    for (int t = 1; t <= 50; ++t) {
        map[7] = 0.003 * t;
        expect_done(sinew_world_move_attachment(world, id, map, &error), &error);
        world_steps(world, 1, 0.01);
    }
    world_read(world, middle, values);
    memcpy(out_middle, values, 3 * sizeof *values);
    world_read(world, pull, values);
    memcpy(out_force, values, 3 * sizeof *values);
    sinew_world_destroy(world);
}

static void very_stiff_springs_pull_as_newton_has_it(void **state)
{
    (void)state;
    static const SinewModelKind models[] = {SINEW_MODEL_SPLIT, SINEW_MODEL_TETMG};
    for (double stiffness = 1e7; stiffness < 2e11; stiffness *= 100.0) {
        double truth[3], middle[3], true_force[3], force[3];
        hang(SINEW_MODEL_NEWTON, stiffness, truth, true_force);
        for (int m = 0; m < SN_COUNT(models); ++m) {
            hang(models[m], stiffness, middle, force);
            for (int k = 0; k < 3; ++k) {
                // It moves by 0.34 m and weighs 940 N; steps are solved to 1e-3 of their motion.
                // Moves of a centimetre are floats, so that four corners leave a spring wrong by
                // up to 2e-9 m.
                assert_at_most(fabs(middle[k] - truth[k]), 2e-4);
                assert_at_most(fabs(force[k] - true_force[k]), 20.0 + 2e-9 * stiffness);
            }
        }
    }
}

static const struct CMUnitTest tests[] = {

    cmocka_unit_test(coarse_bodies_fall_without_spikes),
    cmocka_unit_test(rests_as_deep_as_the_implicit_mode),
    cmocka_unit_test(stiff_springs_do_not_explode),
    cmocka_unit_test(very_stiff_springs_pull_as_newton_has_it),
};

SN_TEST_GROUP(model_split_contact, tests);
