// Public rotations, their references in double precision, and the values kept for validation.
#include "support/rotation_kinds.h"
#include "support/test.h"

#include "base/workers.h"
#include "math/mat3.h"
#include "math/rotation.h"
#include "math/rotation_reference.h"
#include "sinew/sinew.h"

#include <jansson.h>
#include <math.h>

enum { MATRICES = 2003 };

// The reference is measured by what defines it: factors that are rotations, values in order, and
// their product F, to the rounding of doubles.
static void the_reference_decomposes(void **state)
{
    (void)state;
    for (int kind = 0; kind < ROTATION_KIND_COUNT; ++kind) {
        SnRandom random = {(uint64_t)kind};
        for (int i = 0; i < MATRICES; ++i) {
            double F[9];
            double U[9];
            double sigma[3];
            double V[9];
            double product[9];
            rotation_kind_matrix((RotationKind)kind, &random, F);
            sn_svd_reference(F, U, sigma, V);
            assert_at_most(sn_mat3_rotation_error(U), 1e-14);
            assert_at_most(sn_mat3_rotation_error(V), 1e-14);
            // In order, but for values that are nothing beside the largest.
            assert_true(sigma[0] >= sigma[1]);
            assert_at_most(fabs(sigma[2]) - sigma[1], 1e-15 * sigma[0]);
            for (int k = 0; k < 9; ++k) {
                U[k] *= sigma[k % 3];
            }
            sn_mat3_multiply_transpose(U, V, product);
            // Columns are orthogonal to 1e-15, and 30 roundings of 1e-16 follow.
            assert_at_most(sn_mat3_distance(product, F), 4e-15 * sn_mat3_norm(F));
        }
    }
}

// [D sec 3]: Newton on quaternion and multiplier ends where the rotation closest to A does.
static void both_forms_of_the_energy_agree(void **state)
{
    (void)state;
    SnRandom random = {9};
    int agreed = 0;
    for (int i = 0; i < MATRICES; ++i) {
        double A[9];
        double U[9];
        double sigma[3];
        double V[9];
        double R[9];
        double turned[9];
        double q[4] = {0.0, 0.0, 0.0, 1.0};
        rotation_kind_matrix(ROTATION_TETRAHEDRON, &random, A);
        sn_svd_reference(A, U, sigma, V);
        sn_mat3_multiply_transpose(U, V, R);
        assert_true(sn_rotation_energy_reference(A, 20, q) > 0);
        assert_at_most(fabs(sn_quat_norm(q) - 1.0), 1e-14);
        sn_quat_to_mat3(q, turned);
        // Rounding of K, 1e-16 |A|, over the gap of its eigenvalues, which is at least one here.
        assert_at_most(sn_mat3_distance(turned, R), 1e-14);
        agreed++;
    }
    assert_int_equal(agreed, MATRICES);
}

// The same for the kernel: F and M apart, in float.
static void the_energy_kernel_agrees_with_the_paper(void **state)
{
    (void)state;
    SnRotationBatch b = rotation_batch_make(ROTATION_TETRAHEDRON, 31, MATRICES);
    const SnKernels *kernels = NULL;
    assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &kernels, NULL), SINEW_OK);
    b.iterations = 3;
    sn_rotations(kernels, NULL, SINEW_ROTATION_ENERGY, &b);
    for (int i = 0; i < b.count; ++i) {
        double F[9];
        double six[6];
        double R[9];
        double A[9];
        double truth[9];
        double q[4] = {0.0, 0.0, 0.0, 1.0};
        for (int k = 0; k < 9; ++k) {
            F[k] = (double)b.F[k * b.stride + i];
            R[k] = (double)b.R[k * b.stride + i];
        }
        for (int k = 0; k < 6; ++k) {
            six[k] = (double)b.M[k * b.stride + i];
        }
        const double M[9] = {six[0], six[3], six[4], six[3], six[1],
                             six[5], six[4], six[5], six[2]};
        sn_mat3_multiply(F, M, A);
        double size = sn_mat3_norm(A);
        for (int k = 0; k < 9; ++k) {
            A[k] /= size; // the 5x5 system mixes A with unit quaternions
        }
        assert_true(sn_rotation_energy_reference(A, 20, q) > 0);
        sn_quat_to_mat3(q, truth);
        // Float rounding of A, 1e-7, over the gap, at least 0.2 for these moments.
        assert_at_most(sn_mat3_distance(R, truth), 2e-6);
    }
    rotation_batch_free(&b);
}

static SinewRotationDef def_of(const SnRotationBatch *b, SinewRotationMethod method)
{
    SinewRotationDef def = sinew_rotation_def_default();
    bool svd = method == SINEW_ROTATION_SVD;
    def.method = method;
    def.iterations = 3;
    def.count = b->count;
    def.stride = b->stride;
    def.F = b->F;
    def.M = method == SINEW_ROTATION_ENERGY ? b->M : NULL;
    def.q = b->q;
    def.R = b->R;
    def.U = svd ? b->U : NULL;
    def.sigma = svd ? b->sigma : NULL;
    def.V = svd ? b->V : NULL;
    return def;
}

static void any_number_of_workers_gives_the_same_bits(void **state)
{
    (void)state;
    static const int worker_counts[] = {1, 2, 3, 8};
    SnRotationBatch b = rotation_batch_make(ROTATION_GENERAL, 12, 10007);
    for (int method = 0; method <= SINEW_ROTATION_ENERGY; ++method) {
        for (int mode = SINEW_FAST; mode <= SINEW_PORTABLE; ++mode) {
            uint64_t first = 0;
            for (int w = 0; w < SN_COUNT(worker_counts); ++w) {
                SinewRotationDef def = def_of(&b, (SinewRotationMethod)method);
                def.worker_count = worker_counts[w];
                def.determinism = (SinewDeterminism)mode;
                rotation_batch_reset(&b);
                assert_int_equal(sinew_rotations(&def, NULL), SINEW_OK);
                uint64_t hash = rotation_batch_hash(&b);
                first = w == 0 ? hash : first;
                assert_true(hash == first);
            }
        }
    }
    rotation_batch_free(&b);
}

// Outputs that are not asked for change nothing in those that are.
static void outputs_are_optional(void **state)
{
    (void)state;
    SnRotationBatch b = rotation_batch_make(ROTATION_GENERAL, 12, MATRICES);
    SnRotationBatch alone = rotation_batch_twin(&b);
    SinewRotationDef def = def_of(&b, SINEW_ROTATION_SVD);
    assert_int_equal(sinew_rotations(&def, NULL), SINEW_OK);
    def.q = def.U = def.sigma = def.V = NULL;
    def.R = alone.R;
    assert_int_equal(sinew_rotations(&def, NULL), SINEW_OK);
    def.R = NULL;
    def.sigma = alone.sigma;
    assert_int_equal(sinew_rotations(&def, NULL), SINEW_OK);
    for (int k = 0; k < 9; ++k) {
        assert_memory_equal(alone.R + k * b.stride, b.R + k * b.stride, MATRICES * sizeof(float));
    }
    for (int k = 0; k < 3; ++k) {
        assert_memory_equal(alone.sigma + k * b.stride, b.sigma + k * b.stride,
                            MATRICES * sizeof(float));
    }
    rotation_batch_free_outputs(&alone);
    rotation_batch_free(&b);
}

static void assert_refused(const SinewRotationDef *def, const char *sentence)
{
    SinewError error = {.text = ""};
    assert_int_equal(sinew_rotations(def, &error), SINEW_ERROR_ARGUMENT);
    assert_int_equal(error.status, SINEW_ERROR_ARGUMENT);
    assert_string_equal(error.text, sentence);
    assert_int_equal(sinew_rotations(def, NULL), SINEW_ERROR_ARGUMENT);
}

static void bad_numbers_are_refused(void **state)
{
    (void)state;
    SnRotationBatch b = rotation_batch_make(ROTATION_GENERAL, 12, 20);
    SinewRotationDef good = def_of(&b, SINEW_ROTATION_APD);
    assert_refused(NULL, "def is NULL, expected a SinewRotationDef");
    SinewRotationDef def = good;
    def.method = (SinewRotationMethod)5;
    assert_refused(&def, "method is 5, expected one of SinewRotationMethod, 0 to 4");
    def = good;
    def.iterations = 0;
    assert_refused(&def, "iterations is 0, expected 1 to 100");
    def = good;
    def.count = -1;
    assert_refused(&def, "count is -1, expected zero or more");
    def = good;
    def.stride = 24;
    assert_refused(&def,
                   "stride is 24 for 20 matrices, expected a multiple of 16 that is not less");
    def.stride = 16;
    assert_refused(&def,
                   "stride is 16 for 20 matrices, expected a multiple of 16 that is not less");
    def = good;
    def.worker_count = 0;
    assert_refused(&def, "worker_count is 0, expected 1 to 256");
    def = good;
    def.determinism = (SinewDeterminism)7;
    assert_refused(&def, "determinism is 7, expected SINEW_FAST (0) or SINEW_PORTABLE (1)");
    SinewRotationDef zeros;
    memset(&zeros, 0, sizeof zeros);
    SinewError error;
    assert_int_equal(sinew_rotations(&zeros, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "sinew_rotation_def_default()"));
    rotation_batch_free(&b);
}

static void bad_planes_are_refused(void **state)
{
    (void)state;
    SnRotationBatch b = rotation_batch_make(ROTATION_GENERAL, 12, 20);
    SinewRotationDef good = def_of(&b, SINEW_ROTATION_APD);
    SinewRotationDef def = good;
    def.F = NULL;
    assert_refused(&def, "F is NULL, expected a plane for every method");
    def = good;
    def.F = b.F + 1;
    assert_refused(&def, "F is 4 bytes past a 64-byte boundary, expected to be on one");
    def = good;
    def.q = NULL;
    assert_refused(&def, "q is NULL, expected a plane for the start of methods APD and ENERGY");
    def = good;
    def.sigma = b.sigma;
    assert_refused(&def, "sigma is given, expected NULL: it is for method SVD");
    def = good;
    def.method = SINEW_ROTATION_ENERGY;
    assert_refused(&def, "M is NULL, expected a plane for method ENERGY");
    def = good;
    def.method = SINEW_ROTATION_QR;
    def.q = def.R = NULL;
    assert_refused(&def, "q, R, U, sigma and V are all NULL, expected something to write");
    SinewRotationDef empty = sinew_rotation_def_default();
    assert_int_equal(sinew_rotations(&empty, NULL), SINEW_OK);
    rotation_batch_free(&b);
}

// A 3x3 array of arrays.
static void json_matrix(const json_t *rows, double out[9])
{
    for (size_t k = 0; k < 9; ++k) {
        out[k] = json_number_value(json_array_get(json_array_get(rows, k / 3), k % 3));
    }
}

static const json_t *json_case(const json_t *root, const char *id)
{
    size_t index;
    const json_t *item;
    json_array_foreach(json_object_get(root, "cases"), index, item)
    {
        if (strcmp(json_string_value(json_object_get(item, "id")), id) == 0) {
            return item;
        }
    }
    return NULL;
}

// One row with every kernel that finds the closest rotation, by its own float tolerance where the
// rotation is unique, and by the largest trace always.
static void check_row(const json_t *row, const SnKernels *kernels)
{
    double F[9];
    json_matrix(json_object_get(row, "F"), F);
    double most = json_number_value(json_object_get(row, "max_trRtF"));
    SnRotationBatch b = rotation_batch_make(ROTATION_ZERO, 1, 1);
    for (int i = 0; i < 9 * b.stride; ++i) {
        ((float *)(uintptr_t)b.F)[i] = (float)F[i / b.stride];
    }
    static const SinewRotationMethod methods[] = {SINEW_ROTATION_APD, SINEW_ROTATION_SVD,
                                                  SINEW_ROTATION_POLAR};
    for (int m = 0; m < SN_COUNT(methods); ++m) {
        double R[9];
        double product[9];
        rotation_batch_reset(&b);
        sn_rotations(kernels, NULL, methods[m], &b);
        for (int k = 0; k < 9; ++k) {
            R[k] = (double)b.R[k * b.stride];
        }
        assert_at_most(sn_mat3_rotation_error(R), 2e-6);
        sn_mat3_transpose_multiply(R, F, product);
        assert_at_most(most - sn_mat3_trace(product), 2e-6 * sn_mat3_norm(F));
        if (json_is_true(json_object_get(row, "unique"))) {
            double truth[9];
            json_matrix(json_object_get(row, "R"), truth);
            double tolerance = json_number_value(json_object_get(row, "tol_float"));
            for (int k = 0; k < 9; ++k) {
                assert_at_most(fabs(R[k] - truth[k]), tolerance);
            }
        }
    }
    rotation_batch_free(&b);
}

static void validation_case_P06(void **state)
{
    (void)state;
    const char *path = SINEW_VALIDATION_DIR "/cases.json";
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (root == NULL) {
        fail_msg("%s: %s", path, error.text);
    }
    const json_t *rows = json_object_get(json_case(root, "P06_rotation_extraction"), "rows");
    assert_true(json_array_size(rows) > 0);
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        for (int mode = 0; mode < 2 && sn_isa_runs((SnIsa)isa); ++mode) {
            size_t index;
            const json_t *row;
            json_array_foreach(rows, index, row)
            {
                check_row(row, sn_kernels_of((SnIsa)isa, (SnDeterminism)mode));
            }
        }
    }
    json_decref(root);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_reference_decomposes),
    cmocka_unit_test(both_forms_of_the_energy_agree),
    cmocka_unit_test(the_energy_kernel_agrees_with_the_paper),
    cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
    cmocka_unit_test(outputs_are_optional),
    cmocka_unit_test(bad_numbers_are_refused),
    cmocka_unit_test(bad_planes_are_refused),
    cmocka_unit_test(validation_case_P06),
};

SN_TEST_GROUP(math_rotation, tests);
