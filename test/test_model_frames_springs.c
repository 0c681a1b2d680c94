// Springs between frames: as soft as finite elements on every body, derivatives by differences,
// bars that bend, twist and move as they should, and those of mode paper with what they get wrong.
#include "support/test.h"

#include "math/mat3.h"
#include "model/frames/dense.h"
#include "model/frames/flexibility.h"
#include "support/dropped.h"
#include "support/frames_bar.h"
#include "support/frames_rig.h"

#include <math.h>

static SinewFramesDef spring_options(SinewFramesMode mode)
{
    SinewFramesDef options = sinew_frames_def_default();
    options.mode = mode;
    options.springs = 1;
    return options;
}

// The form of all strains is that of finite elements: what is left is rounding.
static void compliance_is_exact_on_every_body(void **state)
{
    (void)state;
    SinewFramesDef options = spring_options(SINEW_FRAMES_FITTED);
    for (int b = 0; b < FRAMES_BODY_COUNT; ++b) {
        FramesRig rig;
        frames_rig_make(&frames_bodies[b], &options, &rig);
        SnComplianceRatio ratio = frames_rig_ratio(&rig);
        print_message("%s: ratio %.9f to %.9f, %d joints\n", frames_bodies[b].name, ratio.least,
                      ratio.most, rig.body->springs.count);
        assert_at_most(fabs(ratio.least - 1.0), 1e-6);
        assert_at_most(fabs(ratio.most - 1.0), 1e-6);
        frames_rig_release(&rig);
    }
}

// The joint whose frames have most to say in a cube: the largest product of their weights, and
// where one frame alone has a say, a joint of that.
static int joint_of(const SnFrames *body, int cell)
{
    const int *corners = body->grid.cubes.mesh->hexes + 8 * (size_t)cell;
    double weights[6] = {0.0}, best = -1.0;
    int found = 0;
    for (int n = 0; n < 8 * body->frame_count; ++n) {
        int i = n % body->frame_count;
        weights[i] += body->weights[body->frame_count * corners[n / body->frame_count] + i] / 8.0;
    }
    for (int n = 0; n < body->springs.count; ++n) {
        const int *frames = body->springs.rests[n].frames;
        double a = weights[frames[0]], b = weights[frames[1]];
        if (a * b + 1e-6 * (a + b) > best) {
            best = a * b + 1e-6 * (a + b);
            found = n;
        }
    }
    return found;
}

// Springs of pieces: the body cut in one for each joint, a solve of each, and no part of two joints
// together.
static void cut_in_pieces(FramesRig *rig)
{
    SnSprings *springs = &rig->body->springs;
    const SnFramesGrid *grid = &rig->body->grid;
    int cells = grid->cubes.mesh->hex_count, vertices = grid->cubes.mesh->vertex_count;
    int frames = rig->body->frame_count, strains = 6 * springs->count;
    bool *members = malloc((size_t)cells * sizeof *members);
    double *weights = malloc(2 * (size_t)vertices * sizeof *weights);
    memset(springs->stiffness, 0, (size_t)(strains * strains) * sizeof *springs->stiffness);
    for (int n = 0; n < springs->count; ++n) {
        const SnJointRest *rest = &springs->rests[n];
        double origins[6], *K = NULL, *Z = NULL, D[36] = {0.0};
        const double *l = rest->arms[1];
        const double lx[9] = {0.0, -l[2], l[1], l[2], 0.0, -l[0], -l[1], l[0], 0.0};
        for (int i = 0; i < 6; ++i) {
            origins[i] = rig->body->origins[3 * rest->frames[i / 3] + i % 3] + grid->center[i % 3];
        }
        for (int e = 0; e < cells; ++e) {
            members[e] = joint_of(rig->body, e) == n;
        }
        for (int i = 0; i < 2 * vertices; ++i) {
            weights[i] = rig->body->weights[frames * (i / 2) + rest->frames[i % 2]];
        }
        SnFlexibilityDef def = {&rig->def, grid, 2, origins, weights, members};
        assert_int_equal(sn_flexibility_find(&def, &K, &Z, NULL), SINEW_OK);
        for (int i = 0; i < 36; ++i) { // moves of the second frame by the joint's strain
            int r = i / 6, c = i % 6;
            D[i] = r == c ? 1.0 : r >= 3 && c < 3 ? lx[3 * (r - 3) + c] : 0.0;
        }
        for (int i = 0; i < 36 * 36; ++i) {
            int r = i / 216, a = i / 36 % 6, b = i / 6 % 6, c = i % 6;
            springs->stiffness[(6 * n + r) * strains + 6 * n + c] +=
                D[6 * a + r] * K[12 * (6 + a) + 6 + b] * D[6 * b + c];
        }
        sn_free(NULL, K);
        sn_free(NULL, Z);
    }
    free(members);
    free(weights);
}

// Why there is one form of all strains.
static void pieces_are_worse(void **state)
{
    (void)state;
    SinewFramesDef options = spring_options(SINEW_FRAMES_FITTED);
    double most = 0.0;
    for (int b = 0; b < FRAMES_BODY_COUNT; ++b) {
        FramesRig rig;
        frames_rig_make(&frames_bodies[b], &options, &rig);
        cut_in_pieces(&rig);
        SnComplianceRatio ratio = frames_rig_ratio(&rig);
        print_message("%s in pieces: ratio %.3f to %.3f\n", frames_bodies[b].name, ratio.least,
                      ratio.most);
        most = fmax(most, ratio.most);
        frames_rig_release(&rig);
    }
    assert_true(most > 1.25);
}

// How far a pair's matrix is from a symmetric one, and its least value over its largest.
static double asymmetry_of(const SnSprings *springs)
{
    double most = 0.0;
    for (int n = 0; n < springs->count; ++n) {
        const double *S = springs->stiffness + 36 * (size_t)n;
        double odd = 0.0, all = 0.0;
        for (int i = 0; i < 36; ++i) {
            double other = S[6 * (i % 6) + i / 6];
            odd += (S[i] - other) * (S[i] - other);
            all += S[i] * S[i];
        }
        most = fmax(most, sqrt(odd / all));
    }
    return most;
}

// The least stiffness of a pair over its largest, turns over the square of a metre; found by the
// shift that makes it definite.
static double least_of(const SnSprings *springs)
{
    double least = 1.0;
    for (int n = 0; n < springs->count; ++n) {
        const double *S = springs->stiffness + 36 * (size_t)n;
        double most = 0.0, low = -1.0, high = 1.0;
        for (int i = 0; i < 6; ++i) {
            most = fmax(most, S[7 * i]);
        }
        for (int step = 0; step < 40; ++step) {
            double shift = 0.5 * (low + high), A[36];
            for (int i = 0; i < 36; ++i) {
                A[i] = 0.5 * (S[i] + S[6 * (i % 6) + i / 6]) / most + (i % 7 == 0 ? shift : 0.0);
            }
            if (sn_dense_factor(A, 6)) {
                high = shift;
            } else {
                low = shift;
            }
        }
        least = fmin(least, -high);
    }
    return least;
}

// [C]'s pairs have the stiffness of its samples at rest, lock with those, and on bodies that branch
// their matrices are not symmetric.
static void the_papers_pairs_are_the_papers_samples(void **state)
{
    (void)state;
    for (int b = 0; b < FRAMES_BODY_COUNT; ++b) {
        SinewFramesDef options = spring_options(SINEW_FRAMES_PAPER);
        FramesRig rig, sampled;
        frames_rig_make(&frames_bodies[b], &options, &rig);
        options.springs = 0;
        frames_rig_make(&frames_bodies[b], &options, &sampled);
        SnComplianceRatio pairs = frames_rig_ratio(&rig), samples = frames_rig_ratio(&sampled);
        double odd = asymmetry_of(&rig.body->springs);
        print_message("%s: ratio %.3f to %.3f, %d pairs, asymmetry %.3g, least stiffness %.3g\n",
                      frames_bodies[b].name, pairs.least, pairs.most, rig.body->springs.count, odd,
                      least_of(&rig.body->springs));
        assert_at_most(fabs(pairs.least - samples.least), 1e-9);
        assert_at_most(fabs(pairs.most - samples.most), 1e-9);
        if (b == 1) {
            // The softest of a pair is next to nothing: 0.002 of the stiffest, a bar has 0.04.
            assert_at_most(least_of(&rig.body->springs), 0.01);
            assert_true(odd > 0.01);
        }
        frames_rig_release(&rig);
        frames_rig_release(&sampled);
    }
}

// Work that springs do while a frame of the T goes round a loop, over all that goes in and out: the
// foot, turned about z by 0.8 rad, turns about x and moves along z, a quarter round later.
static double work_of_loop(const SnFrames *body)
{
    enum { STEPS = 4000 };
    double sum = 0.0, all = 0.0, poses[7 * 6];
    for (int n = 0; n < STEPS; ++n) {
        double at = 6.283185307179586 * (n + 0.5) / STEPS, width = 6.283185307179586 / STEPS;
        double turn = 0.5 + 0.6 * sin(at), gradient[36] = {0};
        memcpy(poses, body->state.poses, 7 * (size_t)body->frame_count * sizeof *poses);
        double *foot = poses + 7 * 3;
        const double about_x[4] = {sin(0.5 * turn), 0.0, 0.0, cos(0.5 * turn)};
        const double about_z[4] = {0.0, 0.0, sin(0.4), cos(0.4)};
        sn_quat_multiply(about_x, about_z, foot);
        foot[4] += 0.4;
        foot[6] += 0.4 + 0.6 * cos(at);
        sn_springs_evaluate(&body->springs, poses, 0.0, gradient, NULL);
        double work = gradient[18] * 0.6 * cos(at) - gradient[18 + 5] * 0.6 * sin(at);
        sum += work * width;
        all += fabs(work) * width;
    }
    return fabs(sum) / all;
}

// Forces of a form follow from its energy, those of pairs from none.
static void loops_cost_nothing(void **state)
{
    (void)state;
    double work[2];
    for (int mode = SINEW_FRAMES_FITTED; mode <= SINEW_FRAMES_PAPER; ++mode) {
        SinewFramesDef options = spring_options((SinewFramesMode)mode);
        FramesRig rig;
        frames_rig_make(&frames_bodies[1], &options, &rig);
        work[mode] = work_of_loop(rig.body);
        frames_rig_release(&rig);
    }
    print_message("work round a loop, of all: %.2g by the form, %.2g by pairs\n", work[0], work[1]);
    assert_at_most(work[0], 1e-10); // the rule of midpoints is exact for what is periodic
    assert_true(work[1] > 1e-3);
}

// Of a T at a bent pose. Dofs of a trial are those of its own pose: turns there differ from ours by
// half of their commutator, so of one frame's turns the mean of both orders counts.
static void derivatives_are_those_of_differences(void **state)
{
    (void)state;
    FramesRig rig;
    FramesSlopes slopes;
    SinewFramesDef options = spring_options(SINEW_FRAMES_FITTED);
    double bent[FRAMES_POSES_MAX];
    frames_rig_make(&frames_bodies[1], &options, &rig);
    int dofs = sn_frames_dofs(rig.body);
    SnStep still = {0};
    SinewStepReport report;
    SnFramesProblem problem = {
        .body = rig.body, .step = &still, .report = &report, .geometric = true};
    frames_rig_bend(rig.body, 0.4, 3, bent);
    frames_rig_slopes(&problem, bent, &slopes);
    frames_slopes_fit_phi(&slopes, dofs);
    for (int r = 0; r < dofs; ++r) {
        for (int c = 0; c <= r; ++c) {
            const double *S = slopes.of_gradient;
            double mean = 0.5 * (S[dofs * r + c] + S[dofs * c + r]);
            assert_at_most(fabs(mean - slopes.hessian[dofs * r + c]), 1e-8 * slopes.largest);
        }
    }
    frames_rig_release(&rig);
}

// Worlds -----------------------------------------------------------------------------------------

// The bar of frames with springs, and frames that a test may move.
static SinewBodyDef bar_of_springs(int cells, double poisson, SinewFrame frames[FRAMES_BAR_COUNT])
{
    SinewBodyDef def = frames_bar_def(SINEW_MODEL_FRAMES, cells, poisson);
    memcpy(frames, def.frames.frames, FRAMES_BAR_COUNT * sizeof *frames);
    def.frames.springs = 1;
    def.frames.frames = frames;
    return def;
}

// Beside a lattice of four cells through the thickness; 28 % and 53 % of the length.
static void a_bar_bends_as_finite_elements_do(void **state)
{
    (void)state;
    const double loads[] = {450.0, 1100.0};
    for (int n = 0; n < sn_test_share(4); ++n) {
        SinewFrame frames[FRAMES_BAR_COUNT];
        SinewBodyDef def = bar_of_springs(4, n / 2 == 0 ? 0.0 : 0.3, frames);
        double off = frames_bar_off(&def, loads[n % 2]);
        print_message("Poisson %g, load %g: off by %.2f %% of the length\n", def.material.poisson,
                      loads[n % 2], 100.0 * off);
        assert_at_most(off, 0.02);
    }
}

static void the_papers_pairs_bend_too_little(void **state)
{
    (void)state;
    SinewFrame frames[FRAMES_BAR_COUNT];
    double tip[6], paper[6];
    SinewBodyDef def = bar_of_springs(4, 0.3, frames);
    frames_bar_bend(&def, 450.0, tip);
    def.frames.mode = SINEW_FRAMES_PAPER;
    frames_bar_bend(&def, 450.0, paper);
    print_message("pairs of mode paper: tip at %.3f m, forms %.3f m\n", paper[1], tip[1]);
    assert_true(fabs(paper[1]) < 0.8 * fabs(tip[1]));
    assert_true(fabs(paper[1]) > 0.4 * fabs(tip[1]));
}
static void rigid_motion_costs_nothing(void **state)
{
    (void)state;
    for (int mode = SINEW_FRAMES_FITTED; mode <= SINEW_FRAMES_PAPER; ++mode) {
        SinewFrame frames[FRAMES_BAR_COUNT];
        SinewBodyDef def = bar_of_springs(2, 0.3, frames);
        def.frames.mode = (SinewFramesMode)mode;
        def.material.young = 1e7;
        FramesFlight flight = frames_bar_fly(&def);
        double angular = flight.before[5];
        // Mass points of frames have the body's own inertia about z through its middle: m / 12
        // (16 + 1), and m v_x y of its middle.
        assert_at_most(fabs(angular - (0.5 * 4000.0 * 17.0 / 12.0 - 0.5 * 4000.0)), 1e-6);
        // Backward Euler loses angular momentum in proportion to the step: v x v_n h.
        assert_at_most(fabs(flight.after[5] - angular), 2e-3 * fabs(angular) + 2.0);
        // Centrifugal strain alone, 500 Pa.
        assert_at_most(flight.elastic, 0.2);
    }
}

// One solve a step from where frames are would take their turn for a move along the tangent; from
// where they go it keeps momentum but for what one solve leaves.
static void fast_turns_keep_momentum_in_mode_paper(void **state)
{
    (void)state;
    for (int springs = 0; springs < 2; ++springs) {
        SinewFrame frames[FRAMES_BAR_COUNT];
        SinewBodyDef def = bar_of_springs(2, 0.3, frames);
        SinewBodyId body;
        double values[6];
        frames[1].at[0] = 0.5; // or errors of both ends would cancel
        frames[2].at[0] = 1.2;
        def.frames.mode = SINEW_FRAMES_PAPER;
        def.frames.springs = springs;
        def.material.law = SINEW_LAW_SVK;
        def.angular_velocity[0] = 4.0;
        def.angular_velocity[1] = 3.0;
        def.angular_velocity[2] = 5.0;
        SinewWorld *world = frames_bar_world(&def, &body);
        world_steps(world, 100, 0.01);
        world_read(world, world_probe(world, body, SINEW_REPORT_MOMENTUM), values);
        for (int k = 0; k < 3; ++k) {
            // Of 4,000 kg with 7 rad/s at 2 m; a solve from the start of the step loses 3e-3.
            assert_at_most(fabs(values[k]), 5e-4 * 4000.0 * 14.0);
        }
        sinew_world_destroy(world);
    }
}

// Springs are linear in the angle, and clamped ends and coarse cells make the solve that they stand
// for stiffer.
static void half_a_turn_is_found(void **state)
{
    (void)state;
    SinewFrame frames[FRAMES_BAR_COUNT];
    SinewBodyDef def = bar_of_springs(4, 0.3, frames);
    double moment = frames_bar_twist(&def);
    print_message("moment of half a turn over St. Venant's: %.3f\n", moment);
    assert_at_most(fabs(moment - 1.0), 0.2);
}
static void bad_starts_recover(void **state)
{
    (void)state;
    SinewFrame frames[FRAMES_BAR_COUNT];
    SinewBodyDef def = bar_of_springs(2, 0.3, frames);
    for (int start = SINEW_START_MIRRORED; start <= SINEW_START_SCRAMBLED; ++start) {
        double energy[6];
        frames_bar_calm(&def, (SinewStart)start, 120, energy);
        assert_at_most(energy[0], 1.0);
        assert_at_most(energy[1], 1.0);
    }
}

// A bar that is thrown while it turns, with consistent mass or lumps.
static SinewBodyDef thrown_bar(SinewMass mass, SinewFrame frames[FRAMES_BAR_COUNT])
{
    SinewBodyDef def = bar_of_springs(2, 0.3, frames);
    def.angular_velocity[1] = 3.0;
    def.angular_velocity[0] = 1.0;
    def.frames.mass = mass;
    def.frames.integrator = SINEW_INTEGRATOR_BDF2;
    return def;
}

static void bits_are_the_same_for_any_workers(void **state)
{
    (void)state;
    SinewFrame frames[FRAMES_BAR_COUNT];
    SinewBodyDef def = thrown_bar(SINEW_MASS_CONSISTENT, frames);
    world_bits_agree(flying_world, &def, 6, 8);
}

static void steps_allocate_nothing_and_restore(void **state)
{
    (void)state;
    SinewFrame frames[FRAMES_BAR_COUNT];
    SinewBodyDef def = thrown_bar(SINEW_MASS_LUMPED, frames);
    world_steps_allocate_nothing(flying_world, &def, 3);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    for (int n = SINEW_FRAMES_FITTED; n <= SINEW_FRAMES_PAPER; ++n) {
        SinewFrame frames[FRAMES_BAR_COUNT];
        SinewBodyDef def = bar_of_springs(1, 0.3, frames);
        def.frames.mode = (SinewFramesMode)n;
        assert_true(world_allocations_fail(flying_world, &def) > 50);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(compliance_is_exact_on_every_body),
    cmocka_unit_test(pieces_are_worse),
    cmocka_unit_test(the_papers_pairs_are_the_papers_samples),
    cmocka_unit_test(loops_cost_nothing),
    cmocka_unit_test(derivatives_are_those_of_differences),
    cmocka_unit_test(a_bar_bends_as_finite_elements_do),
    cmocka_unit_test(the_papers_pairs_bend_too_little),
    cmocka_unit_test(rigid_motion_costs_nothing),
    cmocka_unit_test(fast_turns_keep_momentum_in_mode_paper),
    cmocka_unit_test(half_a_turn_is_found),
    cmocka_unit_test(bad_starts_recover),
    cmocka_unit_test(bits_are_the_same_for_any_workers),
    cmocka_unit_test(steps_allocate_nothing_and_restore),
    cmocka_unit_test(every_allocation_fails_once),
};
SN_TEST_GROUP(model_frames_springs, tests);
