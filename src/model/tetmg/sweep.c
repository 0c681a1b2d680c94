#include "model/tetmg/sweep.h"

enum { ROW_GRAIN = 128 }; // some two microseconds

typedef struct Job {
    const SnBlockRows *rows;
    SnBlockRowsFn *fn;
    const int *task_start; // of a stage
} Job;

static void task_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    for (int t = begin; t < end; ++t) {
        job->fn(job->rows, job->task_start[t], job->task_start[t + 1]);
    }
}

static void run_stage(SnWorkers *workers, const SnSweepOrder *order, int stage, Job *job)
{
    int first = order->stage_start[stage];
    job->task_start = order->task_start + first;
    sn_parallel_for(workers, order->stage_start[stage + 1] - first, 1, task_range, job);
}

void sn_tetmg_sweep_forward(SnWorkers *workers, const SnSweepOrder *order,
                            const SnBlockKernels *kernels, const SnBlockRows *rows)
{
    Job job = {.rows = rows, .fn = kernels->forward};
    for (int s = 0; s < order->stage_count; ++s) {
        run_stage(workers, order, s, &job);
    }
}

void sn_tetmg_sweep_backward(SnWorkers *workers, const SnSweepOrder *order,
                             const SnBlockKernels *kernels, const SnBlockRows *rows)
{
    Job job = {.rows = rows, .fn = kernels->backward};
    for (int s = order->stage_count; s-- > 0;) {
        run_stage(workers, order, s, &job);
    }
}

static void rows_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->fn(job->rows, begin, end);
}

void sn_tetmg_sweep_rows(SnWorkers *workers, int count, const SnBlockRows *rows, SnBlockRowsFn *fn)
{
    Job job = {.rows = rows, .fn = fn};
    sn_parallel_for(workers, count, ROW_GRAIN, rows_range, &job);
}
