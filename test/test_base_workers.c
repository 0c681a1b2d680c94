#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/hash.h"
#include "base/random.h"
#include "base/workers.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

static const int worker_counts[] = {1, 2, 3, 8};

static SnWorkers *make_workers(int count, const SinewTasks *tasks)
{
    SnWorkers *workers = NULL;
    SinewError error;
    if (sn_workers_create(NULL, tasks, count, &workers, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return workers;
}

enum { ITEMS = 10007 };

typedef struct Visits {
    unsigned char visited[ITEMS];
    int worker_count;
    pthread_t thread_of[SN_WORKERS_MAX];
    bool seen[SN_WORKERS_MAX];
    atomic_bool wrong; // a worker index out of range, or used by two threads
} Visits;

static void visit(void *context, int begin, int end, int worker)
{
    Visits *visits = context;
    if (worker < 0 || worker >= visits->worker_count) {
        visits->wrong = true;
        return;
    }
    if (!visits->seen[worker]) {
        visits->seen[worker] = true;
        visits->thread_of[worker] = pthread_self();
    }
    if (!pthread_equal(visits->thread_of[worker], pthread_self())) {
        visits->wrong = true;
    }
    for (int i = begin; i < end; ++i) {
        visits->visited[i]++;
    }
}

static void each_item_is_visited_once_by_a_stable_worker(void **state)
{
    (void)state;
    for (int w = 0; w < SN_COUNT(worker_counts); ++w) {
        SnWorkers *workers = make_workers(worker_counts[w], NULL);
        for (int grain = 1; grain < 2 * ITEMS; grain = grain * 7 + 1) {
            static Visits visits;
            memset(&visits, 0, sizeof visits);
            visits.worker_count = worker_counts[w];
            sn_parallel_for(workers, ITEMS, grain, visit, &visits);
            assert_false(visits.wrong);
            for (int i = 0; i < ITEMS; ++i) {
                assert_int_equal(visits.visited[i], 1);
            }
        }
        sn_parallel_for(workers, 0, 1, visit, NULL);
        sn_workers_destroy(workers);
    }
}

typedef struct Terms {
    const double *value;
} Terms;

static void sum_terms(void *context, int begin, int end, double *sums)
{
    const Terms *terms = context;
    sums[0] = 0.0;
    sums[1] = 0.0;
    for (int i = begin; i < end; ++i) {
        sums[0] += terms->value[i];
        sums[1] += fabs(terms->value[i]);
    }
}

// Terms of mixed size and sign, so that another order of the sum shows in the last bits.
static void sums_have_the_same_bits_for_any_number_of_workers(void **state)
{
    (void)state;
    enum { MOST = 300000 };
    double *value = malloc(MOST * sizeof *value);
    SnRandom random = {7};
    for (int i = 0; i < MOST; ++i) {
        value[i] = sn_random_between(&random, -1.0, 1.0) * exp(sn_random_between(&random, -9, 9));
    }
    const int counts[] = {0, 1, 255, 256, 257, 10000, MOST};
    for (int c = 0; c < SN_COUNT(counts); ++c) {
        uint64_t first = 0;
        for (int w = 0; w < SN_COUNT(worker_counts); ++w) {
            SnWorkers *workers = make_workers(worker_counts[w], NULL);
            Terms terms = {value};
            double sums[2];
            sn_parallel_sum(workers, counts[c], 2, sum_terms, &terms, sums);
            uint64_t hash = sn_hash(SN_HASH_START, sums, sizeof sums);
            first = w == 0 ? hash : first;
            assert_true(hash == first);
            double plain[2];
            sum_terms(&terms, 0, counts[c], plain);
            assert_at_most(fabs(sums[0] - plain[0]), 1e-12 * (1.0 + plain[1]));
            sn_workers_destroy(workers);
        }
    }
    free(value);
}

static void inner_loop(void *context, int begin, int end, int worker)
{
    (void)worker;
    int *sum = context;
    *sum += end - begin;
}

typedef struct Outer {
    SnWorkers *workers;
    int sums[64];
} Outer;

static void outer_loop(void *context, int begin, int end, int worker)
{
    (void)worker;
    Outer *outer = context;
    for (int i = begin; i < end; ++i) {
        sn_parallel_for(outer->workers, 100, 3, inner_loop, &outer->sums[i]);
    }
}

static void a_loop_inside_a_loop_runs_on_its_worker(void **state)
{
    (void)state;
    Outer outer = {.workers = make_workers(3, NULL)};
    sn_parallel_for(outer.workers, 64, 1, outer_loop, &outer);
    for (int i = 0; i < 64; ++i) {
        assert_int_equal(outer.sums[i], 100);
    }
    sn_workers_destroy(outer.workers);
}

typedef struct Mixed {
    SnWorkers *outer;
    atomic_bool wrong;
} Mixed;

static void expect_worker_0(void *context, int begin, int end, int worker)
{
    (void)begin;
    (void)end;
    if (worker != 0) {
        ((Mixed *)context)->wrong = true;
    }
}

typedef struct Back {
    Mixed *mixed;
    int worker;
} Back;

static void expect_same_worker(void *context, int begin, int end, int worker)
{
    (void)begin;
    (void)end;
    Back *back = context;
    if (worker != back->worker) {
        back->mixed->wrong = true;
    }
}

static void back_to_the_outer_pool(void *context, int begin, int end, int worker)
{
    (void)worker;
    Back *back = context;
    sn_parallel_for(back->mixed->outer, end - begin, 1, expect_same_worker, back);
}

static void loops_of_other_pools(void *context, int begin, int end, int worker)
{
    Mixed *mixed = context;
    Back back = {mixed, worker};
    for (int i = begin; i < end; ++i) {
        sn_parallel_for(NULL, 10, 3, expect_worker_0, mixed);
        sn_parallel_for(NULL, 10, 3, back_to_the_outer_pool, &back);
    }
}

// "This thread alone" has one worker, whose index must not be that of the loop around it: scratch
// for it has room for one. Back in the outer pool, the thread is the worker it was.
static void the_worker_index_belongs_to_the_pool_of_the_loop(void **state)
{
    (void)state;
    Mixed mixed = {.outer = make_workers(8, NULL)};
    sn_parallel_for(mixed.outer, 256, 1, loops_of_other_pools, &mixed);
    assert_false(mixed.wrong);
    sn_workers_destroy(mixed.outer);
}

typedef struct Host {
    int runs;
} Host;

// A host that runs its tasks backwards on one thread: any order must do.
static void host_run(void *context, int count, void (*task)(void *argument, int index),
                     void *argument)
{
    ((Host *)context)->runs++;
    for (int i = count - 1; i >= 0; --i) {
        task(argument, i);
    }
}

static void the_host_can_supply_its_task_system(void **state)
{
    (void)state;
    Host host = {0};
    SinewTasks tasks = {.run = host_run, .context = &host};
    SnWorkers *workers = make_workers(4, &tasks);
    int sum = 0;
    sn_parallel_for(workers, 1000, 10, inner_loop, &sum);
    assert_int_equal(sum, 1000);
    assert_int_equal(host.runs, 1);
    sn_workers_destroy(workers);
}

static void a_wrong_number_of_workers_is_refused(void **state)
{
    (void)state;
    const int wrong[] = {0, -1, SN_WORKERS_MAX + 1};
    for (int i = 0; i < SN_COUNT(wrong); ++i) {
        SnWorkers *workers = NULL;
        SinewError error;
        assert_int_equal(sn_workers_create(NULL, NULL, wrong[i], &workers, &error),
                         SINEW_ERROR_ARGUMENT);
        assert_null(workers);
        assert_non_null(strstr(error.text, "expected 1 to 256"));
    }
}

static SinewStatus create_and_destroy(const SinewAllocator *allocator, void *context,
                                      SinewError *error)
{
    (void)context;
    SnWorkers *workers = NULL;
    SinewStatus status = sn_workers_create(allocator, NULL, 3, &workers, error);
    assert_true((status == SINEW_OK) == (workers != NULL));
    sn_workers_destroy(workers);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    assert_int_equal(sn_fail_each_allocation(create_and_destroy, NULL), 2);
}

// Many short loops in a row, so that threads are caught awake, asleep and in between.
static void short_loops_in_a_row_lose_nothing(void **state)
{
    (void)state;
    for (int w = 0; w < SN_COUNT(worker_counts); ++w) {
        SnWorkers *workers = make_workers(worker_counts[w], NULL);
        for (int round = 0; round < 2000; ++round) {
            static Visits visits;
            memset(&visits, 0, sizeof visits);
            visits.worker_count = worker_counts[w];
            sn_parallel_for(workers, 40, 1, visit, &visits);
            assert_false(visits.wrong);
            for (int i = 0; i < 41; ++i) {
                assert_int_equal(visits.visited[i], i < 40);
            }
        }
        sn_workers_destroy(workers);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_item_is_visited_once_by_a_stable_worker),
    cmocka_unit_test(sums_have_the_same_bits_for_any_number_of_workers),
    cmocka_unit_test(a_loop_inside_a_loop_runs_on_its_worker),
    cmocka_unit_test(the_worker_index_belongs_to_the_pool_of_the_loop),
    cmocka_unit_test(the_host_can_supply_its_task_system),
    cmocka_unit_test(a_wrong_number_of_workers_is_refused),
    cmocka_unit_test(each_allocation_may_fail),
    cmocka_unit_test(short_loops_in_a_row_lose_nothing),
};
SN_TEST_GROUP(base_workers, tests);
