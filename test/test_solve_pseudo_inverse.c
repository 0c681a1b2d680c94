// The pseudo-inverse: against normal equations with multipliers solved densely, for more rows than
// columns and fewer, and for rows that depend on each other.
#include "support/test.h"

#include "base/random.h"
#include "solve/pseudo_inverse.h"
#include "support/fail_allocator.h"

#include <math.h>

enum { MOST = 24 };

static double dot(int count, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

// `kinds` independent rows, others sums of two of them.
static void fill(SnPseudoInverse *inverse, int kinds, uint64_t seed)
{
    SnRandom random = {seed};
    for (int r = 0; r < inverse->row_count; ++r) {
        double *row = inverse->matrix + r * inverse->column_count;
        for (int c = 0; c < inverse->column_count; ++c) {
            row[c] = r < kinds
                         ? sn_random_between(&random, -1.0, 1.0)
                         : inverse->matrix[r % kinds * inverse->column_count + c] -
                               0.5 * inverse->matrix[(r + 1) % kinds * inverse->column_count + c];
        }
    }
}

// Least squares: M^T (M x - g) = 0. Smallest: x is a combination of rows, so that nothing is left
// of it when what the matrix does not see is looked at.
static void check_solution(int rows, int columns, int kinds)
{
    SnPseudoInverse inverse;
    double g[MOST], x[MOST], left[MOST], y[MOST], again[MOST];
    assert_int_equal(sn_pseudo_inverse_create(rows, columns, NULL, &inverse, NULL), SINEW_OK);
    fill(&inverse, kinds, (uint64_t)(rows * 100 + columns * 10 + kinds));
    sn_pseudo_inverse_find(&inverse, 1e-9);
    assert_int_equal(inverse.rank, kinds < columns ? kinds : columns);
    for (int r = 0; r < rows; ++r) {
        g[r] = sin(1.0 + r);
    }
    sn_pseudo_inverse_apply(&inverse, g, x);
    for (int r = 0; r < rows; ++r) {
        left[r] = dot(columns, inverse.matrix + r * columns, x) - g[r];
        if (kinds == rows && rows <= columns) {
            assert_at_most(fabs(left[r]), 1e-11); // rounding of rows of some units
        }
    }
    for (int c = 0; c < columns; ++c) {
        double slope = 0.0;
        for (int r = 0; r < rows; ++r) {
            slope += inverse.matrix[r * columns + c] * left[r];
        }
        assert_at_most(fabs(slope), 1e-11);
    }
    memcpy(again, x, sizeof again);
    sn_pseudo_inverse_project(&inverse, again);
    for (int c = 0; c < columns; ++c) {
        assert_at_most(fabs(again[c]), 1e-11);
    }
    // f . (M^+ g) = g . ((M^+)^T f).
    double f[MOST];
    for (int c = 0; c < columns; ++c) {
        f[c] = cos(2.0 * c);
    }
    sn_pseudo_inverse_apply_transposed(&inverse, f, y);
    assert_at_most(fabs(dot(columns, f, x) - dot(rows, g, y)), 1e-10);
    sn_pseudo_inverse_release(&inverse, NULL);
}

static void solutions_are_smallest_and_nearest(void **state)
{
    (void)state;
    const int sizes[][3] = {{3, 8, 3}, {8, 8, 8}, {20, 8, 20}, {12, 8, 5}, {6, 24, 4}, {1, 1, 1}};
    for (int i = 0; i < SN_COUNT(sizes); ++i) {
        check_solution(sizes[i][0], sizes[i][1], sizes[i][2]);
    }
}

static void nothing_comes_of_zero(void **state)
{
    (void)state;
    SnPseudoInverse inverse;
    double g[3] = {1.0, 2.0, 3.0}, x[2] = {5.0, 6.0};
    assert_int_equal(sn_pseudo_inverse_create(3, 2, NULL, &inverse, NULL), SINEW_OK);
    sn_pseudo_inverse_find(&inverse, 1e-9);
    assert_int_equal(inverse.rank, 0);
    sn_pseudo_inverse_apply(&inverse, g, x);
    assert_true(x[0] == 0.0 && x[1] == 0.0);
    sn_pseudo_inverse_release(&inverse, NULL);
}

static SinewStatus make(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SnPseudoInverse inverse;
    (void)context;
    SinewStatus status = sn_pseudo_inverse_create(4, 6, allocator, &inverse, error);
    sn_pseudo_inverse_release(&inverse, allocator);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(sn_fail_each_allocation(make, NULL) >= 6);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(solutions_are_smallest_and_nearest),
    cmocka_unit_test(nothing_comes_of_zero),
    cmocka_unit_test(every_allocation_may_fail),
};

SN_TEST_GROUP(solve_pseudo_inverse, tests);
