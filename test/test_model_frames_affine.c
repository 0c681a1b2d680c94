// Affine frames: derivatives, rigid motion, momentum, the law of extension, accuracy beside rigid
// ones, bad starts, contact, sleep, workers, memory.
#include "support/test.h"

#include "support/dropped.h"
#include "support/frames_bar.h"
#include "support/frames_rig.h"

#include <math.h>

static SinewBodyDef affine_bar(int cells, double poisson)
{
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, cells, poisson);
    def.frames.kind = SINEW_FRAME_AFFINE;
    return def;
}

// A body without a world, 4 x 1 x 1 with three frames.
static void make_body(SinewLaw law, FramesRig *rig)
{
    const FramesBody bar = {.name = "bar",
                            .kind = SINEW_SHAPE_BOX,
                            .boxes = {{0, 0, 0, 4, 1, 1}},
                            .cells = {8, 2, 2},
                            .origins = {{.5, .5, .5}, {2, .5, .5}, {3.5, .5, .5}},
                            .frames = 3,
                            .law = law};
    SinewFramesDef options = sinew_frames_def_default();
    options.kind = SINEW_FRAME_AFFINE;
    options.weights = SINEW_FRAME_WEIGHTS_HARMONIC;
    frames_rig_make(&bar, &options, rig);
}

// Poses are dofs, so that all of the Hessian is that of differences.
static void derivatives_are_those_of_the_energy(void **state)
{
    (void)state;
    const SinewLaw laws[] = {SINEW_LAW_COROTATED, SINEW_LAW_SVK, SINEW_LAW_STABLE_NEO_HOOKEAN};
    for (int l = 0; l < 3; ++l) {
        FramesRig rig;
        FramesSlopes slopes;
        double bent[FRAMES_POSES_MAX];
        make_body(laws[l], &rig);
        SnStep still = {0};
        SinewStepReport report;
        SnFramesProblem problem = {.body = rig.body, .step = &still, .report = &report};
        assert_int_equal(sn_frames_dofs(rig.body), 36);
        frames_rig_bend(rig.body, 0.1, 7, bent);
        frames_rig_slopes(&problem, bent, &slopes);
        frames_slopes_fit_phi(&slopes, 36);
        for (int n = 0; n < 36 * 36; ++n) {
            assert_at_most(fabs(slopes.of_gradient[n] - slopes.hessian[n]), 1e-8 * slopes.largest);
        }
        frames_rig_release(&rig);
    }
}

// The mass matrix does not know where the frames are.
static void mass_is_constant(void **state)
{
    (void)state;
    FramesRig rig;
    make_body(SINEW_LAW_COROTATED, &rig);
    SnFrames *body = rig.body;
    SnStep step = {.dt = 0.01};
    SinewStepReport report;
    SnFramesProblem problem = {.body = body, .step = &step, .report = &report};
    double H[2][36 * 36], without[36 * 36], scale = 0.0;
    for (int n = 0; n < 2; ++n) {
        problem.dynamic = false;
        sn_frames_potential(&problem, body->state.poses, true);
        memcpy(without, body->room.hessian, sizeof without);
        problem.dynamic = true;
        problem.a_rate = 1e4;
        sn_frames_potential(&problem, body->state.poses, true);
        for (int i = 0; i < 36 * 36; ++i) {
            H[n][i] = body->room.hessian[i] - without[i];
            scale = fmax(scale, fabs(body->room.hessian[i]));
        }
        frames_rig_bend(body, 0.3, 7, body->state.poses);
    }
    for (int i = 0; i < 36 * 36; ++i) {
        assert_at_most(fabs(H[0][i] - H[1][i]), 1e-12 * scale); // of the difference above
    }
    frames_rig_release(&rig);
}

static void turning_all_frames_stores_nothing(void **state)
{
    (void)state;
    FramesRig rig;
    make_body(SINEW_LAW_COROTATED, &rig);
    SnFrames *body = rig.body;
    const double turn[4] = {0.6, 0.0, 0.64, 0.48};
    SnMeasure measure;
    for (int i = 0; i < body->frame_count; ++i) {
        double *pose = body->state.poses + 12 * i, turned[12];
        sn_frames_turn(body, turn, pose, turned);
        memcpy(pose, turned, 9 * sizeof *pose);
        pose[9] += 3.0;
    }
    body->is_stale = true;
    sn_frames_measure(body, &measure);
    // Squares of rounding, times the stiffness of 4 m^3.
    assert_at_most(measure.elastic, 1e-20 * 4.0 * body->materials[0].law.mu);
    assert_at_most(fabs(measure.volume - 4.0), 1e-12);
    frames_rig_release(&rig);
}
static void a_flying_bar_keeps_its_momentum(void **state)
{
    (void)state;
    for (int n = 0; n < 2; ++n) {
        SinewBodyDef def = affine_bar(2, 0.3);
        def.material.young = 1e7;
        def.frames.integrator = n == 0 ? SINEW_INTEGRATOR_EULER : SINEW_INTEGRATOR_BDF2;
        FramesFlight flight = frames_bar_fly(&def);
        double lost = fabs(flight.after[5] - flight.before[5]);
        // Backward Euler loses angular momentum in proportion to the step, BDF2 to its square.
        assert_at_most(lost, (n == 0 ? 1e-3 : 1e-4) * fabs(flight.before[5]));
        assert_at_most(flight.elastic, 0.1); // centrifugal strain alone, as of rigid frames
    }
}

// The ends are held across, and linear weights hold every section between them.
static void extension_follows_its_law(void **state)
{
    (void)state;
    SinewBodyDef def = affine_bar(2, 0.3);
    frames_bar_stretches(&def);
}

// Five frames that stretch bend nearly right without Poisson's effect, and not with it: sections
// contract only as frames do, and between them weights are linear.
static void a_bar_bends_beside_finite_elements(void **state)
{
    (void)state;
    const double loads[] = {450.0, 1100.0}, most[] = {0.015, 0.015, 0.06, 0.09};
    for (int n = 0; n < sn_test_share(4); ++n) {
        SinewBodyDef def = affine_bar(4, n / 2 == 0 ? 0.0 : 0.3);
        assert_at_most(frames_bar_off(&def, loads[n % 2]), most[n]);
    }
}

// Mirrored and collapsed bars may end folded back at the clamp, as a mirrored one of `lattice`
// does: an equilibrium of the law. All come to rest.
static void bad_starts_come_to_rest(void **state)
{
    (void)state;
    SinewBodyDef def = affine_bar(2, 0.3);
    for (int start = SINEW_START_MIRRORED; start <= SINEW_START_SCRAMBLED; ++start) {
        double energy[6];
        bool folds = start == SINEW_START_MIRRORED || start == SINEW_START_COLLAPSED;
        frames_bar_calm(&def, (SinewStart)start, 160, energy);
        assert_at_most(energy[0], 1.0); // of a millimetre a second or so
        assert_at_most(energy[1], folds ? 2e5 : 1.0);
    }
}

static void a_ball_comes_to_rest_on_a_floor(void **state)
{
    (void)state;
    frames_ball_rests(SINEW_FRAME_AFFINE, 48);
}

static void bits_are_the_same_for_any_workers(void **state)
{
    (void)state;
    SinewBodyDef def = frames_ball_def(SINEW_FRAME_AFFINE);
    world_bits_agree(dropped_world, &def, 6, 8);
}

static void steps_allocate_nothing_and_restore(void **state)
{
    (void)state;
    SinewBodyDef def = frames_ball_def(SINEW_FRAME_AFFINE);
    world_steps_allocate_nothing(dropped_world, &def, 3);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    SinewBodyDef def = frames_ball_def(SINEW_FRAME_AFFINE);
    assert_true(world_allocations_fail(dropped_world, &def) > 50);
}

static void what_rigid_frames_have_is_refused(void **state)
{
    (void)state;
    SinewBodyDef def = affine_bar(2, 0.3);
    def.frames.springs = 1;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT,
                        "frames are affine, expected rigid ones, or no springs");
    def = affine_bar(2, 0.3);
    def.material.damping_stiffness = 0.1;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT,
                        "stiffness damping of material 0 is 0.1 s, expected 0");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(derivatives_are_those_of_the_energy),
    cmocka_unit_test(mass_is_constant),
    cmocka_unit_test(turning_all_frames_stores_nothing),
    cmocka_unit_test(a_flying_bar_keeps_its_momentum),
    cmocka_unit_test(extension_follows_its_law),
    cmocka_unit_test(a_bar_bends_beside_finite_elements),
    cmocka_unit_test(bad_starts_come_to_rest),
    cmocka_unit_test(a_ball_comes_to_rest_on_a_floor),
    cmocka_unit_test(bits_are_the_same_for_any_workers),
    cmocka_unit_test(steps_allocate_nothing_and_restore),
    cmocka_unit_test(every_allocation_fails_once),
    cmocka_unit_test(what_rigid_frames_have_is_refused),
};
SN_TEST_GROUP(model_frames_affine, tests);
