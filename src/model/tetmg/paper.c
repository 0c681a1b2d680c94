#include "model/tetmg/paper.h"

#include "base/clock.h"
#include "model/split/pcg.h"
#include "model/split/points.h"
#include "model/split/step.h"
#include "model/split/system.h"
#include "model/tetmg/hierarchy.h"
#include "model/tetmg/matrix.h"

#include <math.h>
#include <string.h>

enum {
    PATCH_GRAIN = 2,
    TET_GRAIN = 256,
    PCG_MAX = 100,
    ROTATION_STEPS = 1 // of Newton, from the last step's rotation
};

// Rotations --------------------------------------------------------------------------------------

// Second moments of the tets about their middles, for rotations of least energy: V/20 times the
// sum over corners.
static void fill_moments(SnTetmg *body)
{
    const SnNewtonElements *elements = &body->tets.elements;
    for (int lane = 0; lane < body->tets.blocks.count * SN_TET_BLOCK; ++lane) {
        static const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
        int tet = body->tets.blocks.tets[lane] >= 0 ? body->tets.blocks.tets[lane]
                                                    : body->tets.blocks.tets[lane - lane % 16];
        double X[12], middle[3];
        float *out = body->paper.moments + (size_t)(lane / SN_TET_BLOCK) * 6 * SN_TET_BLOCK +
                     lane % SN_TET_BLOCK;
        sn_newton_elements_gather(elements, tet, elements->rest, X);
        for (int k = 0; k < 3; ++k) {
            middle[k] = 0.25 * (X[k] + X[3 + k] + X[6 + k] + X[9 + k]);
        }
        for (int m = 0; m < 6; ++m) {
            double sum = 0.0;
            for (int a = 0; a < 4; ++a) {
                sum += (X[3 * a + rows[m]] - middle[rows[m]]) *
                       (X[3 * a + columns[m]] - middle[columns[m]]);
            }
            out[m * SN_TET_BLOCK] = (float)(elements->weights[tet] / 20.0 * sum);
        }
    }
}

typedef struct Job {
    SnTetmg *body;
    const SnTetSweep *sweep;
} Job;

static void rotate_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnKernels *kernels = job->body->tets.kernels;
    bool energy = job->body->options.rotation == SINEW_TETMG_ENERGY;
    SnRotationFn *fn = energy ? kernels->rotation_energy : kernels->rotation_apd;
    (void)worker;
    kernels->tet->deform(job->sweep, begin, end);
    size_t last = (size_t)job->sweep->patch_block[end];
    for (size_t b = (size_t)job->sweep->patch_block[begin]; b < last; ++b) {
        SnRotationBatch batch = {.count = SN_TET_BLOCK,
                                 .stride = SN_TET_BLOCK,
                                 .iterations = ROTATION_STEPS,
                                 .F = job->sweep->F + b * 9 * SN_TET_BLOCK,
                                 .M = energy ? job->body->paper.moments + b * 6 * SN_TET_BLOCK
                                             : NULL,
                                 .q = job->sweep->q + b * 4 * SN_TET_BLOCK};
        fn(&batch, 0, SN_TET_BLOCK);
    }
}

// Places of a lane's quaternion and vertices.
static float *quaternion_of(SnTetmg *body, int lane)
{
    return body->tets.state.rotations + (size_t)(lane / SN_TET_BLOCK) * 4 * SN_TET_BLOCK +
           lane % SN_TET_BLOCK;
}

static int vertex_of(const SnTetmg *body, int lane, int corner)
{
    int tet = body->tets.blocks.tets[lane];
    return body->tets.inside[body->tets.elements.vertices[4 * (size_t)tet + (size_t)corner]];
}

// out += q, on the side of what out is already.
static void add_aligned(const float *q, int stride, float *out)
{
    float side = 0.0f;
    for (int k = 0; k < 4; ++k) {
        side += q[stride * k] * out[k];
    }
    for (int k = 0; k < 4; ++k) {
        out[k] += side < 0.0f ? -q[stride * k] : q[stride * k];
    }
}

// Adds the rotations of tets, places [begin, end) of the pattern's order, to their corners.
static void spread_range(void *context, int begin, int end, int worker)
{
    SnTetmg *body = context;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        int lane = body->paper.lanes[body->tets.pattern.order[i]];
        for (int a = 0; a < 4; ++a) {
            add_aligned(quaternion_of(body, lane), SN_TET_BLOCK,
                        body->paper.smooth + 4 * (size_t)vertex_of(body, lane, a));
        }
    }
}

// The mean of a tet's corners.
static void mean_range(void *context, int begin, int end, int worker)
{
    SnTetmg *body = context;
    (void)worker;
    for (int tet = begin; tet < end; ++tet) {
        int lane = body->paper.lanes[tet];
        float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f}, *q = quaternion_of(body, lane);
        for (int a = 0; a < 4; ++a) {
            add_aligned(body->paper.smooth + 4 * (size_t)vertex_of(body, lane, a), 1, sum);
        }
        float norm2 = (sum[0] * sum[0] + sum[1] * sum[1]) + (sum[2] * sum[2] + sum[3] * sum[3]);
        for (int k = 0; k < 4 && norm2 > 0.0f; ++k) {
            q[SN_TET_BLOCK * k] = sum[k] / sqrtf(norm2);
        }
    }
}

// Each tet's rotation becomes the mean of its corners', theirs the means of their tets'.
static void smooth_rotations(SnTetmg *body, SnWorkers *workers)
{
    memset(body->paper.smooth, 0,
           4 * (size_t)body->tets.elements.vertex_count * sizeof *body->paper.smooth);
    sn_newton_pattern_each(&body->tets.pattern, workers, spread_range, body);
    sn_parallel_for(workers, body->tets.elements.count, TET_GRAIN, mean_range, body);
}

// Forces -----------------------------------------------------------------------------------------

// Patches [begin, end).
static void force_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->body->tets.kernels->tet->product(job->sweep, begin, end);
}

// The room's residual at its move.
static double find_residual(SnTetmg *body, const SnSplitProblem *problem)
{
    SnSplit *tets = &body->tets;
    sn_split_look(problem, tets->room.move);
    SnTetSweep sweep = sn_split_sweep(problem, tets->room.x);
    sweep.F = body->paper.F;
    sweep.warped = true;
    Job job = {body, &sweep};
    sn_parallel_for(problem->workers, tets->blocks.patch_count, PATCH_GRAIN, rotate_range, &job);
    if (body->options.rotation == SINEW_TETMG_SMOOTHED) {
        smooth_rotations(body, problem->workers);
    }
    sn_parallel_for(problem->workers, tets->blocks.patch_count, PATCH_GRAIN, force_range, &job);
    return sn_split_residual(problem, tets->room.move);
}

// The linear system ------------------------------------------------------------------------------

static SinewStatus prepare(SnSplit *tets, SnWorkers *workers, const SnSplitScales *scales,
                           SinewStepReport *report, SinewError *error)
{
    (void)workers;
    (void)report;
    (void)error;
    sn_split_set_masses(tets, scales);
    tets->system_is_stale = false;
    return SINEW_OK;
}

// All is done before conjugate gradients begin, since updates may fail.
static SinewStatus linearise(const SnSplitProblem *problem, SinewError *error)
{
    (void)error;
    (void)problem;
    return SINEW_OK;
}

static double product(const SnSplitProblem *problem, const float *p, float *hp)
{
    sn_tetmg_matrix_multiply(problem, p, hp);
    if (problem->step->contacts != NULL) {
        sn_split_points_multiply(problem->body, problem->step->contacts, (float)problem->h2, p, hp);
    }
    return sn_split_dot(problem, p, hp);
}

static SinewStatus precondition(const SnSplitProblem *problem, const float *r, float *z,
                                SinewError *error)
{
    (void)error;
    sn_tetmg_hierarchy_cycle(problem, r, z);
    problem->report->linear_solves += 1;
    return SINEW_OK;
}

const SnSplitSolver sn_tetmg_paper_solver = {.model = "tetmg",
                                             .prepare = prepare,
                                             .linearise = linearise,
                                             .product = product,
                                             .precondition = precondition};

// V-cycles by themselves, as [D] has them.
static double cycle_alone(const SnSplitProblem *problem, int cycles, double norm)
{
    SnSplitRoom *room = &problem->body->room;
    double tolerance = problem->body->options.accuracy, left = norm;
    memset(room->step, 0, sn_split_dofs(problem->body) * sizeof *room->step);
    for (int k = 0; k < cycles && left > tolerance * norm; ++k) {
        sn_tetmg_hierarchy_cycle(problem, room->residual, room->z);
        sn_split_add(problem, 1.0f, room->z, room->step);
        product(problem, room->z, room->p);
        sn_split_add(problem, -1.0f, room->p, room->residual);
        left = sqrt(sn_split_dot(problem, room->residual, room->residual));
        problem->report->linear_solves += 1;
    }
    return left;
}

// Adds to a phase what passed since *last.
static void clock_phase(SnTetmg *body, SnTetmgPhase phase, double *last)
{
    if (body->phases != NULL) {
        double now = sn_clock_seconds();
        body->phases[phase] += now - *last;
        *last = now;
    }
}

static SinewStatus solve(SnTetmg *body, SnSplitProblem *problem, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitRoom *room = &body->tets.room;
    double last = body->phases != NULL ? sn_clock_seconds() : 0.0;
    double norm = find_residual(body, problem), left = 0.0;
    clock_phase(body, SN_TETMG_ROTATE, &last);
    if (norm > 0.0) {
        SN_TRY(sn_tetmg_matrix_assemble(problem, error));
        clock_phase(body, SN_TETMG_ASSEMBLE, &last);
        SN_TRY(sn_tetmg_hierarchy_update(body, problem->workers, error));
        clock_phase(body, SN_TETMG_UPDATE, &last);
        if (body->options.plain_cycles > 0) {
            left = cycle_alone(problem, body->options.plain_cycles, norm);
        } else {
            SnSplitSolve cg = {.most = body->options.pcg > 0 ? body->options.pcg : PCG_MAX,
                               .tolerance = body->options.accuracy};
            SN_TRY(sn_split_direction(problem, &cg, error));
            left = cg.left;
        }
        clock_phase(body, SN_TETMG_SOLVE, &last);
        sn_split_add(problem, 1.0f, room->step, room->move);
        problem->report->iterations = 1;
        problem->report->residual = left / norm;
        body->tets.state.clock[SN_SPLIT_RESIDUAL] = left / norm;
    }
done:
    return status;
}

SinewStatus sn_tetmg_paper_step(SnTetmg *body, const SnStep *step, SinewStepReport *out_report,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplit *tets = &body->tets;
    *out_report = (SinewStepReport){0};
    SnSplitRule rule = sn_split_rule(tets, step->dt);
    SnSplitProblem problem = sn_split_problem_make(tets, step, out_report);
    problem.h = rule.h;
    problem.h2 = rule.h * rule.h;
    SN_TRY(sn_split_prepare(tets, step, out_report, error));
    sn_split_load(tets, step);
    sn_split_begin(&problem, &rule, false);
    for (size_t i = 0; i < sn_split_dofs(tets); ++i) {
        tets->room.move[i] *= 1.0f - tets->room.free[i]; // from where the step begins [D eq 5]
    }
    SN_TRY(solve(body, &problem, error));
    if (step->contacts != NULL && step->contacts->renew != NULL) {
        const SnPointSet *points = step->contacts->points;
        step->contacts->renew(step->contacts->context, points->places);
    }
    tets->state.clock[SN_SPLIT_KNOWN] = 0.0;
    SN_TRY(sn_split_end(&problem, &rule, error));
done:
    return status;
}

// W = -mu in all tets.
void sn_tetmg_paper_renew(SnTetmg *body)
{
    for (size_t i = 0; i < (size_t)body->tets.blocks.count * SN_TET_TANGENT * SN_TET_BLOCK; ++i) {
        size_t block = i / (SN_TET_TANGENT * SN_TET_BLOCK),
               plane = i / SN_TET_BLOCK % SN_TET_TANGENT;
        const float *rest = body->tets.blocks.rest + block * SN_TET_REST * SN_TET_BLOCK;
        body->tets.room.tangent[i] =
            plane < 3 ? -0.5f * rest[9 * SN_TET_BLOCK + i % SN_TET_BLOCK] : 0.0f;
    }
}

SinewStatus sn_tetmg_paper_create(SnTetmg *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->tets.allocator;
    size_t lanes = (size_t)body->tets.blocks.count * SN_TET_BLOCK;
    if (body->tets.law != SN_TET_COROTATED) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "body \"%s\": its law is fixed_corotated, expected corotated for mode paper "
                       "of tetmg",
                       body->tets.name));
    }
    SN_ALLOC(body->paper.F, allocator, 9 * lanes, error);
    SN_ALLOC(body->paper.moments, allocator, 6 * lanes, error);
    SN_ALLOC(body->paper.smooth, allocator, 4 * (size_t)body->tets.elements.vertex_count, error);
    SN_ALLOC(body->paper.lanes, allocator, body->tets.elements.count, error);
    for (int lane = 0; lane < (int)lanes; ++lane) {
        if (body->tets.blocks.tets[lane] >= 0) {
            body->paper.lanes[body->tets.blocks.tets[lane]] = lane;
        }
    }
    fill_moments(body);
    sn_tetmg_paper_renew(body);
    SN_TRY(sn_tetmg_hierarchy_create(body, error));
done:
    return status;
}

void sn_tetmg_paper_release(SnTetmg *body)
{
    sn_tetmg_hierarchy_release(body);
    sn_free(&body->tets.allocator, body->paper.F);
    sn_free(&body->tets.allocator, body->paper.moments);
    sn_free(&body->tets.allocator, body->paper.smooth);
    sn_free(&body->tets.allocator, body->paper.lanes);
}
