// A world with one of everything is built, stepped and solved while every allocation fails once.
#include "support/fail_allocator.h"
#include "support/test.h"
#include "support/worlds.h"

static SinewStatus add_body(SinewWorld *world, SinewBodyId *out_body, SinewError *error)
{
    static const SinewMaterialRegion region = {
        .within = {.kind = SINEW_REGION_BOX, .max = {0.5, 1.0, 1.0}},
        .material = {.law = SINEW_LAW_NEO_HOOKEAN, .young = 1e6, .poisson = 0.4, .density = 500.0}};
    SinewBodyDef def = world_box_def(1.0, 1);
    def.name = "box";
    def.regions = &region;
    def.region_count = 1;
    return sinew_world_add_body(world, &def, out_body, error);
}

// Two attachments, of which one is let go.
static SinewStatus tie_body(SinewWorld *world, SinewBodyId body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    static const double point[] = {0.5, 0.5, 0.5};
    SinewKey key = sinew_key_default();
    SinewAttachmentDef def = sinew_attachment_def_default();
    SinewAttachmentId first, second;
    def.body = body;
    def.points = point;
    def.point_count = 1;
    def.keys = &key;
    def.key_count = 1;
    SN_TRY(sinew_world_add_attachment(world, &def, &first, error));
    def.points = NULL;
    def.point_count = 0;
    def.within = region_box(1, 0, 0, 1, 1, 1);
    SN_TRY(sinew_world_add_attachment(world, &def, &second, error));
    SN_TRY(sinew_world_remove_attachment(world, first, error));
done:
    return status;
}

static SinewStatus drive_body(SinewWorld *world, SinewBodyId body, SinewPinId *out_pin,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    static const int corner[] = {7};
    static const SinewRampKey ramp[] = {{0.0, 0.0}, {1.0, 1.0}};
    SinewKey key = sinew_key_default();
    SinewPinDef pin = sinew_pin_def_default();
    pin.body = body;
    pin.within = region_box(0, 0, 0, 0, 1, 1);
    pin.keys = &key;
    pin.key_count = 1;
    SN_TRY(sinew_world_add_pin(world, &pin, out_pin, error));
    SinewLoadDef load = sinew_load_def_default();
    load.body = body;
    load.within =
        (SinewRegion){.kind = SINEW_REGION_VERTICES, .vertices = corner, .vertex_count = 1};
    load.force[1] = -10.0;
    load.ramp = ramp;
    load.ramp_count = 2;
    SinewLoadId load_id;
    SN_TRY(sinew_world_add_load(world, &load, &load_id, error));
    load.within = region_box(1, 0, 0, 1, 1, 1);
    SN_TRY(sinew_world_add_load(world, &load, &load_id, error));
    SN_TRY(tie_body(world, body, error));
done:
    return status;
}

static SinewStatus surround(SinewWorld *world, SinewBodyId body, SinewPinId pin, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewColliderDef plane = sinew_collider_def_default();
    plane.shape.kind = SINEW_SHAPE_PLANE;
    SinewColliderId collider;
    SN_TRY(sinew_world_add_collider(world, &plane, &collider, error));
    SN_TRY(sinew_world_add_collider(world, &plane, &collider, error));
    SN_TRY(sinew_world_remove_collider(world, collider, error));
    SinewProbeDef probe = sinew_probe_def_default();
    probe.body = body;
    probe.has_point = 1;
    SinewProbeId probe_id;
    SN_TRY(sinew_world_add_probe(world, &probe, &probe_id, error));
    probe.report = SINEW_REPORT_REACTION;
    probe.pin = pin;
    SN_TRY(sinew_world_add_probe(world, &probe, &probe_id, error));
done:
    return status;
}

static SinewStatus build(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorldDef def = sinew_world_def_default();
    def.allocator = *allocator;
    def.worker_count = *(int *)context;
    SinewWorld *world = NULL;
    SinewBodyId body;
    SinewPinId pin;
    SN_TRY(sinew_world_create(&def, &world, error));
    SN_TRY(add_body(world, &body, error));
    SN_TRY(drive_body(world, body, &pin, error));
    SN_TRY(surround(world, body, pin, error));
    SN_TRY(sinew_world_step(world, 0.01, error));
    SN_TRY(sinew_world_remove_pin(world, pin, error));
    SN_TRY(sinew_world_step(world, 0.01, error));
    SN_TRY(sinew_world_remove_body(world, body, error));
done:
    sinew_world_destroy(world);
    return status;
}

static void each_allocation_of_a_world_may_fail(void **state)
{
    (void)state;
    int workers = 1;
    assert_true(sn_fail_each_allocation(build, &workers) > 50);
}

// A call that fails for want of memory leaves the world as it was, and the next one works.
static void a_world_survives_a_lack_of_memory(void **state)
{
    (void)state;
    SnFailAllocator fail;
    sn_fail_allocator_init(&fail, -1);
    SinewWorldDef def = sinew_world_def_default();
    def.allocator = fail.allocator;
    SinewWorld *world = NULL;
    SinewError error;
    SinewBodyId body;
    SinewPinId pin;
    expect_done(sinew_world_create(&def, &world, &error), &error);
    expect_done(add_body(world, &body, &error), &error);
    expect_done(drive_body(world, body, &pin, &error), &error);
    world_add_floor(world, -0.01);
    world_steps(world, 2, 0.01);
    uint64_t before = world_hash(world, body);
    int failures = 0;
    SinewStatus status = SINEW_ERROR_MEMORY;
    for (int64_t n = 0; status < 0; ++n) {
        fail.fail_at = fail.calls + n;
        status = surround(world, body, pin, &error);
        assert_true(status == SINEW_OK || status == SINEW_ERROR_MEMORY);
        assert_true(world_hash(world, body) == before);
        failures += status < 0 ? 1 : 0;
    }
    fail.fail_at = -1;
    assert_true(failures > 5);
    world_steps(world, 1, 0.01);
    sinew_world_destroy(world);
    assert_int_equal(fail.blocks, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_allocation_of_a_world_may_fail),
    cmocka_unit_test(a_world_survives_a_lack_of_memory),
};

SN_TEST_GROUP(world_memory, tests);
