// Many bodies: side by side with the same bits as alone, sharing what they have in common.
#include "support/fail_allocator.h"
#include "support/test.h"
#include "support/worlds.h"

#include "base/hash.h"
#include "model/split/system.h"
#include "world/crowd.h"

enum { COPIES = 12 };

// A box of split at one of some places, each turned differently.
static SinewBodyDef copy_def(SinewSplitMode mode, int copy)
{
    SinewBodyDef def = world_box_def(0.2, 3);
    def.model = SINEW_MODEL_SPLIT;
    def.split.mode = mode;
    def.material.young = 1e5;
    def.pose.translate[0] = 0.5 * copy;
    def.pose.translate[1] = 0.01 * copy;
    def.pose.axis[1] = 0.3;
    def.pose.axis[2] = 1.0;
    def.pose.degrees = 11.0 * copy;
    return def;
}

static SinewBodyId add_copy(SinewWorld *world, SinewSplitMode mode, int copy)
{
    SinewError error;
    SinewBodyId body = {0};
    SinewBodyDef def = copy_def(mode, copy);
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    if (copy % 3 == 2) { // some are held at the same vertices, which share another matrix
        static const int corners[] = {0, 1, 2, 3, 4};
        world_hold(
            world, body,
            (SinewRegion){.kind = SINEW_REGION_VERTICES, .vertices = corners, .vertex_count = 5});
    }
    return body;
}

static SinewWorld *make_crowd(int workers, SinewSplitMode mode, SinewBodyId *bodies)
{
    SinewWorld *world = world_make(workers);
    for (int i = 0; i < COPIES; ++i) {
        bodies[i] = add_copy(world, mode, i);
    }
    world_add_floor(world, -0.02);
    return world;
}

static const SnSplit *split_of(SinewWorld *world, SinewBodyId id)
{
    return ((SnBody *)sn_slots_find(&world->bodies, SN_ID(id), NULL))->state;
}

static void workers_never_change_the_bits_of_a_crowd(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        static const int counts[] = {1, 2, 3, 8};
        uint64_t first = 0;
        for (int w = 0; w < SN_COUNT(counts); ++w) {
            SinewBodyId bodies[COPIES];
            SinewWorld *world = make_crowd(counts[w], (SinewSplitMode)mode, bodies);
            assert_true(sn_crowd_is_small(world, SN_BODIES(world, 0)));
            world_steps(world, 15, 0.01);
            assert_true(sinew_world_report(world).contacts > 0);
            uint64_t hash = SN_HASH_START;
            for (int i = 0; i < COPIES; ++i) {
                uint64_t one = world_hash(world, bodies[i]);
                hash = sn_hash(hash, &one, sizeof one);
            }
            first = w == 0 ? hash : first;
            assert_true(hash == first);
            sinew_world_destroy(world);
        }
    }
}

// Twelve bodies have one shape and two matrices, and each moves as it does alone in a world.
static void sharing_never_changes_the_bits(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        SinewBodyId bodies[COPIES];
        SinewWorld *world = make_crowd(2, (SinewSplitMode)mode, bodies);
        world_steps(world, 12, 0.01);
        world_steps(world, 4, 0.008);
        const SnSplit *a = split_of(world, bodies[0]);
        const SnSplit *b = split_of(world, bodies[2]);
        assert_int_equal(a->shape->shared.users, COPIES + 2); // and the two matrices
        assert_int_equal(a->system->shared.users, 8);
        assert_int_equal(b->system->shared.users, 4);
        for (int i = 0; i < COPIES; ++i) {
            SinewWorld *alone = world_make(1);
            SinewBodyId body = add_copy(alone, (SinewSplitMode)mode, i);
            world_add_floor(alone, -0.02);
            world_steps(alone, 12, 0.01);
            world_steps(alone, 4, 0.008);
            assert_true(world_hash(alone, body) == world_hash(world, bodies[i]));
            sinew_world_destroy(alone);
        }
        sinew_world_destroy(world);
    }
}

// Bodies leave in another order than they came; those that stay go on with the same bits.
static void any_may_leave_first(void **state)
{
    (void)state;
    SinewError error;
    SinewBodyId bodies[COPIES], others[COPIES];
    SinewWorld *world = make_crowd(2, SINEW_SPLIT_PAPER, bodies);
    SinewWorld *whole = make_crowd(2, SINEW_SPLIT_PAPER, others);
    world_steps(world, 2, 0.01);
    world_steps(whole, 2, 0.01);
    for (int i = 0; i < COPIES - 1; ++i) {
        int leaving = 7 * i % COPIES; // all but 5
        leaving = leaving == 5 ? 7 * (COPIES - 1) % COPIES : leaving;
        expect_done(sinew_world_remove_body(world, bodies[leaving], &error), &error);
        world_steps(world, 1, 0.01);
        world_steps(whole, 1, 0.01);
        assert_true(world_hash(world, bodies[5]) == world_hash(whole, others[5]));
    }
    assert_int_equal(split_of(world, bodies[5])->system->shared.users, 1);
    expect_done(sinew_world_remove_body(world, bodies[5], &error), &error);
    assert_int_equal(world->share.count, 0);
    sinew_world_destroy(world);
    sinew_world_destroy(whole);
}

// What each change costs, as the report tells it.
static void the_report_tells_what_changes_cost(void **state)
{
    (void)state;
    SinewBodyId bodies[COPIES];
    SinewWorld *world = make_crowd(2, SINEW_SPLIT_IMPLICIT, bodies);
    world_steps(world, 1, 0.01);
    assert_int_equal(sinew_world_report(world).analyses, 2);
    assert_int_equal(sinew_world_report(world).factorisations, 2);
    assert_true(sinew_world_report(world).seconds_factor > 0.0);
    world_steps(world, 1, 0.01);
    assert_int_equal(sinew_world_report(world).factorisations, 0);
    world_steps(world, 1, 0.005); // another time step keeps the analyses
    assert_int_equal(sinew_world_report(world).analyses, 0);
    assert_int_equal(sinew_world_report(world).factorisations, 2);
    static const int one[] = {9};
    SinewRegion vertex = {.kind = SINEW_REGION_VERTICES, .vertices = one, .vertex_count = 1};
    SinewError error;
    SinewPinId pin;
    SinewPinDef def = sinew_pin_def_default();
    def.body = bodies[0];
    def.within = vertex;
    def.axes[1] = 0; // partly held: the matrix stays
    expect_done(sinew_world_add_pin(world, &def, &pin, &error), &error);
    world_steps(world, 1, 0.005);
    assert_int_equal(sinew_world_report(world).factorisations, 0);
    expect_done(sinew_world_remove_pin(world, pin, &error), &error);
    pin = world_hold(world, bodies[0], vertex); // whole: a matrix of its own
    world_steps(world, 1, 0.005);
    assert_int_equal(sinew_world_report(world).analyses, 1);
    assert_int_equal(sinew_world_report(world).factorisations, 1);
    expect_done(sinew_world_remove_pin(world, pin, &error), &error);
    world_steps(world, 1, 0.005); // back to the one that others still use
    assert_int_equal(sinew_world_report(world).analyses, 0);
    assert_int_equal(sinew_world_report(world).factorisations, 0);
    sinew_world_destroy(world);
}

// One that fails puts all back, and the first in the world's order is told of.
static void one_that_fails_puts_all_back(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = NULL;
    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyId bodies[COPIES];
    world_def.gravity[1] = 0.0; // only those that move will fail
    world_def.worker_count = 3;
    expect_done(sinew_world_create(&world_def, &world, &error), &error);
    for (int i = 0; i < COPIES; ++i) {
        SinewBodyDef def = copy_def(SINEW_SPLIT_PAPER, i);
        char name[16];
        snprintf(name, sizeof name, "copy.%d", i);
        def.name = name;
        def.angular_velocity[0] = i == 4 || i == 9 ? 1e30 : 0.0;
        expect_done(sinew_world_add_body(world, &def, &bodies[i], &error), &error);
    }
    uint64_t before = world_hash(world, bodies[11]);
    assert_int_equal(sinew_world_step(world, 1000.0, &error), SINEW_ERROR_DIVERGED);
    assert_non_null(strstr(error.text, "\"copy.4\""));
    assert_true(world_hash(world, bodies[11]) == before);
    assert_int_equal(sinew_world_step_count(world), 0);
    sinew_world_destroy(world);
}

// Models that allocate on the way move one after the other, however small their bodies are.
static void only_quiet_models_move_side_by_side(void **state)
{
    (void)state;
    SinewWorld *world = world_make(2);
    for (int i = 0; i < COPIES; ++i) {
        world_add_box(world, 1.0, 1);
    }
    assert_false(sn_crowd_is_small(world, SN_BODIES(world, 0)));
    world_steps(world, 2, 0.01);
    sinew_world_destroy(world);
}

// Once the first step has warmed up, a crowd allocates nothing.
static void warm_crowds_allocate_nothing(void **state)
{
    (void)state;
    SinewError error;
    SnFailAllocator counter;
    SinewWorldDef def = sinew_world_def_default();
    SinewWorld *world = NULL;
    sn_fail_allocator_init(&counter, -1);
    def.allocator = counter.allocator;
    def.worker_count = 2;
    expect_done(sinew_world_create(&def, &world, &error), &error);
    for (int i = 0; i < COPIES; ++i) {
        add_copy(world, (SinewSplitMode)(i % 2), i);
    }
    world_add_floor(world, -0.02);
    world_steps(world, 1, 0.01);
    int64_t before = counter.calls;
    world_steps(world, 15, 0.01);
    assert_int_equal(counter.calls, before);
    sinew_world_destroy(world);
    assert_int_equal(counter.blocks, 0);
}

static SinewStatus build_and_step(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorldDef def = sinew_world_def_default();
    SinewWorld *world = NULL;
    SinewBodyId bodies[3];
    def.allocator = *allocator;
    SN_TRY(sinew_world_create(&def, &world, error));
    for (int i = 0; i < 3; ++i) {
        SinewBodyDef body = copy_def(*(SinewSplitMode *)context, i);
        for (int k = 0; k < 3; ++k) {
            body.cells[k] = 2;
        }
        body.split.clusters = 2;
        SN_TRY(sinew_world_add_body(world, &body, &bodies[i], error));
    }
    SN_TRY(sinew_world_step(world, 0.01, error));
    SN_TRY(sinew_world_step(world, 0.02, error));
    SN_TRY(sinew_world_remove_body(world, bodies[1], error));
    SN_TRY(sinew_world_step(world, 0.02, error));
done:
    sinew_world_destroy(world);
    return status;
}

static void survives_every_allocation_that_fails(void **state)
{
    (void)state;
    for (int mode = 0; mode < 2; ++mode) {
        SinewSplitMode choice = (SinewSplitMode)mode;
        assert_true(sn_fail_each_allocation(build_and_step, &choice) > 50);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(workers_never_change_the_bits_of_a_crowd),
    cmocka_unit_test(sharing_never_changes_the_bits),
    cmocka_unit_test(any_may_leave_first),
    cmocka_unit_test(the_report_tells_what_changes_cost),
    cmocka_unit_test(one_that_fails_puts_all_back),
    cmocka_unit_test(only_quiet_models_move_side_by_side),
    cmocka_unit_test(warm_crowds_allocate_nothing),
    cmocka_unit_test(survives_every_allocation_that_fails),
};

SN_TEST_GROUP(world_crowd, tests);
