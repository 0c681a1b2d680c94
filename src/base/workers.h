// Workers: the threads that share a loop. Work is cut into ranges by `grain` alone, never by the
// number of workers, and each range is written by one worker; so a loop gives the same bits for any
// number of workers, and sums taken in fixed blocks and added in index order do too.
//
// A worker begins with the ranges of its own section of the loop, as far as they go the same in
// loops over the same things, and then helps the others.
//
// Not taken: a fixed slice per worker. It needs no counter, but one slow core holds up the loop,
// and it tempts callers to let results depend on the slices. Nor one counter for all: ranges would
// go to whoever comes, and what a step works on would wander from cache to cache.
#ifndef SN_BASE_WORKERS_H
#define SN_BASE_WORKERS_H

#include "base/memory.h"

// A pool serves one thread at a time: loops are started by one thread, and another may do so after.
typedef struct SnWorkers SnWorkers;

// The most workers a pool may have.
#define SN_WORKERS_MAX 256

// Makes a pool of `count` workers, the calling thread included. `tasks` may be NULL or all zero:
// own threads. With a host's task system no thread is made.
SinewStatus sn_workers_create(const SinewAllocator *allocator, const SinewTasks *tasks, int count,
                              SnWorkers **out_workers, SinewError *error);

// Ends the threads. NULL is fine.
void sn_workers_destroy(SnWorkers *workers);

// Number of workers; 1 for NULL, which stands for "this thread alone" everywhere.
int sn_workers_count(const SnWorkers *workers);

// One range of a loop: items [begin, end). `worker` is in [0, sn_workers_count) and belongs to one
// thread for the whole loop, so it can index that thread's scratch.
typedef void SnRangeFn(void *context, int begin, int end, int worker);

// Calls fn over [0, count) in ranges of `grain` items (the last may be shorter), in any order, and
// returns when all are done. A loop started inside a loop, of the same pool or of another, runs on
// the thread that started it. One thread at a time may start loops of a pool.
void sn_parallel_for(SnWorkers *workers, int count, int grain, SnRangeFn *fn, void *context);

// Sums taken over items [begin, end), written to sums[0..width).
typedef void SnSumFn(void *context, int begin, int end, double *sums);

#define SN_SUM_WIDTH_MAX 8

// `width` sums over [0, count): in blocks whose size depends on `count` alone, the blocks added in
// index order. Allocates nothing.
void sn_parallel_sum(SnWorkers *workers, int count, int width, SnSumFn *fn, void *context,
                     double *out_sums);

#endif
