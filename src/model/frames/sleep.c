// Frames that sleep: inserted later, or removed. Such a frame goes along with one that is always
// awake, as if the two were one, so that waking it changes neither shape nor energy.
#include "model/frames/body.h"

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

void sn_frames_obey(const SnFrames *body, double *poses)
{
    for (int j = 0; j < body->frame_count; ++j) {
        const double *lead = body->state.leads + SN_FRAMES_LEAD * (size_t)j;
        double *pose = poses + 7 * (size_t)j, R[9], arm[3];
        if (is_awake(body, j)) {
            continue;
        }
        const double *of = poses + 7 * (size_t)lead_of(body, j);
        sn_quat_multiply(of, lead + SN_LEAD_TURN, pose);
        sn_quat_to_mat3(of, R);
        sn_mat3_apply(R, lead + SN_LEAD_ARM, arm);
        for (int k = 0; k < 3; ++k) {
            pose[4 + k] = of[4 + k] + arm[k];
        }
    }
}

static void fall_asleep(SnFrames *body, int j)
{
    double *lead = body->state.leads + SN_FRAMES_LEAD * (size_t)j;
    const double *pose = body->state.poses + 7 * (size_t)j;
    const double *of = body->state.poses + 7 * (size_t)body->leaders[j];
    double R[9], T[9], arm[3];
    lead[SN_LEAD_FRAME] = body->leaders[j];
    sn_quat_conjugate_times(of, pose, lead + SN_LEAD_TURN);
    sn_quat_to_mat3(of, R);
    sn_mat3_transpose(R, T);
    for (int k = 0; k < 3; ++k) {
        arm[k] = pose[4 + k] - of[4 + k];
    }
    sn_mat3_apply(T, arm, lead + SN_LEAD_ARM);
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

// d (its dofs) / d (the leader's dofs): omega as the leader's, v = v + omega x arm. 6x6.
static void carry_of(const SnFrames *body, const double *poses, int j, double arm[3], double P[36])
{
    const double *pose = poses + 7 * (size_t)j, *of = poses + 7 * (size_t)lead_of(body, j);
    for (int k = 0; k < 3; ++k) {
        arm[k] = pose[4 + k] - of[4 + k];
    }
    const double rows[36] = {1,       0, 0,      0, 0, 0, 0,      1,       0,       0, 0, 0,
                             0,       0, 1,      0, 0, 0, 0,      arm[2],  -arm[1], 1, 0, 0,
                             -arm[2], 0, arm[0], 0, 1, 0, arm[1], -arm[0], 0,       0, 0, 1};
    memcpy(P, rows, sizeof rows);
}

// H := P^T H P for one frame, rows and then columns; what is left of it is a unit so large as the
// rest, which a zero gradient does not move.
static void fold_hessian(double *H, int dofs, int j, int lead, const double P[36], double unit)
{
    for (int side = 0; side < 2; ++side) {
        for (int c = 0; c < dofs; ++c) {
            double moved[6] = {0.0};
            for (int n = 0; n < 36; ++n) {
                int at = side == 0 ? (6 * j + n / 6) * dofs + c : c * dofs + 6 * j + n / 6;
                moved[n % 6] += P[n] * H[at];
            }
            for (int d = 0; d < 6; ++d) {
                H[side == 0 ? (6 * lead + d) * dofs + c : c * dofs + 6 * lead + d] += moved[d];
            }
        }
    }
    for (int d = 6 * j; d < 6 * j + 6; ++d) {
        for (int c = 0; c < dofs; ++c) {
            H[d * dofs + c] = H[c * dofs + d] = 0.0;
        }
        H[d * dofs + d] = unit;
    }
}

void sn_frames_fold(const SnFrames *body, const double *poses, double *gradient, double *hessian)
{
    int dofs = sn_frames_dofs(body);
    for (int j = 0; j < body->frame_count; ++j) {
        double arm[3], P[36];
        if (is_awake(body, j)) {
            continue;
        }
        int lead = lead_of(body, j);
        double *g = gradient + 6 * (size_t)j, *to = gradient + 6 * (size_t)lead;
        carry_of(body, poses, j, arm, P);
        if (hessian != NULL) {
            fold_hessian(hessian, dofs, j, lead, P, hessian[(6 * lead + 3) * dofs + 6 * lead + 3]);
            // The arm turns: d2 v = omega x (omega x arm).
            double along = g[3] * arm[0] + g[4] * arm[1] + g[5] * arm[2];
            for (int n = 0; n < 9; ++n) {
                int a = n / 3, b = n % 3;
                hessian[(6 * lead + a) * dofs + 6 * lead + b] +=
                    0.5 * (g[3 + a] * arm[b] + g[3 + b] * arm[a]) - (a == b ? along : 0.0);
            }
        }
        for (int n = 0; n < 36; ++n) {
            to[n % 6] += P[n] * g[n / 6];
        }
        memset(g, 0, 6 * sizeof *g);
    }
}
