// The model of frames through a world: accuracy beside finite elements, laws in closed form,
// momentum, bad starts, the same bits for any number of workers, memory, states and refusals.
#include "support/test.h"

#include "model/frames/body.h"
#include "support/dropped.h"
#include "support/frames_bar.h"

#include <math.h>

static void a_bar_bends_as_finite_elements_do(void **state)
{
    (void)state;
    const double loads[] = {450.0, 1100.0}; // 28 % and 53 % of its length
    for (int n = 0; n < sn_test_share(4); ++n) {
        SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 4, n / 2 == 0 ? 0.0 : 0.3);
        assert_at_most(frames_bar_off(&def, loads[n % 2]), 0.02);
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

static void extension_follows_its_law(void **state)
{
    (void)state;
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    def.frames.mode = SINEW_FRAMES_PAPER;
    def.frames.geometric = 1;
    frames_bar_stretches(&def);
}

// A free bar that flies and turns keeps its momentum and is not strained by it.
static void rigid_motion_costs_nothing(void **state)
{
    (void)state;
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    def.material.young = 1e7;
    FramesFlight flight = frames_bar_fly(&def);
    // Backward Euler loses angular momentum in proportion to the step: v x v_n h.
    assert_at_most(fabs(flight.after[5] - flight.before[5]), 1e-3 * fabs(flight.before[5]));
    // Centrifugal strain alone: stresses of rho (omega L)^2 / 8, 500 Pa, store under a tenth of a
    // joule.
    assert_at_most(flight.elastic, 0.1);
}
static void bad_starts_recover(void **state)
{
    (void)state;
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    for (int start = SINEW_START_MIRRORED; start <= SINEW_START_SCRAMBLED; ++start) {
        double energy[6];
        frames_bar_calm(&def, (SinewStart)start, 120, energy);
        assert_at_most(energy[0], 1.0);
        assert_at_most(energy[1], 1.0);
    }
}

// Clamped ends make a bar stiffer than St. Venant's, and large strain of the corners adds to it.
static void half_a_turn_is_found(void **state)
{
    (void)state;
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 4, 0.3);
    assert_at_most(fabs(frames_bar_twist(&def) - 1.0), 0.35);
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
    frames_ball_rests(SINEW_FRAME_RIGID, 24);
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
    def.frames.tolerance = 2.0;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "tolerance of frames is 2");
    def = good;
    def.frames.count = 65;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "count of frames is 65");
    def = good;
    def.frames.frames = &frame;
    def.frames.frame_count = 1;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "at");
    SinewFrame many[21] = {{.at = {0.0}}};
    many[0].parent1 = 21;
    def = good;
    def.frames.frames = many;
    def.frames.frame_count = 21;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "21 frames are given for the 20 vertices");
    def = good;
    def.frames.weights = SINEW_FRAME_WEIGHTS_PAINTED;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT,
                        "painted weights are for 0 vertices, expected those of the 20");
}

// A bar with painted weights: those of a chain, times seven, which changes nothing.
static SinewBodyDef painted_bar(double painted[81 * FRAMES_BAR_COUNT])
{
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, 0.3);
    for (int v = 0; v < 81; ++v) {
        double x = v / 9 / 2.0; // nine vertices a section, sections half a metre apart
        for (int i = 0; i < FRAMES_BAR_COUNT; ++i) {
            painted[FRAMES_BAR_COUNT * v + i] = 7.0 * fmax(0.0, 1.0 - fabs(x - i));
        }
    }
    def.frames.weights = SINEW_FRAME_WEIGHTS_PAINTED;
    def.frames.painted = painted;
    def.frames.painted_count = 81;
    return def;
}

static void painted_weights_are_taken(void **state)
{
    (void)state;
    double painted[81 * FRAMES_BAR_COUNT], linear[6], tip[6];
    SinewBodyDef def = painted_bar(painted);
    frames_bar_bend(&def, 450.0, tip);
    def.frames.weights = SINEW_FRAME_WEIGHTS_LINEAR;
    frames_bar_bend(&def, 450.0, linear);
    assert_at_most(frames_bar_error(tip, linear), 1e-6);
}

// Weights are not in a state, so one of other weights is of another body.
static void states_know_painted_weights(void **state)
{
    (void)state;
    double painted[81 * FRAMES_BAR_COUNT];
    SinewBodyDef def = painted_bar(painted);
    SinewBodyId body;
    SinewError error = {0};
    SinewWorld *world = frames_bar_world(&def, &body);
    size_t size = sinew_world_state_size(world);
    void *bytes = malloc(size);
    expect_done(sinew_world_save(world, bytes, size, &error), &error);
    painted[40 * FRAMES_BAR_COUNT] = 1.0;
    SinewWorld *other = frames_bar_world(&def, &body);
    assert_int_equal(sinew_world_restore(other, bytes, size, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "another world"));
    free(bytes);
    sinew_world_destroy(other);
    sinew_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_bar_bends_as_finite_elements_do),
    cmocka_unit_test(the_papers_samples_are_too_stiff),
    cmocka_unit_test(extension_follows_its_law),
    cmocka_unit_test(rigid_motion_costs_nothing),
    cmocka_unit_test(bad_starts_recover),
    cmocka_unit_test(half_a_turn_is_found),
    cmocka_unit_test(bits_are_the_same_for_any_workers),
    cmocka_unit_test(a_ball_comes_to_rest_on_a_floor),
    cmocka_unit_test(steps_allocate_nothing_and_restore),
    cmocka_unit_test(every_allocation_fails_once),
    cmocka_unit_test(refusals_are_sentences),
    cmocka_unit_test(painted_weights_are_taken),
    cmocka_unit_test(states_know_painted_weights),
};
SN_TEST_GROUP(model_frames, tests);
