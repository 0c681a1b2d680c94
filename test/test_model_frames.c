// The model of frames through a world: accuracy beside finite elements, laws in closed form,
// momentum, bad starts, the same bits for any number of workers, memory, states and refusals.
#include "support/test.h"

#include "model/frames/body.h"
#include "support/dropped.h"
#include "support/frames_bar.h"

#include <math.h>

// Beside a lattice of four cells through the thickness, whose own tip is within 0.5 % of L of finer
// ones.
static void a_bar_bends_as_finite_elements_do(void **state)
{
    (void)state;
    const double loads[] = {450.0, 1100.0}; // 28 % and 53 % of its length
    for (int n = 0; n < sn_test_share(4); ++n) {
        double poisson = n / 2 == 0 ? 0.0 : 0.3, load = loads[n % 2], fine[6], tip[6];
        SinewBodyDef lattice = frames_bar_def(SINEW_MODEL_LATTICE, 4, poisson);
        SinewBodyDef frames = frames_bar_def(SINEW_MODEL_FRAMES, 4, poisson);
        frames_bar_bend(&lattice, load, fine);
        frames_bar_bend(&frames, load, tip);
        assert_at_most(frames_bar_error(tip, fine), 0.02);
    }
}

// What the paper's samples do with the same frames: locked in shear, 9 to 18 % of L too stiff.
static void the_papers_samples_are_too_stiff(void **state)
{
    (void)state;
    double tip[6], paper[6];
    SinewBodyDef frames = frames_bar_def(SINEW_MODEL_FRAMES, 4, 0.3);
    SinewBodyDef sampled = frames;
    sampled.frames.mode = SINEW_FRAMES_PAPER;
    sampled.frames.geometric = 1;
    sampled.material.law = SINEW_LAW_SVK;
    frames_bar_bend(&frames, 1100.0, tip);
    frames_bar_bend(&sampled, 1100.0, paper);
    assert_true(paper[1] > 0.85 * tip[1]);
    assert_true(frames_bar_error(paper, tip) > 0.1);
}

// f = (lambda + 2 mu) A (e + 3/2 e^2 + 1/2 e^3) for rigid sections and linear weights.
static void extension_follows_its_law(void **state)
{
    (void)state;
    const double extensions[] = {-0.3, -0.1, -0.01, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75};
    const double forces[] = {-0.1785, -0.0855,   -0.0098505, 0.0101505, 0.0538125,
                             0.1155,  0.3515625, 0.9375,     1.8046875};
    for (int n = 0; n < 9; ++n) {
        SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
        SinewBodyId body;
        SinewError error;
        double values[6], e = 1e5, nu = 0.3;
        double modulus = e * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu));
        // Two frames, both held: with more, the pressed bar buckles.
        SinewFrame ends[2] = {{.at = {0.0, 0.5, 0.5}}, {.at = {4.0, 0.5, 0.5}}};
        def.frames.frames = ends;
        def.frames.frame_count = 2;
        def.frames.mode = SINEW_FRAMES_PAPER;
        def.frames.geometric = 1;
        def.material.law = SINEW_LAW_SVK;
        SinewWorld *world = frames_bar_world(&def, &body);
        SinewKey end = {.translate = {4.0 * extensions[n], 0, 0}, .axis = {0, 1, 0}};
        world_hold(world, body, region_box(-1, -1, -1, 0.001, 2, 2));
        SinewPinId id = frames_bar_move_end(world, body, &end);
        for (int i = 1; i <= 3; ++i) {
            expect_done(sinew_world_solve_static(world, i / 3.0, 0.0, &error), &error);
        }
        frames_bar_reaction(world, body, id, values);
        assert_at_most(fabs(values[0] / modulus - forces[n]), 1e-6 * fabs(forces[n]));
        sinew_world_destroy(world);
    }
}

// A free bar that flies and turns keeps its momentum and is not strained by it.
static void rigid_motion_costs_nothing(void **state)
{
    (void)state;
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    SinewBodyId body;
    double before[6], after[6], energy[6];
    def.linear_velocity[0] = 1.0;
    def.angular_velocity[2] = 0.5;
    def.material.young = 1e7;
    SinewWorld *world = frames_bar_world(&def, &body);
    SinewProbeId momentum = world_probe(world, body, SINEW_REPORT_MOMENTUM);
    SinewProbeId energies = world_probe(world, body, SINEW_REPORT_ENERGY);
    world_read(world, momentum, before);
    world_steps(world, 50, 0.002);
    world_read(world, momentum, after);
    world_read(world, energies, energy);
    assert_at_most(fabs(before[0] - 4000.0), 1e-6);
    for (int k = 0; k < 3; ++k) {
        assert_at_most(fabs(after[k] - before[k]), 1e-6 * 4000.0);
    }
    // Backward Euler loses angular momentum in proportion to the step: v x v_n h.
    assert_at_most(fabs(after[5] - before[5]), 1e-3 * fabs(before[5]));
    // Centrifugal strain alone: stresses of rho (omega L)^2 / 8, 500 Pa, store under a tenth of a
    // joule.
    assert_at_most(energy[1], 0.1);
    sinew_world_destroy(world);
}

static void bad_starts_recover(void **state)
{
    (void)state;
    for (int start = SINEW_START_MIRRORED; start <= SINEW_START_SCRAMBLED; ++start) {
        SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
        SinewBodyId body;
        double values[6];
        def.start = (SinewStart)start;
        def.material.damping_mass = 2.0;
        def.material.young = 1e6;
        SinewWorld *world = frames_bar_world(&def, &body);
        world_hold(world, body, region_box(-1, -1, -1, 0.001, 2, 2));
        world_steps(world, 120, 0.05);
        world_read(world, world_probe(world, body, SINEW_REPORT_ENERGY), values);
        assert_at_most(values[0], 1.0);
        assert_at_most(values[1], 1.0);
        sinew_world_destroy(world);
    }
}

// One end turned by half a turn: the tip's sections follow, and the moment is that of a twisted
// bar.
static void half_a_turn_is_found(void **state)
{
    (void)state;
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 4, 0.3);
    SinewBodyId body;
    SinewError error;
    SinewWorld *world = frames_bar_world(&def, &body);
    SinewKey end = {.axis = {1, 0, 0}, .degrees = 180, .about = {0, 0.5, 0.5}};
    double values[6];
    world_hold(world, body, region_box(-1, -1, -1, 0.001, 2, 2));
    SinewPinId id = frames_bar_move_end(world, body, &end);
    expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
    frames_bar_reaction(world, body, id, values);
    // St. Venant's torsion of a square: 0.1406 G a^4 angle / L, stiffer by clamped ends; large
    // strain of the corners adds to it.
    double moment = 0.1406 * (1e5 / 2.6) * 3.14159265 / 4.0;
    double about =
        values[3]; // the axis goes through (0.5, 0.5), forces there have no moment about x
    double arm = 0.5 * values[2] - 0.5 * values[1];
    assert_at_most(fabs((about - arm) / moment - 1.0), 0.35);
    sinew_world_destroy(world);
}

// Pressed together by a quarter of its length a slim bar does not stay straight.
static void a_pressed_bar_buckles(void **state)
{
    (void)state;
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    SinewBodyId body;
    SinewError error;
    def.shape.max[1] = def.shape.max[2] = 0.25;
    def.cells[0] = 32;
    def.cells[1] = def.cells[2] = 2;
    SinewFrame frames[FRAMES_BAR_COUNT];
    for (int i = 0; i < FRAMES_BAR_COUNT; ++i) {
        frames[i] = (SinewFrame){.at = {i, 0.125, 0.125}};
    }
    def.frames.frames = frames;
    SinewWorld *world = frames_bar_world(&def, &body);
    SinewKey end = {.translate = {-1.0, 0, 0}, .axis = {0, 1, 0}};
    world_hold(world, body, region_box(-1, -1, -1, 0.001, 2, 2));
    frames_bar_move_end(world, body, &end);
    expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    double most = 0.0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        for (int k = 1; k < 3; ++k) {
            most = fmax(most, fabs(mesh.positions[3 * v + k] - mesh.rest[3 * v + k]));
        }
    }
    assert_true(most > 0.3);
    sinew_world_destroy(world);
}

static void bits_are_the_same_for_any_workers(void **state)
{
    (void)state;
    SinewBodyDef def = frames_ball_def(SINEW_FRAME_RIGID);
    world_bits_agree(dropped_world, &def, 6, 8);
}

static void a_ball_comes_to_rest_on_a_floor(void **state)
{
    (void)state;
    frames_ball_rests(SINEW_FRAME_RIGID, 18);
}

static void steps_allocate_nothing_and_restore(void **state)
{
    (void)state;
    SinewBodyDef def = frames_ball_def(SINEW_FRAME_RIGID);
    world_steps_allocate_nothing(dropped_world, &def, 3);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    SinewBodyDef def = frames_ball_def(SINEW_FRAME_RIGID);
    assert_true(world_allocations_fail(dropped_world, &def) > 50);
}

static void refusals_are_sentences(void **state)
{
    (void)state;
    SinewFrame frame = {.at = {0.0, 0.0, NAN}};
    SinewBodyDef good = frames_bar_def(SINEW_MODEL_FRAMES, 1, 0.3), def = good;
    def.cells[1] = 2;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "expected cubes");
    def = good;
    def.frames.tolerance = 2.0;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "tolerance of frames is 2");
    def = good;
    def.frames.count = 65;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "count of frames is 65");
    def = good;
    def.frames.frames = &frame;
    def.frames.frame_count = 1;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "at");
    def = good;
    def.frames.weights = SINEW_FRAME_WEIGHTS_PAINTED;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT,
                        "painted weights are for 0 vertices, expected those of the 20");
}

// Painted weights that are those of a chain give the same body as linear ones.
static void painted_weights_are_taken(void **state)
{
    (void)state;
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    double painted[81 * FRAMES_BAR_COUNT], linear[6], tip[6];
    frames_bar_bend(&def, 450.0, linear);
    for (int v = 0; v < 81; ++v) {
        double x = v / 9 / 2.0; // nine vertices a section, sections half a metre apart
        for (int i = 0; i < FRAMES_BAR_COUNT; ++i) {
            painted[FRAMES_BAR_COUNT * v + i] = 7.0 * fmax(0.0, 1.0 - fabs(x - i));
        }
    }
    def.frames.weights = SINEW_FRAME_WEIGHTS_PAINTED;
    def.frames.painted = painted;
    def.frames.painted_count = 81;
    frames_bar_bend(&def, 450.0, tip);
    assert_at_most(frames_bar_error(tip, linear), 1e-6);
}

// A bar that swings with its tip's frame asleep: waking it moves nothing and costs nothing, and
// then the tip bends.
static void waking_a_frame_changes_nothing(void **state)
{
    (void)state;
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    SinewFrame frames[FRAMES_BAR_COUNT];
    SinewBodyId body;
    double before[6], after[6], energy[2][6];
    memcpy(frames, def.frames.frames, sizeof frames);
    frames[4].wakes = 0.195;
    def.frames.frames = frames;
    SinewWorld *world = world_make(1);
    SinewError error;
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    world_hold(world, body, region_box(-1, -1, -1, 0.001, 2, 2));
    SinewProbeId tip = frames_bar_tip(world, body);
    SinewProbeId energies = world_probe(world, body, SINEW_REPORT_ENERGY);
    world_steps(world, 20, 0.01);
    world_read(world, tip, before);
    world_read(world, energies, energy[0]);
    // Its lead and it have not moved against each other; a tiny step later it is awake.
    world_steps(world, 1, 1e-7);
    world_read(world, tip, after);
    world_read(world, energies, energy[1]);
    assert_true(before[1] < -0.05);
    assert_at_most(frames_bar_error(after, before), 1e-4);
    assert_at_most(fabs(energy[1][1] - energy[0][1]), 0.01 * energy[0][1]);
    sinew_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(waking_a_frame_changes_nothing),
    cmocka_unit_test(a_bar_bends_as_finite_elements_do),
    cmocka_unit_test(the_papers_samples_are_too_stiff),
    cmocka_unit_test(extension_follows_its_law),
    cmocka_unit_test(rigid_motion_costs_nothing),
    cmocka_unit_test(bad_starts_recover),
    cmocka_unit_test(half_a_turn_is_found),
    cmocka_unit_test(a_pressed_bar_buckles),
    cmocka_unit_test(bits_are_the_same_for_any_workers),
    cmocka_unit_test(a_ball_comes_to_rest_on_a_floor),
    cmocka_unit_test(steps_allocate_nothing_and_restore),
    cmocka_unit_test(every_allocation_fails_once),
    cmocka_unit_test(refusals_are_sentences),
    cmocka_unit_test(painted_weights_are_taken),
};
SN_TEST_GROUP(model_frames, tests);
