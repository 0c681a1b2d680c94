// Dense blocks: every variant that runs here against the plain reference, and the reference against
// what the words mean.
#include "support/test.h"

#include "base/random.h"
#include "kernel/kernel_table.h"

#include <math.h>

enum { LD = 96, MOST = 80 };

typedef struct Blocks {
    double A[LD * 200];
    double B[LD * 200];
    double C[LD * MOST];
} Blocks;

static void fill(double *x, int count, uint64_t seed)
{
    SnRandom random = {seed};
    for (int i = 0; i < count; ++i) {
        x[i] = sn_random_between(&random, -1.0, 1.0);
    }
}

// Calls body for every variant that runs here.
static void each_variant(void (*body)(const SnKernels *kernels, bool portable))
{
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        if (sn_isa_runs((SnIsa)isa)) {
            body(sn_kernels_of((SnIsa)isa, SN_PORTABLE_BITS), true);
            body(sn_kernels_of((SnIsa)isa, SN_FAST_BITS), false);
        }
    }
}

static void compare(const double *got, const double *expected, int rows, int columns, bool portable)
{
    for (int j = 0; j < columns; ++j) {
        for (int i = 0; i < rows; ++i) {
            double a = got[i + j * LD];
            double b = expected[i + j * LD];
            if (portable) {
                assert_true(a == b);
            } else {
                // Fused operations differ by roundings; sums have at most 200 terms of order one.
                assert_at_most(fabs(a - b), 1e-13 * (1.0 + fabs(b)));
            }
        }
    }
}

static void check_products(const SnKernels *kernels, bool portable)
{
    static Blocks x;
    static double expected[LD * MOST];
    const SnDenseKernels *ref = sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS)->dense;
    fill(x.A, LD * 200, 1);
    fill(x.B, LD * 200, 2);
    const int rows[] = {1, 7, 8, 9, 24, 31, 64, 79};
    const int columns[] = {1, 2, 3, 7, 8, 9, 20};
    const int depths[] = {1, 5, 64, 127, 128, 129, 200};
    for (int r = 0; r < SN_COUNT(rows); ++r) {
        for (int c = 0; c < SN_COUNT(columns); ++c) {
            for (int d = 0; d < SN_COUNT(depths); ++d) {
                SnDenseProduct p = {rows[r], columns[c], depths[d], x.A, LD, x.B, LD, x.C, LD};
                SnDenseProduct q = p;
                q.C = expected;
                fill(x.C, LD * MOST, 3);
                fill(expected, LD * MOST, 3);
                kernels->dense->multiply(&p);
                ref->multiply(&q);
                compare(x.C, expected, p.rows, p.columns, portable);
                kernels->dense->subtract(&p);
                kernels->dense->subtract(&p);
                ref->subtract(&q);
                ref->subtract(&q);
                compare(x.C, expected, p.rows, p.columns, portable);
            }
        }
    }
}

static void products_equal_the_reference(void **state)
{
    (void)state;
    each_variant(check_products);
}

static void check_factors(const SnKernels *kernels, bool portable)
{
    static Blocks x;
    static double L[LD * MOST];
    static double Wt[LD * MOST];
    static double ref_L[LD * MOST];
    static double ref_Wt[LD * MOST];
    const SnDenseKernels *ref = sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS)->dense;
    for (int n = 1; n <= 72; n += n < 20 ? 1 : 13) {
        fill(x.A, LD * n, (uint64_t)n);
        SnDenseProduct square = {n, n, n, x.A, LD, x.A, LD, L, LD};
        ref->multiply(&square);
        for (int i = 0; i < n; ++i) {
            L[i + i * LD] += 1.0;
        }
        memcpy(x.C, L, sizeof L);
        memcpy(ref_L, L, sizeof L);
        assert_int_equal(kernels->dense->cholesky(n, L, LD), -1);
        assert_int_equal(ref->cholesky(n, ref_L, LD), -1);
        kernels->dense->invert(n, L, LD, Wt, LD);
        ref->invert(n, ref_L, LD, ref_Wt, LD);
        compare(Wt, ref_Wt, n, n, portable);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j <= i; ++j) {
                double product = 0.0;
                double identity = 0.0;
                for (int k = 0; k <= j; ++k) {
                    product += L[i + k * LD] * L[j + k * LD];
                }
                for (int k = j; k <= i; ++k) {
                    identity += L[i + k * LD] * Wt[j + k * LD];
                }
                assert_at_most(fabs(product - x.C[i + j * LD]), 1e-12);
                assert_at_most(fabs(identity - (i == j ? 1.0 : 0.0)), 1e-12);
            }
        }
    }
}

static void factors_multiply_back_and_inverses_invert(void **state)
{
    (void)state;
    each_variant(check_factors);
}

static void check_refusal(const SnKernels *kernels, bool portable)
{
    (void)portable;
    const double wrong[] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    for (int i = 0; i < SN_COUNT(wrong); ++i) {
        double A[LD * 20] = {0.0};
        for (int k = 0; k < 20; ++k) {
            A[k + k * LD] = k == 13 ? wrong[i] : 4.0;
        }
        assert_int_equal(kernels->dense->cholesky(20, A, LD), 13);
    }
}

static void a_pivot_that_is_not_positive_is_named(void **state)
{
    (void)state;
    each_variant(check_refusal);
}

static void check_combinations(const SnKernels *kernels, bool portable)
{
    static Blocks x;
    static double expected[LD * MOST];
    fill(x.A, LD * 200, 5);
    fill(x.B, LD * 200, 6);
    const int rows[] = {1, 7, 8, 9, 32, 79}, columns[] = {1, 3, 18};
    for (int n = 0; n < 18; ++n) {
        int r = rows[n / 3], c = columns[n % 3];
        for (int i = 0; i < r * c; ++i) {
            const double *f = x.B + 3 * (i / r), *a = x.A + i % r;
            expected[i % r + i / r * LD] = f[2] * a[2 * LD] + (f[1] * a[LD] + f[0] * a[0]);
        }
        kernels->dense->combine(r, c, x.A, LD, x.B, x.C, LD);
        compare(x.C, expected, r, c, portable);
    }
}

static void combinations_are_sums_of_three(void **state)
{
    (void)state;
    each_variant(check_combinations);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(products_equal_the_reference),
    cmocka_unit_test(factors_multiply_back_and_inverses_invert),
    cmocka_unit_test(a_pivot_that_is_not_positive_is_named),
    cmocka_unit_test(combinations_are_sums_of_three),
};
SN_TEST_GROUP(kernel_dense, tests);
