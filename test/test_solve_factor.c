// The public solver as a stranger would use it: sinew/solve.h alone, and every way to misuse it.
#include "support/fail_allocator.h"
#include "support/matrices.h"
#include "support/test.h"

#include "sinew/solve.h"

#include <math.h>

static SinewFactorDef def_of(const SnTestMatrix *m)
{
    SinewFactorDef def = sinew_factor_def_default();
    def.row_count = m->sparse.count;
    def.block = m->sparse.block;
    def.row_start = m->row_start;
    def.column = m->column;
    def.value = m->value;
    def.right_sides = m->sparse.block == 1 ? 3 : 1;
    return def;
}

// |b - A x| / |b| in double for a solution in float of b = 1.
static double residual_of_ones(const SnTestMatrix *m, const float *x)
{
    int n = m->sparse.count * 3;
    int sides = m->sparse.block == 1 ? 3 : 1;
    double *wide = calloc((size_t)n, sizeof *wide);
    double *product = malloc((size_t)n * sizeof *product);
    for (int i = 0; i < n; ++i) {
        wide[i] = (double)x[i];
    }
    sn_sparse_multiply(&m->sparse, NULL, sides, wide, product);
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += (1.0 - product[i]) * (1.0 - product[i]);
    }
    free(product);
    free(wide);
    return sqrt(sum / n);
}

static void a_stranger_solves(void **state)
{
    (void)state;
    for (int block = 1; block <= 3; block += 2) {
        for (int workers = 1; workers <= 2; ++workers) {
            SnTestMatrix m = sn_test_grid(9, 8, 7, block, 0.5, 1);
            SnTestMatrix other = sn_test_grid(9, 8, 7, block, 5.0, 2);
            SinewFactorDef def = def_of(&m);
            def.worker_count = workers;
            SinewFactor *factor = NULL;
            SinewError error;
            assert_int_equal(sinew_factor_create(&def, &factor, &error), SINEW_OK);
            size_t count = (size_t)m.sparse.count * 3;
            float *x = malloc(count * sizeof *x);
            for (size_t i = 0; i < count; ++i) {
                x[i] = 1.0f;
            }
            assert_int_equal(sinew_factor_solve(factor, x, &error), SINEW_OK);
            // Float rounding times a condition number of some tens.
            assert_at_most(residual_of_ones(&m, x), 3e-6);
            assert_int_equal(sinew_factor_update(factor, other.value, &error), SINEW_OK);
            for (size_t i = 0; i < count; ++i) {
                x[i] = 1.0f;
            }
            assert_int_equal(sinew_factor_solve(factor, x, &error), SINEW_OK);
            assert_at_most(residual_of_ones(&other, x), 3e-6);
            assert_true(sinew_factor_info(factor).entries > m.sparse.count);
            assert_true(sinew_factor_info(factor).bytes > 4 * count);
            free(x);
            sinew_factor_destroy(factor);
            sn_test_matrix_free(&m);
            sn_test_matrix_free(&other);
        }
    }
}

static void expect_refusal(const SinewFactorDef *def, const char *sentence)
{
    SinewFactor *factor = NULL;
    SinewError error = {.text = ""};
    assert_int_equal(sinew_factor_create(def, &factor, &error), SINEW_ERROR_ARGUMENT);
    assert_null(factor);
    if (strstr(error.text, sentence) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error.text, sentence);
    }
    assert_int_equal(sinew_factor_create(def, &factor, NULL), SINEW_ERROR_ARGUMENT);
}

static void misuse_gets_a_sentence(void **state)
{
    (void)state;
    SnTestMatrix m = sn_test_grid(4, 3, 2, 1, 0.5, 1);
    expect_refusal(NULL, "sinew_factor_def_default");
    expect_refusal(&(SinewFactorDef){0}, "sinew_factor_def_default");
    SinewFactorDef def = def_of(&m);
    def.value = NULL;
    expect_refusal(&def, "no value");
    def = def_of(&m);
    def.column = NULL;
    expect_refusal(&def, "no column");
    def = def_of(&m);
    def.row_count = -1;
    expect_refusal(&def, "expected at least 1 row");
    def = def_of(&m);
    def.worker_count = 0;
    expect_refusal(&def, "expected 1 to 256");
    def = def_of(&m);
    def.right_sides = 2;
    expect_refusal(&def, "expected 1, or 3");
    def = def_of(&m);
    def.keep_float = 0;
    expect_refusal(&def, "at least one");
    def = def_of(&m);
    assert_int_equal(sinew_factor_create(&def, NULL, NULL), SINEW_ERROR_ARGUMENT);

    SinewFactor *factor = NULL;
    SinewError error;
    assert_int_equal(sinew_factor_create(&def, &factor, &error), SINEW_OK);
    assert_int_equal(sinew_factor_solve(factor, NULL, &error), SINEW_ERROR_ARGUMENT);
    assert_int_equal(sinew_factor_solve(NULL, (float[]){0}, &error), SINEW_ERROR_ARGUMENT);
    assert_int_equal(sinew_factor_update(factor, NULL, &error), SINEW_ERROR_ARGUMENT);
    assert_int_equal(sinew_factor_solve_double(factor, (double[]){0}, &error),
                     SINEW_ERROR_ARGUMENT);
    m.value[0] = -1.0;
    assert_int_equal(sinew_factor_update(factor, m.value, &error), SINEW_ERROR_NOT_DEFINITE);
    assert_true(error.index >= 0 && error.index < 24);
    sinew_factor_destroy(factor);
    sinew_factor_destroy(NULL);
    sn_test_matrix_free(&m);
}

static SinewStatus whole_life(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewFactorDef def = def_of(context);
    def.allocator = *allocator;
    def.worker_count = 2;
    SinewFactor *factor = NULL;
    SinewStatus status = sinew_factor_create(&def, &factor, error);
    float x[3 * 60] = {1.0f};
    if (status == SINEW_OK) {
        status = sinew_factor_solve(factor, x, error);
    }
    sinew_factor_destroy(factor);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnTestMatrix m = sn_test_grid(5, 4, 3, 1, 0.5, 2);
    assert_true(sn_fail_each_allocation(whole_life, &m) > 30);
    sn_test_matrix_free(&m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_stranger_solves),
    cmocka_unit_test(misuse_gets_a_sentence),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(solve_factor, tests);
