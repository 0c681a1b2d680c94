// The solve of linear cost: it agrees with the factor, its iterations do not grow with the matrix,
// and its bits depend on nothing but the numbers.
#include "solve/multilevel.h"

#include "base/hash.h"
#include "base/random.h"
#include "solve/cholesky.h"
#include "support/fail_allocator.h"
#include "support/matrices.h"
#include "support/test.h"

#include <math.h>

static const SnKernels *pick(SnDeterminism determinism)
{
    const SnKernels *kernels = NULL;
    assert_int_equal(sn_kernels_pick(determinism, &kernels, NULL), SINEW_OK);
    return kernels;
}

static float *random_sides(int count)
{
    SnRandom random = {5};
    float *b = malloc(3 * (size_t)count * sizeof *b);
    for (int i = 0; i < 3 * count; ++i) {
        b[i] = (float)sn_random_between(&random, -1.0, 1.0);
    }
    return b;
}

// Solves in place; answers the report.
static SnSolveReport solve(const SnSparse *A, const SnKernels *kernels, double tolerance,
                           int workers_count, float *x)
{
    SnMultilevel *multilevel = NULL;
    SnMultilevelWork *work = NULL;
    SnWorkers *workers = NULL;
    SnMultilevelGoal goal = {tolerance, 60};
    SnSolveReport report;
    SinewError error = {.text = ""};
    assert_int_equal(sn_multilevel_create(A, kernels, NULL, &multilevel, &error), SINEW_OK);
    assert_int_equal(sn_workers_create(NULL, NULL, workers_count, &workers, &error), SINEW_OK);
    assert_int_equal(sn_multilevel_work_create(multilevel, workers_count, &work, &error), SINEW_OK);
    assert_int_equal(sn_multilevel_solve(multilevel, work, workers, &goal, x, &report, &error),
                     SINEW_OK);
    sn_workers_destroy(workers);
    sn_multilevel_work_destroy(work);
    sn_multilevel_destroy(multilevel);
    return report;
}

static void solve_exactly(const SnSparse *A, float *x)
{
    SnCholesky *cholesky = NULL;
    SnCholeskyWork *work = NULL;
    SnCholeskyDef def = {.kernels = pick(SN_FAST_BITS),
                         .ordering =
                             sn_ordering_available() ? SN_ORDERING_BEST : SN_ORDERING_NATURAL,
                         .right_sides = 3,
                         .worker_count = 1,
                         .keep_float = true};
    assert_int_equal(sn_cholesky_create(&def, A, &cholesky, NULL), SINEW_OK);
    assert_int_equal(sn_cholesky_factor(cholesky, A, NULL, NULL), SINEW_OK);
    assert_int_equal(sn_cholesky_work_create(cholesky, 1, &work, NULL), SINEW_OK);
    assert_int_equal(sn_cholesky_solve_float(cholesky, work, NULL, x, NULL), SINEW_OK);
    sn_cholesky_work_destroy(work);
    sn_cholesky_destroy(cholesky);
}

static double distance(const float *a, const float *b, int count)
{
    double difference = 0.0, size = 0.0;
    for (int i = 0; i < 3 * count; ++i) {
        difference += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        size += (double)b[i] * (double)b[i];
    }
    return sqrt(difference / size);
}

static void agrees_with_the_factor(void **state)
{
    (void)state;
    SnTestMatrix matrices[] = {
        sn_test_grid(18, 18, 18, 1, 0.01, 1), sn_test_grid(7, 7, 7, 1, 0.01, 2), // one level
        sn_test_grid(200, 9, 3, 1, 0.001, 3), sn_test_random_graph(5000, 20000, 1, 0.05, 4)};
    for (int m = 0; m < SN_COUNT(matrices); ++m) {
        const SnSparse *A = &matrices[m].sparse;
        float *x = random_sides(A->count), *exact = random_sides(A->count);
        SnSolveReport report = solve(A, pick(SN_FAST_BITS), 1e-6, 1, x);
        solve_exactly(A, exact);
        assert_at_most(report.iterations, 25);
        assert_at_most(report.residual, 1e-6);
        // The error is at most the residual times the condition number, some 12 / shift.
        assert_at_most(distance(x, exact, A->count), 2e-3);
        free(x);
        free(exact);
        sn_test_matrix_free(&matrices[m]);
    }
}

// Eight times and again eight times the unknowns; the mass falls with the cells as in a body.
static void iterations_do_not_grow(void **state)
{
    (void)state;
    static const int sides[] = {10, 20, 40};
    int counts[3];
    for (int k = 0; k < 3; ++k) {
        int n = sides[k];
        SnTestMatrix matrix = sn_test_grid(n, n, n, 1, 40.0 / (n * n), 7);
        float *x = random_sides(matrix.sparse.count);
        counts[k] = solve(&matrix.sparse, pick(SN_FAST_BITS), 1e-4, 2, x).iterations;
        free(x);
        sn_test_matrix_free(&matrix);
    }
    assert_true(counts[2] <= 10);
    assert_true(counts[2] <= counts[1] + 2);
}

static void workers_never_change_the_bits(void **state)
{
    (void)state;
    static const int workers[] = {1, 2, 3, 8};
    SnTestMatrix matrix = sn_test_grid(24, 20, 18, 1, 0.01, 1);
    for (int variant = 0; variant < 2; ++variant) {
        uint64_t first = 0;
        for (int w = 0; w < SN_COUNT(workers); ++w) {
            float *x = random_sides(matrix.sparse.count);
            solve(&matrix.sparse, pick((SnDeterminism)variant), 1e-4, workers[w], x);
            uint64_t hash = sn_hash(SN_HASH_START, x, 3 * (size_t)matrix.sparse.count * sizeof *x);
            first = w == 0 ? hash : first;
            assert_true(hash == first);
            free(x);
        }
    }
    sn_test_matrix_free(&matrix);
}

// Rows that nothing is tied to, as held vertices are, and sides of zeros.
static void lone_rows_and_zeros_are_solved(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    int row_start[COUNT + 1], column[3 * COUNT];
    double value[3 * COUNT];
    int entries = 0;
    float x[3 * COUNT] = {0.0f};
    for (int r = 0; r < COUNT; ++r) { // a chain, of which every tenth row is cut off
        row_start[r] = entries;
        for (int c = r - 1; c <= r + 1; ++c) {
            bool tied = c >= 0 && c < COUNT && r % 10 != 0 && c % 10 != 0;
            if (c == r || tied) {
                column[entries] = c;
                value[entries++] = c == r ? 2.1 : -1.0;
            }
        }
        x[3 * r] = r % 10 == 0 ? 4.2f : 0.0f;
    }
    row_start[COUNT] = entries;
    SnSparse A = {COUNT, 1, row_start, column, value};
    solve(&A, pick(SN_FAST_BITS), 1e-6, 1, x);
    for (int r = 0; r < COUNT; ++r) {
        // The goal is on the whole: |residual| of 1e-6 of 4.2 sqrt(300).
        assert_at_most(fabs((double)x[3 * r] - (r % 10 == 0 ? 2.0 : 0.0)), 1e-4);
        assert_true(x[3 * r + 1] == 0.0f && x[3 * r + 2] == 0.0f);
    }
    memset(x, 0, sizeof x);
    assert_int_equal(solve(&A, pick(SN_FAST_BITS), 1e-6, 1, x).iterations, 0);
}

static void refuses_what_is_not_definite(void **state)
{
    (void)state;
    SnTestMatrix matrix = sn_test_grid(12, 12, 12, 1, 0.1, 1);
    SnMultilevel *multilevel = NULL;
    SinewError error;
    for (int i = matrix.row_start[700]; i < matrix.row_start[701]; ++i) {
        matrix.value[i] = matrix.column[i] == 700 ? -1.0 : matrix.value[i];
    }
    assert_int_equal(
        sn_multilevel_create(&matrix.sparse, pick(SN_FAST_BITS), NULL, &multilevel, &error),
        SINEW_ERROR_NOT_DEFINITE);
    assert_int_equal(error.index, 700);
    assert_null(multilevel);
    sn_test_matrix_free(&matrix);
}

static SinewStatus make_and_solve(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSparse *A = context;
    SnMultilevel *multilevel = NULL;
    SnMultilevelWork *work = NULL;
    SnMultilevelGoal goal = {1e-3, 60};
    float *x = random_sides(A->count);
    SN_TRY(sn_multilevel_create(A, pick(SN_FAST_BITS), allocator, &multilevel, error));
    SN_TRY(sn_multilevel_work_create(multilevel, 1, &work, error));
    SN_TRY(sn_multilevel_solve(multilevel, work, NULL, &goal, x, NULL, error));
done:
    sn_multilevel_work_destroy(work);
    sn_multilevel_destroy(multilevel);
    free(x);
    return status;
}

static void survives_every_allocation_that_fails(void **state)
{
    (void)state;
    SnTestMatrix matrix = sn_test_grid(10, 10, 10, 1, 0.1, 1);
    assert_true(sn_fail_each_allocation(make_and_solve, &matrix.sparse) > 40);
    sn_test_matrix_free(&matrix);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(agrees_with_the_factor),
    cmocka_unit_test(iterations_do_not_grow),
    cmocka_unit_test(workers_never_change_the_bits),
    cmocka_unit_test(lone_rows_and_zeros_are_solved),
    cmocka_unit_test(refuses_what_is_not_definite),
    cmocka_unit_test(survives_every_allocation_that_fails),
};

SN_TEST_GROUP(solve_multilevel, tests);
