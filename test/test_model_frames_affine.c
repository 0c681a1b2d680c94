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
        SinewBodyId body;
        double before[6], after[6], energy[6];
        def.linear_velocity[0] = 1.0;
        def.angular_velocity[2] = 0.5;
        def.material.young = 1e7;
        def.frames.integrator = n == 0 ? SINEW_INTEGRATOR_EULER : SINEW_INTEGRATOR_BDF2;
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
        // Backward Euler loses angular momentum in proportion to the step, BDF2 to its square.
        assert_at_most(fabs(after[5] - before[5]), (n == 0 ? 1e-3 : 1e-4) * fabs(before[5]));
        assert_at_most(energy[1], 0.1); // centrifugal strain alone, as of rigid frames
        sinew_world_destroy(world);
    }
}

// f = (lambda + 2 mu) A (e + 3/2 e^2 + 1/2 e^3): the ends are held across, and linear weights hold
// every section between them.
static void extension_follows_its_law(void **state)
{
    (void)state;
    const double extensions[] = {-0.3, -0.1, -0.01, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75};
    const double modulus = 1e5 * 0.7 / (1.3 * 0.4);
    for (int n = 0; n < 9; ++n) {
        SinewBodyDef def = affine_bar(2, 0.3);
        SinewFrame ends[2] = {{.at = {0.0, 0.5, 0.5}}, {.at = {4.0, 0.5, 0.5}}};
        SinewBodyId body;
        SinewError error;
        double e = extensions[n], force = e + 1.5 * e * e + 0.5 * e * e * e, values[6];
        SinewKey end = {.translate = {4.0 * e, 0, 0}, .axis = {0, 1, 0}};
        def.frames.frames = ends;
        def.frames.frame_count = 2;
        def.material.law = SINEW_LAW_SVK;
        SinewWorld *world = frames_bar_world(&def, &body);
        world_hold(world, body, region_box(-1, -1, -1, 0.001, 2, 2));
        SinewPinId pin = frames_bar_move_end(world, body, &end);
        for (int i = 1; i <= 3; ++i) {
            expect_done(sinew_world_solve_static(world, i / 3.0, 0.0, &error), &error);
        }
        frames_bar_reaction(world, body, pin, values);
        assert_at_most(fabs(values[0] / modulus - force), 1e-6 * fabs(force));
        sinew_world_destroy(world);
    }
}

// Five frames that stretch bend nearly right without Poisson's effect, and not with it: sections
// contract only as frames do, and between them weights are linear.
static void a_bar_bends_beside_finite_elements(void **state)
{
    (void)state;
    const double loads[] = {450.0, 1100.0}, most[] = {0.015, 0.015, 0.06, 0.09};
    for (int n = 0; n < sn_test_share(4); ++n) {
        double poisson = n / 2 == 0 ? 0.0 : 0.3, fine[6], tip[6];
        SinewBodyDef lattice = frames_bar_def(SINEW_MODEL_LATTICE, 4, poisson);
        SinewBodyDef frames = affine_bar(4, poisson);
        frames_bar_bend(&lattice, loads[n % 2], fine);
        frames_bar_bend(&frames, loads[n % 2], tip);
        assert_at_most(frames_bar_error(tip, fine), most[n]);
    }
}

// Mirrored and collapsed bars may end folded back at the clamp, as a mirrored one of `lattice`
// does: an equilibrium of the law. All come to rest.
static void bad_starts_come_to_rest(void **state)
{
    (void)state;
    for (int start = SINEW_START_MIRRORED; start <= SINEW_START_SCRAMBLED; ++start) {
        SinewBodyDef def = affine_bar(2, 0.3);
        SinewBodyId body;
        double energy[6];
        bool folds = start == SINEW_START_MIRRORED || start == SINEW_START_COLLAPSED;
        def.start = (SinewStart)start;
        def.material.damping_mass = 2.0;
        def.material.young = 1e6;
        SinewWorld *world = frames_bar_world(&def, &body);
        world_hold(world, body, region_box(-1, -1, -1, 0.001, 2, 2));
        world_steps(world, 160, 0.05);
        world_read(world, world_probe(world, body, SINEW_REPORT_ENERGY), energy);
        assert_at_most(energy[0], 1.0); // of a millimetre a second or so
        assert_at_most(energy[1], folds ? 2e5 : 1.0);
        sinew_world_destroy(world);
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

// A bar that swings: its tip's frame wakes, which moves nothing and costs nothing, and then sleeps
// again, which does neither.
static void waking_and_sleeping_change_nothing(void **state)
{
    (void)state;
    SinewBodyDef def = affine_bar(2, 0.3);
    SinewFrame frames[FRAMES_BAR_COUNT];
    SinewBodyId body;
    SinewError error;
    const double times[2] = {0.195, 0.395};
    memcpy(frames, def.frames.frames, sizeof frames);
    frames[4].wakes = times[0];
    frames[4].sleeps = times[1];
    def.frames.frames = frames;
    SinewWorld *world = world_make(1);
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    world_hold(world, body, region_box(-1, -1, -1, 0.001, 2, 2));
    SinewProbeId tip = frames_bar_tip(world, body);
    SinewProbeId energies = world_probe(world, body, SINEW_REPORT_ENERGY);
    for (int n = 0; n < 2; ++n) {
        double before[6], after[6], energy[2][6];
        world_steps(world, 20, 0.01);
        world_read(world, tip, before);
        world_read(world, energies, energy[0]);
        world_steps(world, 1, 1e-7);
        world_read(world, tip, after);
        world_read(world, energies, energy[1]);
        assert_true(before[1] < -0.05);
        assert_at_most(frames_bar_error(after, before), 1e-4);
        assert_at_most(fabs(energy[1][1] - energy[0][1]), 0.01 * energy[0][1]);
    }
    sinew_world_destroy(world);
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
    cmocka_unit_test(waking_and_sleeping_change_nothing),
    cmocka_unit_test(steps_allocate_nothing_and_restore),
    cmocka_unit_test(every_allocation_fails_once),
    cmocka_unit_test(what_rigid_frames_have_is_refused),
};
SN_TEST_GROUP(model_frames_affine, tests);
