#include "support/test.h"

#include "bench/bench.h"

#include <math.h>

static const SnKernels row = {.isa = "ref", .variant = "portable", .lanes = 1};

// 100, 40 (a dip), 50 and 10 bytes a second at 1, 4, 16 and 64 KB.
static SnMachine make_machine(void)
{
    SnMachine machine = {.size_count = 4, .threads = 1, .row_count = 1};
    const double read[] = {100.0, 40.0, 50.0, 10.0};
    for (int s = 0; s < 4; ++s) {
        machine.size[s] = (size_t)1024 << (2 * s);
        machine.read[SN_ONE_THREAD].rate[s] = read[s];
        machine.update[SN_ONE_THREAD].rate[s] = 1.25 * read[s];
    }
    machine.peak[SN_FLOAT][SN_ONE_THREAD][0] = (SnPeak){&row, 1000.0, 900.0};
    machine.peak[SN_DOUBLE][SN_ONE_THREAD][0] = (SnPeak){&row, 500.0, 450.0};
    return machine;
}

static void expect_near(double value, double expected)
{
    assert_at_most(fabs(value - expected), 1e-12 * fabs(expected));
}

static void a_curve_is_read_between_its_sizes_and_its_dips_are_filled(void **state)
{
    (void)state;
    SnMachine machine = make_machine();
    const SnCurve *curve = &machine.read[SN_ONE_THREAD];
    expect_near(sn_curve_at(&machine, curve, 1.0), 100.0);
    expect_near(sn_curve_at(&machine, curve, 1024.0), 100.0);
    expect_near(sn_curve_at(&machine, curve, 4096.0), 50.0); // 40 was measured, but 16 KB had 50
    expect_near(sn_curve_at(&machine, curve, 2048.0), 75.0); // half-way in the logarithm
    expect_near(sn_curve_at(&machine, curve, 32768.0), 30.0);
    expect_near(sn_curve_at(&machine, curve, 65536.0), 10.0);
    expect_near(sn_curve_at(&machine, curve, 1e12), 10.0);
}

static void the_limit_is_the_greater_of_memory_and_arithmetic(void **state)
{
    (void)state;
    SnMachine machine = make_machine();
    SnBenchWork work = {.items = 1, .bytes_read = 200.0, .working_set = 1024.0};
    expect_near(sn_machine_limit(&machine, &work, &row, SN_ONE_THREAD), 2.0);
    // An in-place update of 200 bytes moves 400 at 125 a second.
    work.bytes_written = 200.0;
    expect_near(sn_machine_limit(&machine, &work, &row, SN_ONE_THREAD), 400.0 / 125.0);
    work.flops = 5000.0;
    expect_near(sn_machine_limit(&machine, &work, &row, SN_ONE_THREAD), 5.0);
    work.precision = SN_DOUBLE;
    expect_near(sn_machine_limit(&machine, &work, &row, SN_ONE_THREAD), 10.0);
}

typedef struct Counter {
    int prepared;
    int runs;
} Counter;

static void prepare(void *context)
{
    ((Counter *)context)->prepared++;
}

static void run(void *context, SnWorkers *workers)
{
    (void)workers;
    ((Counter *)context)->runs++;
}

static void each_run_is_prepared_and_the_first_is_not_counted(void **state)
{
    (void)state;
    Counter counter = {0};
    SnBenchTask task = {.prepare = prepare, .run = run, .context = &counter};
    SnBenchTime time = sn_bench_clock(&task, NULL, 7, 0.0);
    assert_int_equal(time.runs, 7);
    assert_int_equal(counter.runs, 8);
    assert_int_equal(counter.prepared, 8);
    assert_true(time.least >= 0.0 && time.least <= time.median);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_curve_is_read_between_its_sizes_and_its_dips_are_filled),
    cmocka_unit_test(the_limit_is_the_greater_of_memory_and_arithmetic),
    cmocka_unit_test(each_run_is_prepared_and_the_first_is_not_counted),
};
SN_TEST_GROUP(bench_machine, tests);
