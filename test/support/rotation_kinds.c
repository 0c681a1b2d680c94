#include "support/rotation_kinds.h"

#include "base/hash.h"
#include "base/memory.h"
#include "math/mat3.h"
#include "workload_rotation.h"

static const double pi = 3.14159265358979323846;

static const char *const names[ROTATION_KIND_COUNT] = {
    "near identity", "tetrahedron", "general", "condition", "flat",     "reflection",
    "rank 1",        "rank 2",      "zero",    "scale",     "half turn"};

const char *rotation_kind_name(RotationKind kind)
{
    return names[kind];
}

// Near enough to Gaussian, from additions alone.
static double random_normal(SnRandom *random)
{
    double sum = -6.0;
    for (int k = 0; k < 12; ++k) {
        sum += sn_random_unit(random);
    }
    return sum;
}

static void random_general(SnRandom *random, double scale, double out_F[9])
{
    for (int k = 0; k < 9; ++k) {
        out_F[k] = scale * random_normal(random);
    }
}

// U diag(sigma) V^T with random rotations.
static void random_stretch(SnRandom *random, double s0, double s1, double s2, double out_F[9])
{
    const double sigma[3] = {s0, s1, s2};
    double U[9];
    double V[9];
    sn_random_rotation(random, pi, U);
    sn_random_rotation(random, pi, V);
    for (int k = 0; k < 9; ++k) {
        U[k] *= sigma[k % 3];
    }
    sn_mat3_multiply_transpose(U, V, out_F);
}

// A turn by 180 degrees, 2 n n^T - I, of a symmetric positive stretch.
static void random_half_turn(SnRandom *random, double out_F[9])
{
    double n[3];
    double turn[9];
    double V[9];
    double S[9];
    double scaled[9];
    sn_random_direction(random, n);
    for (int k = 0; k < 9; ++k) {
        turn[k] = 2.0 * n[k / 3] * n[k % 3] - (k % 4 == 0 ? 1.0 : 0.0);
    }
    sn_random_rotation(random, pi, V);
    const double sigma[3] = {sn_random_between(random, 0.5, 2.0),
                             sn_random_between(random, 0.5, 2.0),
                             sn_random_between(random, 0.5, 2.0)};
    for (int k = 0; k < 9; ++k) {
        scaled[k] = V[k] * sigma[k % 3];
    }
    sn_mat3_multiply_transpose(scaled, V, S);
    sn_mat3_multiply(turn, S, out_F);
}

void rotation_kind_matrix(RotationKind kind, SnRandom *random, double out_F[9])
{
    double a = sn_random_unit(random);
    double b = sn_random_unit(random);
    double small = pow(10.0, -8.0 * a);
    switch (kind) {
    case ROTATION_NEAR_IDENTITY:
        random_general(random, 0.02, out_F);
        for (int k = 0; k < 9; k += 4) {
            out_F[k] += 1.0;
        }
        break;
    case ROTATION_TETRAHEDRON:
        sn_workload_tet_matrix(random, out_F);
        break;
    case ROTATION_CONDITION:
        random_stretch(random, 1.0, pow(10.0, -4.0 * a), 1e-4, out_F);
        break;
    case ROTATION_FLAT:
        random_stretch(random, 1.0, small, b * small, out_F);
        break;
    case ROTATION_REFLECTION:
        random_stretch(random, 1.0, 1.0 - 0.9 * a, -b * (1.0 - 0.9 * a), out_F);
        break;
    case ROTATION_RANK1:
        random_stretch(random, 1.0, 0.0, 0.0, out_F);
        break;
    case ROTATION_RANK2:
        random_stretch(random, 1.0, 1.0 - 0.9 * a, 0.0, out_F);
        break;
    case ROTATION_ZERO:
        memset(out_F, 0, 9 * sizeof *out_F);
        break;
    case ROTATION_SCALE:
        random_general(random, pow(10.0, 36.0 * a - 18.0), out_F);
        break;
    case ROTATION_HALF_TURN:
        random_half_turn(random, out_F);
        break;
    default:
        random_general(random, 1.0, out_F);
        break;
    }
}

static float *planes(int count, int stride)
{
    return sn_alloc_zero(NULL, (size_t)count * (size_t)stride, sizeof(float));
}

static void make_outputs(SnRotationBatch *batch)
{
    batch->q = planes(4, batch->stride);
    batch->R = planes(9, batch->stride);
    batch->U = planes(9, batch->stride);
    batch->sigma = planes(3, batch->stride);
    batch->V = planes(9, batch->stride);
    rotation_batch_reset(batch);
}

// Six components of V diag V^T, times a cell's size to the fifth power.
static void random_moment(SnRandom *random, double out_M[6])
{
    static const int place[6] = {0, 4, 8, 1, 2, 5};
    double V[9];
    double scaled[9];
    double M[9];
    sn_random_rotation(random, pi, V);
    const double eigenvalues[3] = {1.0, sn_random_between(random, 1.0, 3.0), 3.0};
    double size = pow(10.0, sn_random_between(random, -15.0, 5.0));
    for (int k = 0; k < 9; ++k) {
        scaled[k] = V[k] * eigenvalues[k % 3] * size;
    }
    sn_mat3_multiply_transpose(scaled, V, M);
    for (int k = 0; k < 6; ++k) {
        out_M[k] = M[place[k]];
    }
}

SnRotationBatch rotation_batch_make(RotationKind kind, uint64_t seed, int count)
{
    SnRotationBatch batch = {.count = count, .iterations = 10};
    batch.stride = (int)sn_round_up((size_t)count, 16);
    float *F = planes(9, batch.stride);
    float *M = planes(6, batch.stride);
    SnRandom random = {seed};
    double matrix[9];
    double moment[6];
    for (int i = 0; i < batch.stride; ++i) {
        if (i < count) {
            rotation_kind_matrix(kind, &random, matrix);
            random_moment(&random, moment);
        }
        for (int k = 0; k < 9; ++k) {
            F[(size_t)k * (size_t)batch.stride + (size_t)i] = (float)matrix[k];
        }
        for (int k = 0; k < 6; ++k) {
            M[(size_t)k * (size_t)batch.stride + (size_t)i] = (float)moment[k];
        }
    }
    batch.F = F;
    batch.M = M;
    make_outputs(&batch);
    return batch;
}

SnRotationBatch rotation_batch_twin(const SnRotationBatch *batch)
{
    SnRotationBatch twin = *batch;
    make_outputs(&twin);
    return twin;
}

void rotation_batch_reset(const SnRotationBatch *batch)
{
    size_t stride = (size_t)batch->stride;
    memset(batch->q, 0, 4 * stride * sizeof *batch->q);
    for (size_t i = 0; i < stride; ++i) {
        batch->q[3 * stride + i] = 1.0f;
    }
}

void rotation_batch_free_outputs(SnRotationBatch *batch)
{
    sn_free(NULL, batch->q);
    sn_free(NULL, batch->R);
    sn_free(NULL, batch->U);
    sn_free(NULL, batch->sigma);
    sn_free(NULL, batch->V);
}

void rotation_batch_free(SnRotationBatch *batch)
{
    rotation_batch_free_outputs(batch);
    sn_free(NULL, (void *)(uintptr_t)batch->F);
    sn_free(NULL, (void *)(uintptr_t)batch->M);
}

const char *const rotation_kernel_names[ROTATION_KERNEL_COUNT] = {
    "rotation_svd", "rotation_apd", "rotation_polar", "rotation_qr", "rotation_energy"};

SnRotationFn *rotation_kernel_of(const SnKernels *kernels, int kernel)
{
    SnRotationFn *const row[ROTATION_KERNEL_COUNT] = {kernels->rotation_svd, kernels->rotation_apd,
                                                      kernels->rotation_polar, kernels->rotation_qr,
                                                      kernels->rotation_energy};
    return row[kernel];
}

static uint64_t hash_planes(uint64_t hash, const SnRotationBatch *batch, const float *values,
                            int planes_count)
{
    for (int k = 0; k < planes_count; ++k) {
        hash = sn_hash(hash, values + (size_t)k * (size_t)batch->stride,
                       (size_t)batch->count * sizeof *values);
    }
    return hash;
}

uint64_t rotation_batch_hash(const SnRotationBatch *batch)
{
    uint64_t hash = SN_HASH_START;
    hash = hash_planes(hash, batch, batch->q, 4);
    hash = hash_planes(hash, batch, batch->R, 9);
    hash = hash_planes(hash, batch, batch->U, 9);
    hash = hash_planes(hash, batch, batch->sigma, 3);
    return hash_planes(hash, batch, batch->V, 9);
}
