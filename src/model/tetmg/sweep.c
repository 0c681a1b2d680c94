#include "model/tetmg/sweep.h"

enum { ROW_GRAIN = 256 }; // some five microseconds

typedef struct Job {
    const SnBlockRows *rows;
    SnBlockRowsFn *fn;
    const SnSweepOrder *order;
    int first; // task of a stage
    bool backward;
} Job;

static void task_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnSweepRun *runs = job->order->runs;
    (void)worker;
    for (int t = job->first + begin; t < job->first + end; ++t) {
        int from = job->order->task_start[t], to = job->order->task_start[t + 1];
        for (int i = from; i < to; ++i) {
            const SnSweepRun *run = &runs[job->backward ? to - 1 - (i - from) : i];
            job->fn(job->rows, run->begin, run->end);
        }
    }
}

static void run_stage(SnWorkers *workers, int stage, Job *job)
{
    const int *start = job->order->stage_start + stage;
    job->first = start[0];
    sn_parallel_for(workers, start[1] - start[0], 1, task_range, job);
}

void sn_tetmg_sweep_forward(SnWorkers *workers, const SnSweepOrder *order,
                            const SnBlockKernels *kernels, const SnBlockRows *rows)
{
    Job job = {.rows = rows, .fn = kernels->forward, .order = order};
    for (int s = 0; s < order->stage_count; ++s) {
        run_stage(workers, s, &job);
    }
}

void sn_tetmg_sweep_backward(SnWorkers *workers, const SnSweepOrder *order,
                             const SnBlockKernels *kernels, const SnBlockRows *rows)
{
    Job job = {.rows = rows, .fn = kernels->backward, .order = order, .backward = true};
    for (int s = order->stage_count; s-- > 0;) {
        run_stage(workers, s, &job);
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
