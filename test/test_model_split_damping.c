// Rayleigh's damping by stiffness in `split` and `tetmg`: as `newton` damps the same tets, by
// region, without a part in rigid motion, and never a source of energy.
#include "support/test.h"

#include "support/worlds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 120 };

static const SinewModelKind models[2] = {SINEW_MODEL_SPLIT, SINEW_MODEL_TETMG};

// A cantilever of boxes cut into tets; a half of it has another damping.
typedef struct Case {
    SinewModelKind model;
    SinewIntegrator integrator;
    SinewLaw law;
    double young;       // Pa
    double beta, other; // s
    int workers;
} Case;

static SinewBodyDef bar_def(const Case *c)
{
    SinewBodyDef def = sinew_body_def_default();
    def.shape.kind = SINEW_SHAPE_BOX;
    memcpy(def.shape.max, (double[3]){1.0, 0.2, 0.2}, sizeof def.shape.max);
    memcpy(def.cells, (int[3]){10, 2, 2}, sizeof def.cells);
    def.model = c->model;
    def.newton.integrator = def.split.integrator = def.tetmg.integrator = c->integrator;
    def.newton.tolerance = 1e-9;
    def.material.law = c->law;
    def.material.young = c->young;
    def.material.poisson = 0.3;
    def.material.damping_stiffness = c->beta;
    return def;
}

static SinewWorld *make(const Case *c, SinewBodyId *out_body, SinewPinId *out_pin)
{
    SinewError error = {.text = ""};
    SinewWorld *world = world_make(c->workers > 0 ? c->workers : 1);
    SinewBodyDef def = bar_def(c);
    SinewMaterialRegion half = {.within = region_box(0.5, -1, -1, 2, 1, 1)};
    half.material = def.material;
    half.material.damping_stiffness = c->other;
    def.regions = &half;
    def.region_count = c->other != c->beta ? 1 : 0;
    expect_done(sinew_world_add_body(world, &def, out_body, &error), &error);
    *out_pin = world_hold(world, *out_body, region_box(-0.01, -1, -1, 0.01, 1, 1));
    return world;
}

// Heights of the free end and reactions of the pin, step by step.
static void record(const Case *c, double tip[STEPS], double hold[STEPS])
{
    SinewError error = {.text = ""};
    SinewBodyId body;
    SinewPinId pin;
    SinewWorld *world = make(c, &body, &pin);
    SinewProbeDef def = sinew_probe_def_default();
    SinewProbeId end, reaction;
    def.body = body;
    def.has_point = 1;
    memcpy(def.point, (double[3]){1.0, 0.1, 0.1}, sizeof def.point);
    def.report = SINEW_REPORT_DISPLACEMENT;
    expect_done(sinew_world_add_probe(world, &def, &end, &error), &error);
    def = sinew_probe_def_default();
    def.body = body;
    def.report = SINEW_REPORT_REACTION;
    def.pin = pin;
    expect_done(sinew_world_add_probe(world, &def, &reaction, &error), &error);
    for (int s = 0; s < STEPS; ++s) {
        double values[6];
        expect_done(sinew_world_step(world, 0.01, &error), &error);
        assert_int_equal(sinew_world_report(world).rescues, 0);
        world_read(world, end, values);
        tip[s] = values[1];
        world_read(world, reaction, values);
        hold[s] = values[1];
    }
    sinew_world_destroy(world);
}

static double furthest(const double *a, const double *b)
{
    double most = 0.0;
    for (int s = 0; s < STEPS; ++s) {
        most = fmax(most, fabs(a[s] - (b != NULL ? b[s] : 0.0)));
    }
    return most;
}

// Both take the same tets, masses and rule of motion, and differ in what makes a tangent definite:
// by 1 to 2 % where strains are a few per cent, by less where they are less.
static void compare(Case c, double tolerance)
{
    double tip[STEPS], hold[STEPS], free[STEPS], expected[STEPS], reaction[STEPS];
    Case reference = c, undamped = c;
    reference.model = SINEW_MODEL_NEWTON;
    undamped.beta = undamped.other = 0.0;
    record(&undamped, free, hold);
    record(&c, tip, hold);
    record(&reference, expected, reaction);
    assert_true(furthest(tip, free) > 0.1 * furthest(free, NULL)); // it matters
    assert_at_most(furthest(tip, expected), tolerance * furthest(expected, NULL));
    assert_at_most(furthest(hold, reaction), tolerance * furthest(reaction, NULL));
}

static void bars_swing_as_newton_has_it(void **state)
{
    (void)state;
    for (int m = 0; m < 2; ++m) {
        Case c = {.model = models[m],
                  .law = SINEW_LAW_COROTATED,
                  .young = 4e6,
                  .beta = 0.01,
                  .other = 0.01};
        compare(c, 0.03);
        c.integrator = SINEW_INTEGRATOR_BDF2;
        compare(c, 0.03);
        c.law = SINEW_LAW_FIXED_COROTATED;
        compare(c, 0.03);
        c.young = 8e7;
        c.beta = c.other = 0.003;
        compare(c, 0.02);
    }
}

static void regions_damp_by_themselves(void **state)
{
    (void)state;
    for (int m = 0; m < 2; ++m) {
        compare((Case){.model = models[m],
                       .law = SINEW_LAW_COROTATED,
                       .young = 4e6,
                       .beta = 0.1,
                       .other = 0.002},
                0.03);
    }
}

// C of a motion as a whole is nothing, however large beta is: a body that was thrown flies on.
static void rigid_motion_is_not_damped(void **state)
{
    (void)state;
    for (int m = 0; m < 2; ++m) {
        SinewError error = {.text = ""};
        SinewWorldDef world_def = sinew_world_def_default();
        SinewWorld *world = NULL;
        SinewBodyId body;
        double first[6], last[6];
        memset(world_def.gravity, 0, sizeof world_def.gravity);
        expect_done(sinew_world_create(&world_def, &world, &error), &error);
        SinewBodyDef def = bar_def(&(Case){.model = models[m],
                                           .law = SINEW_LAW_COROTATED,
                                           .young = 1e5,
                                           .beta = 0.1,
                                           .other = 0.1});
        def.linear_velocity[1] = 3.0;
        def.angular_velocity[2] = 1.0;
        expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
        SinewProbeId momentum = world_probe(world, body, SINEW_REPORT_MOMENTUM);
        world_read(world, momentum, first);
        world_steps(world, 20, 0.01);
        world_read(world, momentum, last);
        // 120 kg m/s by places in float; turns lose what Euler's rule takes, 0.2 % of
        // theirs.
        for (int k = 0; k < 3; ++k) {
            assert_at_most(fabs(last[k] - first[k]), 1e-4 * 120.0);
        }
        assert_at_most(fabs(last[5] - first[5]), 0.01 * fabs(first[5]));
        sinew_world_destroy(world);
    }
}

// A bar that falls into its clamp: Euler's rule and damping only take.
static void energy_does_not_rise(void **state)
{
    (void)state;
    for (int m = 0; m < 2; ++m) {
        SinewError error = {.text = ""};
        SinewBodyId body;
        SinewPinId pin;
        SinewWorld *world = make(&(Case){.model = models[m],
                                         .law = SINEW_LAW_COROTATED,
                                         .young = 1e5,
                                         .beta = 0.05,
                                         .other = 0.0},
                                 &body, &pin);
        SinewProbeId energy = world_probe(world, body, SINEW_REPORT_ENERGY);
        double values[6], before;
        world_read(world, energy, values);
        before = values[0] + values[1] + values[2];
        for (int s = 0; s < 60; ++s) {
            expect_done(sinew_world_step(world, 0.02, &error), &error);
            world_read(world, energy, values);
            double now = values[0] + values[1] + values[2];
            assert_true(now <= before + 1e-5); // of some 20 J, summed in float
            before = now;
        }
        sinew_world_destroy(world);
    }
}

// The hash after so many steps; saved and restored half-way.
static uint64_t hash_of(const Case *c, int restored)
{
    SinewError error = {.text = ""};
    SinewBodyId body;
    SinewPinId pin;
    SinewWorld *world = make(c, &body, &pin);
    world_steps(world, 10, 0.01);
    if (restored) {
        size_t size = sinew_world_state_size(world);
        void *bytes = malloc(size);
        expect_done(sinew_world_save(world, bytes, size, &error), &error);
        world_steps(world, 3, 0.02);
        expect_done(sinew_world_restore(world, bytes, size, &error), &error);
        free(bytes);
    }
    world_steps(world, 10, 0.01);
    uint64_t hash = world_hash(world, body);
    sinew_world_destroy(world);
    return hash;
}

static void bits_repeat(void **state)
{
    (void)state;
    for (int m = 0; m < 2; ++m) {
        Case c = {.model = models[m],
                  .law = SINEW_LAW_COROTATED,
                  .integrator = SINEW_INTEGRATOR_BDF2,
                  .young = 1e5,
                  .beta = 0.02,
                  .other = 0.01};
        uint64_t hash = hash_of(&c, 0);
        assert_true(hash_of(&c, 1) == hash);
        const int counts[3] = {2, 3, 8};
        for (int w = 0; w < 3; ++w) {
            c.workers = counts[w];
            assert_true(hash_of(&c, 0) == hash);
        }
    }
}

// A body whose material changes is damped as one that was made of it.
static void another_material_damps_from_then_on(void **state)
{
    (void)state;
    for (int m = 0; m < 2; ++m) {
        SinewError error = {.text = ""};
        uint64_t hashes[2];
        for (int n = 0; n < 2; ++n) {
            Case c = {.model = models[m], .law = SINEW_LAW_COROTATED, .young = 1e5};
            SinewBodyId body;
            SinewPinId pin;
            c.beta = c.other = n == 0 ? 0.02 : 0.0;
            SinewWorld *world = make(&c, &body, &pin);
            SinewMaterial material = bar_def(&c).material;
            material.damping_stiffness = 0.02;
            if (n == 1) {
                expect_done(sinew_body_set_material(world, body, &material, &error), &error);
            }
            world_steps(world, 10, 0.01);
            hashes[n] = world_hash(world, body);
            sinew_world_destroy(world);
        }
        assert_true(hashes[0] == hashes[1]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bars_swing_as_newton_has_it),
    cmocka_unit_test(regions_damp_by_themselves),
    cmocka_unit_test(rigid_motion_is_not_damped),
    cmocka_unit_test(energy_does_not_rise),
    cmocka_unit_test(bits_repeat),
    cmocka_unit_test(another_material_damps_from_then_on),
};

SN_TEST_GROUP(model_split_damping, tests);
