// Affine frames: derivatives, rigid motion, momentum, the law of extension, accuracy beside rigid
// ones, bad starts, contact, sleep, workers, memory.
#include "support/test.h"

#include "base/random.h"
#include "model/frames/potential.h"
#include "support/dropped.h"
#include "support/frames_bar.h"

#include <math.h>

static SinewBodyDef affine_bar(int cells, double poisson)
{
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, cells, poisson);
    def.frames.kind = SINEW_FRAME_AFFINE;
    return def;
}

// A body without a world, 4 x 1 x 1 with three placed frames.
static SnFrames *make_body(SinewLaw law)
{
    SnShape shape = {.kind = SN_SHAPE_BOX, .box = {.max = {4.0, 1.0, 1.0}}};
    SnSolidDef solid_def = {
        .shape = &shape, .resolution = 1, .cells = {8, 2, 2}, .pose = sn_affine_identity()};
    SnSolid *solid = NULL;
    SnMaterial material;
    SnMaterials materials = {&material, NULL, 0};
    SinewMaterial given = sinew_material_default();
    SinewBodyDef options = sinew_body_def_default();
    SnModelDef def = {.name = "bar", .materials = &materials, .options = &options};
    SnFrames *body = NULL;
    SinewError error;
    expect_done(sn_kernels_pick(SN_FAST_BITS, &def.kernels, &error), &error);
    given.law = law;
    options.frames.kind = SINEW_FRAME_AFFINE;
    options.frames.count = 3;
    options.frames.weights = SINEW_FRAME_WEIGHTS_HARMONIC;
    expect_done(sn_material_make(&given, "bar", &material, &error), &error);
    expect_done(sn_solid_create(&solid_def, NULL, NULL, &solid, &error), &error);
    def.solid = solid;
    expect_done(sn_frames_model.create(&def, (void **)&body, &error), &error);
    sn_solid_destroy(solid);
    return body;
}

static void disturb(SnFrames *body, double size)
{
    SnRandom random = {7};
    for (int n = 0; n < sn_frames_dofs(body); ++n) {
        body->state.poses[n] += sn_random_between(&random, -size, size);
    }
}

// Gradient against differences of the potential, Hessian against differences of the gradient. With
// a step of 1e-5 differences are off by 1e-10 of what they are taken of and by as much of rounding.
static void derivatives_are_those_of_the_energy(void **state)
{
    (void)state;
    const SinewLaw laws[] = {SINEW_LAW_COROTATED, SINEW_LAW_SVK, SINEW_LAW_STABLE_NEO_HOOKEAN};
    const double step = 1e-5;
    for (int l = 0; l < 3; ++l) {
        SnFrames *body = make_body(laws[l]);
        SnStep still = {0};
        SinewStepReport report;
        SnFramesProblem problem = {.body = body, .step = &still, .report = &report};
        int dofs = sn_frames_dofs(body);
        double g[36], H[36 * 36], most = 0.0, largest = 0.0;
        assert_int_equal(dofs, 36);
        disturb(body, 0.1);
        sn_frames_potential(&problem, body->state.poses, true);
        memcpy(g, body->room.gradient, sizeof g);
        memcpy(H, body->room.hessian, sizeof H);
        for (int n = 0; n < dofs * dofs; ++n) {
            largest = fmax(largest, fabs(H[n]));
        }
        for (int n = 0; n < dofs; ++n) {
            most = fmax(most, fabs(g[n]));
        }
        for (int d = 0; d < dofs; ++d) {
            double poses[36], phi[2], gradients[2][36];
            for (int side = 0; side < 2; ++side) {
                memcpy(poses, body->state.poses, sizeof poses);
                poses[d] += side == 0 ? step : -step;
                phi[side] = sn_frames_potential(&problem, poses, false).phi;
                memcpy(gradients[side], body->room.gradient, sizeof g);
            }
            assert_at_most(fabs((phi[0] - phi[1]) / (2.0 * step) - g[d]), 1e-8 * most);
            for (int c = 0; c < dofs; ++c) {
                double slope = (gradients[0][c] - gradients[1][c]) / (2.0 * step);
                assert_at_most(fabs(slope - H[dofs * c + d]), 1e-8 * largest);
            }
        }
        sn_frames_model.destroy(body);
    }
}

// The mass matrix does not know where the frames are.
static void mass_is_constant(void **state)
{
    (void)state;
    SnFrames *body = make_body(SINEW_LAW_COROTATED);
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
        disturb(body, 0.3);
    }
    for (int i = 0; i < 36 * 36; ++i) {
        assert_at_most(fabs(H[0][i] - H[1][i]), 1e-12 * scale); // of the difference above
    }
    sn_frames_model.destroy(body);
}

static void turning_all_frames_stores_nothing(void **state)
{
    (void)state;
    SnFrames *body = make_body(SINEW_LAW_COROTATED);
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
    sn_frames_model.destroy(body);
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
    frames_ball_rests(SINEW_FRAME_AFFINE, 36);
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
