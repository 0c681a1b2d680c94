// Static solves of a world: what cannot come to rest is refused with what is unheld, and a state
// with inverted elements says so.
#include "support/fail_allocator.h"
#include "support/test.h"
#include "support/worlds.h"

#include <math.h>

// A bar of 0.3 x 0.1 x 0.1 m and 3 kg. Cubes, so that every model takes it.
static SinewBodyDef bar_def(SinewModelKind model)
{
    SinewBodyDef def = sinew_body_def_default();
    def.name = "bar";
    def.shape.kind = SINEW_SHAPE_BOX;
    const double max[3] = {0.3, 0.1, 0.1};
    const int cells[3] = {6, 2, 2};
    memcpy(def.shape.max, max, sizeof max);
    memset(def.shape.min, 0, sizeof def.shape.min);
    memcpy(def.cells, cells, sizeof cells);
    def.model = model;
    def.frames.count = 2;
    def.material.law = SINEW_LAW_COROTATED;
    def.material.young = 1e5;
    def.material.density = 1000.0;
    return def;
}

static SinewBodyId add_bar(SinewWorld *world, SinewModelKind model)
{
    SinewBodyDef def = bar_def(model);
    SinewBodyId body;
    SinewError error;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    return body;
}

// Holds the components `axes` of what is in the region.
static void hold(SinewWorld *world, SinewBodyId body, SinewRegion region, const char *axes)
{
    SinewPinDef def = sinew_pin_def_default();
    SinewPinId pin;
    SinewError error;
    def.body = body;
    def.within = region;
    for (int k = 0; k < 3; ++k) {
        def.axes[k] = strchr(axes, 'x' + k) != NULL;
    }
    expect_done(sinew_world_add_pin(world, &def, &pin, &error), &error);
}

static void expect_refused(SinewWorld *world, SinewBodyId body, const char *const *words, int count)
{
    SinewError error = {0};
    uint64_t before = world_hash(world, body);
    assert_int_equal(sinew_world_solve_static(world, 1.0, 0.0, &error), SINEW_ERROR_DIVERGED);
    for (int w = 0; w < count; ++w) {
        if (strstr(error.text, words[w]) == NULL) {
            fail_msg("\"%s\" has no \"%s\"", error.text, words[w]);
        }
    }
    assert_true(world_hash(world, body) == before);
    assert_int_equal(sinew_world_step_count(world), 0);
}

static void an_unheld_body_under_gravity_is_refused_in_every_model(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"body \"bar\"", "along y", "29.43 N",
                                        "translation along x, y, z and rotation about x, y, z"};
    for (int model = SINEW_MODEL_NEWTON; model <= SINEW_MODEL_TETMG; ++model) {
        SinewWorld *world = world_make(1);
        SinewBodyId body = add_bar(world, (SinewModelKind)model);
        expect_refused(world, body, WORDS, SN_COUNT(WORDS));
        sinew_world_destroy(world);
    }
}

static void a_body_on_rollers_is_refused_where_a_load_pushes_it(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = world_make(1);
    SinewBodyId body = add_bar(world, SINEW_MODEL_NEWTON);
    hold(world, body, region_box(-1, -1, -1, 1, 1e-6, 1), "yz");
    // Its weight does not push it along x.
    expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
    double moved = fabs(sinew_body_mesh(world, body).positions[0]);
    assert_at_most(moved, 1e-2); // it squats by its weight, and goes nowhere

    SinewLoadDef load = sinew_load_def_default();
    SinewLoadId id;
    load.body = body;
    load.within = region_box(0.3 - 1e-6, -1, -1, 1, 1, 1);
    load.force[0] = 1.0;
    expect_done(sinew_world_add_load(world, &load, &id, &error), &error);
    SinewError refusal = {0};
    assert_int_equal(sinew_world_solve_static(world, 1.0, 0.0, &refusal), SINEW_ERROR_DIVERGED);
    assert_non_null(strstr(refusal.text, "nothing holds it along x, and 1 N push it"));
    assert_non_null(strstr(refusal.text, "free are translation along x:"));
    // The same force the other way at the other end balances it.
    load.within = region_box(-1, -1, -1, 1e-6, 1, 1);
    load.force[0] = -1.0;
    expect_done(sinew_world_add_load(world, &load, &id, &error), &error);
    expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
    sinew_world_destroy(world);
}

// Small strain knows no rotation: what may turn has no equilibrium under a moment, however small.
static void a_hinge_is_refused_under_a_moment_in_small_strain(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"about z", "rotation about z"};
    SinewWorld *world = world_make(1);
    SinewBodyDef def = bar_def(SINEW_MODEL_NEWTON);
    def.material.law = SINEW_LAW_LINEAR;
    SinewBodyId body;
    SinewError error;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    hold(world, body, region_box(-1, -1, -1, 1e-6, 1e-6, 1), "xyz");
    expect_refused(world, body, WORDS, SN_COUNT(WORDS));
    sinew_world_destroy(world);
}

// The hinge of a law that knows rotations has an equilibrium: the bar hangs.
static void a_hinge_hangs_or_is_named(void **state)
{
    (void)state;
    SinewError error = {0};
    SinewWorld *world = world_make(1);
    SinewBodyId body = add_bar(world, SINEW_MODEL_NEWTON);
    hold(world, body, region_box(-1, -1, -1, 1e-6, 1e-6, 1), "xyz");
    SinewStatus status = sinew_world_solve_static(world, 1.0, 0.0, &error);
    if (status == SINEW_OK) {
        SinewProbeId probe = world_probe(world, body, SINEW_REPORT_MEAN_DISPLACEMENT);
        double mean[6];
        world_read(world, probe, mean);
        assert_true(mean[1] < -0.1); // its middle was 0.15 m beside the hinge
    } else {
        assert_int_equal(status, SINEW_ERROR_DIVERGED);
        assert_non_null(strstr(error.text, "rotation about z"));
    }
    sinew_world_destroy(world);
}

static void a_body_that_falls_past_a_collider_is_refused(void **state)
{
    (void)state;
    SinewError error = {0};
    SinewWorld *world = world_make(1);
    SinewBodyId body = add_bar(world, SINEW_MODEL_NEWTON);
    SinewColliderDef def = sinew_collider_def_default();
    SinewColliderId id;
    def.shape.kind = SINEW_SHAPE_SPHERE;
    def.shape.radius = 0.1;
    def.shape.center[0] = 5.0;
    expect_done(sinew_world_add_collider(world, &def, &id, &error), &error);
    uint64_t before = world_hash(world, body);
    assert_int_equal(sinew_world_solve_static(world, 1.0, 0.0, &error), SINEW_ERROR_DIVERGED);
    assert_non_null(strstr(error.text, "translation along x, y, z"));
    assert_true(world_hash(world, body) == before);
    sinew_world_destroy(world);
}

// Without friction nothing stops it, however far away its residual looks small.
static void a_body_that_slides_down_for_ever_is_refused(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"body \"bar\"", "translation along x, y, z"};
    SinewError error = {0};
    SinewWorld *world = world_make(1);
    SinewBodyId body = add_bar(world, SINEW_MODEL_NEWTON);
    SinewColliderDef def = sinew_collider_def_default();
    SinewColliderId id;
    def.shape.kind = SINEW_SHAPE_PLANE;
    def.shape.normal[0] = 0.1;
    def.shape.normal[1] = 1.0;
    def.friction = 0.0;
    expect_done(sinew_world_add_collider(world, &def, &id, &error), &error);
    expect_refused(world, body, WORDS, SN_COUNT(WORDS));
    sinew_world_destroy(world);
}

static void inverted_elements_are_a_status_and_a_sentence(void **state)
{
    (void)state;
    SinewError error = {0};
    SinewWorld *world = world_make(1);
    SinewBodyDef cube = bar_def(SINEW_MODEL_VOXEL);
    SinewBodyId body;
    cube.shape.max[0] = 0.1;
    cube.cells[0] = 2;
    expect_done(sinew_world_add_body(world, &cube, &body, &error), &error);
    hold(world, body, region_box(-1, -1, -1, 1e-6, 1, 1), "xyz");
    // The corotated law lets a cube be pressed through itself.
    SinewPinDef pin = sinew_pin_def_default();
    SinewPinId id;
    const SinewKey keys[2] = {{.axis = {0, 1, 0}},
                              {.t = 1.0, .translate = {-0.11, 0.0, 0.0}, .axis = {0, 1, 0}}};
    pin.body = body;
    pin.within = region_box(0.1 - 1e-6, -1, -1, 1, 1, 1);
    pin.keys = keys;
    pin.key_count = 2;
    expect_done(sinew_world_add_pin(world, &pin, &id, &error), &error);
    assert_int_equal(sinew_world_solve_static(world, 1.0, 0.0, &error), SINEW_INVERTED);
    SinewStepReport report = sinew_world_report(world);
    assert_true(report.inverted > 0);
    assert_int_equal(error.status, SINEW_INVERTED);
    assert_true(error.index >= 0);
    assert_non_null(strstr(error.text, "body \"bar\""));
    assert_non_null(strstr(error.text, "inverted"));
    char count[40];
    snprintf(count, sizeof count, ": %d of its 8 elements", report.inverted);
    assert_non_null(strstr(error.text, count));
    assert_int_equal(sinew_world_step_count(world), 1); // the state is there to be looked at
    sinew_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_unheld_body_under_gravity_is_refused_in_every_model),
    cmocka_unit_test(a_body_on_rollers_is_refused_where_a_load_pushes_it),
    cmocka_unit_test(a_hinge_is_refused_under_a_moment_in_small_strain),
    cmocka_unit_test(a_hinge_hangs_or_is_named),
    cmocka_unit_test(a_body_that_falls_past_a_collider_is_refused),
    cmocka_unit_test(a_body_that_slides_down_for_ever_is_refused),
    cmocka_unit_test(inverted_elements_are_a_status_and_a_sentence),
};

SN_TEST_GROUP(world_static, tests);
