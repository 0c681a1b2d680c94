// Sparse rows on every instruction set that runs here against the reference.
#include "support/test.h"

#include "base/random.h"
#include "kernel/kernel_table.h"

#include <math.h>

enum { ROWS = 37, COLUMNS = 29, ENTRIES_MAX = ROWS * 9 };

typedef struct Case {
    int start[ROWS + 1];
    int column[ENTRIES_MAX];
    float value[ENTRIES_MAX], x[4 * COLUMNS], b[4 * ROWS], scale[ROWS], out[4 * ROWS];
} Case;

// Rows of no to eight entries, so that both parities occur.
static Case make_case(void)
{
    Case c = {0};
    SnRandom random = {3};
    for (int r = 0; r < ROWS; ++r) {
        c.start[r + 1] = c.start[r] + r % 9;
        c.scale[r] = (float)sn_random_between(&random, 0.5, 2.0);
    }
    for (int i = 0; i < c.start[ROWS]; ++i) {
        c.column[i] = (int)(sn_random_bits(&random) % COLUMNS);
        c.value[i] = (float)sn_random_between(&random, -1.0, 1.0);
    }
    for (int i = 0; i < 4 * COLUMNS; ++i) {
        c.x[i] = (float)sn_random_between(&random, -1.0, 1.0);
    }
    for (int i = 0; i < 4 * ROWS; ++i) {
        c.b[i] = (float)sn_random_between(&random, -1.0, 1.0);
        c.out[i] = (float)sn_random_between(&random, -1.0, 1.0);
    }
    return c;
}

static Case run_case(const SnKernels *kernels, int kind)
{
    Case c = make_case();
    SnRows rows = {c.start, c.column, c.value, c.x,  kind == 1 ? NULL : c.b,
                   c.scale, 0.7f,     0.3f,    c.out};
    SnRowsFn *fn = kind == 2 ? kernels->rows->relax : kernels->rows->multiply;
    fn(&rows, 0, 5);
    fn(&rows, 5, ROWS);
    return c;
}

static void all_agree_with_the_reference(void **state)
{
    (void)state;
    const SnKernels *ref = sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS);
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        for (int kind = 0; sn_isa_runs((SnIsa)isa) && kind < 3; ++kind) {
            Case expected = run_case(ref, kind);
            Case portable = run_case(sn_kernels_of((SnIsa)isa, SN_PORTABLE_BITS), kind);
            Case fast = run_case(sn_kernels_of((SnIsa)isa, SN_FAST_BITS), kind);
            assert_memory_equal(expected.out, portable.out, sizeof expected.out);
            for (int i = 0; i < 4 * ROWS; ++i) {
                // Ten roundings of numbers up to 8.
                assert_at_most(fabs((double)(expected.out[i] - fast.out[i])), 10 * 8 * 6e-8);
            }
        }
    }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(all_agree_with_the_reference)};

SN_TEST_GROUP(kernel_rows, tests);
