// Dot products of columns on every instruction set that runs here against the reference.
#include "support/test.h"

#include "base/random.h"
#include "kernel/kernel_table.h"

#include <math.h>

enum { COUNT = 7, LENGTH = 96 };

typedef struct Case {
    _Alignas(64) float values[COUNT * LENGTH];
    _Alignas(64) float vectors[3 * LENGTH];
    float out[3 * COUNT];
} Case;

static void run_case(const SnKernels *kernels, Case *c)
{
    SnRandom random = {5};
    const float *columns[COUNT];
    for (int i = 0; i < COUNT * LENGTH; ++i) {
        c->values[i] = (float)sn_random_between(&random, -1.0, 1.0);
        columns[i / LENGTH] = c->values + (size_t)(i / LENGTH) * LENGTH;
    }
    for (int i = 0; i < 3 * LENGTH; ++i) {
        c->vectors[i] = (float)sn_random_between(&random, -1.0, 1.0);
    }
    SnColumns set = {LENGTH, columns, c->vectors, c->out};
    kernels->columns->dot(&set, 0, 3); // odd counts, so that one column stands alone
    kernels->columns->dot(&set, 3, COUNT);
}

static void all_agree_with_the_reference(void **state)
{
    (void)state;
    Case expected, portable, fast;
    run_case(sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS), &expected);
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        if (sn_isa_runs((SnIsa)isa)) {
            run_case(sn_kernels_of((SnIsa)isa, SN_PORTABLE_BITS), &portable);
            run_case(sn_kernels_of((SnIsa)isa, SN_FAST_BITS), &fast);
            assert_memory_equal(expected.out, portable.out, sizeof expected.out);
            for (int i = 0; i < 3 * COUNT; ++i) {
                // Ten roundings of sums below 16.
                assert_at_most(fabs((double)(expected.out[i] - fast.out[i])), 10 * 16 * 6e-8);
            }
        }
    }
}

static void answers_the_plain_sums(void **state)
{
    (void)state;
    Case c;
    run_case(sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS), &c);
    for (int i = 0; i < 3 * COUNT; ++i) {
        double sum = 0.0;
        for (int j = 0; j < LENGTH; ++j) {
            sum += (double)c.values[i / 3 * LENGTH + j] * (double)c.vectors[i % 3 * LENGTH + j];
        }
        assert_at_most(fabs((double)c.out[i] - sum), 10 * 16 * 6e-8); // as above
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_agree_with_the_reference),
    cmocka_unit_test(answers_the_plain_sums),
};

SN_TEST_GROUP(kernel_columns, tests);
