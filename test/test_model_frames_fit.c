// What the fit makes of bodies whose frames no scalar weight serves: compliance for loads at frames
// beside that of finite elements; and the potential's derivatives.
#include "support/test.h"

#include "base/random.h"
#include "model/frames/potential.h"
#include "support/frames_bar.h"
#include "support/frames_rig.h"

#include <math.h>

// The ratio of compliances, of the body over finite elements, that the model is asked to keep.
static void compliance_is_that_of_finite_elements(void **state)
{
    (void)state;
    SinewFramesDef options = sinew_frames_def_default();
    for (int b = 0; b < FRAMES_BODY_COUNT; ++b) {
        FramesRig rig;
        frames_rig_make(&frames_bodies[b], &options, &rig);
        SnComplianceRatio ratio = frames_rig_ratio(&rig);
        print_message("%s: ratio %.3f to %.3f, %d samples\n", frames_bodies[b].name, ratio.least,
                      ratio.most, rig.body->samples.count);
        assert_true(ratio.least >= 0.9);
        assert_at_most(ratio.most, 1.25);
        // What the fit itself says, from a rest that some 1e5 updates have rounded.
        assert_at_most(fabs(rig.body->fit.ratio.least - ratio.least), 1e-7);
        assert_at_most(fabs(rig.body->fit.ratio.most - ratio.most), 1e-7);
        frames_rig_release(&rig);
    }
}

// Gradient and Hessian of the whole potential at a bent pose, by central differences.
static void derivatives_are_those_of_differences(void **state)
{
    (void)state;
    FramesRig rig;
    SinewFramesDef options = sinew_frames_def_default();
    frames_rig_make(&frames_bodies[1], &options, &rig);
    SnFrames *body = rig.body;
    int dofs = sn_frames_dofs(body);
    SnRandom random = {3};
    double bent[7 * 6], trial[7 * 6], change[36], gradient[36], H[36 * 36];
    SnStep step = {.dt = 0.01, .gravity = {1.0, -9.81, 2.0}};
    SinewStepReport report;
    SnFramesProblem problem = {.body = body,
                               .step = &step,
                               .report = &report,
                               .dynamic = true,
                               .geometric = true,
                               .a_rate = 1.0,
                               .v_rate = 1.0};
    for (int d = 0; d < dofs; ++d) {
        change[d] = sn_random_between(&random, -0.3, 0.3);
    }
    sn_frames_change(body, body->state.poses, change, 1.0, bent);
    sn_frames_potential(&problem, bent, true);
    memcpy(gradient, body->room.gradient, (size_t)dofs * sizeof *gradient);
    memcpy(H, body->room.hessian, (size_t)(dofs * dofs) * sizeof *H);
    double largest = 0.0, steepest = 0.0;
    for (int n = 0; n < dofs * dofs; ++n) {
        largest = fmax(largest, fabs(H[n]));
        steepest = fmax(steepest, fabs(gradient[n % dofs]));
    }
    const double h = 1e-5;
    for (int a = 0; a < dofs; ++a) {
        double unit[36] = {0}, phi[2], sides[2][36];
        unit[a] = 1.0;
        for (int side = 0; side < 2; ++side) {
            sn_frames_change(body, bent, unit, side == 0 ? h : -h, trial);
            phi[side] = sn_frames_potential(&problem, trial, false).phi;
            memcpy(sides[side], body->room.gradient, (size_t)dofs * sizeof *gradient);
        }
        assert_at_most(fabs((phi[0] - phi[1]) / (2.0 * h) - gradient[a]), 1e-8 * steepest);
        for (int b = 0; b < dofs; ++b) {
            // Dofs are those of the trial's own pose: turns there differ from ours by half of their
            // commutator, whose gradient part goes with b of the same frame.
            double slope = (sides[0][b] - sides[1][b]) / (2.0 * h);
            if (a / 6 != b / 6) {
                assert_at_most(fabs(slope - H[a * dofs + b]), 1e-7 * largest);
            }
        }
    }
    frames_rig_release(&rig);
}

// Two cells of thickness have too few places for harmonic weights; linear ones and springs do well.
static void poor_fits_are_told(void **state)
{
    (void)state;
    for (int n = 0; n < 3; ++n) {
        SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, n == 1 ? 4 : 2, 0.3);
        SinewBodyId body;
        def.name = "rod";
        def.frames.weights = n == 1 ? SINEW_FRAME_WEIGHTS_LINEAR : SINEW_FRAME_WEIGHTS_HARMONIC;
        def.frames.springs = n == 2;
        SinewWorld *world = frames_bar_world(&def, &body);
        const char *warning = sinew_body_info(world, body).warning;
        if (n == 0) {
            assert_non_null(warning);
            assert_non_null(strstr(warning, "body \"rod\": its samples give way to loads"));
            assert_non_null(strstr(warning, "expected 0.5 to 2: try springs, other weights"));
        } else {
            assert_null(warning);
        }
        sinew_world_destroy(world);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(compliance_is_that_of_finite_elements),
    cmocka_unit_test(poor_fits_are_told),
    cmocka_unit_test(derivatives_are_those_of_differences),
};
SN_TEST_GROUP(model_frames_fit, tests);
