#include "support/test.h"

#include "base/memory.h"
#include "kernel/kernel_table.h"

#include <math.h>

// Every row of the table that runs here, both variants.
typedef void EachRowFn(const SnKernels *kernels);

static void for_each_row(EachRowFn *fn)
{
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        if (sn_isa_runs((SnIsa)isa)) {
            fn(sn_kernels_of((SnIsa)isa, SN_FAST_BITS));
            fn(sn_kernels_of((SnIsa)isa, SN_PORTABLE_BITS));
        }
    }
}

enum { COUNT = 3 * SN_MACHINE_BLOCK };

static void check_streams(const SnKernels *kernels)
{
    float *x = sn_alloc(NULL, COUNT, sizeof *x);
    assert_non_null(x);
    for (int i = 0; i < COUNT; ++i) {
        x[i] = (float)(i % 97 - 40);
    }
    // Small whole numbers: every order of the sum is exact, so each row must agree to the bit.
    float once = 0.0f;
    for (int i = 0; i < COUNT; ++i) {
        once += x[i];
    }
    assert_true(kernels->machine->stream_read(x, COUNT, 1) == once);
    assert_true(kernels->machine->stream_read(x, COUNT, 5) == 5.0f * once);

    kernels->machine->stream_update(x, COUNT, 2, 0.5f, 1.0f);
    for (int i = 0; i < COUNT; ++i) {
        float start = (float)(i % 97 - 40);
        assert_true(x[i] == 0.5f * (0.5f * start + 1.0f) + 1.0f);
    }
    sn_free(NULL, x);
}

static void streams_touch_every_number_in_every_pass(void **state)
{
    (void)state;
    for_each_row(check_streams);
}

// x = a x + b tends to b / (1 - a) in every chain, and the sum over chains tells how many there
// were, which must be what the count of operations says.
static void check_peaks(const SnKernels *kernels)
{
    const int64_t rounds = 200;
    float sum = 0.0f;
    double flops = kernels->machine->peak_madd_float(rounds, 0.5f, 1.0f, &sum);
    assert_true(sum == 2.0f * (float)(flops / (2.0 * (double)rounds)));
    double sum_double = 0.0;
    flops = kernels->machine->peak_madd_double(rounds, 0.5, 1.0, &sum_double);
    assert_true(sum_double == 2.0 * flops / (2.0 * (double)rounds));
}

static void the_count_of_operations_is_what_was_done(void **state)
{
    (void)state;
    for_each_row(check_peaks);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(streams_touch_every_number_in_every_pass),
    cmocka_unit_test(the_count_of_operations_is_what_was_done),
};
SN_TEST_GROUP(kernel_machine, tests);
