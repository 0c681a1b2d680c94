// The whole derivative of the elastic forces as a product, cell by cell in float: what
// sn_voxel_system_direct factors, without its ever being put together. With the rotation's change
// theta = turn omega w for a change w of the corners, y = X + u and the elastic gradient g,
//
//     H w = P^T K P w + theta^T-parts,    P w = w - theta x y
//
// where the second part comes from g . (theta x (theta x y) - 2 theta x w).
#include "model/voxel/system.h"

#include <string.h>

enum { CELL_GRAIN = 64 };

typedef struct Job {
    const SnVoxelBody *body;
    const SnVoxelLevel *level;
} Job;

static void cross(const float a[3], const float b[3], float out[3])
{
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

// out = K v, both axis by axis.
static void stretch(const float *K, const float v[SN_VOXEL_NUMBERS], float out[SN_VOXEL_NUMBERS])
{
    memset(out, 0, SN_VOXEL_NUMBERS * sizeof *out);
    for (int j = 0; j < SN_VOXEL_NUMBERS; ++j) {
        for (int i = 0; i < SN_VOXEL_NUMBERS; ++i) {
            out[i] += v[j] * K[SN_VOXEL_NUMBERS * j + i];
        }
    }
}

// Takes omega^T turn^T t from h; `omega` as quads, see SnVoxelGroups.
static void turn_from(const float *omega, const float turn[9], const float t[3],
                      float h[SN_VOXEL_NUMBERS])
{
    float s[3];
    for (int i = 0; i < 3; ++i) {
        s[i] = turn[i] * t[0] + turn[3 + i] * t[1] + turn[6 + i] * t[2];
    }
    for (int c = 0; c < 8; ++c) {
        for (int i = 0; i < 3; ++i) {
            const float *o = omega + 12 * c + i;
            h[8 * i + c] -= o[0] * s[0] + o[4] * s[1] + o[8] * s[2];
        }
    }
}

// Sum over the corners of y x h, and where wanted of (y h^T + h y^T) / 2 - y . h.
static void find_torque(const float *y, const float *h, float torque[3], float *Q)
{
    memset(torque, 0, 3 * sizeof *torque);
    for (int c = 0; c < 8; ++c) {
        float a[3] = {y[c], y[8 + c], y[16 + c]}, b[3] = {h[c], h[8 + c], h[16 + c]}, part[3];
        cross(a, b, part);
        for (int i = 0; i < 3; ++i) {
            torque[i] += part[i];
        }
        float dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        for (int i = 0; i < 9 && Q != NULL; ++i) {
            Q[i] += 0.5f * (a[i / 3] * b[i % 3] + b[i / 3] * a[i % 3]) - (i % 4 == 0 ? dot : 0.0f);
        }
    }
}

static void prepare_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnVoxelBody *body = job->body;
    (void)worker;
    for (size_t e = (size_t)begin; e < (size_t)end; ++e) {
        const SnVoxelPose *pose = &body->room.poses[e];
        size_t kind = (size_t)body->grid.kinds[e];
        SnVoxelTangent *t = &body->system.tangents[e];
        float u[SN_VOXEL_NUMBERS], torque[3];
        *t = (SnVoxelTangent){0};
        if (!pose->turns) {
            continue; // nothing turns: K alone
        }
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            int n = 8 * (j % 3) + j / 3;
            u[n] = (float)pose->u[j];
            t->y[n] = (float)(sn_voxel_corner(&body->grid, j / 3, j % 3) + pose->u[j]);
        }
        for (int i = 0; i < 9; ++i) {
            t->turn[i] = (float)pose->turn[i];
        }
        stretch(body->system.stiffness + SN_VOXEL_ENTRIES * kind, u, t->g);
        find_torque(t->y, t->g, torque, NULL);
        turn_from(body->lanes.data + SN_VOXEL_KIND * kind, t->turn, torque, t->g);
        find_torque(t->y, t->g, torque, t->Q);
    }
}

void sn_voxel_tangent_prepare(const SnVoxelProblem *problem)
{
    const SnVoxelBody *body = problem->body;
    Job job = {body, &body->system.level};
    sn_parallel_for(problem->workers, body->grid.cell_count, CELL_GRAIN, prepare_range, &job);
}

// theta = turn omega w.
static void find_theta(const float *omega, const float turn[9], const float *w, float theta[3])
{
    float mean[3] = {0.0f, 0.0f, 0.0f};
    for (int c = 0; c < 8; ++c) {
        for (int r = 0; r < 3; ++r) {
            const float *o = omega + 4 * (3 * c + r);
            mean[r] += o[0] * w[c] + o[1] * w[8 + c] + o[2] * w[16 + c];
        }
    }
    for (int i = 0; i < 3; ++i) {
        theta[i] = turn[3 * i] * mean[0] + turn[3 * i + 1] * mean[1] + turn[3 * i + 2] * mean[2];
    }
}

// h = H w of one cell, in its frame.
static void apply_cell(const float *K, const float *omega, const SnVoxelTangent *t,
                       const float w[SN_VOXEL_NUMBERS], float h[SN_VOXEL_NUMBERS])
{
    float theta[3], v[SN_VOXEL_NUMBERS], torque[3], turned[3] = {0.0f, 0.0f, 0.0f};
    find_theta(omega, t->turn, w, theta);
    for (int c = 0; c < 8; ++c) {
        float y[3] = {t->y[c], t->y[8 + c], t->y[16 + c]}, part[3];
        cross(theta, y, part);
        for (int i = 0; i < 3; ++i) {
            v[8 * i + c] = w[8 * i + c] - part[i];
        }
    }
    stretch(K, v, h);
    find_torque(t->y, h, torque, NULL);
    for (int c = 0; c < 8; ++c) {
        float g[3] = {t->g[c], t->g[8 + c], t->g[16 + c]}, part[3];
        float own[3] = {w[c], w[8 + c], w[16 + c]};
        cross(own, g, part);
        for (int i = 0; i < 3; ++i) {
            turned[i] += part[i];
        }
        cross(g, theta, part);
        for (int i = 0; i < 3; ++i) {
            h[8 * i + c] -= part[i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        const float *q = t->Q + 3 * i;
        torque[i] += turned[i] - (q[0] * theta[0] + q[1] * theta[1] + q[2] * theta[2]);
    }
    turn_from(omega, t->turn, torque, h);
}

static void apply_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnVoxelBody *body = job->body;
    (void)worker;
    for (size_t e = (size_t)begin; e < (size_t)end; ++e) {
        const float *R = body->system.rotations + 9 * e;
        const int *corners = body->grid.corners + 8 * e;
        size_t kind = (size_t)body->grid.kinds[e];
        float w[SN_VOXEL_NUMBERS], h[SN_VOXEL_NUMBERS];
        for (int c = 0; c < 8; ++c) {
            const float *p = job->level->p + 4 * (size_t)corners[c];
            for (int i = 0; i < 3; ++i) {
                w[8 * i + c] = R[i] * p[0] + R[3 + i] * p[1] + R[6 + i] * p[2];
            }
        }
        apply_cell(body->system.stiffness + SN_VOXEL_ENTRIES * kind,
                   body->lanes.data + SN_VOXEL_KIND * kind, &body->system.tangents[e], w, h);
        for (int c = 0; c < 8; ++c) {
            float *out = job->level->out + SN_VOXEL_OUT * e + 4 * (size_t)c;
            for (int i = 0; i < 3; ++i) {
                out[i] = R[3 * i] * h[c] + R[3 * i + 1] * h[8 + c] + R[3 * i + 2] * h[16 + c];
            }
        }
    }
}

void sn_voxel_tangent_apply(void *context, const SnVoxelLevel *level, SnWorkers *workers)
{
    const SnVoxelProblem *problem = context;
    Job job = {problem->body, level};
    sn_parallel_for(workers, level->cell_count, CELL_GRAIN, apply_range, &job);
}
