// The order in which a Gauss-Seidel sweep comes to the rows of a symmetric pattern, so that threads
// can share it: tasks, in stages. Tasks of one stage have no neighbours in each other and run side
// by side, each one row after the other. It depends on the pattern alone, so that sweeps give the
// same bits for any number of threads. Numbers of rows are taken to say what is near what.
//
// Large patterns go by colours: blocks of 64 rows, of which those of a colour have no neighbours in
// each other. There are eight to eleven, and bodies of 10,000 tets have four blocks of each, for
// which a second thread is not worth its waiting. Small ones are bisected: rows of one half with a
// neighbour in the other part the rest, and so on in each half; parts come first, then what parted
// them. In large ones that would be a quarter of the rows, scattered over memory.
//
// Not taken: a list of rows in place of runs. Reading it made backward sweeps a tenth slower.
#ifndef SN_SOLVE_SWEEP_ORDER_H
#define SN_SOLVE_SWEEP_ORDER_H

#include "base/memory.h"

#include <stdbool.h>

// Rows [begin, end), one after the other.
typedef struct SnSweepRun {
    int begin, end;
} SnSweepRun;

typedef struct SnSweepOrder {
    int count;        // rows
    int stage_count;  //
    int *stage_start; // stage_count + 1: tasks
    int *task_start;  // a task, and the end: runs
    SnSweepRun *runs; // task after task, ascending in each
    int *task;        // a row: its task
} SnSweepOrder;

// `columns` are `step` times the other rows of entries, the diagonal's may be among them.
SinewStatus sn_sweep_order_create(int count, const int *start, const int *columns, int step,
                                  const SinewAllocator *allocator, SnSweepOrder *out_order,
                                  SinewError *error);

// The order of `count` rows that are rows of another order or copies of them: source[row] is which.
// They have no neighbours but those that their sources had, or copies of these, so that tasks of a
// stage stay apart.
SinewStatus sn_sweep_order_follow(const SnSweepOrder *from, const int *source, int count,
                                  const SinewAllocator *allocator, SnSweepOrder *out_order,
                                  SinewError *error);

void sn_sweep_order_release(SnSweepOrder *order, const SinewAllocator *allocator);

// Whether a forward sweep comes to the row `other` before it comes to `row`.
static inline bool sn_sweep_comes_earlier(const SnSweepOrder *order, int other, int row)
{
    int a = order->task[other], b = order->task[row];
    return a == b ? other < row : a < b;
}

#endif
