#include "support/matrices.h"
#include "support/test.h"

#include "base/random.h"
#include "solve/cholesky.h"
#include "solve/conjugate_gradients.h"

#include <math.h>

enum { SIDE = 14, ROWS = SIDE * SIDE * SIDE };

static void apply_matrix(void *context, SnWorkers *workers, const double *x, double *y)
{
    sn_sparse_multiply(context, workers, 1, x, y);
}

// M^-1 = 1 / diagonal.
static void apply_jacobi(void *context, SnWorkers *workers, const double *x, double *y)
{
    (void)workers;
    const SnSparse *A = context;
    for (int i = 0; i < A->count; ++i) {
        for (int e = A->row_start[i]; e < A->row_start[i + 1]; ++e) {
            if (A->column[e] == i) {
                y[i] = x[i] / A->value[e];
            }
        }
    }
}

typedef struct Exact {
    const SnCholesky *cholesky;
    SnCholeskyWork *work;
} Exact;

static void apply_factor(void *context, SnWorkers *workers, const double *x, double *y)
{
    const Exact *exact = context;
    memcpy(y, x, ROWS * sizeof *y);
    assert_int_equal(sn_cholesky_solve_double(exact->cholesky, exact->work, workers, y, NULL),
                     SINEW_OK);
}

typedef struct Problem {
    SnTestMatrix matrix;
    double b[ROWS];
    double x[ROWS];
    double scratch[4 * ROWS];
    SnConjugateGradients cg;
} Problem;

static Problem *make_problem(double shift)
{
    Problem *p = calloc(1, sizeof *p);
    p->matrix = sn_test_grid(SIDE, SIDE, SIDE, 1, shift, 3);
    SnRandom random = {3};
    for (int i = 0; i < ROWS; ++i) {
        p->b[i] = sn_random_between(&random, -1.0, 1.0);
    }
    p->cg = (SnConjugateGradients){.count = ROWS,
                                   .apply = apply_matrix,
                                   .apply_context = &p->matrix.sparse,
                                   .tolerance = 1e-10,
                                   .max_iterations = 1000,
                                   .scratch = p->scratch};
    return p;
}

static void free_problem(Problem *p)
{
    sn_test_matrix_free(&p->matrix);
    free(p);
}

static double true_residual(const Problem *p)
{
    static double y[ROWS];
    double sum = 0.0;
    double size = 0.0;
    sn_sparse_multiply(&p->matrix.sparse, NULL, 1, p->x, y);
    for (int i = 0; i < ROWS; ++i) {
        sum += (p->b[i] - y[i]) * (p->b[i] - y[i]);
        size += p->b[i] * p->b[i];
    }
    return sqrt(sum / size);
}

static void it_converges_and_reports_the_true_residual(void **state)
{
    (void)state;
    Problem *p = make_problem(0.01);
    SnSolveReport plain;
    assert_int_equal(sn_conjugate_gradients(&p->cg, NULL, p->b, p->x, &plain), SINEW_OK);
    assert_int_equal(plain.reason, SN_STOP_CONVERGED);
    // The recurrence for the residual drifts from the true one by rounding, far below 1e-10.
    assert_at_most(fabs(true_residual(p) - plain.residual), 1e-12);
    assert_at_most(true_residual(p), 1.01e-10);

    // A guess that is the solution takes no iteration.
    SnSolveReport again;
    p->cg.tolerance = 1.1e-10;
    assert_int_equal(sn_conjugate_gradients(&p->cg, NULL, p->b, p->x, &again), SINEW_OK);
    assert_int_equal(again.iterations, 0);
    free_problem(p);
}

static void a_preconditioner_saves_iterations(void **state)
{
    (void)state;
    Problem *p = make_problem(0.001);
    SnSolveReport plain;
    SnSolveReport jacobi;
    SnSolveReport exact;
    assert_int_equal(sn_conjugate_gradients(&p->cg, NULL, p->b, p->x, &plain), SINEW_OK);
    p->cg.precondition = apply_jacobi;
    p->cg.precondition_context = &p->matrix.sparse;
    memset(p->x, 0, sizeof p->x);
    assert_int_equal(sn_conjugate_gradients(&p->cg, NULL, p->b, p->x, &jacobi), SINEW_OK);
    assert_true(jacobi.iterations < plain.iterations);
    assert_at_most(true_residual(p), 1.01e-10);

    const SnKernels *kernels = NULL;
    SnCholesky *cholesky = NULL;
    SnCholeskyWork *work = NULL;
    assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &kernels, NULL), SINEW_OK);
    SnCholeskyDef def = {.kernels = kernels,
                         .ordering =
                             sn_ordering_available() ? SN_ORDERING_AMD : SN_ORDERING_NATURAL,
                         .right_sides = 1,
                         .worker_count = 1,
                         .keep_double = true};
    assert_int_equal(sn_cholesky_create(&def, &p->matrix.sparse, &cholesky, NULL), SINEW_OK);
    assert_int_equal(sn_cholesky_factor(cholesky, &p->matrix.sparse, NULL, NULL), SINEW_OK);
    assert_int_equal(sn_cholesky_work_create(cholesky, 1, &work, NULL), SINEW_OK);
    Exact context = {cholesky, work};
    p->cg.precondition = apply_factor;
    p->cg.precondition_context = &context;
    memset(p->x, 0, sizeof p->x);
    assert_int_equal(sn_conjugate_gradients(&p->cg, NULL, p->b, p->x, &exact), SINEW_OK);
    assert_int_equal(exact.iterations, 1); // the inverse itself
    sn_cholesky_work_destroy(work);
    sn_cholesky_destroy(cholesky);
    free_problem(p);
}

static void it_says_why_it_stopped(void **state)
{
    (void)state;
    Problem *p = make_problem(0.01);
    SnSolveReport report;
    p->cg.max_iterations = 3;
    assert_int_equal(sn_conjugate_gradients(&p->cg, NULL, p->b, p->x, &report),
                     SINEW_NOT_CONVERGED);
    assert_int_equal(report.reason, SN_STOP_ITERATIONS);
    assert_int_equal(report.iterations, 3);
    assert_string_equal(sn_stop_reason_text(report.reason), "used up its iterations");

    p->b[5] = (double)NAN;
    assert_int_equal(sn_conjugate_gradients(&p->cg, NULL, p->b, p->x, &report),
                     SINEW_NOT_CONVERGED);
    assert_int_equal(report.reason, SN_STOP_NOT_FINITE);

    memset(p->b, 0, sizeof p->b);
    assert_int_equal(sn_conjugate_gradients(&p->cg, NULL, p->b, p->x, &report), SINEW_OK);
    assert_true(p->x[0] == 0.0 && report.residual == 0.0 && report.iterations == 0);
    free_problem(p);

    p = make_problem(-0.5); // indefinite
    assert_int_equal(sn_conjugate_gradients(&p->cg, NULL, p->b, p->x, &report),
                     SINEW_NOT_CONVERGED);
    assert_int_equal(report.reason, SN_STOP_NEGATIVE);
    free_problem(p);
}

static void any_number_of_workers_gives_the_same_bits(void **state)
{
    (void)state;
    static double first[ROWS];
    const int counts[] = {1, 2, 3, 8};
    for (int w = 0; w < SN_COUNT(counts); ++w) {
        Problem *p = make_problem(0.01);
        SnWorkers *workers = NULL;
        assert_int_equal(sn_workers_create(NULL, NULL, counts[w], &workers, NULL), SINEW_OK);
        assert_int_equal(sn_conjugate_gradients(&p->cg, workers, p->b, p->x, NULL), SINEW_OK);
        if (w == 0) {
            memcpy(first, p->x, sizeof first);
        }
        assert_memory_equal(first, p->x, sizeof first);
        sn_workers_destroy(workers);
        free_problem(p);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(it_converges_and_reports_the_true_residual),
    cmocka_unit_test(a_preconditioner_saves_iterations),
    cmocka_unit_test(it_says_why_it_stopped),
    cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
};
SN_TEST_GROUP(solve_conjugate_gradients, tests);
