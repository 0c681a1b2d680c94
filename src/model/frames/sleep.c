// Frames that sleep: inserted later, or removed. Such a frame goes along with one that is always
// awake, as if the two were one, so that waking it changes neither shape nor energy.
#include "model/frames/body.h"

#include "math/affine.h"
#include "model/frames/linear_blend.h"
#include "model/frames/quaternion.h"

#include <string.h>

static bool is_awake(const SnFrames *body, int frame)
{
    return body->state.leads[SN_FRAMES_LEAD * (size_t)frame + SN_LEAD_FRAME] < 0.0;
}

static int lead_of(const SnFrames *body, int frame)
{
    return (int)body->state.leads[SN_FRAMES_LEAD * (size_t)frame + SN_LEAD_FRAME];
}

// Rigid frames -----------------------------------------------------------------------------------

static void obey_rigid(const double *lead, const double *of, double *pose)
{
    double R[9], arm[3];
    sn_quat_multiply(of, lead + SN_LEAD_TURN, pose);
    sn_quat_to_mat3(of, R);
    sn_mat3_apply(R, lead + SN_LEAD_ARM, arm);
    for (int k = 0; k < 3; ++k) {
        pose[4 + k] = of[4 + k] + arm[k];
    }
}

static void join_rigid(const double *pose, const double *of, double *lead)
{
    double R[9], T[9], arm[3];
    sn_quat_conjugate_times(of, pose, lead + SN_LEAD_TURN);
    sn_quat_to_mat3(of, R);
    sn_mat3_transpose(R, T);
    for (int k = 0; k < 3; ++k) {
        arm[k] = pose[4 + k] - of[4 + k];
    }
    sn_mat3_apply(T, arm, lead + SN_LEAD_ARM);
}

// Omega is the leader's, v = v + omega x arm.
static void carry_rigid(const double arm[3], double P[36])
{
    const double rows[36] = {1,       0, 0,      0, 0, 0, 0,      1,       0,       0, 0, 0,
                             0,       0, 1,      0, 0, 0, 0,      arm[2],  -arm[1], 1, 0, 0,
                             -arm[2], 0, arm[0], 0, 1, 0, arm[1], -arm[0], 0,       0, 0, 1};
    memcpy(P, rows, sizeof rows);
}

// The arm turns: d2 v = omega x (omega x arm). g is what the sleeping frame feels.
static void curve_rigid(const double *g, const double arm[3], double *block, int stride)
{
    double along = g[3] * arm[0] + g[4] * arm[1] + g[5] * arm[2];
    for (int n = 0; n < 9; ++n) {
        int a = n / 3, b = n % 3;
        block[a * stride + b] +=
            0.5 * (g[3 + a] * arm[b] + g[3 + b] * arm[a]) - (a == b ? along : 0.0);
    }
}

// Affine frames ----------------------------------------------------------------------------------

// Numbers of a frame, or of a lead, as the map that they are, and back.
static SnAffine map_of(const double *numbers)
{
    SnAffine map;
    for (int n = 0; n < SN_LINEAR; ++n) {
        map.m[n] = numbers[sn_linear_at(n / 4, n % 4)];
    }
    return map;
}

static void numbers_of(const SnAffine *map, double *out)
{
    for (int n = 0; n < SN_LINEAR; ++n) {
        out[sn_linear_at(n / 4, n % 4)] = map->m[n];
    }
}

// First the lead, then the leader.
static void obey_affine(const double *lead, const double *of, double *pose)
{
    SnAffine first = map_of(lead + SN_LEAD_MAP), then = map_of(of);
    SnAffine both = sn_affine_multiply(&then, &first);
    numbers_of(&both, pose);
}

// False where the leader is flat: nothing seen from there leads out of it.
static bool join_affine(const double *pose, const double *of, double *lead)
{
    SnAffine own = map_of(pose), leader = map_of(of), back;
    if (!sn_affine_invert(&leader, &back)) {
        return false;
    }
    SnAffine seen = sn_affine_multiply(&back, &own);
    numbers_of(&seen, lead + SN_LEAD_MAP);
    return true;
}

// A = A_of L, t = A_of l + t_of: row by row the same.
static void carry_affine(const double *lead, double P[SN_LINEAR * SN_LINEAR])
{
    SnAffine map = map_of(lead + SN_LEAD_MAP);
    memset(P, 0, SN_LINEAR * SN_LINEAR * sizeof *P);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            double *row = P + SN_LINEAR * sn_linear_at(r, c);
            for (int k = 0; k < 3; ++k) {
                row[sn_linear_at(r, k)] = map.m[4 * k + c];
            }
            row[sn_linear_at(r, 3)] = c == 3 ? 1.0 : 0.0;
        }
    }
}

// Sleep ------------------------------------------------------------------------------------------

void sn_frames_obey(const SnFrames *body, double *poses)
{
    for (int j = 0; j < body->frame_count; ++j) {
        const double *lead = body->state.leads + SN_FRAMES_LEAD * (size_t)j;
        double *pose = poses + body->numbers.pose * j;
        if (is_awake(body, j)) {
            continue;
        }
        const double *of = poses + body->numbers.pose * lead_of(body, j);
        if (body->is_affine) {
            obey_affine(lead, of, pose);
        } else {
            obey_rigid(lead, of, pose);
        }
    }
}

// One that cannot is tried again at the next step.
static void fall_asleep(SnFrames *body, int j)
{
    double *lead = body->state.leads + SN_FRAMES_LEAD * (size_t)j;
    const double *pose = body->state.poses + body->numbers.pose * j;
    const double *of = body->state.poses + body->numbers.pose * body->leaders[j];
    if (body->is_affine && !join_affine(pose, of, lead)) {
        return;
    }
    if (!body->is_affine) {
        join_rigid(pose, of, lead);
    }
    lead[SN_LEAD_FRAME] = body->leaders[j];
}

void sn_frames_rouse(SnFrames *body)
{
    double time = body->state.clock[SN_FRAMES_CLOCK_TIME];
    for (int j = 0; j < body->frame_count; ++j) {
        double wakes = body->wakes[2 * j], sleeps = body->wakes[2 * j + 1];
        bool awake = time >= wakes && !(sleeps > 0.0 && time >= sleeps);
        if (awake && !is_awake(body, j)) {
            body->state.leads[SN_FRAMES_LEAD * (size_t)j + SN_LEAD_FRAME] = -1.0;
        } else if (!awake && is_awake(body, j)) {
            fall_asleep(body, j);
        }
    }
}

// H := P^T H P for one frame, rows and then columns; what is left of it is a unit so large as the
// rest, which a zero gradient does not move.
static void fold_hessian(const SnFrames *body, double *H, int j, int lead, const double *P)
{
    int dofs = sn_frames_dofs(body), own = body->numbers.dofs;
    double unit = H[(own * (lead + 1) - 1) * dofs + own * (lead + 1) - 1];
    for (int side = 0; side < 2; ++side) {
        for (int c = 0; c < dofs; ++c) {
            double moved[SN_LINEAR] = {0.0};
            for (int n = 0; n < own * own; ++n) {
                int at = own * j + n / own;
                moved[n % own] += P[n] * H[side == 0 ? at * dofs + c : c * dofs + at];
            }
            for (int d = 0; d < own; ++d) {
                int at = own * lead + d;
                H[side == 0 ? at * dofs + c : c * dofs + at] += moved[d];
            }
        }
    }
    for (int d = own * j; d < own * j + own; ++d) {
        for (int c = 0; c < dofs; ++c) {
            H[d * dofs + c] = H[c * dofs + d] = 0.0;
        }
        H[d * dofs + d] = unit;
    }
}

void sn_frames_fold(const SnFrames *body, const double *poses, double *gradient, double *hessian)
{
    int dofs = sn_frames_dofs(body), own = body->numbers.dofs, place = body->numbers.pose - 3;
    for (int j = 0; j < body->frame_count; ++j) {
        double arm[3], P[SN_LINEAR * SN_LINEAR];
        if (is_awake(body, j)) {
            continue;
        }
        int lead = lead_of(body, j);
        double *g = gradient + own * j, *to = gradient + own * lead;
        for (int k = 0; k < 3; ++k) {
            arm[k] = poses[body->numbers.pose * j + place + k] -
                     poses[body->numbers.pose * lead + place + k];
        }
        if (body->is_affine) {
            carry_affine(body->state.leads + SN_FRAMES_LEAD * (size_t)j, P);
        } else {
            carry_rigid(arm, P);
        }
        if (hessian != NULL) {
            fold_hessian(body, hessian, j, lead, P);
        }
        if (hessian != NULL && !body->is_affine) {
            curve_rigid(g, arm, hessian + own * lead * (dofs + 1), dofs);
        }
        for (int n = 0; n < own * own; ++n) {
            to[n % own] += P[n] * g[n / own];
        }
        memset(g, 0, (size_t)own * sizeof *g);
    }
}
