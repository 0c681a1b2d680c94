// Solves with a factor: unknowns into elimination order, both sweeps over subtrees and top, and
// back.
#include "solve/cholesky_internal.h"

#include "base/clock.h"

#include <string.h>

SinewStatus sn_cholesky_work_create(const SnCholesky *cholesky, int worker_count,
                                    SnCholeskyWork **out_work, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCholeskyWork *work = NULL;
    *out_work = NULL;
    const SinewAllocator *allocator = &cholesky->allocator;
    if (worker_count < 1 || worker_count > SN_WORKERS_MAX) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "worker_count is %d, expected 1 to %d",
                       worker_count, SN_WORKERS_MAX);
    }
    size_t number = cholesky->double_values != NULL ? sizeof(double) : sizeof(float);
    size_t stride = cholesky->right_sides == 3 ? 4 : 1;
    SN_ALLOC_ZERO(work, allocator, 1, error);
    work->allocator = *allocator;
    work->worker_count = worker_count;
    work->right_sides = cholesky->right_sides;
    work->scratch_size = sn_round_up(
        (size_t)cholesky->layout.tallest * (size_t)cholesky->right_sides * number, SN_ALIGNMENT);
    SN_TRY(sn_expect_memory(
        work->x = sn_alloc_zero(allocator, (size_t)cholesky->layout.positions * stride, number),
        (size_t)cholesky->layout.positions * stride, number, error));
    SN_TRY(sn_expect_memory(work->result = sn_alloc(allocator, stride * SN_PANEL_COLUMNS, number),
                            stride * SN_PANEL_COLUMNS, number, error));
    SN_ALLOC(work->scratch, allocator, work->scratch_size * (size_t)worker_count, error);
    *out_work = work;
    work = NULL;
done:
    sn_cholesky_work_destroy(work);
    return status;
}

void sn_cholesky_work_time(SnCholeskyWork *work, double *seconds)
{
    work->seconds = seconds;
}

void sn_cholesky_work_destroy(SnCholeskyWork *work)
{
    if (work == NULL) {
        return;
    }
    SinewAllocator allocator = work->allocator;
    sn_free(&allocator, work->scratch);
    sn_free(&allocator, work->result);
    sn_free(&allocator, work->x);
    sn_free(&allocator, work);
}

typedef struct SolveLoop {
    const SnCholesky *cholesky;
    SnCholeskyWork *work;
    SnPanelKind kind;
    size_t row_size; // bytes of one position
    void *x;         // the caller's
} SolveLoop;

static SnPanelJob panel_job(const SolveLoop *loop, int begin, int end, int worker)
{
    const SnCholesky *c = loop->cholesky;
    bool is_float = loop->kind == SN_PANEL_FLOAT1 || loop->kind == SN_PANEL_FLOAT3;
    return (SnPanelJob){.panels = c->layout.panels,
                        .begin = begin,
                        .end = end,
                        .index = c->layout.index,
                        .values = is_float ? (const void *)c->float_values : c->double_values,
                        .x = loop->work->x,
                        .scratch = loop->work->scratch + (size_t)worker * loop->work->scratch_size};
}

enum { COPY_GRAIN = 4096 }; // columns a range: some microseconds

// Rows of the caller's x into elimination order, and back. Whole rows of a size that the compiler
// knows: this is a tenth of a small solve.
#define COPY_UNKNOWNS(name, Real, RIGHT_SIDES, STRIDE)                                             \
    static void copy_in_##name(void *context, int begin, int end, int worker)                      \
    {                                                                                              \
        const SolveLoop *loop = context;                                                           \
        const int *order = loop->cholesky->supernodes.order;                                       \
        int block = loop->cholesky->layout.block;                                                  \
        Real *position = (Real *)loop->work->x + (ptrdiff_t)begin * block * STRIDE;                \
        (void)worker;                                                                              \
        for (int j = begin; j < end; ++j) {                                                        \
            const Real *row = (const Real *)loop->x + (ptrdiff_t)order[j] * block * RIGHT_SIDES;   \
            for (int k = 0; k < block; ++k, row += RIGHT_SIDES, position += STRIDE) {              \
                memcpy(position, row, RIGHT_SIDES * sizeof *row);                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void copy_out_##name(void *context, int begin, int end, int worker)                     \
    {                                                                                              \
        const SolveLoop *loop = context;                                                           \
        const int *order = loop->cholesky->supernodes.order;                                       \
        int block = loop->cholesky->layout.block;                                                  \
        const Real *position = (const Real *)loop->work->x + (ptrdiff_t)begin * block * STRIDE;    \
        (void)worker;                                                                              \
        for (int j = begin; j < end; ++j) {                                                        \
            Real *row = (Real *)loop->x + (ptrdiff_t)order[j] * block * RIGHT_SIDES;               \
            for (int k = 0; k < block; ++k, row += RIGHT_SIDES, position += STRIDE) {              \
                memcpy(row, position, RIGHT_SIDES * sizeof *row);                                  \
            }                                                                                      \
        }                                                                                          \
    }

COPY_UNKNOWNS(float3, float, 3, 4)
COPY_UNKNOWNS(float1, float, 1, 1)
COPY_UNKNOWNS(double3, double, 3, 4)
COPY_UNKNOWNS(double1, double, 1, 1)

static SnRangeFn *const copy_in[SN_PANEL_KINDS] = {
    [SN_PANEL_FLOAT3] = copy_in_float3,
    [SN_PANEL_FLOAT1] = copy_in_float1,
    [SN_PANEL_DOUBLE3] = copy_in_double3,
    [SN_PANEL_DOUBLE1] = copy_in_double1,
};
static SnRangeFn *const copy_out[SN_PANEL_KINDS] = {
    [SN_PANEL_FLOAT3] = copy_out_float3,
    [SN_PANEL_FLOAT1] = copy_out_float1,
    [SN_PANEL_DOUBLE3] = copy_out_double3,
    [SN_PANEL_DOUBLE1] = copy_out_double1,
};

static void forward_subtrees(void *context, int begin, int end, int worker)
{
    const SolveLoop *loop = context;
    const SnFactorLayout *layout = &loop->cholesky->layout;
    for (int t = begin; t < end; ++t) {
        unsigned char *boundary =
            (unsigned char *)loop->work->x +
            (size_t)(layout->unknowns + layout->boundary_start[t]) * loop->row_size;
        int count = layout->boundary_start[t + 1] - layout->boundary_start[t];
        memset(boundary, 0, (size_t)count * loop->row_size);
        SnPanelJob job =
            panel_job(loop, layout->subtree_panel[t], layout->subtree_panel[t + 1], worker);
        loop->cholesky->kernels->panel->forward[loop->kind](&job);
    }
}

// What the subtrees left for the top, in the order of subtrees.
static void add_boundaries(const SolveLoop *loop)
{
    const SnFactorLayout *layout = &loop->cholesky->layout;
    int count = layout->positions - layout->unknowns;
    int stride = loop->cholesky->right_sides == 3 ? 4 : 1;
    for (int b = 0; b < count; ++b) {
        ptrdiff_t to = (ptrdiff_t)layout->boundary[b] * stride;
        ptrdiff_t from = (ptrdiff_t)(layout->unknowns + b) * stride;
        for (int r = 0; r < stride; ++r) {
            if (loop->kind == SN_PANEL_FLOAT1 || loop->kind == SN_PANEL_FLOAT3) {
                ((float *)loop->work->x)[to + r] += ((float *)loop->work->x)[from + r];
            } else {
                ((double *)loop->work->x)[to + r] += ((double *)loop->work->x)[from + r];
            }
        }
    }
}

static void backward_subtrees(void *context, int begin, int end, int worker)
{
    const SolveLoop *loop = context;
    const SnFactorLayout *layout = &loop->cholesky->layout;
    unsigned char *x = loop->work->x;
    for (int t = begin; t < end; ++t) {
        for (int b = layout->boundary_start[t]; b < layout->boundary_start[t + 1]; ++b) {
            memcpy(x + (size_t)(layout->unknowns + b) * loop->row_size,
                   x + (size_t)layout->boundary[b] * loop->row_size, loop->row_size);
        }
        SnPanelJob job =
            panel_job(loop, layout->subtree_panel[t], layout->subtree_panel[t + 1], worker);
        loop->cholesky->kernels->panel->backward[loop->kind](&job);
    }
}

// The top: its panels one after another, but workers share the large ones. Each row forward and
// each column backward is summed as a single worker would, so the cut does not show in the result.
typedef struct PanelLoop {
    const SolveLoop *solve;
    int panel;
    int first; // tile forward, 0 backward
} PanelLoop;

static void forward_part(void *context, int begin, int end, int worker)
{
    const PanelLoop *loop = context;
    const SolveLoop *solve = loop->solve;
    SnPanelJob job = panel_job(solve, loop->panel, loop->panel + 1, worker);
    solve->cholesky->kernels->panel->forward_tiles[solve->kind](&job, loop->first + begin,
                                                                loop->first + end);
}

static void backward_part(void *context, int begin, int end, int worker)
{
    const PanelLoop *loop = context;
    const SolveLoop *solve = loop->solve;
    SnPanelJob job = panel_job(solve, loop->panel, loop->panel + 1, worker);
    job.result = solve->work->result;
    solve->cholesky->kernels->panel->backward_columns[solve->kind](&job, begin, end);
}

// Numbers of a panel that make sharing it worth while: some microseconds of work.
enum { SHARED_NUMBERS = 16384 };

static bool is_shared(const SnPanel *panel, SnWorkers *workers)
{
    return sn_workers_count(workers) > 1 && panel->rows > panel->columns &&
           (int64_t)panel->rows * panel->columns >= SHARED_NUMBERS;
}

// Items a worker, in whole steps.
static int share_of(int count, int step, SnWorkers *workers)
{
    int workers_count = sn_workers_count(workers);
    return (int)sn_round_up((size_t)((count + workers_count - 1) / workers_count), (size_t)step);
}

static void forward_top(const SolveLoop *solve, int begin, int end, SnWorkers *workers)
{
    const SnFactorLayout *layout = &solve->cholesky->layout;
    for (int p = begin; p < end; ++p) {
        const SnPanel *panel = &layout->panels[p];
        if (is_shared(panel, workers)) {
            PanelLoop loop = {solve, p, sn_panel_first_tile(panel)};
            int tiles = sn_panel_tiles(panel->rows) - loop.first;
            sn_parallel_for(workers, tiles, share_of(tiles, 1, workers), forward_part, &loop);
        } else {
            SnPanelJob job = panel_job(solve, p, p + 1, 0);
            solve->cholesky->kernels->panel->forward[solve->kind](&job);
        }
    }
}

static void backward_top(const SolveLoop *solve, int begin, int end, SnWorkers *workers)
{
    const SnFactorLayout *layout = &solve->cholesky->layout;
    for (int p = end - 1; p >= begin; --p) {
        const SnPanel *panel = &layout->panels[p];
        if (is_shared(panel, workers)) {
            PanelLoop loop = {solve, p, 0};
            sn_parallel_for(workers, panel->columns,
                            share_of(panel->columns, SN_PANEL_BLOCK, workers), backward_part,
                            &loop);
            memcpy((unsigned char *)solve->work->x +
                       (size_t)layout->index[panel->first] * solve->row_size,
                   solve->work->result, (size_t)panel->columns * solve->row_size);
        } else {
            SnPanelJob job = panel_job(solve, p, p + 1, 0);
            solve->cholesky->kernels->panel->backward[solve->kind](&job);
        }
    }
}

static SinewStatus solve(const SnCholesky *c, SnCholeskyWork *work, SnWorkers *workers,
                         SnPanelKind kind, size_t number, void *x, SinewError *error)
{
    if (!c->has_values) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the factor holds no values; factor a matrix before solving");
    }
    if (sn_workers_count(workers) > work->worker_count) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%d workers solve, but the work space is for %d", sn_workers_count(workers),
                       work->worker_count);
    }
    SolveLoop loop = {.cholesky = c,
                      .work = work,
                      .kind = kind,
                      .row_size = number * (c->right_sides == 3 ? 4 : 1),
                      .x = x};
    int subtrees = c->supernodes.subtree_count;
    double begin = work->seconds != NULL ? sn_clock_seconds() : 0.0;
    sn_parallel_for(workers, c->supernodes.columns, COPY_GRAIN, copy_in[kind], &loop);
    sn_parallel_for(workers, subtrees, 1, forward_subtrees, &loop);
    add_boundaries(&loop);
    forward_top(&loop, c->layout.subtree_panel[subtrees], c->layout.panel_count, workers);
    double middle = work->seconds != NULL ? sn_clock_seconds() : 0.0;
    backward_top(&loop, c->layout.subtree_panel[subtrees], c->layout.panel_count, workers);
    sn_parallel_for(workers, subtrees, 1, backward_subtrees, &loop);
    sn_parallel_for(workers, c->supernodes.columns, COPY_GRAIN, copy_out[kind], &loop);
    if (work->seconds != NULL) {
        work->seconds[0] += middle - begin;
        work->seconds[1] += sn_clock_seconds() - middle;
    }
    return SINEW_OK;
}

SinewStatus sn_cholesky_solve_float(const SnCholesky *cholesky, SnCholeskyWork *work,
                                    SnWorkers *workers, float *x, SinewError *error)
{
    if (cholesky->float_values == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "the factor keeps no float values");
    }
    SnPanelKind kind = cholesky->right_sides == 3 ? SN_PANEL_FLOAT3 : SN_PANEL_FLOAT1;
    return solve(cholesky, work, workers, kind, sizeof *x, x, error);
}

SinewStatus sn_cholesky_solve_double(const SnCholesky *cholesky, SnCholeskyWork *work,
                                     SnWorkers *workers, double *x, SinewError *error)
{
    if (cholesky->double_values == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "the factor keeps no double values");
    }
    SnPanelKind kind = cholesky->right_sides == 3 ? SN_PANEL_DOUBLE3 : SN_PANEL_DOUBLE1;
    return solve(cholesky, work, workers, kind, sizeof *x, x, error);
}
