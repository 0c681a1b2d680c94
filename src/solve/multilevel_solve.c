// The V-cycle and the conjugate gradients around it.
#include "solve/multilevel_internal.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 1024 }; // rows a range

// Errors above this share of the largest eigenvalue are the smoother's, those below it the next
// level's.
#define SMOOTHED_SHARE 0.25

// Vectors of a level, four floats a row.
typedef struct Vectors {
    float *x, *b, *r, *d;
} Vectors;

struct SnMultilevelWork {
    SinewAllocator allocator;
    Vectors levels[SN_MULTILEVEL_MAX];
    float *p, *residual, *product, *solution; // of conjugate gradients, on the first level
    float *packed;                            // three a row of the last level
    SnCholeskyWork *coarsest;
};

SinewStatus sn_multilevel_work_create(const SnMultilevel *m, int worker_count,
                                      SnMultilevelWork **out_work, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnMultilevelWork *work = NULL;
    *out_work = NULL;
    SN_ALLOC_ZERO(work, &m->allocator, 1, error);
    work->allocator = m->allocator;
    for (int l = 0; l < m->level_count; ++l) {
        size_t length = 4 * (size_t)m->levels[l].matrix.count;
        float **vectors[] = {&work->levels[l].x, &work->levels[l].b, &work->levels[l].r,
                             &work->levels[l].d};
        for (int k = 0; k < 4; ++k) {
            SN_ALLOC_ZERO(*vectors[k], &work->allocator, length, error);
        }
    }
    float **own[] = {&work->p, &work->residual, &work->product, &work->solution};
    for (int k = 0; k < 4; ++k) {
        SN_ALLOC_ZERO(*own[k], &work->allocator, 4 * (size_t)m->levels[0].matrix.count, error);
    }
    SN_ALLOC(work->packed, &work->allocator, 3 * (size_t)m->levels[m->level_count - 1].matrix.count,
             error);
    SN_TRY(sn_cholesky_work_create(m->coarsest, worker_count, &work->coarsest, error));
    *out_work = work;
    work = NULL;
done:
    sn_multilevel_work_destroy(work);
    return status;
}

void sn_multilevel_work_destroy(SnMultilevelWork *work)
{
    if (work == NULL) {
        return;
    }
    SinewAllocator allocator = work->allocator;
    for (int l = 0; l < SN_MULTILEVEL_MAX; ++l) {
        Vectors *v = &work->levels[l];
        sn_free(&allocator, v->x);
        sn_free(&allocator, v->b);
        sn_free(&allocator, v->r);
        sn_free(&allocator, v->d);
    }
    sn_free(&allocator, work->p);
    sn_free(&allocator, work->residual);
    sn_free(&allocator, work->product);
    sn_free(&allocator, work->solution);
    sn_free(&allocator, work->packed);
    sn_cholesky_work_destroy(work->coarsest);
    sn_free(&allocator, work);
}

// Loops ------------------------------------------------------------------------------------------

typedef struct Job {
    const SnRows *rows;
    SnRowsFn *fn;
    const float *a;
    const float *scale; // a row
    float factor[4];
    float *out;
} Job;

static void rows_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->fn(job->rows, begin, end);
}

static SnRows rows_of(const SnMultilevelRows *matrix, const float *x, const float *b, float alpha,
                      float *out)
{
    return (SnRows){.start = matrix->start,
                    .column = matrix->column,
                    .value = matrix->value,
                    .x = x,
                    .b = b,
                    .alpha = alpha,
                    .out = out};
}

// out = b + alpha A x.
static void multiply(const SnMultilevel *m, SnWorkers *workers, const SnMultilevelRows *matrix,
                     const float *x, const float *b, float alpha, float *out)
{
    SnRows rows = rows_of(matrix, x, b, alpha, out);
    Job job = {.rows = &rows, .fn = m->kernels->rows->multiply};
    sn_parallel_for(workers, matrix->count, GRAIN, rows_range, &job);
}

// out += factor a.
static void add_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; i += 4) {
        for (size_t k = 0; k < 4; ++k) {
            job->out[i + k] += job->factor[k] * job->a[i + k];
        }
    }
}

static void add(SnWorkers *workers, int count, const float factor[4], const float *a, float *out)
{
    Job job = {.a = a, .out = out};
    memcpy(job.factor, factor, sizeof job.factor);
    sn_parallel_for(workers, count, GRAIN, add_range, &job);
}

// out = a + factor out.
static void turn_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; i += 4) {
        for (size_t k = 0; k < 4; ++k) {
            job->out[i + k] = job->a[i + k] + job->factor[k] * job->out[i + k];
        }
    }
}

// out = factor scale a.
static void scale_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    for (size_t r = (size_t)begin; r < (size_t)end; ++r) {
        float scale = job->factor[0] * job->scale[r];
        for (size_t k = 4 * r; k < 4 * r + 4; ++k) {
            job->out[k] = scale * job->a[k];
        }
    }
}

typedef struct Pair {
    const float *a, *b;
} Pair;

static void dot_range(void *context, int begin, int end, double *sums)
{
    const Pair *pair = context;
    double total[4] = {0.0, 0.0, 0.0, 0.0};
    for (size_t i = 4 * (size_t)begin; i < 4 * (size_t)end; i += 4) {
        for (size_t k = 0; k < 4; ++k) {
            total[k] += (double)pair->a[i + k] * (double)pair->b[i + k];
        }
    }
    memcpy(sums, total, sizeof total);
}

// Of each of the right-hand sides.
static void dot(SnWorkers *workers, int count, const float *a, const float *b, double out[4])
{
    Pair pair = {a, b};
    sn_parallel_sum(workers, count, 4, dot_range, &pair, out);
}

// The cycle --------------------------------------------------------------------------------------

// Chebyshev's polynomial of D^-1 A over [SMOOTHED_SHARE, 1] of its radius. From zero, the first
// product is that with zero.
static void smooth(const SnMultilevel *m, SnWorkers *workers, int l, const Vectors *v,
                   bool from_zero)
{
    const SnMultilevelLevel *level = &m->levels[l];
    double high = level->radius, low = SMOOTHED_SHARE * level->radius;
    double middle = 0.5 * (high + low), half = 0.5 * (high - low);
    double rho = half / middle;
    static const float one[4] = {1.0f, 1.0f, 1.0f, 1.0f};
    int count = level->matrix.count;
    for (int k = 0; k < SN_MULTILEVEL_DEGREE; ++k) {
        double next = k == 0 ? rho : 1.0 / (2.0 * middle / half - rho);
        double alpha = k == 0 ? 1.0 / middle : 2.0 * next / half;
        double beta = k == 0 ? 0.0 : next * rho;
        rho = next;
        if (k == 0 && from_zero) {
            Job job = {
                .a = v->b, .scale = level->inverse_diagonal, .factor = {(float)alpha}, .out = v->d};
            sn_parallel_for(workers, count, GRAIN, scale_range, &job);
            memcpy(v->x, v->d, 4 * (size_t)count * sizeof *v->x);
            continue;
        }
        SnRows rows = rows_of(&level->matrix, v->x, v->b, (float)alpha, v->d);
        rows.scale = level->inverse_diagonal;
        rows.beta = (float)beta;
        Job job = {.rows = &rows, .fn = m->kernels->rows->relax};
        sn_parallel_for(workers, count, GRAIN, rows_range, &job);
        add(workers, count, one, v->d, v->x);
    }
}

static SinewStatus solve_coarsest(const SnMultilevel *m, SnMultilevelWork *work, SnWorkers *workers,
                                  SinewError *error)
{
    int last = m->level_count - 1;
    const Vectors *v = &work->levels[last];
    int count = m->levels[last].matrix.count;
    for (int i = 0; i < 3 * count; ++i) {
        work->packed[i] = v->b[4 * (i / 3) + i % 3];
    }
    SinewStatus status =
        sn_cholesky_solve_float(m->coarsest, work->coarsest, workers, work->packed, error);
    for (int i = 0; i < 3 * count; ++i) {
        v->x[4 * (i / 3) + i % 3] = work->packed[i];
    }
    return status;
}

// levels[0].x = about A^-1 levels[0].b, a symmetric operator.
static SinewStatus cycle(const SnMultilevel *m, SnMultilevelWork *work, SnWorkers *workers,
                         SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int last = m->level_count - 1;
    for (int l = 0; l < last; ++l) {
        const SnMultilevelLevel *level = &m->levels[l];
        const Vectors *v = &work->levels[l];
        smooth(m, workers, l, v, true);
        multiply(m, workers, &level->matrix, v->x, v->b, -1.0f, v->r);
        multiply(m, workers, &level->restrict_, v->r, NULL, 1.0f, work->levels[l + 1].b);
    }
    SN_TRY(solve_coarsest(m, work, workers, error));
    for (int l = last - 1; l >= 0; --l) {
        const Vectors *v = &work->levels[l];
        multiply(m, workers, &m->levels[l].prolong, work->levels[l + 1].x, v->x, 1.0f, v->x);
        smooth(m, workers, l, v, false);
    }
done:
    return status;
}

// Conjugate gradients ----------------------------------------------------------------------------

static double sum3(const double a[4])
{
    return a[0] + a[1] + a[2];
}

// factor = a / b of each right-hand side, 0 where it has nothing left to do.
static void divide(const double a[4], const double b[4], float sign, float out[4])
{
    for (int k = 0; k < 4; ++k) {
        out[k] = k < 3 && b[k] > 0.0 ? sign * (float)(a[k] / b[k]) : 0.0f;
    }
}

typedef struct Search {
    const SnMultilevel *m;
    SnMultilevelWork *work;
    SnWorkers *workers;
    int count;
    double rz[4]; // r . z
} Search;

// One iteration: along p as far as it helps. *out_norm2: of what is left.
static void step_along(Search *s, double *out_norm2)
{
    SnMultilevelWork *work = s->work;
    double curvature[4], left[4];
    float alpha[4], minus[4];
    multiply(s->m, s->workers, &s->m->levels[0].matrix, work->p, NULL, 1.0f, work->product);
    dot(s->workers, s->count, work->p, work->product, curvature);
    divide(s->rz, curvature, 1.0f, alpha);
    divide(s->rz, curvature, -1.0f, minus);
    add(s->workers, s->count, alpha, work->p, work->solution);
    add(s->workers, s->count, minus, work->product, work->residual);
    dot(s->workers, s->count, work->residual, work->residual, left);
    *out_norm2 = sum3(left);
}

// The next direction: the cycle's answer to what is left, and its part of the last direction.
static SinewStatus turn(Search *s, bool first, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnMultilevelWork *work = s->work;
    const Vectors *v = &work->levels[0];
    size_t size = 4 * (size_t)s->count * sizeof(float);
    double next[4];
    Job job = {.a = v->x, .out = work->p};
    memcpy(v->b, work->residual, size);
    SN_TRY(cycle(s->m, work, s->workers, error));
    dot(s->workers, s->count, work->residual, v->x, next);
    if (first) {
        memcpy(work->p, v->x, size);
    } else {
        divide(next, s->rz, 1.0f, job.factor);
        sn_parallel_for(s->workers, s->count, GRAIN, turn_range, &job);
    }
    memcpy(s->rz, next, sizeof next);
done:
    return status;
}

static SinewStatus iterate(Search *s, const SnMultilevelGoal *goal, SnSolveReport *report,
                           SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double norm2[4];
    dot(s->workers, s->count, s->work->residual, s->work->residual, norm2);
    double first = sum3(norm2), left = first;
    report->reason = SN_STOP_CONVERGED;
    while (left > goal->tolerance * goal->tolerance * first) {
        if (report->iterations == goal->max_iterations) {
            report->reason = SN_STOP_ITERATIONS;
            break;
        }
        SN_TRY(turn(s, report->iterations == 0, error));
        step_along(s, &left);
        report->iterations += 1;
        if (!isfinite(left)) {
            report->reason = SN_STOP_NOT_FINITE;
            break;
        }
    }
    report->residual = first > 0.0 ? sqrt(left / first) : 0.0;
    status = report->reason == SN_STOP_CONVERGED ? SINEW_OK : SINEW_NOT_CONVERGED;
done:
    return status;
}

SinewStatus sn_multilevel_solve(const SnMultilevel *m, SnMultilevelWork *work, SnWorkers *workers,
                                const SnMultilevelGoal *goal, float *x, SnSolveReport *out_report,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSolveReport report = {0};
    Search s = {.m = m, .work = work, .workers = workers, .count = m->levels[0].matrix.count};
    memset(work->solution, 0, 4 * (size_t)s.count * sizeof *work->solution);
    for (size_t i = 0; i < 3 * (size_t)s.count; ++i) {
        work->residual[4 * (i / 3) + i % 3] = x[i];
    }
    SN_TRY(iterate(&s, goal, &report, error));
    for (size_t i = 0; i < 3 * (size_t)s.count; ++i) {
        x[i] = work->solution[4 * (i / 3) + i % 3];
    }
done:
    if (out_report != NULL) {
        *out_report = report;
    }
    return status;
}
