#include "support/worlds.h"

#include "base/hash.h"
#include "support/test.h"
#include "world/world.h"

void expect_done(SinewStatus status, const SinewError *error)
{
    if (status < 0) {
        fail_msg("%s: %s", sinew_status_text(status), error->text);
    }
}

SinewWorld *world_make(int worker_count)
{
    SinewError error;
    SinewWorld *world = NULL;
    SinewWorldDef def = sinew_world_def_default();
    def.worker_count = worker_count;
    expect_done(sinew_world_create(&def, &world, &error), &error);
    return world;
}

SinewBodyDef world_box_def(double size, int cells)
{
    SinewBodyDef def = sinew_body_def_default();
    def.model = SINEW_MODEL_NEWTON;
    def.shape.kind = SINEW_SHAPE_BOX;
    for (int k = 0; k < 3; ++k) {
        def.shape.max[k] = size;
        def.cells[k] = cells;
    }
    return def;
}

SinewBodyId world_add_box(SinewWorld *world, double size, int cells)
{
    SinewError error;
    SinewBodyId body = {0};
    SinewBodyDef def = world_box_def(size, cells);
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    return body;
}

SinewBodyId world_add_box_with(SinewWorld *world, const SnModel *model, double size, int cells)
{
    SinewError error;
    SinewBodyId body = {0};
    SinewBodyDef def = world_box_def(size, cells);
    expect_done(sn_world_add_body_with(world, model, &def, &body, &error), &error);
    return body;
}

SinewRegion region_box(double x0, double y0, double z0, double x1, double y1, double z1)
{
    return (SinewRegion){.kind = SINEW_REGION_BOX, .min = {x0, y0, z0}, .max = {x1, y1, z1}};
}

SinewPinId world_hold(SinewWorld *world, SinewBodyId body, SinewRegion region)
{
    SinewError error;
    SinewPinId pin = {0};
    SinewPinDef def = sinew_pin_def_default();
    def.body = body;
    def.within = region;
    expect_done(sinew_world_add_pin(world, &def, &pin, &error), &error);
    return pin;
}

SinewColliderId world_add_floor(SinewWorld *world, double height)
{
    SinewError error;
    SinewColliderId collider = {0};
    SinewColliderDef def = sinew_collider_def_default();
    def.shape.kind = SINEW_SHAPE_PLANE;
    def.shape.offset = height;
    expect_done(sinew_world_add_collider(world, &def, &collider, &error), &error);
    return collider;
}

SinewProbeId world_probe(SinewWorld *world, SinewBodyId body, SinewReport report)
{
    SinewError error;
    SinewProbeId probe = {0};
    SinewProbeDef def = sinew_probe_def_default();
    def.body = body;
    def.report = report;
    expect_done(sinew_world_add_probe(world, &def, &probe, &error), &error);
    return probe;
}

void world_read(const SinewWorld *world, SinewProbeId probe, double values[6])
{
    SinewError error;
    int count = 0;
    expect_done(sinew_world_read_probe(world, probe, values, &count, &error), &error);
    assert_in_range(count, 1, SINEW_REPORT_VALUES_MAX);
}

void world_steps(SinewWorld *world, int count, double seconds)
{
    SinewError error;
    for (int i = 0; i < count; ++i) {
        expect_done(sinew_world_step(world, seconds, &error), &error);
    }
}

uint64_t world_hash(const SinewWorld *world, SinewBodyId body)
{
    SinewPoints surface = sinew_body_surface(world, body);
    SinewPoints normals = sinew_body_normals(world, body);
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    size_t floats = 3 * (size_t)surface.count * sizeof(float);
    size_t doubles = 3 * (size_t)mesh.vertex_count * sizeof(double);
    uint64_t hash = sn_hash(SN_HASH_START, surface.xyz, floats);
    hash = sn_hash(hash, normals.xyz, floats);
    hash = sn_hash(hash, mesh.positions, doubles);
    return sn_hash(hash, mesh.velocities, doubles);
}
