#include "model/frames/potential.h"

#include "model/frames/carried.h"
#include "model/frames/linear_blend.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Share of the potential's parts that rounding may take.
#define SUM_NOISE 1e-13

// Forces below those of a move of this share of the body's size are measured against those.
#define MOVE_FLOOR 1e-9

double sn_frames_norm(const SnFrames *body, const double *dofs)
{
    double sum = 0.0;
    for (int d = 0; d < sn_frames_dofs(body); ++d) {
        double f = dofs[d] / sn_frames_unit(body, d);
        sum += f * f;
    }
    return sqrt(sum);
}

// Gradient by the dofs from that by the numbers of blends.
static void pull_gradient(const SnFrames *body, const double *poses, const double *g8, double *out)
{
    if (body->is_affine) {
        memcpy(out, g8, sn_frames_pose_count(body) * sizeof *out);
        return;
    }
    for (int i = 0; i < body->frame_count; ++i) {
        SnFramePose pose = sn_frames_pose(poses, i);
        double L[48];
        sn_frame_jacobian(&pose, body->origins + 3 * (size_t)i, L);
        for (int d = 0; d < 6; ++d) {
            double sum = 0.0;
            for (int c = 0; c < 8; ++c) {
                sum += L[6 * c + d] * g8[8 * i + c];
            }
            out[6 * i + d] = sum;
        }
    }
}

// Adds L_i^T block L_j, i <= j, to the lower triangle of the Hessian.
static void pull_block(const double Li[48], const double Lj[48], const double block[64], int i,
                       int j, int dofs, double *out)
{
    double half[48];
    for (int n = 0; n < 48; ++n) {
        half[n] = 0.0;
        for (int c = 0; c < 8; ++c) {
            half[n] += block[8 * (n / 6) + c] * Lj[6 * c + n % 6];
        }
    }
    for (int n = 0; n < 36; ++n) {
        double sum = 0.0;
        for (int c = 0; c < 8; ++c) {
            sum += Li[6 * c + n / 6] * half[6 * c + n % 6];
        }
        // The lower triangle has the samples' part already; diagonal blocks are symmetric.
        out[(6 * j + n % 6) * dofs + 6 * i + n / 6] += i < j || n % 6 >= n / 6 ? sum : 0.0;
    }
}

static void find_jacobians(const SnFrames *body, const double *poses)
{
    for (int i = 0; !body->is_affine && i < body->frame_count; ++i) {
        SnFramePose pose = sn_frames_pose(poses, i);
        sn_frame_jacobian(&pose, body->origins + 3 * (size_t)i,
                          body->room.jacobians + 48 * (size_t)i);
    }
}

static void pull_hessian(const SnFrames *body, const double *poses, bool curved)
{
    const SnFramesRoom *room = &body->room;
    int dofs = sn_frames_dofs(body);
    int count = body->is_affine ? 0 : body->frame_count; // what is linear has no curvature
    for (int i = 0; i < count; ++i) {
        for (int j = i; j < count; ++j) {
            pull_block(room->jacobians + 48 * (size_t)i, room->jacobians + 48 * (size_t)j,
                       room->blocks + sn_samples_block(count, i, j), i, j, dofs, room->hessian);
        }
    }
    for (int i = 0; curved && i < count; ++i) {
        SnFramePose pose = sn_frames_pose(poses, i);
        sn_frame_curvature(&pose, body->origins + 3 * (size_t)i, room->gradient8 + 8 * (size_t)i,
                           room->hessian + (6 * i) * dofs + 6 * i, dofs);
    }
}

// The upper triangle is that of the lower.
static void mirror_hessian(const SnFrames *body)
{
    int dofs = sn_frames_dofs(body);
    for (int r = 0; r < dofs; ++r) {
        for (int c = 0; c < r; ++c) {
            body->room.hessian[c * dofs + r] = body->room.hessian[r * dofs + c];
        }
    }
}

// Forces at points -------------------------------------------------------------------------------

// Inertia and mass damping of lumps, and weight.
static void evaluate_lumps(void *context, int begin, int end, const double *x, SnPointForce *out)
{
    const SnFramesProblem *problem = context;
    const SnFrames *body = problem->body;
    for (int p = begin; p < end; ++p) {
        SnPointForce *force = &out[p - begin];
        double mass = body->lump_masses[p], damping = body->lump_damping[p];
        *force = (SnPointForce){0};
        for (int k = 0; k < 3; ++k) {
            int at = 3 * p + k;
            double weight = mass * problem->step->gravity[k];
            double move = x[at] - body->state.places[at];
            force->force[k] = weight;
            force->energy -= weight * move;
            if (problem->dynamic) {
                double a = problem->a_rate * move + body->room.a0[at];
                double v = problem->v_rate * move + body->room.v0[at];
                force->force[k] -= mass * a + damping * v;
                force->energy +=
                    0.5 * mass * a * a / problem->a_rate + 0.5 * damping * v * v / problem->v_rate;
                force->stiffness[4 * k] = mass * problem->a_rate + damping * problem->v_rate;
            }
        }
    }
}

// Springs that hold pinned vertices, and the forces that static solves find besides.
static void evaluate_held(void *context, int begin, int end, const double *x, SnPointForce *out)
{
    const SnFrames *body = context;
    const SnFramesPins *pins = &body->pins;
    for (int h = begin; h < end; ++h) {
        SnPointForce *force = &out[h - begin];
        *force = (SnPointForce){0};
        for (int k = 0; k < 3; ++k) {
            double off = x[3 * h + k] - body->room.targets[3 * pins->vertices[h] + k];
            if (pins->set.axes[pins->pins[h]] >> k & 1) {
                double steady = pins->steady[3 * h + k];
                force->force[k] = -(pins->spring * off + steady);
                force->stiffness[4 * k] = pins->spring;
                force->energy += (0.5 * pins->spring * off + steady) * off;
            }
        }
    }
}

// Dead loads; the context is their forces, and energy is counted from the grid's centre.
static void evaluate_load(void *context, int begin, int end, const double *x, SnPointForce *out)
{
    const double *forces = context;
    for (int p = begin; p < end; ++p) {
        out[p - begin] = (SnPointForce){0};
        for (int k = 0; k < 3; ++k) {
            out[p - begin].force[k] = forces[3 * p + k];
            out[p - begin].energy -= forces[3 * p + k] * x[3 * p + k];
        }
    }
}

// What rounding of places makes of forces: of the pins' springs, which are the stiffest, and of the
// body's own stiffness.
static double floor_of(const SnFrames *body, const double *poses)
{
    double reach = 0.0;
    for (int i = 0; i < body->frame_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            reach = fmax(reach, fabs(poses[body->numbers.pose * (i + 1) - 3 + k]));
        }
    }
    double springs = body->pins.spring * sqrt((double)body->pins.held_count);
    return 4.0 * DBL_EPSILON * (reach + body->grid.size) *
           (springs + body->stiffness * sqrt((double)sn_frames_dofs(body)));
}

// The potential ----------------------------------------------------------------------------------

// Energy and gradient of what acts at some points; the part's norm counts among the forces at play.
static void add_points(const SnFramesProblem *problem, const double *poses,
                       const SnFramePoints *points, SnPointForceFn *evaluate, void *context,
                       bool hessian, SnFramesValue *value)
{
    const SnPointForces *contacts = problem->step->contacts;
    const SnPointForces *listed = contacts != NULL && contacts->points == points ? contacts : NULL;
    SnFrames *body = problem->body;
    SnFramesRoom *room = &body->room;
    double part[SN_FRAMES_BLEND_MAX] = {0.0};
    SnFramePointsDef def = {.points = points,
                            .room = &body->parts,
                            .workers = problem->workers,
                            .kernels = body->kernels,
                            .frames = room->frames,
                            .evaluate = evaluate,
                            .context = context,
                            .listed = listed,
                            .hessian = hessian,
                            .curvature = problem->geometric};
    double energy = sn_frame_points_evaluate(&def, part, room->hessian, room->blocks);
    value->phi += energy;
    value->noise += SUM_NOISE * fabs(energy);
    for (int i = 0; i < body->numbers.blend * body->frame_count; ++i) {
        room->gradient8[i] += part[i];
    }
    pull_gradient(body, poses, part, room->part);
    value->scale = fmax(value->scale, sn_frames_norm(body, room->part));
}

// What knows the dofs itself: springs, and lumps that frames carry. Their gradient waits in the
// room for that of the rest.
static void add_direct(const SnFramesProblem *problem, const double *poses, bool hessian,
                       SnFramesValue *value)
{
    const SnFrames *body = problem->body;
    const SnFramesRoom *room = &body->room;
    double *matrix = hessian ? room->hessian : NULL;
    SnCarriedDef lumps = {.points = &body->lumps,
                          .poses = poses,
                          .origins = body->origins,
                          .evaluate = evaluate_lumps,
                          .context = (void *)(uintptr_t)problem,
                          .curvature = problem->geometric};
    size_t dofs = (size_t)sn_frames_dofs(body);
    memset(room->direct, 0, dofs * sizeof *room->direct);
    double rate = problem->dynamic && body->damping.any ? problem->v_rate : 0.0;
    double elastic = sn_springs_evaluate(&body->springs, poses, rate, room->direct, matrix);
    value->scale = fmax(value->scale, sn_frames_norm(body, room->direct));
    double inertia = 0.0;
    if (body->carries) {
        memset(room->part, 0, dofs * sizeof *room->part);
        inertia = sn_carried_evaluate(&lumps, room->part, matrix);
        value->scale = fmax(value->scale, sn_frames_norm(body, room->part));
        for (size_t d = 0; d < dofs; ++d) {
            room->direct[d] += room->part[d];
        }
    }
    value->phi += elastic + inertia;
    value->noise += SUM_NOISE * (fabs(elastic) + fabs(inertia));
}

// Takes energy and gradient of the last evaluation where it was at the same numbers. Only affine
// frames have it, which no damping changes from step to step.
static bool recall_samples(const SnFrames *body, SnFramesValue *value)
{
    const SnFramesRoom *room = &body->room;
    size_t count = (size_t)(body->numbers.blend * body->frame_count);
    if (!body->is_affine || room->known[0] == 0.0 ||
        memcmp(room->known + 2, room->frames, count * sizeof *room->known) != 0) {
        return false;
    }
    value->phi = room->known[1];
    memcpy(room->gradient8, room->known + 2 + count, count * sizeof *room->known);
    return true;
}

static void keep_samples(const SnFrames *body, double energy)
{
    const SnFramesRoom *room = &body->room;
    size_t count = (size_t)(body->numbers.blend * body->frame_count);
    if (body->is_affine) {
        room->known[0] = 1.0;
        room->known[1] = energy;
        memcpy(room->known + 2, room->frames, count * sizeof *room->known);
        memcpy(room->known + 2 + count, room->gradient8, count * sizeof *room->known);
    }
}

static void add_samples(const SnFramesProblem *problem, const double *poses, bool hessian,
                        SnFramesValue *value)
{
    SnFrames *body = problem->body;
    SnFramesRoom *room = &body->room;
    SnSamplesDef samples = {.samples = &body->samples,
                            .room = &body->parts,
                            .workers = problem->workers,
                            .kernels = body->kernels,
                            .frames = room->frames,
                            .jacobians = room->jacobians,
                            .roots = problem->dynamic ? body->damping.roots : NULL,
                            .offsets = problem->dynamic ? body->damping.offsets : NULL,
                            .hessian = hessian,
                            .geometric = problem->geometric};
    if (hessian || !recall_samples(body, value)) {
        value->phi = sn_samples_evaluate(&samples, room->gradient8, room->hessian, room->blocks);
        keep_samples(body, value->phi);
    }
    value->noise = SUM_NOISE * fabs(value->phi);
    pull_gradient(body, poses, room->gradient8, room->part);
    value->scale = fmax(value->scale, sn_frames_norm(body, room->part));
}

// True where nothing acts through blends.
static bool is_direct(const SnFramesProblem *problem)
{
    const SnFrames *body = problem->body;
    return body->samples.count == 0 && body->carries && body->pins.held_count == 0 &&
           problem->step->load_count == 0 && problem->step->contacts == NULL;
}

static void begin_blends(const SnFrames *body, const double *poses, bool hessian)
{
    const SnFramesRoom *room = &body->room;
    size_t numbers = (size_t)(body->numbers.blend * body->frame_count);
    sn_frames_blend(body, poses, room->frames);
    memset(room->gradient8, 0, numbers * sizeof *room->gradient8);
    if (hessian) {
        memset(room->blocks, 0, body->parts.block_count * sizeof *room->blocks);
        find_jacobians(body, poses);
    }
}

// Adds `factor` times a matrix of sn_frame_points_square to the Hessian's lower triangle, along one
// axis.
static void add_square(const SnFrames *body, const double *square, double factor, int axis)
{
    int n = 4 * body->frame_count, dofs = sn_frames_dofs(body);
    for (int r = 0; r < n && factor != 0.0; ++r) {
        int row = SN_LINEAR * (r / 4) + sn_linear_at(axis, r % 4);
        for (int c = 0; c <= r; ++c) {
            int column = SN_LINEAR * (c / 4) + sn_linear_at(axis, c % 4);
            body->room.hessian[row * dofs + column] += factor * square[r * n + c];
        }
    }
}

// Inertia and pins of affine frames, whose Hessian does not change.
static void add_squares(const SnFramesProblem *problem)
{
    const SnFrames *body = problem->body;
    size_t size = 16 * (size_t)body->frame_count * (size_t)body->frame_count;
    for (int k = 0; k < 3; ++k) {
        if (problem->dynamic) {
            add_square(body, body->lump_squares, problem->a_rate, k);
            add_square(body, body->lump_squares + size, problem->v_rate, k);
        }
        if (body->pins.held_count > 0) {
            add_square(body, body->pins.squares + (size_t)k * size, body->pins.spring, k);
        }
    }
}

// What acts through blends: samples, pins, loads, contact, and lumps that no frame carries alone.
static void add_blends(const SnFramesProblem *problem, const double *poses, bool hessian,
                       SnFramesValue *value)
{
    SnFrames *body = problem->body;
    const SnStep *step = problem->step;
    begin_blends(body, poses, hessian);
    add_samples(problem, poses, hessian, value);
    bool by_points = hessian && !body->is_affine;
    if (!body->carries) {
        add_points(problem, poses, &body->lumps, evaluate_lumps, (void *)(uintptr_t)problem,
                   by_points, value);
    }
    if (body->pins.held_count > 0) {
        add_points(problem, poses, &body->pins.points, evaluate_held, body, by_points, value);
    }
    if (hessian && body->is_affine) {
        add_squares(problem);
    }
    for (int l = 0; l < step->load_count; ++l) {
        add_points(problem, poses, step->loads[l].points, evaluate_load,
                   (void *)(uintptr_t)step->loads[l].forces, hessian, value);
    }
    if (step->contacts != NULL) {
        add_points(problem, poses, step->contacts->points, step->contacts->evaluate,
                   step->contacts->context, hessian, value);
    }
    pull_gradient(body, poses, body->room.gradient8, body->room.gradient);
    if (hessian) {
        pull_hessian(body, poses, problem->geometric);
    }
}

SnFramesValue sn_frames_potential(const SnFramesProblem *problem, const double *poses, bool hessian)
{
    SnFrames *body = problem->body;
    SnFramesRoom *room = &body->room;
    SnFramesValue value = {.scale = MOVE_FLOOR * body->stiffness * body->grid.size};
    size_t dofs = (size_t)sn_frames_dofs(body);
    bool direct = body->springs.count > 0 || body->carries;
    memset(room->gradient, 0, dofs * sizeof *room->gradient);
    if (hessian) {
        memset(room->hessian, 0, dofs * dofs * sizeof *room->hessian);
    }
    if (!is_direct(problem)) {
        add_blends(problem, poses, hessian, &value);
    }
    if (direct) {
        add_direct(problem, poses, hessian, &value);
    }
    for (size_t d = 0; direct && d < dofs; ++d) {
        room->gradient[d] += room->direct[d];
    }
    if (hessian) {
        mirror_hessian(body);
    }
    sn_frames_fold(body, poses, room->gradient, hessian ? room->hessian : NULL);
    value.residual = sn_frames_norm(body, room->gradient);
    value.floor = floor_of(body, poses);
    value.noise += value.floor * 1e-3 * body->grid.size;
    value.allowed = isfinite(value.phi) && isfinite(value.residual);
    return value;
}
