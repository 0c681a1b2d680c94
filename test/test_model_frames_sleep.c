// Frames that wake and sleep: nothing jumps in any mode, a removed frame goes along rigidly, and
// what awake frames feel of sleeping ones is the derivative of the energy.
#include "support/test.h"

#include "support/frames_bar.h"
#include "support/frames_rig.h"

#include <math.h>

typedef struct Kind {
    SinewFramesMode mode;
    SinewFrameKind kind;
    SinewLaw law;
} Kind;

static const Kind kinds[] = {
    {SINEW_FRAMES_FITTED, SINEW_FRAME_RIGID, SINEW_LAW_COROTATED},
    {SINEW_FRAMES_PAPER, SINEW_FRAME_RIGID, SINEW_LAW_SVK},
    {SINEW_FRAMES_FITTED, SINEW_FRAME_AFFINE, SINEW_LAW_COROTATED},
};

// A bar of five frames under its weight, the last of which wakes and sleeps.
static SinewWorld *swing(const Kind *kind, double wakes, double sleeps, SinewBodyId *out_body)
{
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    SinewFrame frames[FRAMES_BAR_COUNT];
    SinewWorld *world = world_make(1);
    SinewError error;
    memcpy(frames, def.frames.frames, sizeof frames);
    frames[4].wakes = wakes;
    frames[4].sleeps = sleeps;
    def.frames.frames = frames;
    def.frames.mode = kind->mode;
    def.frames.kind = kind->kind;
    def.material.law = kind->law;
    expect_done(sinew_world_add_body(world, &def, out_body, &error), &error);
    world_hold(world, *out_body, region_box(-1, -1, -1, 0.001, 2, 2));
    return world;
}

// Inserting and removing leave the shape within 1e-4 of the body's size and the energy within 1 %;
// a step that is too short for anything to happen lies between.
static void expect_no_jump(SinewWorld *world, SinewBodyId body)
{
    double energy[2][6];
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    size_t size = 3 * (size_t)mesh.vertex_count * sizeof(double);
    double *before = malloc(size);
    SinewProbeId probe = world_probe(world, body, SINEW_REPORT_ENERGY);
    memcpy(before, mesh.positions, size);
    world_read(world, probe, energy[0]);
    world_steps(world, 1, 1e-7);
    world_read(world, probe, energy[1]);
    mesh = sinew_body_mesh(world, body);
    for (int i = 0; i < 3 * mesh.vertex_count; ++i) {
        assert_at_most(fabs(mesh.positions[i] - before[i]), 1e-4 * 4.0);
    }
    assert_true(energy[0][1] > 1.0);
    assert_at_most(fabs(energy[1][1] - energy[0][1]), 0.01 * energy[0][1]);
    free(before);
}

static void nothing_jumps(void **state)
{
    (void)state;
    for (int n = 0; n < SN_COUNT(kinds); ++n) {
        SinewBodyId body;
        SinewWorld *world = swing(&kinds[n], 0.195, 0.395, &body);
        world_steps(world, 20, 0.01);
        expect_no_jump(world, body);
        world_steps(world, 20, 0.01);
        expect_no_jump(world, body);
        sinew_world_destroy(world);
    }
}

// Distance of two vertices of the mesh, now.
static double distance_of(SinewWorld *world, SinewBodyId body, const double a[3], const double b[3])
{
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    const double *ends[2] = {a, b}, *found[2] = {NULL, NULL};
    double square = 0.0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        for (int n = 0; n < 2; ++n) {
            double off = 0.0;
            for (int k = 0; k < 3; ++k) {
                off += fabs(mesh.rest[3 * v + k] - ends[n][k]);
            }
            found[n] = off < 1e-9 ? mesh.positions + 3 * v : found[n];
        }
    }
    assert_non_null(found[0]);
    assert_non_null(found[1]);
    for (int k = 0; k < 3; ++k) {
        square += (found[0][k] - found[1][k]) * (found[0][k] - found[1][k]);
    }
    return sqrt(square);
}

// The last metre of the bar bends until its frame is removed, and is a rigid thing from then on.
static void a_removed_frame_goes_along(void **state)
{
    (void)state;
    const double low[3] = {3, 0, 0}, high[3] = {4, 1, 0};
    double distances[3];
    SinewBodyId body;
    SinewWorld *world = swing(&kinds[0], 0.0, 0.2, &body);
    for (int n = 0; n < 3; ++n) {
        world_steps(world, n == 0 ? 10 : 11, 0.01);
        distances[n] = distance_of(world, body, low, high);
    }
    assert_true(fabs(distances[1] - distances[0]) > 1e-5);
    assert_at_most(fabs(distances[2] - distances[1]), 1e-9);
    sinew_world_destroy(world);
}

static void states_hold_who_sleeps(void **state)
{
    (void)state;
    SinewBodyId body;
    SinewError error;
    SinewWorld *world = swing(&kinds[0], 0.05, 0.15, &body);
    size_t size = sinew_world_state_size(world);
    void *bytes = malloc(size);
    for (int n = 0; n < 3; ++n) { // asleep, awake, asleep again
        world_steps(world, 3 + 5 * (n > 0), 0.01);
        expect_done(sinew_world_save(world, bytes, size, &error), &error);
        world_steps(world, 4, 0.01);
        uint64_t hash = world_hash(world, body);
        world_steps(world, 7, 0.01);
        expect_done(sinew_world_restore(world, bytes, size, &error), &error);
        world_steps(world, 4, 0.01);
        assert_true(world_hash(world, body) == hash);
    }
    free(bytes);
    sinew_world_destroy(world);
}

static const FramesBody sleeper = {.name = "bar",
                                   .kind = SINEW_SHAPE_BOX,
                                   .boxes = {{0, 0, 0, 4, 1, 1}},
                                   .cells = {8, 2, 2},
                                   .origins = {{.5, .5, .5}, {2, .5, .5}, {3.5, .5, .5}},
                                   .frames = 3,
                                   .wakes = {0, 1, 0}};

// The Hessian is by turns that add up, which changes of poses do to second order.
static void awake_frames_feel_sleeping_ones(void **state)
{
    (void)state;
    enum { DOFS = 18 };
    FramesRig rig;
    FramesSlopes slopes;
    SinewFramesDef options = sinew_frames_def_default();
    double bent[FRAMES_POSES_MAX];
    frames_rig_make(&sleeper, &options, &rig);
    SnStep still = {0};
    SinewStepReport report;
    SnFramesProblem problem = {
        .body = rig.body, .step = &still, .report = &report, .geometric = true};
    frames_rig_bend(rig.body, 0.2, 3, bent);
    frames_rig_slopes(&problem, bent, &slopes);
    frames_slopes_fit_phi(&slopes, DOFS);
    assert_true(slopes.steepest > 1.0);
    for (int d = 0; d < DOFS; ++d) {
        double second = slopes.of_gradient[DOFS * d + d];
        if (d / 6 == 1) {
            assert_true(slopes.gradient[d] == 0.0);
            continue;
        }
        assert_at_most(fabs(second - slopes.hessian[DOFS * d + d]), 1e-7 * slopes.largest);
    }
    frames_rig_release(&rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_jumps),
    cmocka_unit_test(a_removed_frame_goes_along),
    cmocka_unit_test(states_hold_who_sleeps),
    cmocka_unit_test(awake_frames_feel_sleeping_ones),
};
SN_TEST_GROUP(model_frames_sleep, tests);
