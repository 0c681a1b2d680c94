#include "base/workers.h"

#include <stdatomic.h>
#include <stdbool.h>

#if !defined(SN_NO_THREADS)
#include <pthread.h>
#include <sched.h>
#include <unistd.h>
#endif

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { SECTIONS_MAX = 16, LINE = 64 };

// Ranges one after the other that one worker begins with. A line of the cache each: workers that
// count at the same time do not wait for each other.
typedef struct Section {
    atomic_uint next; // first range of it that nobody took yet; goes past the last one
    char rest[LINE - sizeof(atomic_uint)];
} Section;

// What a loop does.
typedef struct Work {
    const SnWorkers *workers;
    SnRangeFn *fn;
    void *context;
    int count;
    int grain;
} Work;

// The loop that is running.
typedef struct Loop {
    Work work;
    int sections;
    Section section[SECTIONS_MAX];
} Loop;

struct SnWorkers {
    const SinewAllocator *allocator;
    SinewAllocator own_allocator;
    SinewTasks tasks;
    int count;
    Loop loop;
#if !defined(SN_NO_THREADS)
    pthread_t *threads; // count - 1 of them
    int started;
    int spin;          // polls before a thread lies down to sleep
    unsigned loops;    // started so far
    atomic_uint open;  // number of the loop that threads may join, 0 between loops
    atomic_int joined; // threads that are in the open loop, or finding out that it has closed
    atomic_bool quit;
    atomic_int sleepers;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
#endif
};

// A loop that this thread is inside of, and as which worker. Loops inside loops use it.
typedef struct Inside {
    const SnWorkers *workers;
    int worker;
    const struct Inside *outer;
} Inside;

static _Thread_local const Inside *innermost;

// Which worker of a pool this thread is while it runs a loop; 0 when it runs none of that pool's,
// since a loop that it starts then runs on it alone or has it as the first of the workers.
static int own_worker(const SnWorkers *workers)
{
    for (const Inside *inside = innermost; inside != NULL; inside = inside->outer) {
        if (inside->workers == workers) {
            return inside->worker;
        }
    }
    return 0;
}

static int range_count(const Work *work)
{
    return work->count / work->grain + (work->count % work->grain != 0);
}

static void run_range(const Work *work, int range, int worker)
{
    int begin = range * work->grain;
    int end = work->count - begin > work->grain ? begin + work->grain : work->count;
    work->fn(work->context, begin, end, worker);
}

// What is left of a section.
static void run_section(Loop *loop, int section, int worker)
{
    int64_t ranges = range_count(&loop->work);
    int begin = (int)(ranges * section / loop->sections);
    unsigned size = (unsigned)((int)(ranges * (section + 1) / loop->sections) - begin);
    atomic_uint *next = &loop->section[section].next;
    while (atomic_load_explicit(next, memory_order_relaxed) < size) {
        unsigned range = atomic_fetch_add_explicit(next, 1, memory_order_relaxed);
        if (range < size) {
            run_range(&loop->work, begin + (int)range, worker);
        }
    }
}

// A worker begins with the section of its number, so that loops over the same things find them in
// its own cache, and goes on with those of others.
static void run_ranges(Loop *loop, int worker)
{
    const Inside inside = {loop->work.workers, worker, innermost};
    innermost = &inside;
    for (int s = 0; s < loop->sections; ++s) {
        run_section(loop, (worker + s) % loop->sections, worker);
    }
    innermost = inside.outer;
}

static void run_alone(const Work *work, int worker)
{
    const Inside inside = {work->workers, worker, innermost};
    innermost = &inside;
    int ranges = range_count(work);
    for (int range = 0; range < ranges; ++range) {
        run_range(work, range, worker);
    }
    innermost = inside.outer;
}

static void host_task(void *argument, int index)
{
    run_ranges(argument, index);
}

#if !defined(SN_NO_THREADS)

static void pause_briefly(void)
{
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Whether there is something to do for a thread that last saw loop `seen`.
static bool is_wanted(SnWorkers *workers, unsigned seen)
{
    unsigned open = atomic_load(&workers->open);
    return (open != 0 && open != seen) || atomic_load(&workers->quit);
}

// Waits for a loop other than `seen`: polls for about a millisecond, since the next loop of a step
// follows at once and waking a sleeping thread costs more than a small loop, then sleeps.
static void wait_for_loop(SnWorkers *workers, unsigned seen)
{
    for (int i = 0; i < workers->spin; ++i) {
        if (is_wanted(workers, seen)) {
            return;
        }
        pause_briefly();
    }
    pthread_mutex_lock(&workers->mutex);
    atomic_fetch_add(&workers->sleepers, 1);
    while (!is_wanted(workers, seen)) {
        pthread_cond_wait(&workers->wake, &workers->mutex);
    }
    atomic_fetch_sub(&workers->sleepers, 1);
    pthread_mutex_unlock(&workers->mutex);
}

typedef struct ThreadStart {
    SnWorkers *workers;
    int worker;
    atomic_bool taken;
} ThreadStart;

static void *thread_main(void *argument)
{
    ThreadStart *start = argument;
    SnWorkers *workers = start->workers;
    int worker = start->worker;
    atomic_store_explicit(&start->taken, true, memory_order_release);
    unsigned seen = 0;
    for (;;) {
        wait_for_loop(workers, seen);
        if (atomic_load(&workers->quit)) {
            return NULL;
        }
        // Joined first, then looked: either this sees that the loop has closed, or the thread that
        // closes it sees this one and waits.
        atomic_fetch_add(&workers->joined, 1);
        unsigned open = atomic_load(&workers->open);
        if (open != 0 && open != seen) {
            seen = open;
            run_ranges(&workers->loop, worker);
        }
        atomic_fetch_sub(&workers->joined, 1);
    }
}

// A thread counts itself a sleeper before it looks a last time, so none is left asleep.
static void wake_sleepers(SnWorkers *workers)
{
    if (atomic_load(&workers->sleepers) > 0) {
        pthread_mutex_lock(&workers->mutex);
        pthread_cond_broadcast(&workers->wake);
        pthread_mutex_unlock(&workers->mutex);
    }
}

// Runs the loop together with whichever threads come in time. One that sleeps, or that the system
// runs elsewhere, is not waited for: its share is taken by the others.
static void run_shared(SnWorkers *workers)
{
    workers->loops += workers->loops + 1 == 0 ? 2 : 1;
    atomic_store(&workers->open, workers->loops);
    wake_sleepers(workers);
    run_ranges(&workers->loop, 0);
    atomic_store(&workers->open, 0);
    for (int polls = 0; atomic_load(&workers->joined) > 0; ++polls) {
        if (polls > workers->spin) {
            sched_yield();
        } else {
            pause_briefly();
        }
    }
}

static SinewStatus start_threads(SnWorkers *workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC(workers->threads, workers->allocator, workers->count - 1, error);
    for (int i = 0; i < workers->count - 1; ++i) {
        ThreadStart start = {.workers = workers, .worker = i + 1};
        if (pthread_create(&workers->threads[i], NULL, thread_main, &start) != 0) {
            return sn_fail(error, SINEW_ERROR_UNSUPPORTED,
                           "the system refused thread %d of %d; ask for fewer workers", i + 2,
                           workers->count);
        }
        ++workers->started;
        while (!atomic_load_explicit(&start.taken, memory_order_acquire)) {
            sched_yield();
        }
    }
done:
    return status;
}

static void stop_threads(SnWorkers *workers)
{
    atomic_store(&workers->quit, true);
    wake_sleepers(workers);
    for (int i = 0; i < workers->started; ++i) {
        pthread_join(workers->threads[i], NULL);
    }
    pthread_cond_destroy(&workers->wake);
    pthread_mutex_destroy(&workers->mutex);
    sn_free(workers->allocator, workers->threads);
}

#endif

SinewStatus sn_workers_create(const SinewAllocator *allocator, const SinewTasks *tasks, int count,
                              SnWorkers **out_workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWorkers *workers = NULL;
    *out_workers = NULL;
    if (count < 1 || count > SN_WORKERS_MAX) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "worker count is %d, expected 1 to %d", count,
                       SN_WORKERS_MAX);
    }
    SN_ALLOC_ZERO(workers, allocator, 1, error);
    if (allocator != NULL) {
        workers->own_allocator = *allocator;
    }
    workers->allocator = &workers->own_allocator;
    workers->count = count;
    if (tasks != NULL) {
        workers->tasks = *tasks;
    }
#if defined(SN_NO_THREADS)
    if (workers->tasks.run == NULL) {
        workers->count = 1;
    }
#else
    if (workers->tasks.run == NULL && count > 1) {
        // With more workers than processors, polling would keep the others from running.
        workers->spin = sysconf(_SC_NPROCESSORS_ONLN) >= count ? 20000 : 0;
        pthread_mutex_init(&workers->mutex, NULL);
        pthread_cond_init(&workers->wake, NULL);
        SN_TRY(start_threads(workers, error));
    }
#endif
    *out_workers = workers;
    workers = NULL;
done:
    sn_workers_destroy(workers);
    return status;
}

void sn_workers_destroy(SnWorkers *workers)
{
    if (workers == NULL) {
        return;
    }
#if !defined(SN_NO_THREADS)
    if (workers->tasks.run == NULL && workers->count > 1) {
        stop_threads(workers);
    }
#endif
    SinewAllocator allocator = workers->own_allocator;
    sn_free(&allocator, workers);
}

int sn_workers_count(const SnWorkers *workers)
{
    return workers == NULL ? 1 : workers->count;
}

void sn_parallel_for(SnWorkers *workers, int count, int grain, SnRangeFn *fn, void *context)
{
    SN_ASSERT(grain > 0);
    if (count <= 0) {
        return;
    }
    Work work = {workers, fn, context, count, grain};
    if (workers == NULL || workers->count == 1 || innermost != NULL || count <= grain) {
        run_alone(&work, own_worker(workers));
        return;
    }
    Loop *loop = &workers->loop;
    loop->work = work;
    loop->sections = workers->count < SECTIONS_MAX ? workers->count : SECTIONS_MAX;
    for (int i = 0; i < loop->sections; ++i) {
        atomic_store_explicit(&loop->section[i].next, 0, memory_order_relaxed);
    }
    if (workers->tasks.run != NULL) {
        workers->tasks.run(workers->tasks.context, workers->count, host_task, loop);
        return;
    }
#if !defined(SN_NO_THREADS)
    run_shared(workers);
#endif
}

enum { SUM_BLOCKS_MAX = 256, SUM_BLOCK_LEAST = 256 };

typedef struct Sum {
    SnSumFn *fn;
    void *context;
    int block;
    double partial[SUM_BLOCKS_MAX][SN_SUM_WIDTH_MAX];
} Sum;

static void sum_block(void *context, int begin, int end, int worker)
{
    (void)worker;
    Sum *sum = context;
    sum->fn(sum->context, begin, end, sum->partial[begin / sum->block]);
}

void sn_parallel_sum(SnWorkers *workers, int count, int width, SnSumFn *fn, void *context,
                     double *out_sums)
{
    SN_ASSERT(width > 0 && width <= SN_SUM_WIDTH_MAX);
    int block = count / SUM_BLOCKS_MAX + 1;
    block = block < SUM_BLOCK_LEAST ? SUM_BLOCK_LEAST : block;
    Sum sum; // its 16 kB are not cleared: blocks write what is read
    sum.fn = fn;
    sum.context = context;
    sum.block = block;
    sn_parallel_for(workers, count, block, sum_block, &sum);
    for (int i = 0; i < width; ++i) {
        out_sums[i] = 0.0;
        for (int b = 0; (int64_t)b * block < count; ++b) {
            out_sums[i] += sum.partial[b][i];
        }
    }
}
