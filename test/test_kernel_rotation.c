// The rotation kernels against a double-precision reference, and against each other.
#include "support/rotation_kinds.h"
#include "support/test.h"

#include "base/hash.h"
#include "base/workers.h"
#include "math/mat3.h"
#include "math/rotation_reference.h"

#include <float.h>
#include <math.h>

// Matrices of each kind in the test that measures errors: a million, or a share of that in slow
// builds, in batches that leave a tail in the last register.
enum { BATCH = 4003 };
#define BATCHES sn_test_share(250)

// A unit in the last place of a float near one is 6e-8 to 1.2e-7. A column of U, V or R is three
// products long after a chain of about ten roundings, so |R^T R - I| stays below 30 of them. It is
// 1.4e-6 at most, and 2.04e-6 where reciprocals and roots are a unit off (SINEW_DISTURB).
static const double rotation_tolerance = 3e-6;

enum { SVD, APD, POLAR, QR, ENERGY };

static void get(const float *planes, int components, int stride, int i, double *out)
{
    for (int k = 0; k < components; ++k) {
        out[k] = (double)planes[(size_t)k * (size_t)stride + (size_t)i];
    }
}

// What the reference knows of a matrix that a kernel is to be compared on.
typedef struct Truth {
    double A[9]; // F, or F M for `energy`
    double size; // |A|
    double R[9];
    double sigma_sum; // tr(R^T A), the most a rotation can reach
    double condition; // infinite where R is not unique
} Truth;

static void truth_set(Truth *truth)
{
    double U[9];
    double sigma[3];
    double V[9];
    sn_svd_reference(truth->A, U, sigma, V);
    sn_mat3_multiply_transpose(U, V, truth->R);
    truth->size = sn_mat3_norm(truth->A);
    truth->sigma_sum = sigma[0] + sigma[1] + sigma[2];
    truth->condition = sn_rotation_condition(sigma);
}

static Truth truth_of(const SnRotationBatch *b, int i)
{
    Truth truth;
    get(b->F, 9, b->stride, i, truth.A);
    truth_set(&truth);
    return truth;
}

static Truth truth_by_energy(const SnRotationBatch *b, int i)
{
    double F[9];
    double six[6];
    get(b->F, 9, b->stride, i, F);
    get(b->M, 6, b->stride, i, six);
    const double M[9] = {six[0], six[3], six[4], six[3], six[1], six[5], six[4], six[5], six[2]};
    Truth truth;
    sn_mat3_multiply(F, M, truth.A);
    truth_set(&truth);
    return truth;
}

// The largest of each error over the matrices of a kind.
typedef struct Errors {
    double rotation;       // |R^T R - I|
    double quaternion;     // | |q| - 1 |, and the difference between R and R(q)
    double trace;          // how much less tr(R^T A) is than the most possible, over |A|
    double distance;       // |R - R*| over the condition
    double reconstruction; // |U S V^T - F| / |F|
    double sum_reconstruction;
    int count;
    double factors;  // |U^T U - I|, |V^T V - I|
    double disorder; // 1 where singular values do not decrease
    double triangle; // `qr`: part of R^T F below the diagonal, over |F|
} Errors;

static double larger(double a, double b)
{
    return b > a || isnan(b) ? b : a; // a NaN is an error, not a small number
}

// Every kernel: R is a rotation and q is the same one.
static void add_rotation_errors(const SnRotationBatch *b, int i, Errors *e)
{
    double R[9];
    double q[4];
    double R_of_q[9];
    get(b->R, 9, b->stride, i, R);
    get(b->q, 4, b->stride, i, q);
    e->rotation = larger(e->rotation, sn_mat3_rotation_error(R));
    e->quaternion = larger(e->quaternion, fabs(sn_quat_norm(q) - 1.0));
    sn_quat_to_mat3(q, R_of_q);
    e->quaternion = larger(e->quaternion, sn_mat3_distance(R, R_of_q));
}

// All but `qr`: R is the closest rotation.
static void add_distance_errors(const SnRotationBatch *b, int i, const Truth *truth, Errors *e)
{
    double R[9];
    double product[9];
    get(b->R, 9, b->stride, i, R);
    if (truth->size > 0.0) {
        sn_mat3_transpose_multiply(R, truth->A, product);
        double missing = truth->sigma_sum - sn_mat3_trace(product);
        e->trace = larger(e->trace, missing / truth->size);
    }
    if (truth->condition < 1e4) {
        e->distance = larger(e->distance, sn_mat3_distance(R, truth->R) / (1.0 + truth->condition));
    }
}

static void add_svd_errors(const SnRotationBatch *b, int i, const Truth *truth, Errors *e)
{
    double U[9];
    double sigma[3];
    double V[9];
    double product[9];
    get(b->U, 9, b->stride, i, U);
    get(b->sigma, 3, b->stride, i, sigma);
    get(b->V, 9, b->stride, i, V);
    e->factors = larger(e->factors, sn_mat3_rotation_error(U));
    e->factors = larger(e->factors, sn_mat3_rotation_error(V));
    bool ordered = sigma[0] >= sigma[1] && sigma[1] >= fabs(sigma[2]);
    e->disorder = larger(e->disorder, ordered ? 0.0 : 1.0);
    for (int k = 0; k < 9; ++k) {
        U[k] *= sigma[k % 3];
    }
    sn_mat3_multiply_transpose(U, V, product);
    double error = sn_mat3_distance(product, truth->A);
    error = truth->size > 0.0 ? error / truth->size : error;
    e->reconstruction = larger(e->reconstruction, error);
    e->sum_reconstruction += error;
}

static void add_triangle_errors(const SnRotationBatch *b, int i, const Truth *truth, Errors *e)
{
    double R[9];
    double product[9];
    get(b->R, 9, b->stride, i, R);
    sn_mat3_transpose_multiply(R, truth->A, product);
    double below =
        sqrt(product[3] * product[3] + product[6] * product[6] + product[7] * product[7]);
    e->triangle = larger(e->triangle, truth->size > 0.0 ? below / truth->size : 0.0);
}

static void add_errors(const SnRotationBatch *b, int kernel, const Truth *truths, Errors *e)
{
    e->count += b->count;
    for (int i = 0; i < b->count; ++i) {
        add_rotation_errors(b, i, e);
        if (kernel == QR) {
            add_triangle_errors(b, i, &truths[i], e);
        } else {
            add_distance_errors(b, i, &truths[i], e);
        }
        if (kernel == SVD) {
            add_svd_errors(b, i, &truths[i], e);
        }
    }
}

static void check_errors(const Errors *e)
{
    assert_at_most(e->rotation, rotation_tolerance);
    // q and R come from each other with one more rounding each.
    assert_at_most(e->quaternion, rotation_tolerance);
    // tr(R^T A) is flat at its top: what is missing is the square of the error in R, and rounding.
    assert_at_most(e->trace, 2e-6);
    // Rounding F alone moves R by 6e-8 |F| times the condition; a dozen roundings follow.
    assert_at_most(e->distance, 1e-6);
    assert_at_most(e->factors, rotation_tolerance);
    assert_at_most(e->disorder, 0.0);
    // The accuracy that doc/rotations.md promises: four sweeps leave nothing but rounding.
    assert_at_most(e->reconstruction, 1.5e-6);
    assert_at_most(e->sum_reconstruction / e->count, 3e-7);
    // Two passes of orthogonalisation, a dozen roundings.
    assert_at_most(e->triangle, 2e-6);
}

// Rows of the kernel table that run here and differ: all portable ones give the same bits, which
// another test shows, so the widest stands for them.
enum { ROWS_MOST = SN_ISA_COUNT + 1 };

static int rows_to_measure(const SnKernels *rows[ROWS_MOST])
{
    int count = 0;
    const SnKernels *widest = NULL;
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        if (sn_isa_runs((SnIsa)isa)) {
            widest = sn_kernels_of((SnIsa)isa, SN_PORTABLE_BITS);
            if (sn_kernels_of((SnIsa)isa, SN_FAST_BITS) != widest) {
                rows[count++] = sn_kernels_of((SnIsa)isa, SN_FAST_BITS);
            }
        }
    }
    rows[count++] = widest;
    return count;
}

static void measure_kind(RotationKind kind, int row_count, const SnKernels **rows,
                         Errors errors[ROWS_MOST][ROTATION_KERNEL_COUNT])
{
    Truth *plain = malloc(BATCH * sizeof *plain);
    Truth *by_energy = malloc(BATCH * sizeof *by_energy);
    int parts = kind == ROTATION_ZERO ? row_count : BATCHES; // zeros are all the same
    for (int part = 0; part < parts; ++part) {
        SnRotationBatch b = rotation_batch_make(kind, 100u + (unsigned)part, BATCH);
        for (int i = 0; i < BATCH; ++i) {
            plain[i] = truth_of(&b, i);
            by_energy[i] = truth_by_energy(&b, i);
        }
        for (int kernel = 0; kernel < ROTATION_KERNEL_COUNT; ++kernel) {
            // The rows take turns, so that each kernel sees the million once.
            int row = part % row_count;
            rotation_batch_reset(&b);
            rotation_kernel_of(rows[row], kernel)(&b, 0, BATCH);
            add_errors(&b, kernel, kernel == ENERGY ? by_energy : plain, &errors[row][kernel]);
        }
        rotation_batch_free(&b);
    }
    free(plain);
    free(by_energy);
}

// Ten Newton steps from the identity for `apd` and `energy`.
static void kernels_find_the_closest_rotation(void **state)
{
    (void)state;
    const SnKernels *rows[ROWS_MOST];
    int row_count = rows_to_measure(rows);
    for (int kind = 0; kind < ROTATION_KIND_COUNT; ++kind) {
        Errors errors[ROWS_MOST][ROTATION_KERNEL_COUNT] = {0};
        measure_kind((RotationKind)kind, row_count, rows, errors);
        for (int row = 0; row < row_count; ++row) {
            for (int kernel = 0; kernel < ROTATION_KERNEL_COUNT; ++kernel) {
                const Errors *e = &errors[row][kernel];
                if (getenv("SINEW_TEST_FIGURES") != NULL) {
                    printf("%-14s %-16s %s %-8s rotation %.1e q %.1e trace %.1e R %.1e usv %.1e "
                           "mean %.1e uv %.1e triangle %.1e\n",
                           rotation_kind_name((RotationKind)kind), rotation_kernel_names[kernel],
                           rows[row]->isa, rows[row]->variant, e->rotation, e->quaternion, e->trace,
                           e->distance, e->reconstruction, e->sum_reconstruction / e->count,
                           e->factors, e->triangle);
                }
                check_errors(e);
            }
        }
    }
}

// Portable variants on every instruction set that runs here: the bits of the reference.
static void portable_kernels_have_the_bits_of_the_reference(void **state)
{
    (void)state;
    for (int kind = 0; kind < ROTATION_KIND_COUNT; ++kind) {
        SnRotationBatch b = rotation_batch_make((RotationKind)kind, 7, 5003);
        for (int kernel = 0; kernel < ROTATION_KERNEL_COUNT; ++kernel) {
            uint64_t first = 0;
            for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
                if (sn_isa_runs((SnIsa)isa)) {
                    const SnKernels *row = sn_kernels_of((SnIsa)isa, SN_PORTABLE_BITS);
                    rotation_batch_reset(&b);
                    rotation_kernel_of(row, kernel)(&b, 0, b.count);
                    uint64_t hash = rotation_batch_hash(&b);
                    first = isa == SN_ISA_REF ? hash : first;
                    if (hash != first) {
                        fail_msg("%s on %s differs from ref for %s matrices",
                                 rotation_kernel_names[kernel], row->isa,
                                 rotation_kind_name((RotationKind)kind));
                    }
                }
            }
        }
        rotation_batch_free(&b);
    }
}

// Numbers at the ends of the range of floats, and those past it.
static const float extremes[] = {0.0f,    -0.0f,    1.0f,     -1.0f,     1e-18f,
                                 -1e18f,  FLT_MIN,  -FLT_MIN, 0x1p-149f, -0x3p-140f,
                                 FLT_MAX, -FLT_MAX, 3e38f,    1e-30f};

// Matrices whose entries are drawn from the extremes, so that all sizes meet in one.
static void extreme_matrices_give_rotations(void **state)
{
    (void)state;
    SnRotationBatch b = rotation_batch_make(ROTATION_ZERO, 1, 20003);
    SnRandom random = {3};
    float *F = (float *)(uintptr_t)b.F;
    for (int i = 0; i < 9 * b.stride; ++i) {
        F[i] = extremes[sn_random_bits(&random) % SN_COUNT(extremes)];
    }
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        for (int mode = 0; mode < 2 && sn_isa_runs((SnIsa)isa); ++mode) {
            const SnKernels *row = sn_kernels_of((SnIsa)isa, (SnDeterminism)mode);
            for (int kernel = 0; kernel < ROTATION_KERNEL_COUNT; ++kernel) {
                Errors e = {0};
                rotation_batch_reset(&b);
                rotation_kernel_of(row, kernel)(&b, 0, b.count);
                for (int i = 0; i < b.count; ++i) {
                    add_rotation_errors(&b, i, &e);
                }
                assert_at_most(e.rotation, rotation_tolerance);
                assert_at_most(e.quaternion, rotation_tolerance);
            }
        }
    }
    rotation_batch_free(&b);
}

// A matrix with an entry that is not finite gives the identity, and its neighbours do not notice.
static void not_finite_gives_the_identity(void **state)
{
    (void)state;
    static const float poison[] = {NAN, INFINITY, -INFINITY};
    SnRotationBatch clean = rotation_batch_make(ROTATION_GENERAL, 5, 999);
    SnRotationBatch b = rotation_batch_make(ROTATION_GENERAL, 5, 999);
    float *F = (float *)(uintptr_t)b.F;
    for (int i = 0; i < b.count; i += 3) {
        F[i % 9 * b.stride + i] = poison[i / 3 % 3];
    }
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        for (int mode = 0; mode < 2 && sn_isa_runs((SnIsa)isa); ++mode) {
            const SnKernels *row = sn_kernels_of((SnIsa)isa, (SnDeterminism)mode);
            for (int kernel = 0; kernel < ROTATION_KERNEL_COUNT; ++kernel) {
                rotation_batch_reset(&b);
                rotation_batch_reset(&clean);
                rotation_kernel_of(row, kernel)(&b, 0, b.count);
                rotation_kernel_of(row, kernel)(&clean, 0, b.count);
                for (int i = 0; i < 9 * b.count; ++i) {
                    int place = i / b.count * b.stride + i % b.count;
                    float unit = i / b.count % 4 == 0 ? 1.0f : 0.0f;
                    float expected = i % b.count % 3 == 0 ? unit : clean.R[place];
                    // The identity comes out of the usual arithmetic, so to a rounding or two.
                    assert_at_most(fabsf(b.R[place] - expected), i % b.count % 3 == 0 ? 2e-7 : 0.0);
                }
            }
        }
    }
    rotation_batch_free(&b);
    rotation_batch_free(&clean);
}

// Copies matrix `from` of one batch to place `to` of another, inputs alone.
static void copy_input(const SnRotationBatch *source, int from, const SnRotationBatch *target,
                       int to)
{
    float *F = (float *)(uintptr_t)target->F;
    float *M = (float *)(uintptr_t)target->M;
    for (int k = 0; k < 9; ++k) {
        F[k * target->stride + to] = source->F[k * source->stride + from];
    }
    for (int k = 0; k < 6; ++k) {
        M[k * target->stride + to] = source->M[k * source->stride + from];
    }
}

// All kinds mixed, in one order and backwards: each matrix has the same bits in both.
static void a_result_does_not_depend_on_its_neighbours(void **state)
{
    (void)state;
    enum { EACH = 97, ALL = EACH * ROTATION_KIND_COUNT };
    SnRotationBatch forth = rotation_batch_make(ROTATION_ZERO, 1, ALL);
    SnRotationBatch back = rotation_batch_make(ROTATION_ZERO, 1, ALL);
    for (int kind = 0; kind < ROTATION_KIND_COUNT; ++kind) {
        SnRotationBatch b = rotation_batch_make((RotationKind)kind, 17, EACH);
        for (int i = 0; i < EACH; ++i) {
            copy_input(&b, i, &forth, EACH * kind + i);
            copy_input(&b, i, &back, i * ROTATION_KIND_COUNT + kind);
        }
        rotation_batch_free(&b);
    }
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        for (int mode = 0; mode < 2 && sn_isa_runs((SnIsa)isa); ++mode) {
            const SnKernels *row = sn_kernels_of((SnIsa)isa, (SnDeterminism)mode);
            for (int kernel = 0; kernel < ROTATION_KERNEL_COUNT; ++kernel) {
                rotation_batch_reset(&forth);
                rotation_batch_reset(&back);
                rotation_kernel_of(row, kernel)(&forth, 0, ALL);
                rotation_kernel_of(row, kernel)(&back, 0, ALL);
                for (int i = 0; i < ALL; ++i) {
                    int twin = i % EACH * ROTATION_KIND_COUNT + i / EACH;
                    for (int k = 0; k < 9; ++k) {
                        assert_memory_equal(&forth.R[k * forth.stride + i],
                                            &back.R[k * back.stride + twin], sizeof(float));
                    }
                }
            }
        }
    }
    rotation_batch_free(&forth);
    rotation_batch_free(&back);
}

// Counts from one to a few registers, and ranges of a batch: the same bits as all at once.
static void tails_and_ranges_change_nothing(void **state)
{
    (void)state;
    SnRotationBatch whole = rotation_batch_make(ROTATION_GENERAL, 23, 128);
    SnRotationBatch part = rotation_batch_twin(&whole);
    for (int isa = 0; isa < SN_ISA_COUNT; ++isa) {
        for (int mode = 0; mode < 2 && sn_isa_runs((SnIsa)isa); ++mode) {
            const SnKernels *row = sn_kernels_of((SnIsa)isa, (SnDeterminism)mode);
            for (int kernel = 0; kernel < ROTATION_KERNEL_COUNT; ++kernel) {
                SnRotationFn *run = rotation_kernel_of(row, kernel);
                rotation_batch_reset(&whole);
                run(&whole, 0, whole.count);
                for (int count = 1; count <= 70; ++count) {
                    rotation_batch_reset(&part);
                    int middle = count / 2 / 16 * 16;
                    run(&part, 0, middle);
                    run(&part, middle, count);
                    for (int k = 0; k < 9; ++k) {
                        assert_memory_equal(part.R + k * part.stride, whole.R + k * whole.stride,
                                            (size_t)count * sizeof(float));
                    }
                }
            }
        }
    }
    rotation_batch_free_outputs(&part);
    rotation_batch_free(&whole);
}

// [B] table 4: one step from the identity must leave less than 0.05 degrees in the mean, as there.
static void one_newton_step_is_enough_for_the_paper(void **state)
{
    (void)state;
    SnRotationBatch b = rotation_batch_make(ROTATION_TETRAHEDRON, 4, 20003);
    // Measured: 0.0011 degrees after one step and 2e-6, which is rounding, after two.
    static const double most[] = {0.002, 1e-5};
    for (int steps = 1; steps <= 2; ++steps) {
        const SnKernels *rows[ROWS_MOST];
        int row_count = rows_to_measure(rows);
        b.iterations = steps;
        for (int row = 0; row < row_count; ++row) {
            rotation_batch_reset(&b);
            rows[row]->rotation_apd(&b, 0, b.count);
            double sum = 0.0;
            for (int i = 0; i < b.count; ++i) {
                Truth truth = truth_of(&b, i);
                double R[9];
                get(b.R, 9, b.stride, i, R);
                // |R - R*| = 2 sqrt(2) sin(angle / 2).
                double half_sine = sn_mat3_distance(R, truth.R) / sqrt(8.0);
                sum += 2.0 * asin(half_sine) * 57.29577951308232;
            }
            assert_at_most(sum / b.count, most[steps - 1]);
        }
    }
    rotation_batch_free(&b);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(portable_kernels_have_the_bits_of_the_reference),
    cmocka_unit_test(extreme_matrices_give_rotations),
    cmocka_unit_test(not_finite_gives_the_identity),
    cmocka_unit_test(a_result_does_not_depend_on_its_neighbours),
    cmocka_unit_test(tails_and_ranges_change_nothing),
    cmocka_unit_test(one_newton_step_is_enough_for_the_paper),
    cmocka_unit_test(kernels_find_the_closest_rotation),
};

SN_TEST_GROUP(kernel_rotation, tests);
