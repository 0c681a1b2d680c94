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

double frames_bar_off(const SinewBodyDef *def, double load)
{
    SinewBodyDef lattice = *def;
    double tip[6], fine[6];
    lattice.model = SINEW_MODEL_LATTICE;
    frames_bar_bend(def, load, tip);
    frames_bar_bend(&lattice, load, fine);
    return frames_bar_error(tip, fine);
}

SinewPinId frames_bar_drive(SinewWorld *world, SinewBodyId body, const SinewKey *keys, int count)
{
    SinewPinDef pin = sinew_pin_def_default();
    SinewPinId id;
    SinewError error;
    pin.body = body;
    pin.within = region_box(3.999, -1, -1, 5, 2, 2);
    pin.keys = keys;
    pin.key_count = count;
    world_hold(world, body, region_box(-1, -1, -1, 0.001, 2, 2));
    expect_done(sinew_world_add_pin(world, &pin, &id, &error), &error);
    return id;
}

SinewPinId frames_bar_move_end(SinewWorld *world, SinewBodyId body, const SinewKey *end)
{
    SinewKey keys[2] = {*end, *end};
    keys[0].t = keys[0].degrees = 0.0;
    memset(keys[0].translate, 0, sizeof keys[0].translate);
    keys[1].t = 1.0;
    return frames_bar_drive(world, body, keys, 2);
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

FramesFlight frames_bar_fly(const SinewBodyDef *def_)
{
    SinewBodyDef def = *def_;
    SinewBodyId body;
    FramesFlight flight = {.elastic = 0.0};
    double energy[6];
    def.linear_velocity[0] = 1.0;
    def.angular_velocity[2] = 0.5;
    SinewWorld *world = frames_bar_world(&def, &body);
    SinewProbeId momentum = world_probe(world, body, SINEW_REPORT_MOMENTUM);
    world_read(world, momentum, flight.before);
    world_steps(world, 50, 0.002);
    world_read(world, momentum, flight.after);
    world_read(world, world_probe(world, body, SINEW_REPORT_ENERGY), energy);
    assert_at_most(fabs(flight.before[0] - 4000.0), 1e-6);
    for (int k = 0; k < 3; ++k) {
        // One solve a step leaves what it leaves in mode paper; forces are opposite there too.
        assert_at_most(fabs(flight.after[k] - flight.before[k]), 1e-6 * 4000.0);
    }
    flight.elastic = energy[1];
    sinew_world_destroy(world);
    return flight;
}

void frames_bar_calm(const SinewBodyDef *def_, SinewStart start, int steps, double out_energy[6])
{
    SinewBodyDef def = *def_;
    SinewBodyId body;
    def.start = start;
    def.material.damping_mass = 2.0;
    def.material.young = 1e6;
    SinewWorld *world = frames_bar_world(&def, &body);
    world_hold(world, body, region_box(-1, -1, -1, 0.001, 2, 2));
    world_steps(world, steps, 0.05);
    world_read(world, world_probe(world, body, SINEW_REPORT_ENERGY), out_energy);
    sinew_world_destroy(world);
}

void frames_bar_stretches(const SinewBodyDef *def_)
{
    const double extensions[] = {-0.3, -0.1, -0.01, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75};
    const double nu = def_->material.poisson;
    const double modulus = def_->material.young * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu));
    // Both are held: with more frames, the pressed bar buckles.
    const SinewFrame ends[2] = {{.at = {0.0, 0.5, 0.5}}, {.at = {4.0, 0.5, 0.5}}};
    SinewBodyDef def = *def_;
    def.frames.frames = ends;
    def.frames.frame_count = 2;
    def.material.law = SINEW_LAW_SVK;
    for (int n = 0; n < SN_COUNT(extensions); ++n) {
        SinewBodyId body;
        SinewError error;
        double e = extensions[n], force = e + 1.5 * e * e + 0.5 * e * e * e, values[6];
        SinewKey end = {.translate = {4.0 * e, 0, 0}, .axis = {0, 1, 0}};
        SinewWorld *world = frames_bar_world(&def, &body);
        SinewPinId pin = frames_bar_move_end(world, body, &end);
        for (int i = 1; i <= 3; ++i) {
            expect_done(sinew_world_solve_static(world, i / 3.0, 0.0, &error), &error);
        }
        frames_bar_reaction(world, body, pin, values);
        assert_at_most(fabs(values[0] / modulus - force), 1e-6 * fabs(force));
        sinew_world_destroy(world);
    }
}

double frames_bar_twist(const SinewBodyDef *def)
{
    const double shear = def->material.young / (2.0 * (1.0 + def->material.poisson));
    SinewBodyId body;
    SinewError error = {0};
    SinewWorld *world = frames_bar_world(def, &body);
    SinewKey end = {.axis = {1, 0, 0}, .degrees = 180, .about = {0, 0.5, 0.5}};
    double wrench[6];
    SinewPinId pin = frames_bar_move_end(world, body, &end);
    expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
    frames_bar_reaction(world, body, pin, wrench);
    sinew_world_destroy(world);
    // About the axis, not about the origin.
    double moment = wrench[3] - (0.5 * wrench[2] - 0.5 * wrench[1]);
    return moment / (0.1406 * shear * 3.14159265 / 4.0);
}

SinewBodyDef frames_ball_def(SinewFrameKind kind)
{
    SinewBodyDef def = dropped_ball_def(SINEW_MODEL_FRAMES, 6);
    def.frames.count = 4;
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
