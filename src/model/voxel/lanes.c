// Cells side by side in float, by kernels: poses, and the gradient of a step that takes a given
// number of iterations. Three passes: vertices, cells, and vertices again.
#include "model/voxel/system.h"

#include <math.h>
#include <string.h>

// Rounding of sums in float, and of places in shares of a cell's edge.
#define SUM_NOISE 1e-6
#define PLACE_NOISE 1e-7

enum { CELL_GRAIN = 128, VERTEX_GRAIN = 512 };

static size_t group_count(const SnVoxelBody *body)
{
    return ((size_t)body->grid.cell_count + SN_VOXEL_GROUP - 1) / SN_VOXEL_GROUP;
}

// The numbers of a kind in the kernels' order, see SnVoxelGroups.
static void fill_kind(const SnVoxelCell *cell, float *out)
{
    for (int n = 0; n < SN_VOXEL_DOFS; ++n) {
        for (int i = 0; i < 3; ++i) {
            out[4 * n + i] = (float)cell->omega[n % 3 * SN_VOXEL_DOFS + n / 3 * 3 + i];
            out[96 + 4 * n + i] = (float)cell->weight[3 * n + i];
        }
        out[4 * n + 3] = out[96 + 4 * n + 3] = 0.0f;
    }
    for (int i = 0; i < 4; ++i) {
        out[192 + i] = i < 3 ? (float)cell->moment[i] : 0.0f;
    }
}

static SinewStatus make_damping(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelLanes *lanes = &body->lanes;
    size_t kinds = (size_t)body->grid.kind_count, damped = 0;
    for (size_t k = 0; k < kinds; ++k) {
        damped += body->grid.cells[k].damping != NULL;
    }
    if (damped == 0) {
        return SINEW_OK;
    }
    SN_ALLOC_ZERO(lanes->damping, &body->allocator, kinds * SN_VOXEL_ENTRIES, error);
    SN_ALLOC_ZERO(lanes->damping_out, &body->allocator,
                  SN_VOXEL_OUT * (size_t)body->grid.cell_count, error);
    for (size_t k = 0; k < kinds; ++k) {
        if (body->grid.cells[k].damping != NULL) {
            sn_voxel_keep_matrix(body->grid.cells[k].damping,
                                 lanes->damping + k * SN_VOXEL_ENTRIES);
        }
    }

done:
    return status;
}

SinewStatus sn_voxel_lanes_create(SnVoxelBody *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelLanes *lanes = &body->lanes;
    size_t kinds = (size_t)body->grid.kind_count, cells = (size_t)body->grid.cell_count;
    size_t planes = SN_VOXEL_PLANES * SN_VOXEL_GROUP * group_count(body);
    size_t vertices = 4 * (size_t)body->grid.vertex_count;
    SN_ALLOC_ZERO(lanes->numbers, &body->allocator,
                  planes + 2 * vertices + SN_VOXEL_KIND * kinds + 2 * SN_VOXEL_OUT * cells, error);
    lanes->planes = lanes->numbers; // first, for its alignment
    lanes->high = lanes->planes + planes;
    lanes->low = lanes->high + vertices;
    lanes->inertia_out = lanes->low + vertices;
    lanes->pulls = lanes->inertia_out + SN_VOXEL_OUT * cells;
    lanes->data = lanes->pulls + SN_VOXEL_OUT * cells;
    for (size_t k = 0; k < kinds; ++k) {
        fill_kind(&body->grid.cells[k], lanes->data + k * SN_VOXEL_KIND);
    }
    SN_TRY(make_damping(body, error));

done:
    return status;
}

void sn_voxel_lanes_release(SnVoxelLanes *lanes, const SinewAllocator *allocator)
{
    sn_free(allocator, lanes->numbers);
    sn_free(allocator, lanes->damping);
    sn_free(allocator, lanes->damping_out);
    *lanes = (SnVoxelLanes){0};
}

// Vertices ---------------------------------------------------------------------------------------

typedef struct Job {
    const SnVoxelProblem *problem; // NULL: poses alone
    const SnVoxelBody *body;
    const double *x;
    const double *d;
    double first[3];  // m, where the first vertex is
    double shares[2]; // s^2 and s: half of 1 / a_rate and 1 / v_rate
    SnVoxelGroups groups;
    SnVoxelPose *poses;
} Job;

// Two floats for a double.
static void split(double value, float *high, float *low)
{
    *high = (float)value;
    *low = (float)(value - (double)*high);
}

static void place_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnVoxelLanes *lanes = &job->body->lanes;
    (void)worker;
    for (size_t v = (size_t)begin; v < (size_t)end; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            split(job->x[3 * v + k] - job->first[k], &lanes->high[4 * v + k],
                  &lanes->low[4 * v + k]);
        }
    }
}

// Places, accelerations in the system's p and velocities in its z.
static void move_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnVoxelProblem *problem = job->problem;
    const SnVoxelRoom *room = &job->body->room;
    const SnVoxelLevel *level = &job->body->system.level;
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i) {
        room->x[i] = job->body->state.positions[i] + job->d[i];
    }
    place_range(context, begin, end, worker);
    for (size_t v = (size_t)begin; v < (size_t)end; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            size_t i = 3 * v + k;
            level->p[4 * v + k] = (float)(problem->a_rate * job->d[i] + room->a0[i]);
            level->z[4 * v + k] = (float)(problem->v_rate * job->d[i] + room->v0[i]);
        }
    }
}

// Cells ------------------------------------------------------------------------------------------

static Job begin_job(const SnVoxelBody *body, const double *x, const double *base, int turns)
{
    Job job = {.body = body, .x = x};
    bool edges = body->options.mode == SINEW_VOXEL_PAPER;
    job.groups = (SnVoxelGroups){.turning = body->linear ? SN_VOXEL_STAYS
                                            : edges      ? SN_VOXEL_EDGES
                                                         : SN_VOXEL_OMEGA,
                                 .turns = turns,
                                 .cell_count = body->grid.cell_count,
                                 .edge = (float)body->grid.edge,
                                 .high = body->lanes.high,
                                 .low = body->lanes.low,
                                 .corners = body->grid.corners,
                                 .kinds = body->grid.kinds,
                                 .matrices = body->system.stiffness,
                                 .data = body->lanes.data,
                                 .base = base,
                                 .planes = body->lanes.planes,
                                 .out = body->system.level.out};
    return job;
}

// Groups of the cells [begin, end); begin is the first of a group.
static void pose_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    int first = begin / SN_VOXEL_GROUP, last = (end + SN_VOXEL_GROUP - 1) / SN_VOXEL_GROUP;
    (void)worker;
    job->body->kernels->voxel->pose(&job->groups, first, last);
    for (size_t e = (size_t)begin; e < (size_t)end; ++e) {
        const float *from = sn_voxel_planes(job->body, e) + SN_VOXEL_GROUP * SN_VOXEL_PLANE_R;
        for (size_t i = 0; i < 9; ++i) {
            job->body->system.rotations[9 * e + i] = from[SN_VOXEL_GROUP * i];
        }
    }
}

static void force_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    int first = begin / SN_VOXEL_GROUP, last = (end + SN_VOXEL_GROUP - 1) / SN_VOXEL_GROUP;
    (void)worker;
    job->body->kernels->voxel->force(&job->groups, first, last);
}

// M a and C v, turned as cells are at the start of the step, and then the poses.
static void begin_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnVoxelBody *body = job->body;
    const SnVoxelLevel *level = &body->system.level;
    SnVoxelBatch batch = {body->system.mass, level->kinds, level->corners,
                          level->rotations,  level->p,     body->lanes.inertia_out};
    for (size_t i = 9 * (size_t)begin; i < 9 * (size_t)end; ++i) {
        level->rotations[i] = (float)body->state.rotations[i];
    }
    body->kernels->voxel->apply(&batch, begin, end);
    if (body->lanes.damping != NULL) {
        batch.matrices = body->lanes.damping;
        batch.x = level->z;
        batch.out = body->lanes.damping_out;
        body->kernels->voxel->apply(&batch, begin, end);
    }
    pose_range(context, begin, end, worker);
}

static void both_range(void *context, int begin, int end, int worker)
{
    begin_range(context, begin, end, worker);
    force_range(context, begin, end, worker);
}

void sn_voxel_lanes_pose(const SnVoxelBody *body, SnWorkers *workers, const double *x,
                         const double *base, int turns)
{
    Job job = begin_job(body, x, base, turns);
    memcpy(job.first, x, sizeof job.first);
    sn_parallel_for(workers, body->grid.vertex_count, VERTEX_GRAIN, place_range, &job);
    sn_parallel_for(workers, body->grid.cell_count, CELL_GRAIN, pose_range, &job);
}

static void unpack_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    for (size_t e = (size_t)begin; e < (size_t)end; ++e) {
        const float *planes = sn_voxel_planes(job->body, e);
        const double *first = job->x + 3 * (size_t)job->body->grid.corners[8 * e];
        SnVoxelPose *pose = &job->poses[e];
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            pose->u[j] = (double)planes[SN_VOXEL_GROUP * (8 * (j % 3) + j / 3)];
        }
        for (int i = 0; i < 9; ++i) {
            pose->rotation[i] = (double)planes[SN_VOXEL_GROUP * (SN_VOXEL_PLANE_R + i)];
            pose->turn[i] = (double)planes[SN_VOXEL_GROUP * (SN_VOXEL_PLANE_TURN + i)];
        }
        for (int i = 0; i < 3; ++i) {
            pose->center[i] = first[i] + (double)planes[SN_VOXEL_GROUP * (SN_VOXEL_PLANE_MEAN + i)];
        }
        pose->turns = planes[SN_VOXEL_GROUP * SN_VOXEL_PLANE_OK] > 0.0f;
    }
}

void sn_voxel_lanes_unpack(const SnVoxelBody *body, SnWorkers *workers, const double *x,
                           SnVoxelPose *out_poses)
{
    Job job = {.body = body, .x = x, .poses = out_poses};
    sn_parallel_for(workers, body->grid.cell_count, CELL_GRAIN, unpack_range, &job);
}

// The gradient -----------------------------------------------------------------------------------

// Sums over vertices.
enum {
    SUM_RESIDUAL, // squares over free components
    SUM_INTERNAL, // squares
    SUM_INERTIA,  //
    SUM_ENERGY,   // J
    SUM_PARTS,    // J, sizes of its parts
    SUM_PUSH,     // J, v_n . M (v - v_n)
    SUMS
};

// The energies of a vertex: of cells of which it is the first corner, of the weight of its cells'
// middles on their way from the start, of motion and of damping.
static void add_energies(const Job *job, size_t v, double *sums)
{
    const SnVoxelProblem *problem = job->problem;
    const SnVoxelBody *body = job->body;
    const SnVoxelLevel *level = &body->system.level;
    const double *velocities = body->state.velocities;
    double cells = (double)level->q[4 * v + 3], work = 0.0, motion = 0.0, drag = 0.0, push = 0.0;
    for (size_t k = 0; k < 3; ++k) {
        size_t i = 3 * v + k;
        double a = problem->a_rate * job->d[i] + body->room.a0[i];
        double force = (double)level->p[4 * v + k];
        motion += a * force;
        push += velocities[i] * force;
        work += problem->step->gravity[k] * job->d[i];
        if (body->lanes.damping != NULL) {
            double speed = problem->v_rate * job->d[i] + body->room.v0[i];
            drag += speed * (double)level->z[4 * v + k];
        }
    }
    work *= problem->share * body->carried[v];
    motion = job->shares[0] * motion + job->shares[1] * drag;
    push *= 2.0 * job->shares[1];
    sums[SUM_ENERGY] += cells - work + motion;
    sums[SUM_PARTS] += fabs(cells) + fabs(work) + fabs(motion) + fabs(push);
    sums[SUM_PUSH] += push;
}

// Forces, the residual and the sums of it.
static void end_range(void *context, int begin, int end, double *sums)
{
    const Job *job = context;
    const SnVoxelBody *body = job->body;
    const SnVoxelRoom *room = &body->room;
    const SnVoxelLevel *level = &body->system.level;
    const SnVoxelKernels *kernels = body->kernels->voxel;
    const SnVoxelLanes *lanes = &body->lanes;
    SnVoxelVectors all = {
        .start = level->vertex_start, .corners = level->vertex_corners, .out = level->out};
    SnVoxelVectors inertia = all, drag = all;
    all.q = level->q;
    inertia.out = lanes->inertia_out;
    inertia.q = level->p;
    drag.out = lanes->damping_out;
    drag.q = level->z;
    kernels->gather(&all, begin, end);
    kernels->gather(&inertia, begin, end);
    if (lanes->damping != NULL) {
        kernels->gather(&drag, begin, end);
    }
    memset(sums, 0, SUMS * sizeof *sums);
    for (size_t v = (size_t)begin; v < (size_t)end; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            size_t i = 3 * v + k;
            double f = (double)level->q[4 * v + k], m = (double)level->p[4 * v + k];
            m += lanes->damping != NULL ? (double)level->z[4 * v + k] : 0.0;
            double r = f + m;
            room->residual[i] = r;
            sums[SUM_RESIDUAL] += sn_voxel_holds(body, i) ? 0.0 : r * r;
            sums[SUM_INTERNAL] += f * f;
            sums[SUM_INERTIA] += m * m;
        }
        add_energies(job, v, sums);
    }
}

// Pulls in the kernels' order.
static void round_pulls(const SnVoxelBody *body)
{
    for (size_t e = 0; e < (size_t)body->grid.cell_count; ++e) {
        const SnVoxelPull *pull = &body->room.pulls[e];
        float *out = body->lanes.pulls + SN_VOXEL_OUT * e;
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            out[8 * (j % 3) + j / 3] = (float)pull->h[j];
        }
        for (int i = 0; i < 3; ++i) {
            out[SN_VOXEL_DOFS + i] = (float)pull->s[i];
        }
    }
}

// What floats may make of a difference of potentials with parts of that size: of sums, and of
// displacements, whose forces are at most the root of twice the energy times the stiffness.
static double find_noise(const SnVoxelProblem *problem, double size)
{
    const SnVoxelBody *body = problem->body;
    double cells = (double)body->grid.cell_count;
    double forces = sqrt(2.0 * size * body->stiffness_scale * sqrt(cells));
    return (problem->exact ? SUM_NOISE : SN_VOXEL_WARP_NOISE) * size +
           PLACE_NOISE * body->grid.edge * forces;
}

SnVoxelValue sn_voxel_lanes_look(const SnVoxelProblem *problem, const double *d)
{
    const SnVoxelBody *body = problem->body;
    const SnStep *step = problem->step;
    int cells = body->grid.cell_count, vertices = body->grid.vertex_count;
    Job job = begin_job(body, body->room.x, body->room.base, SN_VOXEL_TURNS_FEW);
    double sums[SUMS], load = 0.0, energy = 0.0;
    job.problem = problem;
    job.d = d;
    job.groups.exact = problem->exact;
    job.shares[0] = 0.5 / problem->a_rate;
    job.shares[1] = 0.5 / problem->v_rate;
    for (int i = 0; i < 3; ++i) {
        job.first[i] = body->state.positions[i] + d[i];
        job.groups.gravity[i] = (float)(problem->share * step->gravity[i]);
    }
    sn_parallel_for(problem->workers, vertices, VERTEX_GRAIN, move_range, &job);
    if (step->load_count > 0 || step->contacts != NULL) {
        sn_parallel_for(problem->workers, cells, CELL_GRAIN, begin_range, &job);
        sn_voxel_lanes_unpack(body, problem->workers, body->room.x, body->room.poses);
        energy = sn_voxel_pull_cells(problem, &load);
        round_pulls(body);
        job.groups.pulls = body->lanes.pulls;
        sn_parallel_for(problem->workers, cells, CELL_GRAIN, force_range, &job);
    } else {
        sn_parallel_for(problem->workers, cells, CELL_GRAIN, both_range, &job);
    }
    sn_parallel_sum(problem->workers, vertices, SUMS, end_range, &job, sums);
    double all[SN_VOXEL_SUMS] = {[SN_VOXEL_SUM_RESIDUAL] = sums[SUM_RESIDUAL],
                                 [SN_VOXEL_SUM_INTERNAL] = sums[SUM_INTERNAL],
                                 [SN_VOXEL_SUM_INERTIA] = sums[SUM_INERTIA]};
    SnVoxelValue value = sn_voxel_value(problem, all, energy + sums[SUM_ENERGY], 0.0, load);
    value.noise = find_noise(problem, fabs(energy) + sums[SUM_PARTS]);
    value.push = sums[SUM_PUSH];
    return value;
}
