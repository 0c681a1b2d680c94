// Damping by stiffness of a body of frames: strains die away as they should, motion as a whole does
// not, and the potential's derivatives hold with it.
#include "support/test.h"

#include "model/frames/damping.h"
#include "support/dropped.h"
#include "support/frames_bar.h"
#include "support/frames_rig.h"

#include <math.h>

enum { FRAMES = 3 };

typedef struct Kind {
    SinewFramesMode mode;
    int springs;
    SinewLaw law;
    SinewIntegrator integrator;
} Kind;

static const Kind kinds[] = {
    {SINEW_FRAMES_FITTED, 0, SINEW_LAW_COROTATED, SINEW_INTEGRATOR_EULER},
    {SINEW_FRAMES_FITTED, 1, SINEW_LAW_COROTATED, SINEW_INTEGRATOR_EULER},
    {SINEW_FRAMES_FITTED, 0, SINEW_LAW_COROTATED, SINEW_INTEGRATOR_BDF2},
    {SINEW_FRAMES_FITTED, 1, SINEW_LAW_COROTATED, SINEW_INTEGRATOR_BDF2},
    {SINEW_FRAMES_PAPER, 0, SINEW_LAW_SVK, SINEW_INTEGRATOR_EULER},
    {SINEW_FRAMES_PAPER, 1, SINEW_LAW_SVK, SINEW_INTEGRATOR_EULER},
};

static SinewBodyDef damped_bar(const Kind *kind, double beta, SinewFrame frames[FRAMES])
{
    const double poisson = sinew_material_default().poisson;
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, 2, poisson);
    for (int i = 0; i < FRAMES; ++i) {
        frames[i] = (SinewFrame){.at = {2.0 * i, 0.5, 0.5}};
    }
    def.material.law = kind->law;
    def.material.damping_stiffness = beta;
    def.frames.mode = kind->mode;
    def.frames.springs = kind->springs;
    def.frames.integrator = kind->integrator;
    def.frames.frames = frames;
    def.frames.frame_count = FRAMES;
    return def;
}

// Without mass a bent bar creeps back: e' = -e / beta. Backward Euler makes of that e / (1 + h /
// beta) a step, exactly; BDF2 has an exponential's rate to second order.
static void strains_creep_back(void **state)
{
    (void)state;
    const double beta = 0.1, h = 0.01;
    enum { STEPS = 10 };
    for (int n = 0; n < SN_COUNT(kinds); ++n) {
        SinewFrame frames[FRAMES];
        SinewBodyDef def = damped_bar(&kinds[n], beta, frames);
        SinewBodyId body;
        SinewError error = {0};
        SinewLoadDef load = sinew_load_def_default();
        SinewLoadId id;
        double before[6], after[6];
        def.material.density = 1e-6;
        SinewWorld *world = frames_bar_world(&def, &body);
        world_hold(world, body, region_box(-1, -1, -1, 0.001, 2, 2));
        load.body = body;
        load.within = region_box(3.999, -1, -1, 5, 2, 2);
        load.force[1] = -1.0; // so little that all is linear
        expect_done(sinew_world_add_load(world, &load, &id, &error), &error);
        expect_done(sinew_world_solve_static(world, 1.0, 0.0, &error), &error);
        SinewProbeId energy = world_probe(world, body, SINEW_REPORT_ENERGY);
        world_read(world, energy, before);
        expect_done(sinew_world_remove_load(world, id, &error), &error);
        world_steps(world, STEPS, h);
        world_read(world, energy, after);
        double strain = sqrt(after[1] / before[1]);
        double euler = pow(1.0 + h / beta, -STEPS), exact = exp(-STEPS * h / beta);
        if (kinds[n].integrator == SINEW_INTEGRATOR_EULER) {
            // Mode paper has one solve a step and the paper's forces.
            assert_at_most(fabs(strain / euler - 1.0), 1e-4);
        } else {
            // Its first step is one of backward Euler, off by half of (h / beta)^2.
            assert_at_most(fabs(strain / exact - 1.0), 0.008);
        }
        sinew_world_destroy(world);
    }
}

// Turning and moving as a whole is not damped, however much beta is.
static void motion_as_a_whole_is_free(void **state)
{
    (void)state;
    for (int n = 0; n < SN_COUNT(kinds); ++n) {
        SinewFrame frames[FRAMES];
        SinewBodyDef def = damped_bar(&kinds[n], 10.0, frames);
        FramesFlight flight = frames_bar_fly(&def);
        double angular = flight.before[5];
        // What the step's rule loses: v x v_n h.
        assert_at_most(fabs(flight.after[5] - angular), 2e-3 * fabs(angular) + 2.0);
    }
}

// With friction, at poses that are neither the start nor the end of a step.
static void derivatives_are_those_of_differences(void **state)
{
    (void)state;
    for (int springs = 0; springs < 2; ++springs) {
        FramesRig rig;
        FramesSlopes slopes;
        SinewFramesDef options = sinew_frames_def_default();
        double bent[FRAMES_POSES_MAX];
        options.springs = springs;
        frames_rig_make(&frames_bodies[1], &options, &rig);
        SnFrames *body = rig.body;
        SnStep step = {.dt = 0.01};
        SinewStepReport report = {0};
        SnFramesProblem problem = {.body = body,
                                   .step = &step,
                                   .report = &report,
                                   .dynamic = true,
                                   .geometric = true,
                                   .a_rate = 1.0,
                                   .v_rate = 50.0,
                                   .v_last = 20.0};
        body->materials[0].damping_stiffness = 0.05;
        assert_int_equal(sn_frames_damping_create(body, NULL), SINEW_OK);
        frames_rig_bend(body, 0.2, 3, body->room.start);
        frames_rig_bend(body, 0.2, 4, body->state.last_poses);
        frames_rig_bend(body, 0.2, 5, bent);
        sn_frames_damping_begin(&problem);
        frames_rig_slopes(&problem, bent, &slopes);
        frames_slopes_fit_phi(&slopes, sn_frames_dofs(body));
        frames_rig_release(&rig);
    }
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    SinewFrame frames[FRAMES];
    SinewBodyDef def = damped_bar(&kinds[0], 0.1, frames);
    assert_true(world_allocations_fail(flying_world, &def) > 50);
}

static void other_laws_are_refused(void **state)
{
    (void)state;
    SinewFrame frames[FRAMES];
    const Kind kind = {SINEW_FRAMES_FITTED, 0, SINEW_LAW_NEO_HOOKEAN, SINEW_INTEGRATOR_EULER};
    SinewBodyDef def = damped_bar(&kind, 0.25, frames);
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT,
                        "stiffness damping of material 0 is 0.25 s, expected 0");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(strains_creep_back),
    cmocka_unit_test(motion_as_a_whole_is_free),
    cmocka_unit_test(derivatives_are_those_of_differences),
    cmocka_unit_test(every_allocation_fails_once),
    cmocka_unit_test(other_laws_are_refused),
};
SN_TEST_GROUP(model_frames_damping, tests);
