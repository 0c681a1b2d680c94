#include "support/dropped.h"

#include "base/status.h"
#include "support/fail_allocator.h"
#include "support/test.h"

static const double step_seconds = 0.02;

SinewBodyDef dropped_ball_def(SinewModelKind model, int resolution)
{
    SinewBodyDef def = sinew_body_def_default();
    def.shape.kind = SINEW_SHAPE_SPHERE;
    def.shape.radius = 0.3;
    def.shape.center[1] = 0.31;
    def.resolution = resolution;
    def.model = model;
    def.material.young = 2e4;
    return def;
}

static SinewWorldDef def_with(const SinewAllocator *allocator, int workers)
{
    SinewWorldDef def = sinew_world_def_default();
    def.worker_count = workers;
    def.allocator = allocator != NULL ? *allocator : (SinewAllocator){0};
    return def;
}

SinewStatus dropped_world(const SinewAllocator *allocator, int workers, const void *context,
                          SinewWorld **out_world, SinewBodyId *out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorldDef world_def = def_with(allocator, workers);
    SinewColliderDef floor_def = sinew_collider_def_default();
    SinewColliderId floor_id;
    *out_world = NULL;
    floor_def.shape.kind = SINEW_SHAPE_PLANE;
    SN_TRY(sinew_world_create(&world_def, out_world, error));
    SN_TRY(sinew_world_add_body(*out_world, context, out_body, error));
    SN_TRY(sinew_world_add_collider(*out_world, &floor_def, &floor_id, error));

done:
    return status;
}

SinewStatus flying_world(const SinewAllocator *allocator, int workers, const void *context,
                         SinewWorld **out_world, SinewBodyId *out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorldDef world_def = def_with(allocator, workers);
    *out_world = NULL;
    world_def.gravity[1] = 0.0;
    SN_TRY(sinew_world_create(&world_def, out_world, error));
    SN_TRY(sinew_world_add_body(*out_world, context, out_body, error));

done:
    return status;
}

SinewWorld *world_made(WorldFn *make, const void *context, SinewBodyId *out_body)
{
    SinewWorld *world = NULL;
    SinewError error = {0};
    expect_done(make(NULL, 1, context, &world, out_body, &error), &error);
    return world;
}

void world_bits_agree(WorldFn *make, const void *context, int steps, int most_workers)
{
    const int workers[] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int n = 0; n < SN_COUNT(workers) && workers[n] <= most_workers; ++n) {
        SinewWorld *world = NULL;
        SinewBodyId body = {0};
        SinewError error = {0};
        expect_done(make(NULL, workers[n], context, &world, &body, &error), &error);
        world_steps(world, steps, step_seconds);
        uint64_t hash = world_hash(world, body);
        first = n == 0 ? hash : first;
        assert_true(hash == first);
        sinew_world_destroy(world);
    }
}

// Saves the state, takes two steps, and takes them again from there.
static void restore_and_step_again(SinewWorld *world, SinewBodyId body,
                                   const SnFailAllocator *count)
{
    SinewError error = {0};
    int64_t before = count->calls;
    size_t size = sinew_world_state_size(world);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    expect_done(sinew_world_save(world, bytes, size, &error), &error);
    world_steps(world, 2, step_seconds);
    uint64_t hash = world_hash(world, body);
    expect_done(sinew_world_restore(world, bytes, size, &error), &error);
    world_steps(world, 2, step_seconds);
    assert_int_equal(count->calls, before);
    assert_true(world_hash(world, body) == hash);
    free(bytes);
}

void world_steps_allocate_nothing(WorldFn *make, const void *context, int warm)
{
    SnFailAllocator count;
    SinewWorld *world = NULL;
    SinewBodyId body = {0};
    SinewError error = {0};
    sn_fail_allocator_init(&count, -1);
    expect_done(make(&count.allocator, 1, context, &world, &body, &error), &error);
    world_steps(world, warm, step_seconds);
    int64_t calls = count.calls;
    world_steps(world, warm, step_seconds);
    assert_int_equal(count.calls, calls);
    restore_and_step_again(world, body, &count);
    sinew_world_destroy(world);
    assert_int_equal(count.blocks, 0);
}

typedef struct Made {
    WorldFn *make;
    const void *context;
} Made;

static SinewStatus make_and_destroy(const SinewAllocator *allocator, void *context,
                                    SinewError *error)
{
    const Made *made = context;
    SinewWorld *world = NULL;
    SinewBodyId body;
    SinewStatus status = made->make(allocator, 1, made->context, &world, &body, error);
    sinew_world_destroy(world);
    return status;
}

int64_t world_allocations_fail(WorldFn *make, const void *context)
{
    Made made = {make, context};
    return sn_fail_each_allocation(make_and_destroy, &made);
}

static void expect_words(const SinewError *error, const char *words)
{
    if (strstr(error->text, words) == NULL) {
        fail_msg("\"%s\" has no \"%s\"", error->text, words);
    }
}

void expect_body_refused(const SinewBodyDef *def, SinewStatus status, const char *words)
{
    SinewWorld *world = world_make(1);
    SinewBodyId body;
    SinewError error = {0};
    assert_int_equal(sinew_world_add_body(world, def, &body, &error), status);
    expect_words(&error, words);
    sinew_world_destroy(world);
}

void expect_rest_refused(const SinewBodyDef *def, SinewStatus status, const char *words)
{
    SinewWorld *world = world_make(1);
    SinewBodyId body;
    SinewError error = {0};
    expect_done(sinew_world_add_body(world, def, &body, &error), &error);
    assert_int_equal(sinew_world_solve_static(world, 1.0, 0.0, &error), status);
    expect_words(&error, words);
    sinew_world_destroy(world);
}
