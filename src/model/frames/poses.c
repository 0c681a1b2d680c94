// What a frame's numbers are, by its kind. A rigid frame has a pose of seven (a unit quaternion and
// its origin), blends by eight (q, s), and changes by six: how it turns and moves. An affine
// frame's pose, blend and change are its twelve numbers.
#include "model/frames/body.h"

#include "math/affine.h"
#include "model/frames/linear_blend.h"
#include "model/frames/quaternion.h"

#include <math.h>
#include <string.h>

SnFrameNumbers sn_frame_numbers(bool is_affine)
{
    return is_affine ? (SnFrameNumbers){SN_LINEAR, SN_LINEAR, SN_LINEAR, 9}
                     : (SnFrameNumbers){7, SN_FRAME_BLEND, SN_FRAME_DOFS, 3};
}

void sn_frames_blend(const SnFrames *body, const double *poses, double *out_frames)
{
    if (body->is_affine) {
        memcpy(out_frames, poses, sn_frames_pose_count(body) * sizeof *poses);
        return;
    }
    for (int i = 0; i < body->frame_count; ++i) {
        SnFramePose pose = sn_frames_pose(poses, i);
        sn_frame_blend(&pose, body->origins + 3 * (size_t)i, out_frames + 8 * (size_t)i);
    }
}

void sn_frames_blend_rates(const SnFrames *body, double *out)
{
    if (body->is_affine) {
        memcpy(out, body->state.rates, sn_frames_pose_count(body) * sizeof *out);
        return;
    }
    for (int i = 0; i < body->frame_count; ++i) {
        SnFramePose pose = sn_frames_pose(body->state.poses, i);
        double L[48];
        sn_frame_jacobian(&pose, body->origins + 3 * (size_t)i, L);
        for (int c = 0; c < 8; ++c) {
            out[8 * i + c] = 0.0;
            for (int d = 0; d < 6; ++d) {
                out[8 * i + c] += L[6 * c + d] * body->state.rates[6 * i + d];
            }
        }
    }
}

void sn_frames_change(const SnFrames *body, const double *poses, const double *dofs, double scale,
                      double *out_poses)
{
    for (int n = 0; body->is_affine && n < sn_frames_dofs(body); ++n) {
        out_poses[n] = poses[n] + scale * dofs[n];
    }
    for (int i = 0; !body->is_affine && i < body->frame_count; ++i) {
        SnFramePose pose = sn_frames_pose(poses, i);
        double change[6];
        for (int d = 0; d < 6; ++d) {
            change[d] = scale * dofs[6 * i + d];
        }
        pose = sn_frame_change(&pose, change);
        memcpy(out_poses + 7 * (size_t)i, pose.q, sizeof pose.q);
        memcpy(out_poses + 7 * (size_t)i + 4, pose.t, sizeof pose.t);
    }
    sn_frames_obey(body, out_poses);
}

// Of a rigid frame, what turns q0 into q1 over h.
void sn_frames_find_rates(SnFrames *body, double h)
{
    SnFramesMotion *state = &body->state;
    for (int n = 0; body->is_affine && n < sn_frames_dofs(body); ++n) {
        state->rates[n] = h > 0.0 ? (state->poses[n] - body->room.start[n]) / h : 0.0;
    }
    for (int i = 0; !body->is_affine && i < body->frame_count; ++i) {
        SnFramePose from = sn_frames_pose(body->room.start, i);
        SnFramePose to = sn_frames_pose(state->poses, i);
        double turn[4];
        sn_quat_times_conjugate(to.q, from.q, turn);
        double side = turn[3] < 0.0 ? -1.0 : 1.0;
        for (int k = 0; k < 3; ++k) {
            state->rates[6 * i + k] = h > 0.0 ? 2.0 * side * turn[k] / h : 0.0;
            state->rates[6 * i + 3 + k] = h > 0.0 ? (to.t[k] - from.t[k]) / h : 0.0;
        }
    }
}

void sn_frames_turn(const SnFrames *body, const double turn[4], const double *from, double *out)
{
    if (body->is_affine) {
        double R[9];
        sn_quat_to_mat3(turn, R);
        sn_mat3_multiply(R, from, out);
    } else {
        sn_quat_multiply(turn, from, out);
    }
}

// Starts -----------------------------------------------------------------------------------------

static void start_rigid(const SnFrames *body, SinewStart start, int frame, SnRandom *random,
                        double pose[7])
{
    const double *origin = body->origins + 3 * (size_t)frame;
    SnPlacement placement = sn_affine_place(&body->place.placement);
    double center[3];
    sn_affine_apply(&body->place.placement, body->grid.center, center);
    for (int k = 0; k < 3; ++k) {
        const double *row = body->place.placement.m + 4 * k;
        double at = row[0] * origin[0] + row[1] * origin[1] + row[2] * origin[2];
        bool turned = start == SINEW_START_MIRRORED && k == 0;
        bool lost = start == SINEW_START_COLLAPSED || (start == SINEW_START_FLATTENED && k == 1);
        pose[k] = placement.rotation[k];
        pose[4 + k] = center[k] + (lost ? 0.0 : turned ? -at : at);
        if (start == SINEW_START_SCRAMBLED) {
            pose[k] = sn_random_between(random, -1.0, 1.0);
            pose[4 + k] = center[k] + body->grid.size * sn_random_between(random, -0.5, 0.5);
        }
    }
    pose[3] = start == SINEW_START_SCRAMBLED ? sn_random_between(random, 0.1, 1.0)
                                             : placement.rotation[3];
    sn_quaternion_normalise(pose, pose);
}

// The map of all vertices that a start is.
static void start_affine(const SnFrames *body, SinewStart start, SnRandom *random,
                         double pose[SN_LINEAR])
{
    double center[3];
    sn_affine_apply(&body->place.placement, body->grid.center, center);
    for (int n = 0; n < 9; ++n) {
        int k = n / 3;
        bool lost = start == SINEW_START_COLLAPSED || (start == SINEW_START_FLATTENED && k == 1);
        double one = start == SINEW_START_MIRRORED && k == 0 ? -1.0 : lost ? 0.0 : 1.0;
        pose[n] = one * body->place.placement.m[4 * k + n % 3];
        if (start == SINEW_START_SCRAMBLED) {
            pose[n] = sn_random_between(random, -1.0, 1.0);
        }
    }
    for (int k = 0; k < 3; ++k) {
        pose[9 + k] = center[k];
        if (start == SINEW_START_SCRAMBLED) {
            pose[9 + k] += body->grid.size * sn_random_between(random, -0.5, 0.5);
        }
    }
}

void sn_frames_start_pose(const SnFrames *body, SinewStart start, int frame, SnRandom *random,
                          double *out_pose)
{
    if (body->is_affine) {
        start_affine(body, start, random, out_pose);
    } else {
        start_rigid(body, start, frame, random, out_pose);
    }
}

// What turns without a place: omega, or omega x A.
void sn_frames_start_turn(const SnFrames *body, int frame, const double angular[3])
{
    double *rates = body->state.rates + body->numbers.dofs * frame;
    const double *A = body->state.poses + body->numbers.pose * frame;
    if (!body->is_affine) {
        memcpy(rates, angular, 3 * sizeof *angular);
        return;
    }
    for (int c = 0; c < 3; ++c) {
        rates[c] = angular[1] * A[6 + c] - angular[2] * A[3 + c];
        rates[3 + c] = angular[2] * A[c] - angular[0] * A[6 + c];
        rates[6 + c] = angular[0] * A[3 + c] - angular[1] * A[c];
    }
}
