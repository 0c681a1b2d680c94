// Frames that nobody placed: where they stand, what they may do, and that what they answer is near
// finite elements, or told, or refused.
#include "support/test.h"

#include "model/frames/body.h"
#include "support/dropped.h"
#include "support/frames_bar.h"

#include <math.h>

// Cubes ------------------------------------------------------------------------------------------

// How the two faces of a pressed cube are held.
typedef enum Hold { SLIDING, FOOT, BOTH } Hold;

static SinewBodyDef cube_def(int cells)
{
    SinewBodyDef def = sinew_body_def_default();
    def.name = "cube";
    def.model = SINEW_MODEL_FRAMES;
    def.shape.kind = SINEW_SHAPE_BOX;
    for (int k = 0; k < 3; ++k) {
        def.shape.min[k] = 0.0;
        def.shape.max[k] = 0.1;
        def.cells[k] = cells;
    }
    return def;
}

static SinewPinId add_pin(SinewWorld *world, SinewBodyId body, double low, unsigned axes,
                          const SinewKey *keys, int count)
{
    SinewPinDef pin = sinew_pin_def_default();
    SinewPinId id;
    SinewError error;
    pin.body = body;
    pin.within = region_box(-1, low, -1, 1, low + 2e-4, 1);
    for (int k = 0; k < 3; ++k) {
        pin.axes[k] = (int)(axes >> k & 1);
    }
    pin.keys = keys;
    pin.key_count = count;
    expect_done(sinew_world_add_pin(world, &pin, &id, &error), &error);
    return id;
}

// Presses a cube by 30 %. N, or 0 where that is refused.
static double press(const SinewBodyDef *def, Hold hold, char warning[400])
{
    SinewBodyId body;
    SinewError error = {0};
    SinewWorld *world = world_made(flying_world, def, &body);
    SinewKey keys[2] = {{.t = 0.0, .axis = {0.0, 1.0, 0.0}},
                        {.t = 1.0, .axis = {0.0, 1.0, 0.0}, .translate = {0.0, -0.03, 0.0}}};
    double force[6] = {0.0};
    add_pin(world, body, -1e-4, hold == SLIDING ? 2 : 7, NULL, 0);
    SinewPinId top = add_pin(world, body, 0.1 - 1e-4, hold == BOTH ? 7 : 2, keys, 2);
    SinewStatus status = SINEW_OK;
    for (int i = 1; i <= 2 && status >= 0; ++i) {
        status = sinew_world_solve_static(world, i / 2.0, 0.0, &error);
    }
    if (status >= 0) {
        frames_bar_reaction(world, body, top, force);
        const char *said = sinew_body_info(world, body).warning;
        snprintf(warning, 400, "%s", said != NULL ? said : "");
    } else {
        snprintf(warning, 400, "%s", error.text);
    }
    sinew_world_destroy(world);
    return -force[1];
}

// 13,638 N and inverted cells with rigid frames, where 3,000 is right. Newton has 3,066 and 3,137
// where one face or both are held; frames have no bulge between two faces, and say so.
static void a_pressed_cube_has_its_force(void **state)
{
    (void)state;
    char warning[400];
    for (int cells = 6; cells <= 10; cells += 4) {
        SinewBodyDef def = cube_def(cells);
        assert_at_most(fabs(press(&def, SLIDING, warning) / 3000.0 - 1.0), 0.005);
        assert_string_equal(warning, "");
        assert_at_most(fabs(press(&def, FOOT, warning) / 3050.0 - 1.0), 0.05);
        assert_string_equal(warning, "");
        assert_at_most(fabs(press(&def, BOTH, warning) / 3100.0 - 1.0), 0.25);
        assert_non_null(strstr(warning, "body \"cube\": held and loaded like this its 8 frames"));
        assert_non_null(strstr(warning, "give way 0."));
    }
}

static void what_frames_cannot_do_is_refused(void **state)
{
    (void)state;
    char sentence[400];
    SinewBodyDef def = cube_def(6);
    def.frames.kind = SINEW_FRAME_RIGID;
    def.frames.count = 4;
    for (int hold = FOOT; hold <= BOTH; ++hold) {
        assert_true(press(&def, (Hold)hold, sentence) == 0.0);
        assert_non_null(strstr(sentence, "its 4 frames give way 0.03"));
        assert_non_null(strstr(sentence, "model lattice"));
    }
}

// Cantilevers ------------------------------------------------------------------------------------

static void hang(SinewModelKind model, int cells, double out_tip[6])
{
    SinewBodyDef def = cube_def(0);
    SinewBodyId body;
    SinewError error;
    SinewProbeDef probe_def = sinew_probe_def_default();
    SinewProbeId probe;
    def.model = model;
    for (int k = 0; k < 3; ++k) {
        def.shape.max[k] = k == 0 ? 1.0 : 0.2;
        def.cells[k] = k == 0 ? 5 * cells : cells;
    }
    SinewWorld *world = world_make(1);
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    world_hold(world, body, region_box(-1, -1, -1, 1e-4, 1, 1));
    probe_def.body = body;
    probe_def.report = SINEW_REPORT_DISPLACEMENT;
    probe_def.has_point = 1;
    memcpy(probe_def.point, (double[3]){1.0, 0.1, 0.1}, sizeof probe_def.point);
    expect_done(sinew_world_add_probe(world, &probe_def, &probe, &error), &error);
    for (int i = 1; i <= 4; ++i) {
        expect_done(sinew_world_solve_static(world, i / 4.0, 0.0, &error), &error);
    }
    world_read(world, probe, out_tip);
    sinew_world_destroy(world);
}

// 45 % too stiff, and out of its plane by 28 %, with frames far from each other.
static void a_cantilever_bends_in_its_plane(void **state)
{
    (void)state;
    double tip[6], fine[6];
    hang(SINEW_MODEL_LATTICE, 4, fine);
    for (int cells = 1; cells <= 4; cells += 3) { // one cell of thickness is cut into more
        hang(SINEW_MODEL_FRAMES, cells, tip);
        print_message("%d cells: %g %g %g, lattice %g %g\n", cells, tip[0], tip[1], tip[2], fine[0],
                      fine[1]);
        assert_at_most(fabs(tip[1] / fine[1] - 1.0), 0.05);
        assert_at_most(fabs(tip[2]), 2e-3 * fabs(tip[1]));
    }
}

// Any shape --------------------------------------------------------------------------------------

static void few_cells_are_cut_into_more(void **state)
{
    (void)state;
    SinewBodyDef def = cube_def(1);
    SinewBodyId body;
    SinewError error;
    def.shape.max[0] = 0.2;
    def.cells[0] = 2;
    SinewWorld *world = world_made(dropped_world, &def, &body);
    SinewBodyInfo info = sinew_body_info(world, body);
    assert_int_equal(info.elements, 128);
    assert_true(info.dofs > 12);
    assert_at_most(fabs(info.mass - 2.0), 1e-9);
    assert_non_null(strstr(info.warning, "its 2 cells are too few for 8 frames and were cut into"));
    expect_done(sinew_world_step(world, 0.01, &error), &error);
    sinew_world_destroy(world);
}

// A ball of six cells took four rigid frames at most. Its mass is that of its volume: of whole
// cells it was half as much again.
static void balls_have_their_mass(void **state)
{
    (void)state;
    for (int resolution = 6; resolution <= 12; resolution += 2) {
        SinewBodyDef def = dropped_ball_def(SINEW_MODEL_FRAMES, resolution);
        SinewBodyId body;
        SinewWorld *world = world_made(dropped_world, &def, &body);
        SinewBodyInfo info = sinew_body_info(world, body);
        double mass = 1000.0 * 4.0 / 3.0 * 3.14159265358979 * 0.027;
        assert_int_equal(info.dofs, 8 * 12);
        assert_null(info.warning);
        assert_at_most(fabs(info.mass / mass - 1.0), 0.02);
        sinew_world_destroy(world);
    }
}

static void frames_are_rigid_where_someone_says_what_affine_ones_lack(void **state)
{
    (void)state;
    for (int n = 0; n < 3; ++n) {
        SinewBodyDef def = cube_def(8);
        SinewBodyId body;
        def.frames.springs = n == 1;
        def.material.damping_stiffness = n == 2 ? 0.01 : 0.0;
        SinewWorld *world = world_made(dropped_world, &def, &body);
        assert_int_equal(sinew_body_info(world, body).dofs, n == 0 ? 96 : 48);
        sinew_world_destroy(world);
    }
}

// Steps ------------------------------------------------------------------------------------------

static void defaults_keep_the_promises_of_steps(void **state)
{
    (void)state;
    SinewBodyDef def = dropped_ball_def(SINEW_MODEL_FRAMES, 6);
    world_bits_agree(dropped_world, &def, 6, 8);
    world_steps_allocate_nothing(dropped_world, &def, 3);
    assert_true(world_allocations_fail(dropped_world, &def) > 50);
}

// Newton's iterations are what a limit counts; what is left of a step is told, and bodies come to
// rest all the same.
static void a_limit_of_iterations_holds(void **state)
{
    (void)state;
    SinewBodyDef def = dropped_ball_def(SINEW_MODEL_FRAMES, 6);
    SinewWorldDef world_def = sinew_world_def_default();
    SinewWorld *world;
    SinewBodyId body;
    SinewError error;
    double energy[6];
    int capped = 0;
    def.shape.center[1] = 0.6;
    def.start = SINEW_START_SCRAMBLED;
    def.material.damping_mass = 2.0;
    world_def.max_solves = 4;
    expect_done(sinew_world_create(&world_def, &world, &error), &error);
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    world_add_floor(world, 0.0);
    for (int i = 0; i < 120; ++i) {
        SinewStatus status = sinew_world_step(world, 0.02, &error);
        SinewStepReport report = sinew_world_report(world);
        expect_done(status, &error);
        assert_in_range(report.iterations, 0, 4);
        assert_int_equal(status, report.capped > 0 ? SINEW_NOT_CONVERGED : SINEW_OK);
        capped += report.capped;
    }
    assert_true(capped > 0);
    world_read(world, world_probe(world, body, SINEW_REPORT_ENERGY), energy);
    assert_at_most(energy[0], 1.0); // J, of some hundred that it fell with
    sinew_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_pressed_cube_has_its_force),
    cmocka_unit_test(what_frames_cannot_do_is_refused),
    cmocka_unit_test(a_cantilever_bends_in_its_plane),
    cmocka_unit_test(few_cells_are_cut_into_more),
    cmocka_unit_test(balls_have_their_mass),
    cmocka_unit_test(frames_are_rigid_where_someone_says_what_affine_ones_lack),
    cmocka_unit_test(defaults_keep_the_promises_of_steps),
    cmocka_unit_test(a_limit_of_iterations_holds),
};
SN_TEST_GROUP(model_frames_default, tests);
