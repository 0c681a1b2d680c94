#include "support/matrices.h"
#include "support/test.h"

#include "base/random.h"
#include "solve/sparse.h"

#include <math.h>

typedef struct Wrong {
    const char *name;
    SnSparse matrix;
    const char *sentence;
} Wrong;

static void bad_patterns_get_a_sentence(void **state)
{
    (void)state;
    const int start2[] = {0, 2, 4};
    const Wrong wrong[] = {
        {"no rows", {0, 1, start2, (int[]){0}, NULL}, "expected at least 1 row"},
        {"blocks of two", {2, 2, start2, (int[]){0, 1, 0, 1}, NULL}, "blocks of 1 or 3"},
        {"no columns", {2, 1, start2, NULL, NULL}, "has no column"},
        {"no rows' starts", {2, 1, NULL, (int[]){0}, NULL}, "has no row_start"},
        {"start", {2, 1, (int[]){1, 2, 4}, (int[]){0, 1, 0, 1}, NULL}, "row_start[0] is 1"},
        {"falls", {2, 1, (int[]){0, 2, 1}, (int[]){0, 1, 0, 1}, NULL}, "row 1 ends at entry 1"},
        {"range", {2, 1, start2, (int[]){0, 2, 0, 1}, NULL}, "row 0 has column 2"},
        {"negative", {2, 1, start2, (int[]){-1, 0, 0, 1}, NULL}, "row 0 has column -1"},
        {"twice", {2, 1, start2, (int[]){0, 0, 0, 1}, NULL}, "ascending columns"},
        {"diagonal", {2, 1, (int[]){0, 1, 2}, (int[]){1, 1}, NULL}, "row 0 has no diagonal"},
        {"one-sided", {2, 1, (int[]){0, 2, 3}, (int[]){0, 1, 1}, NULL}, "row 1 has no column 0"},
    };
    for (int i = 0; i < SN_COUNT(wrong); ++i) {
        SinewError error = {.text = ""};
        assert_int_equal(sn_sparse_check(&wrong[i].matrix, &error), SINEW_ERROR_ARGUMENT);
        if (strstr(error.text, wrong[i].sentence) == NULL) {
            fail_msg("%s: \"%s\" does not say \"%s\"", wrong[i].name, error.text,
                     wrong[i].sentence);
        }
    }
    const SnSparse good = {2, 1, start2, (int[]){0, 1, 0, 1}, NULL};
    assert_int_equal(sn_sparse_check(&good, NULL), SINEW_OK);
}

// Against the dense product; any number of workers gives the same bits.
static void products_equal_the_dense_ones(void **state)
{
    (void)state;
    for (int block = 1; block <= 3; block += 2) {
        SnTestMatrix m = sn_test_random_graph(2500, 5000, block, 0.5, 3);
        int n = m.sparse.count * block;
        for (int sides = 1; sides <= 3; ++sides) {
            double *x = malloc((size_t)(n * sides) * sizeof *x);
            double *y = malloc((size_t)(n * sides) * sizeof *y);
            double *again = malloc((size_t)(n * sides) * sizeof *again);
            double *expected = calloc((size_t)(n * sides), sizeof *expected);
            SnRandom random = {5};
            for (int i = 0; i < n * sides; ++i) {
                x[i] = sn_random_between(&random, -1.0, 1.0);
            }
            for (int row = 0; row < m.sparse.count; ++row) {
                for (int e = m.row_start[row]; e < m.row_start[row + 1]; ++e) {
                    for (int k = 0; k < block * block; ++k) {
                        int i = row * block + k / block;
                        int j = m.column[e] * block + k % block;
                        for (int r = 0; r < sides; ++r) {
                            expected[i * sides + r] +=
                                m.value[e * block * block + k] * x[j * sides + r];
                        }
                    }
                }
            }
            sn_sparse_multiply(&m.sparse, NULL, sides, x, y);
            for (int i = 0; i < n * sides; ++i) {
                // A row has some tens of terms of order one.
                assert_at_most(fabs(y[i] - expected[i]), 1e-13 * (1.0 + fabs(expected[i])));
            }
            SnWorkers *workers = NULL;
            assert_int_equal(sn_workers_create(NULL, NULL, 3, &workers, NULL), SINEW_OK);
            sn_sparse_multiply(&m.sparse, workers, sides, x, again);
            assert_memory_equal(y, again, (size_t)(n * sides) * sizeof *y);
            sn_workers_destroy(workers);
            free(expected);
            free(again);
            free(y);
            free(x);
        }
        sn_test_matrix_free(&m);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bad_patterns_get_a_sentence),
    cmocka_unit_test(products_equal_the_dense_ones),
};
SN_TEST_GROUP(solve_sparse, tests);
