// Equal bodies of frames: they share all that is constant, wherever they are and however turned,
// and each moves as it does alone.
#include "support/test.h"

#include "model/frames/shape.h"
#include "support/fail_allocator.h"
#include "support/worlds.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

// A soft ball of six cells.
static SinewBodyDef ball_def(double x, double degrees)
{
    SinewBodyDef def = sinew_body_def_default();
    def.model = SINEW_MODEL_FRAMES;
    def.shape.kind = SINEW_SHAPE_SPHERE;
    def.shape.radius = 0.05;
    def.resolution = 6;
    def.material.young = 5e4;
    def.pose.translate[0] = x;
    def.pose.translate[1] = 0.06;
    def.pose.axis[0] = 0.3;
    def.pose.axis[2] = 1.0;
    def.pose.degrees = degrees;
    return def;
}

static SinewBodyId add_body(SinewWorld *world, const SinewBodyDef *def)
{
    SinewError error;
    SinewBodyId body = {0};
    expect_done(sinew_world_add_body(world, def, &body, &error), &error);
    return body;
}

static const SnFrames *frames_of(const SinewWorld *world, SinewBodyId id)
{
    return ((SnBody *)sn_slots_find(&world->bodies, SN_ID(id), NULL))->state;
}

// A copy makes nothing that is shared: the store has as many things as before, the shape has one
// more user, and the copy allocates less than half as often.
static void a_copy_makes_nothing_again(void **state)
{
    (void)state;
    SnFailAllocator counting;
    SinewWorldDef world_def = sinew_world_def_default();
    SinewWorld *world = NULL;
    SinewError error;
    sn_fail_allocator_init(&counting, -1);
    world_def.allocator = counting.allocator;
    expect_done(sinew_world_create(&world_def, &world, &error), &error);
    SinewBodyDef first = ball_def(0.0, 0.0), second = ball_def(0.3, 50.0);
    const SnFrames *a = frames_of(world, add_body(world, &first));
    int things = world->share.count;
    int64_t calls = counting.calls;
    const SnFrames *b = frames_of(world, add_body(world, &second));
    assert_ptr_equal(a->shape, b->shape);
    assert_ptr_equal(a->grid.tree, b->grid.tree);
    assert_ptr_equal(a->weights, b->weights);
    assert_ptr_equal(a->samples.X, b->samples.X);
    assert_ptr_equal(a->lumps.X, b->lumps.X);
    assert_ptr_equal(a->vertices.X, b->vertices.X);
    assert_ptr_equal(SN_BODIES(world, 0)->surface.shape, SN_BODIES(world, 1)->surface.shape);
    assert_int_equal(a->shape->shared.users, 2);
    assert_int_equal(world->share.count, things);
    // What a body needs for itself; a tenth of the time.
    assert_at_most((double)(counting.calls - calls), 0.5 * (double)calls);
    sinew_world_destroy(world);
    assert_int_equal(counting.blocks, 0);
}

// Another material, number of frames or size is another shape.
static void others_share_nothing(void **state)
{
    (void)state;
    SinewWorld *world = world_make(1);
    SinewBodyDef defs[5];
    const SnFrames *frames[5];
    for (int i = 0; i < SN_COUNT(defs); ++i) {
        defs[i] = ball_def(0.3 * i, 0.0);
    }
    defs[1].material.young = 6e4;
    defs[2].frames.count = 6;
    defs[3].shape.radius = 0.06;
    defs[4].frames.mass = SINEW_MASS_CONSISTENT;
    for (int i = 0; i < SN_COUNT(defs); ++i) {
        frames[i] = frames_of(world, add_body(world, &defs[i]));
        for (int j = 0; j < i; ++j) {
            assert_ptr_not_equal(frames[i]->shape, frames[j]->shape);
        }
    }
    sinew_world_destroy(world);
}

// Materials of regions are told apart by the cells they are of: a copy that takes its region along
// shares, one that does not has another.
static void regions_go_along(void **state)
{
    (void)state;
    SinewWorld *world = world_make(1);
    SinewMaterialRegion regions[3];
    const SnFrames *frames[3];
    for (int i = 0; i < 3; ++i) {
        SinewBodyDef def = ball_def(0.5 * i, 0.0);
        regions[i].material = sinew_material_default();
        regions[i].material.young = 1e6;
        regions[i].within = region_box(0.5 * i, -1, -1, 0.5 * i + 0.2, 1, 1);
        if (i == 2) {
            regions[i].within.max[0] = 0.5 * i + 0.02;
        }
        def.regions = &regions[i];
        def.region_count = 1;
        frames[i] = frames_of(world, add_body(world, &def));
    }
    assert_ptr_equal(frames[0]->shape, frames[1]->shape);
    assert_ptr_not_equal(frames[0]->shape, frames[2]->shape);
    sinew_world_destroy(world);
}

// Copies have the same bits whether they share or came first, also when the first goes; samples
// and springs of rigid frames as well as affine ones.
static void copies_move_as_if_alone(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        SinewError error;
        SinewWorld *alone = world_make(1), *many = world_make(2);
        SinewBodyDef a = ball_def(0.0, 0.0), b = ball_def(0.3, 20.0);
        a.frames.kind = b.frames.kind = kind > 0 ? SINEW_FRAME_RIGID : SINEW_FRAME_AUTO;
        a.frames.springs = b.frames.springs = kind == 2;
        a.frames.count = b.frames.count = kind > 0 ? 4 : 8;
        SinewBodyId first = add_body(alone, &b), other = add_body(many, &a);
        SinewBodyId copy = add_body(many, &b);
        assert_ptr_equal(frames_of(many, other)->shape, frames_of(many, copy)->shape);
        world_add_floor(alone, 0.0);
        world_add_floor(many, 0.0);
        for (int s = 0; s < 12; ++s) {
            world_steps(alone, 1, 1.0 / 60.0);
            world_steps(many, 1, 1.0 / 60.0);
            assert_true(world_hash(alone, first) == world_hash(many, copy));
            if (s == 7) {
                expect_done(sinew_world_remove_body(many, other, &error), &error);
            }
        }
        assert_true(sinew_world_report(alone).contacts > 0);
        sinew_world_destroy(alone);
        sinew_world_destroy(many);
    }
}

// The tip of a bar of 8 x 1 x 1 that stands out along an axis after a turn about `axis` and sinks
// under its weight, seen from the bar.
static void sag(int turned, double out[3])
{
    SinewError error;
    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyDef def = sinew_body_def_default();
    SinewWorld *world = NULL;
    const double move[3] = {0.7, -1.3, 2.1};
    double values[6];
    // A quarter about z takes x to y and y to -x.
    memcpy(world_def.gravity, turned ? (double[3]){9.81, 0, 0} : (double[3]){0, -9.81, 0},
           sizeof world_def.gravity);
    expect_done(sinew_world_create(&world_def, &world, &error), &error);
    def.model = SINEW_MODEL_FRAMES;
    def.shape.kind = SINEW_SHAPE_BOX;
    memcpy(def.shape.min, (double[3]){0, 0, 0}, sizeof def.shape.min);
    memcpy(def.shape.max, (double[3]){0.8, 0.1, 0.1}, sizeof def.shape.max);
    memcpy(def.cells, (int[3]){16, 2, 2}, sizeof def.cells);
    def.material.young = 1e6;
    if (turned) {
        memcpy(def.pose.axis, (double[3]){0, 0, 1}, sizeof def.pose.axis);
        def.pose.degrees = 90.0;
        memcpy(def.pose.translate, move, sizeof move);
    }
    SinewBodyId body = add_body(world, &def);
    world_hold(world, body,
               turned ? region_box(0, -1.301, 0, 1, -1.299, 9)
                      : region_box(-1e-3, -1, -1, 1e-3, 1, 1));
    SinewProbeDef probe = sinew_probe_def_default();
    SinewProbeId id;
    probe.body = body;
    probe.report = SINEW_REPORT_DISPLACEMENT;
    probe.has_point = 1;
    memcpy(probe.point,
           turned ? (double[3]){0.7 - 0.05, -1.3 + 0.8, 2.15} : (double[3]){0.8, 0.05, 0.05},
           sizeof probe.point);
    expect_done(sinew_world_add_probe(world, &probe, &id, &error), &error);
    expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
    world_read(world, id, values);
    memcpy(out, turned ? (double[3]){values[1], -values[0], values[2]} : values, 3 * sizeof *out);
    sinew_world_destroy(world);
}

// Where a body is does not change what it does: pins, loads and what is compared with finite
// elements go with it.
static void a_turned_bar_sags_alike(void **state)
{
    (void)state;
    double upright[3], turned[3];
    sag(0, upright);
    sag(1, turned);
    assert_true(upright[1] < -0.01);
    for (int k = 0; k < 3; ++k) {
        // Static solves end at 1e-8 of the forces; a bar this slender makes 1e-6 of that.
        assert_at_most(fabs(upright[k] - turned[k]), 1e-6 * 0.8);
    }
}

static SinewStatus build_two(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorldDef world_def = sinew_world_def_default();
    SinewWorld *world = NULL;
    SinewBodyId body;
    (void)context;
    world_def.allocator = *allocator;
    SN_TRY(sinew_world_create(&world_def, &world, error));
    for (int i = 0; i < 2; ++i) {
        SinewBodyDef def = ball_def(0.3 * i, 10.0 * i);
        SN_TRY(sinew_world_add_body(world, &def, &body, error));
    }
    SN_TRY(sinew_world_step(world, 0.01, error));
done:
    sinew_world_destroy(world);
    return status;
}

static void copies_survive_short_memory(void **state)
{
    (void)state;
    assert_true(sn_fail_each_allocation(build_two, NULL) > 100);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_copy_makes_nothing_again), cmocka_unit_test(others_share_nothing),
    cmocka_unit_test(regions_go_along),           cmocka_unit_test(copies_move_as_if_alone),
    cmocka_unit_test(a_turned_bar_sags_alike),    cmocka_unit_test(copies_survive_short_memory),
};

SN_TEST_GROUP(model_frames_shape, tests);
