#include "support/frames_bar.h"

#include "support/dropped.h"
#include "support/test.h"

#include <math.h>

SinewBodyDef frames_bar_def(SinewModelKind model, int cells, double poisson)
{
    static SinewFrame frames[FRAMES_BAR_COUNT];
    SinewBodyDef def = sinew_body_def_default();
    def.shape.kind = SINEW_SHAPE_BOX;
    for (int k = 0; k < 3; ++k) {
        def.shape.min[k] = 0.0;
        def.shape.max[k] = k == 0 ? 4.0 : 1.0;
        def.cells[k] = k == 0 ? 4 * cells : cells;
    }
    for (int i = 0; i < FRAMES_BAR_COUNT; ++i) {
        frames[i] = (SinewFrame){.at = {i, 0.5, 0.5}};
    }
    def.model = model;
    def.material.young = 1e5;
    def.material.poisson = poisson;
    def.frames.frames = frames;
    def.frames.frame_count = FRAMES_BAR_COUNT;
    return def;
}

SinewWorld *frames_bar_world(const SinewBodyDef *def, SinewBodyId *out_body)
{
    return world_made(flying_world, def, out_body);
}

SinewProbeId frames_bar_tip(SinewWorld *world, SinewBodyId body)
{
    static const double tip[3] = {4.0, 0.5, 0.5};
    SinewProbeDef def = sinew_probe_def_default();
    SinewProbeId probe;
    SinewError error;
    def.body = body;
    def.report = SINEW_REPORT_DISPLACEMENT;
    def.has_point = 1;
    memcpy(def.point, tip, sizeof tip);
    expect_done(sinew_world_add_probe(world, &def, &probe, &error), &error);
    return probe;
}

void frames_bar_bend(const SinewBodyDef *def, double load, double out_tip[6])
{
    SinewBodyId body;
    SinewWorld *world = frames_bar_world(def, &body);
    SinewLoadDef load_def = sinew_load_def_default();
    SinewLoadId load_id;
    SinewError error;
    load_def.body = body;
    load_def.within = region_box(3.999, -1, -1, 5, 2, 2);
    load_def.force[1] = -load;
    world_hold(world, body, region_box(-1, -1, -1, 0.001, 2, 2));
    expect_done(sinew_world_add_load(world, &load_def, &load_id, &error), &error);
    SinewProbeId tip = frames_bar_tip(world, body);
    for (int i = 1; i <= 4; ++i) {
        expect_done(sinew_world_solve_static(world, i / 4.0, 0.0, &error), &error);
    }
    world_read(world, tip, out_tip);
    sinew_world_destroy(world);
}

double frames_bar_error(const double a[3], const double b[3])
{
    double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
    return sqrt(dx * dx + dy * dy + dz * dz) / 4.0;
}

SinewPinId frames_bar_move_end(SinewWorld *world, SinewBodyId body, const SinewKey *end)
{
    SinewPinDef pin = sinew_pin_def_default();
    SinewKey keys[2] = {*end, *end};
    SinewPinId id;
    SinewError error;
    keys[0].t = keys[0].degrees = 0.0;
    memset(keys[0].translate, 0, sizeof keys[0].translate);
    keys[1].t = 1.0;
    pin.body = body;
    pin.within = region_box(3.999, -1, -1, 5, 2, 2);
    pin.keys = keys;
    pin.key_count = 2;
    expect_done(sinew_world_add_pin(world, &pin, &id, &error), &error);
    return id;
}

void frames_bar_reaction(SinewWorld *world, SinewBodyId body, SinewPinId pin, double out[6])
{
    SinewProbeDef def = sinew_probe_def_default();
    SinewProbeId probe;
    SinewError error;
    def.body = body;
    def.report = SINEW_REPORT_REACTION;
    def.pin = pin;
    expect_done(sinew_world_add_probe(world, &def, &probe, &error), &error);
    world_read(world, probe, out);
}

SinewBodyDef frames_ball_def(SinewFrameKind kind)
{
    SinewBodyDef def = dropped_ball_def(SINEW_MODEL_FRAMES, 6);
    def.frames.count = 3;
    def.frames.kind = kind;
    def.frames.integrator = SINEW_INTEGRATOR_BDF2;
    return def;
}

void frames_ball_rests(SinewFrameKind kind, int dofs)
{
    SinewBodyDef def = frames_ball_def(kind);
    SinewBodyId body;
    SinewError error = {0};
    double contact[6];
    SinewWorld *world = world_made(dropped_world, &def, &body);
    expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
    world_read(world, world_probe(world, body, SINEW_REPORT_CONTACT), contact);
    SinewBodyInfo info = sinew_body_info(world, body);
    assert_int_equal(info.dofs, dofs);
    assert_at_most(fabs(contact[1] - 9.81 * info.mass), 1e-4 * 9.81 * info.mass);
    sinew_world_destroy(world);
}
