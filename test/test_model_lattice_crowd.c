// Many lattice bodies: equal ones share what never changes, and move side by side with the same
// bits as alone.
#include "support/fail_allocator.h"
#include "support/test.h"
#include "support/worlds.h"

#include "base/hash.h"
#include "model/lattice/shape.h"
#include "world/body_surface.h"
#include "world/crowd.h"

enum { COPIES = 9, STEPS = 12 };

// A ball, each turned differently and at another height, so that they touch at different times.
static SinewBodyDef copy_def(int copy)
{
    SinewBodyDef def = sinew_body_def_default();
    def.model = SINEW_MODEL_LATTICE;
    def.shape.kind = SINEW_SHAPE_SPHERE;
    def.shape.radius = 0.05;
    def.resolution = 6;
    def.material.young = 2e4;
    def.pose.translate[0] = 0.2 * copy;
    def.pose.translate[1] = 0.051 + 0.002 * copy;
    def.pose.axis[0] = 0.4;
    def.pose.axis[2] = 1.0;
    def.pose.degrees = 13.0 * copy;
    def.linear_velocity[1] = -1.0;
    return def;
}

static SinewBodyId add_copy(SinewWorld *world, int copy)
{
    SinewError error;
    SinewBodyId body = {0};
    SinewBodyDef def = copy_def(copy);
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    if (copy % 4 == 3) { // some are held, and have levels of their own
        static const int corners[] = {0, 1, 2, 3};
        world_hold(
            world, body,
            (SinewRegion){.kind = SINEW_REGION_VERTICES, .vertices = corners, .vertex_count = 4});
    }
    return body;
}

static SinewWorld *make_crowd(int workers, SinewBodyId bodies[COPIES])
{
    SinewWorld *world = world_make(workers);
    for (int i = 0; i < COPIES; ++i) {
        bodies[i] = add_copy(world, i);
    }
    world_add_floor(world, 0.0);
    return world;
}

static const SnBody *body_of(SinewWorld *world, SinewBodyId id)
{
    return sn_slots_find(&world->bodies, SN_ID(id), NULL);
}

static const SnLattice *lattice_of(SinewWorld *world, SinewBodyId id)
{
    return body_of(world, id)->state;
}

// A copy finds everything that never changes: nothing of it is made twice, wherever it is placed.
static void equal_bodies_share_what_never_changes(void **state)
{
    (void)state;
    SinewBodyId bodies[COPIES];
    SinewWorld *world = make_crowd(1, bodies);
    const SnBody *first = body_of(world, bodies[0]);
    const SnLattice *a = first->state;
    assert_true(a->multigrid.level_count > 1);
    assert_int_equal(a->shape->shared.users, COPIES);
    for (int i = 1; i < COPIES; ++i) {
        const SnLattice *b = lattice_of(world, bodies[i]);
        assert_ptr_equal(b->shape, a->shape);
        assert_ptr_equal(b->nodes, a->nodes);
        assert_ptr_equal(b->tree, a->tree);
        assert_ptr_equal(b->masses, a->masses);
        assert_ptr_equal(b->mesh->hexes, a->mesh->hexes);
        assert_ptr_equal(b->multigrid.coarsest.column, a->multigrid.coarsest.column);
        assert_ptr_equal(sn_cholesky_order(b->multigrid.coarsest.cholesky),
                         sn_cholesky_order(a->multigrid.coarsest.cholesky));
        for (int l = 0; l < a->multigrid.level_count; ++l) {
            const SnLatticeLevel *one = &a->multigrid.levels[l], *two = &b->multigrid.levels[l];
            assert_ptr_equal(two->grid.blocks, one->grid.blocks);
            assert_true(two->R != one->R && two->x != one->x && two->lame != one->lame);
            assert_int_equal(two->hold.held == one->hold.held, i % 4 != 3);
        }
        // Where surface vertices are in the body was found once too.
        assert_ptr_equal(body_of(world, bodies[i])->surface.shape->points,
                         first->surface.shape->points);
    }
    sinew_world_destroy(world);
}

// A body that was held and is let go has the shape's levels again.
static void bodies_that_are_let_go_share_again(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = world_make(1);
    SinewBodyId a = add_copy(world, 0), b = add_copy(world, 1);
    static const int corners[] = {0, 1, 2, 3};
    SinewPinId pin = world_hold(
        world, b,
        (SinewRegion){.kind = SINEW_REGION_VERTICES, .vertices = corners, .vertex_count = 4});
    const SnLattice *free = lattice_of(world, a), *other = lattice_of(world, b);
    assert_false(other->multigrid.levels[0].hold.is_lent);
    world_steps(world, 2, 0.01);
    expect_done(sinew_world_remove_pin(world, pin, &error), &error);
    assert_ptr_equal(other->multigrid.levels[1].hold.cuts, free->multigrid.levels[1].hold.cuts);
    assert_true(other->multigrid.levels[0].hold.lambda_max ==
                free->multigrid.levels[0].hold.lambda_max);
    world_steps(world, 2, 0.01);
    sinew_world_destroy(world);
}

// Anything that makes cells, stiffness or layout differ makes another shape.
static void bodies_that_differ_share_nothing(void **state)
{
    (void)state;
    SinewError error;
    SinewWorld *world = world_make(1);
    SinewBodyId id;
    add_copy(world, 0);
    for (int i = 0; i < 6; ++i) {
        SinewBodyDef def = copy_def(i + 1);
        def.pose.scale = i == 0 ? 1.5 : 1.0;
        def.resolution = i == 1 ? 7 : 6;
        def.material.young *= i == 2 ? 2.0 : 1.0;
        def.material.density *= i == 3 ? 2.0 : 1.0;
        def.lattice.fill = i == 4 ? SINEW_LATTICE_FULL : def.lattice.fill;
        def.material.damping_stiffness = i == 5 ? 1e-3 : 0.0;
        expect_done(sinew_world_add_body(world, &def, &id, &error), &error);
        assert_int_equal(lattice_of(world, id)->shape->shared.users, 1);
    }
    sinew_world_destroy(world);
}

static uint64_t hash_crowd(SinewWorld *world, const SinewBodyId bodies[COPIES])
{
    uint64_t hash = SN_HASH_START;
    for (int i = 0; i < COPIES; ++i) {
        uint64_t one = world_hash(world, bodies[i]);
        hash = sn_hash(hash, &one, sizeof one);
    }
    return hash;
}

static void workers_never_change_the_bits_of_a_crowd(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int w = 0; w < SN_COUNT(counts); ++w) {
        SinewBodyId bodies[COPIES];
        SinewWorld *world = make_crowd(counts[w], bodies);
        assert_true(sn_crowd_is_small(world, SN_BODIES(world, 0)));
        world_steps(world, STEPS, 0.01);
        assert_true(sinew_world_report(world).contacts > 0);
        uint64_t hash = hash_crowd(world, bodies);
        first = w == 0 ? hash : first;
        assert_true(hash == first);
        sinew_world_destroy(world);
    }
}

static void sharing_never_changes_the_bits(void **state)
{
    (void)state;
    SinewBodyId bodies[COPIES];
    SinewWorld *world = make_crowd(2, bodies);
    world_steps(world, STEPS, 0.01);
    for (int i = 0; i < COPIES; ++i) {
        SinewWorld *alone = world_make(1);
        SinewBodyId body = add_copy(alone, i);
        world_add_floor(alone, 0.0);
        world_steps(alone, STEPS, 0.01);
        assert_true(world_hash(alone, body) == world_hash(world, bodies[i]));
        sinew_world_destroy(alone);
    }
    sinew_world_destroy(world);
}

static void any_may_leave_first(void **state)
{
    (void)state;
    SinewError error;
    SinewBodyId bodies[COPIES], others[COPIES];
    SinewWorld *world = make_crowd(2, bodies);
    SinewWorld *whole = make_crowd(2, others);
    for (int i = 0; i < COPIES - 1; ++i) { // the first, who made the shape, among them
        expect_done(sinew_world_remove_body(world, bodies[i], &error), &error);
        world_steps(world, 1, 0.01);
        world_steps(whole, 1, 0.01);
        assert_true(world_hash(world, bodies[COPIES - 1]) == world_hash(whole, others[COPIES - 1]));
    }
    expect_done(sinew_world_remove_body(world, bodies[COPIES - 1], &error), &error);
    assert_int_equal(world->share.count, 0);
    sinew_world_destroy(world);
    sinew_world_destroy(whole);
}

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
        add_copy(world, i);
    }
    world_add_floor(world, 0.0);
    world_steps(world, 1, 0.01);
    int64_t before = counter.calls;
    world_steps(world, 15, 0.01);
    assert_true(sinew_world_report(world).contacts > 0);
    assert_int_equal(counter.calls, before);
    sinew_world_destroy(world);
    assert_int_equal(counter.blocks, 0);
}

static SinewStatus build_and_step(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorldDef def = sinew_world_def_default();
    SinewWorld *world = NULL;
    SinewBodyId bodies[2];
    SinewPinId id;
    static const int corners[] = {0, 1, 2, 3};
    (void)context;
    def.allocator = *allocator;
    SN_TRY(sinew_world_create(&def, &world, error));
    for (int i = 0; i < 2; ++i) {
        SinewBodyDef body = copy_def(i);
        SN_TRY(sinew_world_add_body(world, &body, &bodies[i], error));
    }
    SinewPinDef pin = sinew_pin_def_default();
    pin.body = bodies[1];
    pin.within =
        (SinewRegion){.kind = SINEW_REGION_VERTICES, .vertices = corners, .vertex_count = 4};
    SN_TRY(sinew_world_add_pin(world, &pin, &id, error));
    SN_TRY(sinew_world_remove_pin(world, id, error));
    SN_TRY(sinew_world_step(world, 0.01, error));
    SN_TRY(sinew_world_remove_body(world, bodies[0], error));
    SN_TRY(sinew_world_step(world, 0.01, error));
done:
    sinew_world_destroy(world);
    return status;
}

static void survives_every_allocation_that_fails(void **state)
{
    (void)state;
    assert_true(sn_fail_each_allocation(build_and_step, NULL) > 50);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(equal_bodies_share_what_never_changes),
    cmocka_unit_test(bodies_that_are_let_go_share_again),
    cmocka_unit_test(bodies_that_differ_share_nothing),
    cmocka_unit_test(workers_never_change_the_bits_of_a_crowd),
    cmocka_unit_test(sharing_never_changes_the_bits),
    cmocka_unit_test(any_may_leave_first),
    cmocka_unit_test(warm_crowds_allocate_nothing),
    cmocka_unit_test(survives_every_allocation_that_fails),
};

SN_TEST_GROUP(model_lattice_crowd, tests);
