// The sparse Cholesky solver against CHOLMOD, itself in other precisions, and bad input.
#include "support/fail_allocator.h"
#include "support/matrices.h"
#include "support/test.h"

#include "base/hash.h"
#include "base/random.h"
#include "solve/cholesky.h"

#include <cholmod.h>
#include <math.h>

static const SnKernels *picked(SnDeterminism determinism)
{
    const SnKernels *kernels = NULL;
    SinewError error;
    if (sn_kernels_pick(determinism, &kernels, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return kernels;
}

static SnCholeskyDef def_of(int right_sides)
{
    return (SnCholeskyDef){.kernels = picked(SN_FAST_BITS),
                           .ordering = SN_ORDERING_BEST,
                           .right_sides = right_sides,
                           .worker_count = 1,
                           .keep_float = true,
                           .keep_double = true};
}

// The call must answer SINEW_OK; it passes `why` as its error.
#define OK(call)                                                                                   \
    do {                                                                                           \
        SinewError why_ = {.text = ""};                                                            \
        SinewError *why = &why_;                                                                   \
        if ((call) != SINEW_OK) {                                                                  \
            fail_msg("%s: %s", #call, why_.text);                                                  \
        }                                                                                          \
    } while (0)

static size_t length_of(const SnTestMatrix *m, int right_sides)
{
    return (size_t)m->sparse.count * (size_t)m->sparse.block * (size_t)right_sides;
}

static double *random_vector(size_t count, uint64_t seed)
{
    SnRandom random = {seed};
    double *x = calloc(count, sizeof *x);
    for (size_t i = 0; i < count; ++i) {
        x[i] = sn_random_between(&random, -1.0, 1.0);
    }
    return x;
}

static double relative_difference(const double *a, const double *b, size_t count)
{
    double difference = 0.0;
    double size = 0.0;
    for (size_t i = 0; i < count; ++i) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(difference / size);
}

// The same solution by CHOLMOD, in its own ordering and double.
static double *cholmod_solution(const SnTestMatrix *m, int right_sides, const double *b)
{
    const SnSparse *A = &m->sparse;
    int block = A->block;
    size_t n = (size_t)A->count * (size_t)block;
    cholmod_common common;
    cholmod_start(&common);
    size_t entries = (size_t)m->row_start[A->count] * (size_t)(block * block);
    cholmod_triplet *t = cholmod_allocate_triplet(n, n, entries, -1, CHOLMOD_REAL, &common);
    for (int i = 0; i < A->count; ++i) {
        for (int e = m->row_start[i]; e < m->row_start[i + 1]; ++e) {
            for (int k = 0; k < block * block; ++k) {
                int row = i * block + k / block;
                int column = m->column[e] * block + k % block;
                if (row >= column) {
                    ((int *)t->i)[t->nnz] = row;
                    ((int *)t->j)[t->nnz] = column;
                    ((double *)t->x)[t->nnz++] =
                        m->value[(size_t)e * (size_t)(block * block) + (size_t)k];
                }
            }
        }
    }
    cholmod_sparse *S = cholmod_triplet_to_sparse(t, entries, &common);
    cholmod_factor *L = cholmod_analyze(S, &common);
    assert_int_equal(cholmod_factorize(S, L, &common), 1);
    cholmod_dense *rhs = cholmod_allocate_dense(n, (size_t)right_sides, n, CHOLMOD_REAL, &common);
    for (size_t i = 0; i < n * (size_t)right_sides; ++i) {
        ((double *)rhs->x)[i % (size_t)right_sides * n + i / (size_t)right_sides] = b[i];
    }
    cholmod_dense *X = cholmod_solve(CHOLMOD_A, L, rhs, &common);
    double *x = malloc(n * (size_t)right_sides * sizeof *x);
    for (size_t i = 0; i < n * (size_t)right_sides; ++i) {
        x[i] = ((double *)X->x)[i % (size_t)right_sides * n + i / (size_t)right_sides];
    }
    cholmod_free_dense(&X, &common);
    cholmod_free_dense(&rhs, &common);
    cholmod_free_factor(&L, &common);
    cholmod_free_sparse(&S, &common);
    cholmod_free_triplet(&t, &common);
    cholmod_finish(&common);
    return x;
}

// Solves in double and in float and compares both with CHOLMOD.
static void compare_with_cholmod(const SnTestMatrix *m, const SnCholeskyDef *def)
{
    SnCholesky *cholesky = NULL;
    SnCholeskyWork *work = NULL;
    size_t count = length_of(m, def->right_sides);
    OK(sn_cholesky_create(def, &m->sparse, &cholesky, why));
    OK(sn_cholesky_factor(cholesky, &m->sparse, NULL, why));
    OK(sn_cholesky_work_create(cholesky, 1, &work, why));
    double *b = random_vector(count, 3);
    double *expected = cholmod_solution(m, def->right_sides, b);
    double *x = malloc(count * sizeof *x);
    float *narrow = malloc(count * sizeof *narrow);
    memcpy(x, b, count * sizeof *x);
    OK(sn_cholesky_solve_double(cholesky, work, NULL, x, why));
    // Condition numbers here are below 1e3; double carries 1e-16.
    assert_at_most(relative_difference(x, expected, count), 1e-12);
    for (size_t i = 0; i < count; ++i) {
        narrow[i] = (float)b[i];
    }
    OK(sn_cholesky_solve_float(cholesky, work, NULL, narrow, why));
    for (size_t i = 0; i < count; ++i) {
        x[i] = (double)narrow[i];
    }
    // The promise of the issue: 1e-6 of the double solution for a general right-hand side.
    assert_at_most(relative_difference(x, expected, count), 1e-6);
    free(narrow);
    free(x);
    free(expected);
    free(b);
    sn_cholesky_work_destroy(work);
    sn_cholesky_destroy(cholesky);
}

static const SnOrdering orderings[] = {SN_ORDERING_BEST, SN_ORDERING_METIS, SN_ORDERING_AMD,
                                       SN_ORDERING_NATURAL};

static void grids_agree_with_cholmod(void **state)
{
    (void)state;
    const int sizes[][3] = {{1, 1, 1}, {2, 1, 1}, {5, 1, 1}, {17, 3, 1}, {9, 8, 7}, {16, 16, 16}};
    for (int s = 0; s < SN_COUNT(sizes); ++s) {
        for (int block = 1; block <= 3; block += 2) {
            SnTestMatrix m = sn_test_grid(sizes[s][0], sizes[s][1], sizes[s][2], block, 0.5, 11);
            for (int o = 0; o < SN_COUNT(orderings); ++o) {
                for (int sides = 1; sides <= (block == 1 ? 3 : 1); sides += 2) {
                    SnCholeskyDef def = def_of(sides);
                    def.ordering = orderings[o];
                    compare_with_cholmod(&m, &def);
                }
            }
            sn_test_matrix_free(&m);
        }
    }
}

// Forests, isolated rows, dense parts: shapes that grids never show.
static void random_graphs_agree_with_cholmod(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        int rows = 1 + (int)(seed * 37 % 300);
        int edges = (int)(seed % 4) * rows / 2;
        for (int block = 1; block <= 3; block += 2) {
            SnTestMatrix m = sn_test_random_graph(rows, edges, block, 0.5, seed);
            SnCholeskyDef def = def_of(block == 1 ? 3 : 1);
            compare_with_cholmod(&m, &def);
            sn_test_matrix_free(&m);
        }
    }
    SnTestMatrix dense = sn_test_random_graph(150, 20000, 1, 0.5, 5);
    SnCholeskyDef def = def_of(3);
    compare_with_cholmod(&dense, &def);
    sn_test_matrix_free(&dense);
}

// The given order: any permutation gives the same solution, and the fill of the natural order shows
// that it was obeyed.
static void a_given_permutation_is_obeyed_and_checked(void **state)
{
    (void)state;
    SnTestMatrix m = sn_test_grid(7, 5, 3, 1, 0.5, 2);
    int count = m.sparse.count;
    int *permutation = malloc((size_t)count * sizeof *permutation);
    for (int i = 0; i < count; ++i) {
        permutation[i] = (i * 41 + 3) % count; // 41 and 105 share no factor
    }
    SnCholeskyDef def = def_of(3);
    def.ordering = SN_ORDERING_GIVEN;
    def.permutation = permutation;
    compare_with_cholmod(&m, &def);

    SnCholesky *cholesky = NULL;
    SinewError error;
    permutation[7] = permutation[8];
    assert_int_equal(sn_cholesky_create(&def, &m.sparse, &cholesky, &error), SINEW_ERROR_ARGUMENT);
    assert_null(cholesky);
    assert_non_null(strstr(error.text, "expected each of 0 to 104 once"));
    def.permutation = NULL;
    assert_int_equal(sn_cholesky_create(&def, &m.sparse, &cholesky, &error), SINEW_ERROR_ARGUMENT);
    free(permutation);
    sn_test_matrix_free(&m);
}

static uint64_t solve_hash(const SnTestMatrix *m, const SnKernels *kernels, int workers_wanted)
{
    SnWorkers *workers = NULL;
    SnCholesky *cholesky = NULL;
    SnCholeskyWork *work = NULL;
    int sides = m->sparse.block == 1 ? 3 : 1;
    SnCholeskyDef def = def_of(sides);
    def.kernels = kernels;
    def.worker_count = workers_wanted;
    size_t count = length_of(m, sides);
    OK(sn_workers_create(NULL, NULL, workers_wanted, &workers, why));
    OK(sn_cholesky_create(&def, &m->sparse, &cholesky, why));
    OK(sn_cholesky_factor(cholesky, &m->sparse, workers, why));
    OK(sn_cholesky_work_create(cholesky, workers_wanted, &work, why));
    double *x = random_vector(count, 9);
    float *narrow = malloc(count * sizeof *narrow);
    for (size_t i = 0; i < count; ++i) {
        narrow[i] = (float)x[i];
    }
    OK(sn_cholesky_solve_double(cholesky, work, workers, x, why));
    OK(sn_cholesky_solve_float(cholesky, work, workers, narrow, why));
    uint64_t hash = sn_hash(SN_HASH_START, x, count * sizeof *x);
    hash = sn_hash(hash, narrow, count * sizeof *narrow);
    free(narrow);
    free(x);
    sn_cholesky_work_destroy(work);
    sn_cholesky_destroy(cholesky);
    sn_workers_destroy(workers);
    return hash;
}

// Large enough for many subtrees and a top whose products are shared.
static void any_number_of_workers_gives_the_same_bits(void **state)
{
    (void)state;
    for (int block = 1; block <= 3; block += 2) {
        SnTestMatrix m = sn_test_grid(26, 14, 12, block, 0.1, 4);
        uint64_t first = solve_hash(&m, picked(SN_FAST_BITS), 1);
        const int counts[] = {2, 3, 8};
        for (int w = 0; w < SN_COUNT(counts); ++w) {
            assert_true(solve_hash(&m, picked(SN_FAST_BITS), counts[w]) == first);
        }
        sn_test_matrix_free(&m);
    }
}

static void portable_kernels_give_the_same_bits_on_every_instruction_set(void **state)
{
    (void)state;
    for (int block = 1; block <= 3; block += 2) {
        SnTestMatrix m = sn_test_grid(11, 9, 5, block, 0.1, 8);
        uint64_t first = solve_hash(&m, sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS), 1);
        for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
            if (sn_isa_runs((SnIsa)isa)) {
                const SnKernels *kernels = sn_kernels_of((SnIsa)isa, SN_PORTABLE_BITS);
                assert_true(solve_hash(&m, kernels, 2) == first);
            }
        }
        sn_test_matrix_free(&m);
    }
}

// New values, same pattern: as good as a factor made from scratch, to the last bit, whether the
// room for factoring was kept or given back.
static void refactoring_equals_factoring_anew(void **state)
{
    (void)state;
    SnTestMatrix m = sn_test_grid(12, 11, 9, 1, 0.5, 21);
    SnTestMatrix other = sn_test_grid(12, 11, 9, 1, 0.02, 22);
    SnCholeskyDef def = def_of(3);
    SnCholesky *reused = NULL;
    SnCholeskyWork *work = NULL;
    OK(sn_cholesky_create(&def, &m.sparse, &reused, why));
    OK(sn_cholesky_factor(reused, &m.sparse, NULL, why));
    sn_cholesky_shrink(reused);
    OK(sn_cholesky_factor(reused, &other.sparse, NULL, why));
    sn_cholesky_shrink(reused);
    OK(sn_cholesky_work_create(reused, 1, &work, why));
    size_t count = length_of(&m, 3);
    double *x = random_vector(count, 9);
    float *narrow = malloc(count * sizeof *narrow);
    for (size_t i = 0; i < count; ++i) {
        narrow[i] = (float)x[i];
    }
    OK(sn_cholesky_solve_double(reused, work, NULL, x, why));
    OK(sn_cholesky_solve_float(reused, work, NULL, narrow, why));
    uint64_t hash = sn_hash(SN_HASH_START, x, count * sizeof *x);
    hash = sn_hash(hash, narrow, count * sizeof *narrow);
    assert_true(hash == solve_hash(&other, def.kernels, 1));
    free(narrow);
    free(x);
    sn_cholesky_work_destroy(work);
    sn_cholesky_destroy(reused);
    sn_test_matrix_free(&m);
    sn_test_matrix_free(&other);
}

// A negative diagonal entry in row `bad`: elimination reaches a pivot that is not positive there,
// since the row is isolated from the others.
static void a_matrix_that_is_not_definite_names_the_row(void **state)
{
    (void)state;
    for (int block = 1; block <= 3; block += 2) {
        SnTestMatrix m = sn_test_random_graph(300, 0, block, 1.0, 3);
        SnCholeskyDef def = def_of(1);
        SnCholesky *cholesky = NULL;
        SnCholeskyWork *work = NULL;
        SinewError error;
        OK(sn_cholesky_create(&def, &m.sparse, &cholesky, why));
        OK(sn_cholesky_work_create(cholesky, 1, &work, why));
        const double wrong[] = {-1.0, 0.0, (double)NAN, (double)INFINITY};
        for (int i = 0; i < SN_COUNT(wrong); ++i) {
            int bad = 137 * block + (block - 1);
            double *diagonal =
                &m.value[(size_t)137 * (size_t)(block * block) + (size_t)(block * block - 1)];
            *diagonal = wrong[i];
            assert_int_equal(sn_cholesky_factor(cholesky, &m.sparse, NULL, &error),
                             SINEW_ERROR_NOT_DEFINITE);
            assert_int_equal(error.index, bad);
            assert_non_null(strstr(error.text, "not positive definite"));
            double x[900] = {0.0};
            assert_int_equal(sn_cholesky_solve_double(cholesky, work, NULL, x, &error),
                             SINEW_ERROR_ARGUMENT);
            *diagonal = 1.0;
            OK(sn_cholesky_factor(cholesky, &m.sparse, NULL, why));
        }
        sn_cholesky_work_destroy(work);
        sn_cholesky_destroy(cholesky);
        sn_test_matrix_free(&m);
    }
}

// An indefinite connected matrix: whichever row is named, its leading block must really fail.
static void an_indefinite_grid_is_refused(void **state)
{
    (void)state;
    SnTestMatrix m = sn_test_grid(12, 12, 12, 1, -0.5, 3);
    SnCholeskyDef def = def_of(3);
    SnCholesky *cholesky = NULL;
    SinewError error;
    OK(sn_cholesky_create(&def, &m.sparse, &cholesky, why));
    assert_int_equal(sn_cholesky_factor(cholesky, &m.sparse, NULL, &error),
                     SINEW_ERROR_NOT_DEFINITE);
    assert_true(error.index >= 0 && error.index < 12 * 12 * 12);
    sn_cholesky_destroy(cholesky);
    sn_test_matrix_free(&m);
}

static SinewStatus whole_life(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTestMatrix *m = context;
    SnCholesky *cholesky = NULL;
    SnCholeskyWork *work = NULL;
    SnCholeskyDef def = def_of(3);
    def.allocator = allocator;
    def.worker_count = 2;
    double x[3 * 60] = {1.0};
    float narrow[3 * 60] = {1.0f};
    SN_TRY(sn_cholesky_create(&def, &m->sparse, &cholesky, error));
    SN_TRY(sn_cholesky_work_create(cholesky, 2, &work, error));
    SN_TRY(sn_cholesky_factor(cholesky, &m->sparse, NULL, error));
    int64_t calls = ((const SnFailAllocator *)allocator->context)->calls;
    SN_TRY(sn_cholesky_factor(cholesky, &m->sparse, NULL, error));
    SN_TRY(sn_cholesky_solve_double(cholesky, work, NULL, x, error));
    SN_TRY(sn_cholesky_solve_float(cholesky, work, NULL, narrow, error));
    // Neither factoring nor solving allocates.
    assert_int_equal(((const SnFailAllocator *)allocator->context)->calls, calls);
    sn_cholesky_shrink(cholesky);
    status = sn_cholesky_factor(cholesky, &m->sparse, NULL, error);
    // A factor without room for the next one still solves.
    assert_int_equal(sn_cholesky_solve_float(cholesky, work, NULL, narrow, NULL), SINEW_OK);
done:
    sn_cholesky_work_destroy(work);
    sn_cholesky_destroy(cholesky);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnTestMatrix m = sn_test_grid(5, 4, 3, 1, 0.5, 2);
    assert_true(sn_fail_each_allocation(whole_life, &m) > 30);
    sn_test_matrix_free(&m);
}

static void wrong_defs_and_matrices_are_refused(void **state)
{
    (void)state;
    SnTestMatrix m = sn_test_grid(4, 4, 4, 1, 0.5, 2);
    SnTestMatrix other = sn_test_grid(4, 4, 5, 1, 0.5, 2);
    SnTestMatrix blocks = sn_test_grid(4, 4, 4, 3, 0.5, 2);
    SnCholesky *cholesky = NULL;
    SinewError error;
    SnCholeskyDef def = def_of(2);
    assert_int_equal(sn_cholesky_create(&def, &m.sparse, &cholesky, &error), SINEW_ERROR_ARGUMENT);
    def = def_of(3);
    assert_int_equal(sn_cholesky_create(&def, &blocks.sparse, &cholesky, &error),
                     SINEW_ERROR_ARGUMENT);
    def.worker_count = 0;
    assert_int_equal(sn_cholesky_create(&def, &m.sparse, &cholesky, &error), SINEW_ERROR_ARGUMENT);
    def = def_of(3);
    def.keep_double = false;
    def.keep_float = false;
    assert_int_equal(sn_cholesky_create(&def, &m.sparse, &cholesky, &error), SINEW_ERROR_ARGUMENT);
    def.keep_float = true;
    OK(sn_cholesky_create(&def, &m.sparse, &cholesky, why));
    assert_int_equal(sn_cholesky_factor(cholesky, &other.sparse, NULL, &error),
                     SINEW_ERROR_ARGUMENT);
    SnCholeskyWork *work = NULL;
    OK(sn_cholesky_work_create(cholesky, 1, &work, why));
    OK(sn_cholesky_factor(cholesky, &m.sparse, NULL, why));
    double x[3 * 64] = {0.0};
    assert_int_equal(sn_cholesky_solve_double(cholesky, work, NULL, x, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "keeps no double"));
    sn_cholesky_work_destroy(work);
    sn_cholesky_destroy(cholesky);
    sn_test_matrix_free(&m);
    sn_test_matrix_free(&other);
    sn_test_matrix_free(&blocks);
}

// Nested dissection of a 3D grid fills in less than minimum degree once it is large, and the joined
// supernodes must not give that away.
static void the_better_ordering_is_taken(void **state)
{
    (void)state;
    SnTestMatrix m = sn_test_grid(20, 20, 20, 1, 0.5, 2);
    SnCholeskyDef def = def_of(3);
    SnCholesky *cholesky = NULL;
    OK(sn_cholesky_create(&def, &m.sparse, &cholesky, why));
    SnCholeskyInfo info = sn_cholesky_info(cholesky);
    assert_true(info.fill_metis > 0 && info.fill_amd > 0);
    int64_t least = info.fill_metis < info.fill_amd ? info.fill_metis : info.fill_amd;
    assert_true(info.fill == least);
    assert_true(info.ordering ==
                (info.fill_metis <= info.fill_amd ? SN_ORDERING_METIS : SN_ORDERING_AMD));
    assert_true(info.stored >= info.fill);
    sn_cholesky_destroy(cholesky);
    sn_test_matrix_free(&m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(grids_agree_with_cholmod),
    cmocka_unit_test(random_graphs_agree_with_cholmod),
    cmocka_unit_test(a_given_permutation_is_obeyed_and_checked),
    cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
    cmocka_unit_test(portable_kernels_give_the_same_bits_on_every_instruction_set),
    cmocka_unit_test(refactoring_equals_factoring_anew),
    cmocka_unit_test(a_matrix_that_is_not_definite_names_the_row),
    cmocka_unit_test(an_indefinite_grid_is_refused),
    cmocka_unit_test(each_allocation_may_fail),
    cmocka_unit_test(wrong_defs_and_matrices_are_refused),
    cmocka_unit_test(the_better_ordering_is_taken),
};
SN_TEST_GROUP(solve_cholesky, tests);
