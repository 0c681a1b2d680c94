#include "model/split/potential.h"

#include "model/split/damping.h"
#include "model/split/points.h"

#include <math.h>
#include <string.h>

enum {
    PATCH_GRAIN = 4,     // a range
    VERTEX_GRAIN = 1024, // a range
};

// Energies are sums in double of numbers in float: differences below this share are rounding.
#define ENERGY_NOISE 1e-6

typedef struct Job {
    const SnSplitProblem *problem;
    const SnTetSweep *sweep;
    SnTetSweepFn *fn;
    const SnVertexSum *sum;
    const float *a;
    const float *b;
    float *out;
    double *out_double;
    float factor;
} Job;

static void add_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    for (int i = 3 * begin; i < 3 * end; ++i) {
        job->out[i] = job->b[i] + job->factor * job->a[i];
    }
}

void sn_split_add(const SnSplitProblem *problem, float a, const float *x, float *y)
{
    Job job = {.a = x, .b = y, .out = y, .factor = a};
    sn_parallel_for(problem->workers, problem->body->elements.vertex_count, VERTEX_GRAIN, add_range,
                    &job);
}

void sn_split_look(const SnSplitProblem *problem, const float *move)
{
    const SnSplitRoom *room = &problem->body->room;
    Job job = {.a = move, .b = room->start, .out = room->x, .factor = 1.0f};
    sn_parallel_for(problem->workers, problem->body->elements.vertex_count, VERTEX_GRAIN, add_range,
                    &job);
}

static void sweep_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->fn(job->sweep, begin, end);
}

// The sum over rows, and the dot product of what comes out with `a`.
static void sum_range(void *context, int begin, int end, double *sums)
{
    const Job *job = context;
    const SnVertexKernels *vertex = job->problem->body->kernels->vertex;
    vertex->sum(job->sum, begin, end);
    sums[0] = vertex->dot(job->a, job->out, 3 * begin, 3 * end);
}

SnTetSweep sn_split_sweep(const SnSplitProblem *problem, const float *x)
{
    SnSplit *body = problem->body;
    return (SnTetSweep){.law = problem->law,
                        .rotations = problem->one_turn ? 0 : 1,
                        .patch_block = body->blocks.patch_block,
                        .patch_row = body->blocks.patch_row,
                        .row_vertex = body->blocks.row_vertex,
                        .corners = body->blocks.corners,
                        .group_start = body->blocks.group_start,
                        .sources = body->blocks.sources,
                        .rest = body->blocks.rest,
                        .x = x,
                        .q = body->state.rotations,
                        .tangent = body->room.tangent,
                        .rows = body->room.rows,
                        .F = body->room.F,
                        .energy = body->room.energies,
                        .inverted = body->room.inverted};
}

void sn_split_sweep_run(const SnSplitProblem *problem, const SnTetSweep *sweep, SnTetSweepFn *fn)
{
    Job job = {.sweep = sweep, .fn = fn};
    sn_parallel_for(problem->workers, problem->body->blocks.patch_count, PATCH_GRAIN, sweep_range,
                    &job);
}

double sn_split_gather(const SnSplitProblem *problem, const SnSplitGather *gather)
{
    SnSplit *body = problem->body;
    double dot;
    SnVertexSum sum = {.places = body->blocks.vertex_rows,
                       .start = body->blocks.further_start,
                       .further = body->blocks.further_rows,
                       .rows = body->room.rows,
                       .mass = gather->mass,
                       .free = gather->free,
                       .x = gather->x,
                       .minus = gather->minus,
                       .scale = (float)gather->scale,
                       .out = gather->out};
    Job job = {.problem = problem, .sum = &sum, .a = gather->with, .out = gather->out};
    sn_parallel_sum(problem->workers, body->elements.vertex_count, 1, sum_range, &job, &dot);
    return dot;
}

// out = free (mass (x - minus) + scale sum of corner forces). Returns with . out.
static double run_sum(const SnSplitProblem *problem, const float *x, const float *minus,
                      double scale, const float *with, float *out)
{
    SnSplitGather gather = {.mass = problem->mass,
                            .free = problem->body->room.free,
                            .x = x,
                            .minus = minus,
                            .scale = scale,
                            .with = with,
                            .out = out};
    return sn_split_gather(problem, &gather);
}

// Rotations by the kernel that the options name, where that is not the one inside the sweep.
static void find_rotations(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnKernels *kernels = job->problem->body->kernels;
    SnRotationFn *const fns[] = {kernels->rotation_apd, kernels->rotation_svd,
                                 kernels->rotation_polar, kernels->rotation_qr};
    SnRotationFn *fn = fns[job->problem->body->options.rotation];
    (void)worker;
    kernels->tet->deform(job->sweep, begin, end);
    size_t last = (size_t)job->sweep->patch_block[end];
    for (size_t b = (size_t)job->sweep->patch_block[begin]; b < last; ++b) {
        SnRotationBatch batch = {.count = SN_TET_BLOCK,
                                 .stride = SN_TET_BLOCK,
                                 .iterations = 1,
                                 .F = job->sweep->F + b * 9 * SN_TET_BLOCK,
                                 .q = job->sweep->q + b * 4 * SN_TET_BLOCK};
        fn(&batch, 0, SN_TET_BLOCK);
        if (fn == kernels->rotation_qr) {
            // Not the closest one: F - R would turn the tet, and feed it. One iteration towards it.
            kernels->rotation_apd(&batch, 0, SN_TET_BLOCK);
        }
    }
}

const float *sn_split_tangent_rest(const SnSplitProblem *problem)
{
    const SnSplit *body = problem->body;
    return problem->damped ? body->damping->stiffened : body->blocks.rest;
}

double sn_split_residual(const SnSplitProblem *problem, const float *move)
{
    SnSplit *body = problem->body;
    float *residual = body->room.residual;
    double square = run_sum(problem, body->room.aim, move, -problem->h2, residual, residual);
    if (problem->step->contacts != NULL) {
        sn_split_place(problem, move, body->room.place);
        sn_point_set_evaluate(problem->step->contacts, problem->workers, body->room.place);
        sn_split_points_push(body, problem->step->contacts, (float)problem->h2, residual);
    }
    if (problem->damped) {
        sn_split_damping_resist(problem, move);
    }
    if (problem->step->contacts != NULL || problem->damped) {
        square = sn_split_dot(problem, residual, residual);
    }
    return sqrt(square);
}

double sn_split_gradient(const SnSplitProblem *problem, const float *move, bool tangent)
{
    sn_split_look(problem, move);
    return sn_split_gradient_here(problem, move, tangent);
}

double sn_split_gradient_here(const SnSplitProblem *problem, const float *move, bool tangent)
{
    SnSplit *body = problem->body;
    SnTetSweep sweep = sn_split_sweep(problem, body->room.x);
    if (body->room.F != NULL && !problem->one_turn) {
        Job job = {.problem = problem, .sweep = &sweep};
        sn_parallel_for(problem->workers, body->blocks.patch_count, PATCH_GRAIN, find_rotations,
                        &job);
        sweep.rotations = 0;
    }
    if (problem->damped && tangent) {
        SnTetSweep stiffened = sweep;
        stiffened.rest = body->damping->stiffened;
        sn_split_sweep_run(problem, &stiffened, body->kernels->tet->gradient);
    }
    sweep.tangent = tangent && !problem->damped ? sweep.tangent : NULL;
    sn_split_sweep_run(problem, &sweep, body->kernels->tet->gradient);
    if (problem->one_turn && tangent) {
        // A rotation that stays has no share in the tangent, which is then that of mu alone.
        memset(sweep.tangent, 0,
               (size_t)body->blocks.count * SN_TET_BLOCK * SN_TET_TANGENT * sizeof *sweep.tangent);
    }
    return sn_split_residual(problem, move);
}

double sn_split_product(const SnSplitProblem *problem, const float *p, float *hp)
{
    SnTetSweep sweep = sn_split_sweep(problem, p);
    sweep.rest = sn_split_tangent_rest(problem);
    sn_split_sweep_run(problem, &sweep, problem->body->kernels->tet->product);
    double curvature = run_sum(problem, p, NULL, problem->h2, p, hp);
    if (problem->step->contacts != NULL) {
        sn_split_points_multiply(problem->body, problem->step->contacts, (float)problem->h2, p, hp);
        curvature = sn_split_dot(problem, p, hp);
    }
    return curvature;
}

static void walk_range(void *context, int begin, int end, double *sums)
{
    const Job *job = context;
    const SnSplitRoom *room = &job->problem->body->room;
    for (int i = 3 * begin; i < 3 * end; ++i) {
        room->step[i] = room->step[i] + job->factor * room->p[i];
        room->residual[i] = room->residual[i] - job->factor * room->hp[i];
    }
    sums[0] = job->problem->body->kernels->vertex->dot(room->residual, room->residual, 3 * begin,
                                                       3 * end);
}

double sn_split_walk(const SnSplitProblem *problem, float length)
{
    double square;
    Job job = {.problem = problem, .factor = length};
    sn_parallel_sum(problem->workers, problem->body->elements.vertex_count, 1, walk_range, &job,
                    &square);
    return square;
}

// Energies of blocks, and inverted tets.
static void sum_patches(void *context, int begin, int end, double *sums)
{
    const SnSplitRoom *room = context;
    sums[0] = sums[1] = 0.0;
    for (int b = begin; b < end; ++b) {
        sums[0] += room->energies[b];
        sums[1] += room->inverted[b];
    }
}

// Twice the energy of motion over free components, and the square of the distance from the aim.
static void sum_inertia(void *context, int begin, int end, double *sums)
{
    const Job *job = context;
    const SnSplit *body = job->problem->body;
    SnVertexInertia inertia = {job->a, body->room.aim, body->room.free, job->problem->mass};
    body->kernels->vertex->inertia(&inertia, begin, end, sums);
}

double sn_split_inertia(const SnSplitProblem *problem, const float *move, double *out_length)
{
    double sums[2];
    Job job = {.problem = problem, .a = move};
    sn_parallel_sum(problem->workers, problem->body->elements.vertex_count, 2, sum_inertia, &job,
                    sums);
    *out_length = sqrt(sums[1]);
    return 0.5 * sums[0];
}

SnSplitValue sn_split_value(const SnSplitProblem *problem, const float *move)
{
    SnSplit *body = problem->body;
    double parts[2], length;
    sn_split_look(problem, move);
    SnTetSweep sweep = sn_split_sweep(problem, body->room.x);
    sn_split_sweep_run(problem, &sweep, body->kernels->tet->energy);
    sn_parallel_sum(problem->workers, body->blocks.patch_count, 2, sum_patches, &body->room, parts);
    SnSplitValue value = {.elastic = parts[0], .inverted = (int)parts[1]};
    value.phi = sn_split_inertia(problem, move, &length) + problem->h2 * parts[0];
    if (problem->step->contacts != NULL) {
        sn_split_place(problem, move, body->room.place_try);
        value.contact =
            sn_point_set_evaluate(problem->step->contacts, problem->workers, body->room.place_try);
        value.phi += problem->h2 * value.contact;
    }
    if (problem->damped) {
        value.phi += sn_split_damping_evaluate(problem, move);
    }
    return value;
}

// Of the sums themselves, and of the places in float that tets are at: each tet has the energy of
// its own rounding, and where it has more than that, the slope of it, which is random from tet to
// tet. Held beams of 200 to 12800 tets and E of 1e8 to 1e11 at rest have, by Euler's rule, at most
// a seventh of this; by BDF2 while they still ring up to a half, and 1.6 times of it once, at 1e11.
double sn_split_noise(const SnSplitProblem *problem, double size, double elastic)
{
    const SnSplit *body = problem->body;
    double slope = sqrt(fabs(elastic) * body->rounding / (double)body->elements.count);
    return ENERGY_NOISE * fabs(size) + problem->h2 * (body->rounding + slope);
}

static void dot_range(void *context, int begin, int end, double *sums)
{
    const Job *job = context;
    sums[0] = job->problem->body->kernels->vertex->dot(job->a, job->b, 3 * begin, 3 * end);
}

double sn_split_dot(const SnSplitProblem *problem, const float *a, const float *b)
{
    Job job = {.problem = problem, .a = a, .b = b};
    double sum;
    sn_parallel_sum(problem->workers, problem->body->elements.vertex_count, 1, dot_range, &job,
                    &sum);
    return sum;
}

static void place_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnSplit *body = job->problem->body;
    (void)worker;
    for (int i = begin; i < end; ++i) {
        size_t at = 3 * (size_t)body->outside[i];
        for (size_t k = 0; k < 3; ++k) {
            job->out_double[at + k] =
                body->state.positions[at + k] + (double)job->a[3 * (size_t)i + k];
        }
    }
}

void sn_split_place(const SnSplitProblem *problem, const float *move, double *out)
{
    Job job = {.problem = problem, .a = move, .out_double = out};
    sn_parallel_for(problem->workers, problem->body->elements.vertex_count, VERTEX_GRAIN,
                    place_range, &job);
}
