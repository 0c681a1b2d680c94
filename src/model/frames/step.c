// Steps and static solves of a body of frames.
#include "model/frames/minimise.h"

#include "math/affine.h"
#include "model/frames/damping.h"
#include "model/frames/estimate.h"
#include "model/frames/quaternion.h"
#include "model/motion_rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A pin's way in one step is cut into shares that turn and move it by no more than this: rad, and
// of the body's size.
#define SHARE_TURN 0.35
#define SHARE_MOVE 0.15
enum { SHARES_MAX = 64, SHARE_ITERATIONS = 6 };
#define SHARE_TOLERANCE 1e-2

// Held vertices of static solves are brought this near to their places, as a share of the size.
#define HOLD_TOLERANCE 1e-10
enum { TIGHTEN_MAX = 6 };

// Of the forces at play, where nothing else is said. In motion more digits change places by some
// micrometres of a body of 15 cm.
#define STEP_TOLERANCE 1e-4
#define STATIC_TOLERANCE 1e-8

// A residual at which the search ends is rounding below this, and no equilibrium above it.
#define STALL_TOLERANCE 1e-5

// How far frames may be from finite elements for the way a body is held: beyond the first it is
// told, beyond the second refused.
#define TOLD 1.05
#define REFUSED 2.0

// Rules of motion --------------------------------------------------------------------------------

static void begin_motion(SnFramesProblem *problem)
{
    const SnFrames *body = problem->body;
    const SnFramesMotion *state = &body->state;
    double h = problem->step->dt, last_dt = state->clock[SN_FRAMES_CLOCK_LAST_DT];
    bool second = body->options.integrator == SINEW_INTEGRATOR_BDF2 && last_dt > 0.0;
    SnMotionState motion = {state->velocities, state->last_move, state->last_change};
    SnMotionRule rule = sn_motion_rule_make(h, second ? last_dt : 0.0);
    problem->v_rate = rule.v_rate;
    problem->a_rate = rule.a_rate;
    problem->v_last = rule.last_rate;
    sn_motion_rule_begin(&rule, &motion, 3 * (size_t)body->lumps.count, body->room.v0,
                         body->room.a0);
}

static void end_motion(const SnFramesProblem *problem)
{
    SnFrames *body = problem->body;
    SnFramesMotion *state = &body->state;
    sn_frames_blend(body, state->poses, body->room.frames);
    sn_frame_points_place(&body->lumps, body->kernels, body->room.frames, 0,
                          sn_samples_groups(body->lumps.count), body->lumps.places);
    for (int i = 0; i < 3 * body->lumps.count; ++i) {
        double move = body->lumps.places[i] - state->places[i];
        double v = problem->dynamic ? problem->v_rate * move + body->room.v0[i] : 0.0;
        state->last_move[i] = problem->dynamic ? move : 0.0;
        state->last_change[i] = problem->dynamic ? v - state->velocities[i] : 0.0;
        state->velocities[i] = v;
        state->places[i] = body->lumps.places[i];
    }
    memcpy(state->last_poses, body->room.start,
           sn_frames_pose_count(body) * sizeof *state->last_poses);
    state->clock[SN_FRAMES_CLOCK_LAST_DT] = problem->step->dt;
    state->clock[SN_FRAMES_CLOCK_TIME] += problem->step->dt;
    sn_frames_find_rates(body, problem->step->dt);
}

// Pins -------------------------------------------------------------------------------------------

static void aim_pins(SnFrames *body, const SnStep *step, double share)
{
    sn_pin_set_target(&body->pins.set, body->rest, body->state.pins, body->room.begin,
                      step->pin_motions, share, body->room.targets);
}

static SnAffine relative_motion(const SnFrames *body, const SnStep *step, int pin)
{
    SnAffine from, back;
    memcpy(from.m, body->state.pins + (size_t)pin * SN_PIN_STATE, sizeof from.m);
    return sn_affine_invert(&from, &back) ? sn_affine_multiply(&step->pin_motions[pin], &back)
                                          : sn_affine_identity();
}

// In how many shares the pins' way is gone.
static int count_shares(const SnFrames *body, const SnStep *step)
{
    double most = 0.0;
    for (int p = 0; p < body->pins.set.count; ++p) {
        SnAffine motion = relative_motion(body, step, p);
        SnPlacement placement = sn_affine_place(&motion);
        double sine = 0.0;
        for (int k = 0; k < 3; ++k) {
            sine += placement.rotation[k] * placement.rotation[k];
        }
        most = fmax(most, 2.0 * sqrt(sine) / SHARE_TURN);
        for (int i = body->pins.set.start[p]; i < body->pins.set.start[p + 1]; ++i) {
            size_t at = 3 * (size_t)body->pins.set.vertices[i];
            double to[3];
            sn_affine_apply(&step->pin_motions[p], body->rest + at, to);
            for (int k = 0; k < 3; ++k) {
                most = fmax(most, fabs(to[k] - body->room.begin[at + (size_t)k]) /
                                      (SHARE_MOVE * body->grid.size));
            }
        }
    }
    int shares = (int)fmin(most, SHARES_MAX - 1) + 1;
    return shares;
}

// Frames that pins lead go ahead with them to a share of the way: turned about the middle of the
// pin, which moves straight.
static void lead_frames(SnFrames *body, const SnStep *step, double share)
{
    const SnPinSet *set = &body->pins.set;
    for (int p = 0; p < set->count; ++p) {
        int frame = body->pins.leaders[p];
        if (frame < 0 || set->axes[p] != 7) {
            continue;
        }
        SnAffine motion = relative_motion(body, step, p);
        SnPlacement placement = sn_affine_place(&motion);
        int numbers = body->numbers.pose, place = numbers - 3;
        const double none[4] = {0.0, 0.0, 0.0, 1.0}, *start = body->room.start + numbers * frame;
        double turn[4], R[9], middle[3] = {0.0, 0.0, 0.0}, end[3], arm[3], turned[3];
        double *pose = body->state.poses + numbers * frame;
        for (int i = set->start[p]; i < set->start[p + 1]; ++i) {
            for (int k = 0; k < 3; ++k) {
                middle[k] += body->room.begin[3 * set->vertices[i] + k] /
                             (set->start[p + 1] - set->start[p]);
            }
        }
        sn_quaternion_slerp(none, placement.rotation, share, turn);
        sn_quat_to_mat3(turn, R);
        sn_frames_turn(body, turn, start, pose);
        sn_affine_apply(&motion, middle, end);
        for (int k = 0; k < 3; ++k) {
            arm[k] = start[place + k] - middle[k];
        }
        sn_mat3_apply(R, arm, turned);
        for (int k = 0; k < 3; ++k) {
            pose[place + k] = middle[k] + share * (end[k] - middle[k]) + turned[k];
        }
    }
    sn_frames_obey(body, body->state.poses);
}

// Where held vertices are at the start.
static void find_begin(SnFrames *body)
{
    const SnFramesPins *pins = &body->pins;
    sn_frames_blend(body, body->state.poses, body->room.frames);
    for (int p = 0; p < pins->set.count; ++p) {
        SnAffine from;
        memcpy(from.m, body->state.pins + (size_t)p * SN_PIN_STATE, sizeof from.m);
        for (int i = pins->set.start[p]; i < pins->set.start[p + 1]; ++i) {
            size_t at = 3 * (size_t)pins->set.vertices[i];
            sn_affine_apply(&from, body->rest + at, body->room.begin + at);
        }
    }
    sn_frame_points_place(&pins->points, body->kernels, body->room.frames, 0,
                          sn_samples_groups(pins->held_count), pins->points.places);
    for (int h = 0; h < pins->held_count; ++h) {
        memcpy(body->room.begin + 3 * (size_t)pins->vertices[h],
               pins->points.places + 3 * (size_t)h, 3 * sizeof(double));
    }
}

// Springs alone.
static void ease_pins(SnFrames *body)
{
    memset(body->pins.steady, 0, 3 * (size_t)body->pins.held_count * sizeof *body->pins.steady);
}

// Brings pins to the end of their way, with some iterations on it where it is long.
static void drive_pins(const SnFramesProblem *problem)
{
    SnFrames *body = problem->body;
    const SnStep *step = problem->step;
    SnFramesProblem on_the_way = *problem;
    if (body->pins.set.count == 0) {
        return;
    }
    find_begin(body);
    int shares = count_shares(body, step);
    on_the_way.renews = false;
    for (int s = 1; s <= shares; ++s) {
        SnFramesValue value;
        aim_pins(body, step, s == shares ? 1.0 : (double)s / shares);
        lead_frames(body, step, (double)s / shares);
        if (s < shares) {
            problem->report->substeps += 1;
            sn_frames_minimise(&on_the_way, SHARE_TOLERANCE, SHARE_ITERATIONS, &value);
        }
    }
}

// How far held vertices are from where they should be, m, at the places last looked at.
static double worst_hold(const SnFrames *body)
{
    const SnFramesPins *pins = &body->pins;
    double most = 0.0;
    for (int i = 0; i < 3 * pins->held_count; ++i) {
        if (pins->set.axes[pins->pins[i / 3]] >> i % 3 & 1) {
            double target = body->room.targets[3 * pins->vertices[i / 3] + i % 3];
            most = fmax(most, fabs(pins->points.places[i] - target));
        }
    }
    return most;
}

// Of a static solve that has found its equilibrium: what springs exert becomes a steady force, and
// the springs go back, as long as that brings held vertices nearer to their places. Pins that
// contradict each other stay with springs.
static SnFramesEnd tighten(const SnFramesProblem *problem, SnFramesValue *value)
{
    SnFrames *body = problem->body;
    const SnFramesPins *pins = &body->pins;
    SnFramesEnd end = SN_FRAMES_CONVERGED;
    double worst = worst_hold(body);
    for (int pass = 0; pass < TIGHTEN_MAX && worst > HOLD_TOLERANCE * body->grid.size; ++pass) {
        for (int i = 0; i < 3 * pins->held_count; ++i) {
            pins->steady[i] = -pins->points.forces[i / 3].force[i % 3];
        }
        end = sn_frames_minimise(problem, problem->tolerance, body->options.max_iterations, value);
        double now = worst_hold(body);
        if (end != SN_FRAMES_CONVERGED || !(now < 0.5 * worst)) {
            break;
        }
        worst = now;
    }
    return end;
}

// Forces that pins exert, from their springs at the end.
static void record_pins(SnFrames *body, const SnStep *step)
{
    const SnFramesPins *pins = &body->pins;
    for (int h = 0; h < pins->held_count; ++h) {
        memset(body->room.forces + 3 * (size_t)pins->vertices[h], 0, 3 * sizeof(double));
    }
    for (int h = 0; h < pins->held_count; ++h) {
        size_t at = 3 * (size_t)pins->vertices[h];
        for (size_t k = 0; k < 3; ++k) {
            body->room.forces[at + k] += pins->points.forces[h].force[k];
            body->room.begin[at + k] = pins->points.places[3 * (size_t)h + k];
        }
    }
    sn_pin_set_record(&pins->set, body->room.begin, step->pin_motions, body->room.forces,
                      body->state.pins);
}

// Steps ------------------------------------------------------------------------------------------

static SnFramesProblem problem_of(SnFrames *body, const SnStep *step, SinewStepReport *report)
{
    bool paper = body->options.mode == SINEW_FRAMES_PAPER;
    double usual = step->dt > 0.0 ? STEP_TOLERANCE : STATIC_TOLERANCE;
    usual = body->options.tolerance > 0.0 ? body->options.tolerance : usual;
    *report = (SinewStepReport){0};
    return (SnFramesProblem){
        .body = body,
        .step = step,
        .workers = step->workers,
        .report = report,
        .tolerance = step->tolerance > 0.0 ? step->tolerance : usual,
        .budget = step->max_solves,
        .dynamic = step->dt > 0.0,
        .renews = true,
        .geometric = !paper || body->options.geometric != 0,
    };
}

static SinewStatus fail_forbidden(const SnFrames *body, const char *when, SinewError *error)
{
    int worst = 0;
    if (body->samples.count == 0) {
        return sn_fail(error, SINEW_ERROR_DIVERGED,
                       "body \"%s\": two of its %d frames face each other at a whole turn %s, or "
                       "are not finite, expected a state with a finite energy",
                       body->name, body->frame_count, when);
    }
    for (int s = 1; s < body->samples.count; ++s) {
        worst = body->parts.dets[s] < body->parts.dets[worst] ? s : worst;
    }
    return sn_fail_at(error, SINEW_ERROR_DIVERGED, body->samples.cells[worst],
                      "body \"%s\": det F of cell %d is %g %s, expected a state with a finite "
                      "energy",
                      body->name, body->samples.cells[worst], body->parts.dets[worst], when);
}

static void finish(const SnFramesProblem *problem, const SnFramesValue *value)
{
    SnFrames *body = problem->body;
    double residual = value->scale > 0.0 ? value->residual / value->scale : 0.0;
    record_pins(body, problem->step);
    end_motion(problem);
    body->state.clock[SN_FRAMES_CLOCK_RESIDUAL] = residual;
    problem->report->residual = residual;
    body->is_stale = true;
}

// One solve a step is that of [C eq 3], which is for a change of velocity: it starts from where
// frames would be if they moved on as they do. From where they are it would take their turn for a
// move along the tangent, and lose momentum.
static void move_on(SnFrames *body, double h)
{
    sn_frames_change(body, body->room.start, body->state.rates, h, body->state.poses);
}

// Starts from where frames would be if they moved on and fell freely, where that is lower than
// where they are: of a body that flies it is all there is to do.
static void guess(const SnFramesProblem *problem)
{
    SnFrames *body = problem->body;
    double h = problem->step->dt, rates[SN_FRAMES_BLEND_MAX];
    if (body->pins.set.count > 0) {
        return;
    }
    for (int d = 0; d < sn_frames_dofs(body); ++d) {
        int move = d % body->numbers.dofs - (body->numbers.dofs - 3);
        rates[d] = body->state.rates[d] + (move >= 0 ? h * problem->step->gravity[move] : 0.0);
    }
    SnFramesValue here = sn_frames_potential(problem, body->state.poses, false);
    sn_frames_change(body, body->state.poses, rates, h, body->room.trial);
    SnFramesValue there = sn_frames_potential(problem, body->room.trial, false);
    if (there.allowed && (!here.allowed || there.phi < here.phi)) {
        memcpy(body->state.poses, body->room.trial,
               sn_frames_pose_count(body) * sizeof *body->room.trial);
    }
}

SinewStatus sn_frames_step(void *body_, const SnStep *step, SinewStepReport *out_report,
                           SinewError *error)
{
    SnFrames *body = body_;
    SnFramesProblem problem = problem_of(body, step, out_report);
    SnFramesValue value;
    bool paper = body->options.mode == SINEW_FRAMES_PAPER;
    size_t size = sn_frames_pose_count(body) * sizeof *body->room.start;
    sn_frames_rouse(body);
    memcpy(body->room.start, body->state.poses, size);
    ease_pins(body);
    begin_motion(&problem);
    sn_frames_damping_begin(&problem);
    if (paper) {
        move_on(body, step->dt);
    }
    drive_pins(&problem);
    if (!paper) {
        guess(&problem);
    }
    SnFramesEnd end = sn_frames_minimise(&problem, problem.tolerance,
                                         paper ? 1 : body->options.max_iterations, &value);
    if (!value.allowed) {
        return fail_forbidden(body, "in a step", error);
    }
    finish(&problem, &value);
    // One solve a step is what mode paper is.
    out_report->capped = end == SN_FRAMES_CAPPED;
    bool done = end == SN_FRAMES_CONVERGED || (paper && end == SN_FRAMES_EXHAUSTED) ||
                (end == SN_FRAMES_STALLED &&
                 out_report->residual <= fmax(STALL_TOLERANCE, problem.tolerance));
    return done ? SINEW_OK : SINEW_NOT_CONVERGED;
}

// What finite elements of the same cells would do is asked once, before the first static solve that
// moves or loads a body from rest.
static bool is_doubtful(const SnFramesProblem *problem)
{
    const SnFrames *body = problem->body;
    const SnStep *step = problem->step;
    SnAffine still = sn_affine_identity();
    if (!body->is_placed || body->is_checked || step->contacts != NULL ||
        body->pins.held_count == 0) {
        return false;
    }
    for (int p = 0; p < body->pins.set.count; ++p) {
        if (memcmp(body->state.pins + (size_t)p * SN_PIN_STATE, still.m, sizeof still.m) != 0) {
            return false;
        }
    }
    return true;
}

// Answers that are off by more than a factor are refused, and others told of.
static SinewStatus check_fit(SnFramesProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnFrames *body = problem->body;
    SnFramesEstimate estimate;

    if (!is_doubtful(problem)) {
        return SINEW_OK;
    }
    find_begin(body);
    SN_TRY(sn_frames_estimate(problem, &estimate, error));
    bool any = estimate.loads > 0.0 || estimate.pins > 0.0;
    double least = 1.0, most = 1.0;
    if (estimate.loads > 0.0) {
        least = fmin(least, estimate.loads);
        most = fmax(most, estimate.loads);
    }
    if (estimate.pins > 0.0) {
        least = fmin(least, 1.0 / estimate.pins);
        most = fmax(most, 1.0 / estimate.pins);
    }
    body->is_checked = any;
    if (least < 1.0 / REFUSED || most > REFUSED) {
        SN_TRY(
            sn_fail(error, SINEW_ERROR_UNSUPPORTED,
                    "body \"%s\": held and loaded like this its %d frames give way %.3g times as "
                    "far as finite elements of its cells, expected 1: take another kind of "
                    "frames, more of them, some where it is held, or model lattice",
                    body->name, body->frame_count, most > REFUSED ? most : least));
    }
    if (least < 1.0 / TOLD || most > TOLD) {
        snprintf(
            body->warning, sizeof body->warning,
            "body \"%s\": held and loaded like this its %d frames give way %.3g times as far as "
            "finite elements of its cells: take more frames, or model lattice",
            body->name, body->frame_count, most > TOLD ? most : least);
    }

done:
    return status;
}

SinewStatus sn_frames_solve_static(void *body_, const SnStep *step, SinewStepReport *out_report,
                                   SinewError *error)
{
    SnFrames *body = body_;
    SnFramesProblem problem = problem_of(body, step, out_report);
    SnFramesValue value;
    size_t size = sn_frames_pose_count(body) * sizeof *body->room.start;
    problem.dynamic = false;
    ease_pins(body);
    SinewStatus status = check_fit(&problem, error);
    if (status < 0) {
        return status;
    }
    memcpy(body->room.start, body->state.poses, size);
    drive_pins(&problem);
    SnFramesEnd end =
        sn_frames_minimise(&problem, problem.tolerance, body->options.max_iterations, &value);
    if (end == SN_FRAMES_CONVERGED) {
        end = tighten(&problem, &value);
    }
    if (!value.allowed) {
        return fail_forbidden(body, "in a static solve", error);
    }
    finish(&problem, &value);
    bool done = end == SN_FRAMES_CONVERGED ||
                (end == SN_FRAMES_STALLED && out_report->residual <= STALL_TOLERANCE);
    return done ? SINEW_OK : SINEW_NOT_CONVERGED;
}
