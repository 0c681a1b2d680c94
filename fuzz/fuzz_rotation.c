// Fuzzes the rotation kernels: the input's bytes are the entries of matrices, as they come. Every
// finite matrix must give a rotation, by every kernel of every instruction set that runs here, and
// the portable variants must give the bits of the reference.
#include "base/memory.h"
#include "kernel/kernel_table.h"

#include <math.h>
#include <string.h>

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

enum { COUNT_MAX = 48, STRIDE = 48, KERNELS = 5 };

// Planes of a batch, and those that a kernel writes.
typedef struct Planes {
    _Alignas(SN_ALIGNMENT) float F[9 * STRIDE];
    _Alignas(SN_ALIGNMENT) float M[6 * STRIDE];
    _Alignas(SN_ALIGNMENT) float start[4 * STRIDE];
} Planes;

typedef struct Result {
    _Alignas(SN_ALIGNMENT) float q[4 * STRIDE];
    _Alignas(SN_ALIGNMENT) float R[9 * STRIDE];
    _Alignas(SN_ALIGNMENT) float U[9 * STRIDE];
    _Alignas(SN_ALIGNMENT) float sigma[3 * STRIDE];
    _Alignas(SN_ALIGNMENT) float V[9 * STRIDE];
} Result;

// Fills the planes and returns the number of matrices. Lanes past it hold no numbers, since what
// they hold must not matter.
static int read_planes(const uint8_t *data, size_t size, Planes *planes)
{
    enum { BYTES = 9 * sizeof(float) + 6 + 4 };
    int count = (int)(size / BYTES > COUNT_MAX ? COUNT_MAX : size / BYTES);
    for (int i = 0; i < 9 * STRIDE; ++i) {
        planes->F[i] = NAN;
    }
    for (int i = 0; i < count; ++i, data += BYTES) {
        const uint8_t *bytes = data + 9 * sizeof(float);
        for (int k = 0; k < 9; ++k) {
            float entry;
            memcpy(&entry, data + (size_t)k * sizeof entry, sizeof entry);
            planes->F[k * STRIDE + i] = isfinite(entry) ? entry : 0.0f;
        }
        // A second moment is positive definite: a diagonal from 1 to 2, and less beside it.
        for (int k = 0; k < 6; ++k) {
            float unit = (float)bytes[k] / 255.0f;
            planes->M[k * STRIDE + i] = k < 3 ? 1.0f + unit : 0.4f * (unit - 0.5f);
        }
        // The rotation to start from: of length one, whatever the bytes.
        float q[4];
        float square = 0.0f;
        for (int k = 0; k < 4; ++k) {
            q[k] = (float)bytes[6 + k] - 127.5f;
            square += q[k] * q[k];
        }
        for (int k = 0; k < 4; ++k) {
            planes->start[k * STRIDE + i] = q[k] / sqrtf(square);
        }
    }
    return count;
}

// Far above rounding, which leaves some 1e-6, and far below any wrong answer.
static const double tolerance = 1e-4;

static void expect_orthogonal(const float *planes, int i, bool proper)
{
    double A[3][3];
    for (int k = 0; k < 9; ++k) {
        A[k / 3][k % 3] = (double)planes[k * STRIDE + i];
    }
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            double dot = A[r][0] * A[c][0] + A[r][1] * A[c][1] + A[r][2] * A[c][2];
            EXPECT(fabs(dot - (r == c)) <= tolerance);
        }
    }
    double det = A[0][0] * (A[1][1] * A[2][2] - A[1][2] * A[2][1]) -
                 A[0][1] * (A[1][0] * A[2][2] - A[1][2] * A[2][0]) +
                 A[0][2] * (A[1][0] * A[2][1] - A[1][1] * A[2][0]);
    EXPECT(!proper || det > 0.0);
}

// The quaternion has length one and is the same rotation as the matrix.
static void expect_same_rotation(const Result *result, int i)
{
    double q[4];
    for (int k = 0; k < 4; ++k) {
        q[k] = (double)result->q[k * STRIDE + i];
    }
    double x = q[0];
    double y = q[1];
    double z = q[2];
    double w = q[3];
    const double R[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y),
    };
    EXPECT(fabs(x * x + y * y + z * z + w * w - 1.0) <= tolerance);
    for (int k = 0; k < 9; ++k) {
        EXPECT(fabs(R[k] - (double)result->R[k * STRIDE + i]) <= 4 * tolerance);
    }
}

// Runs kernel number `kernel` of a row over the planes.
static void run_kernel(const SnKernels *kernels, int kernel, const Planes *planes, int count,
                       Result *result)
{
    SnRotationFn *const all[KERNELS] = {kernels->rotation_svd, kernels->rotation_apd,
                                        kernels->rotation_polar, kernels->rotation_qr,
                                        kernels->rotation_energy};
    memset(result, 0, sizeof *result);
    memcpy(result->q, planes->start, sizeof result->q);
    SnRotationBatch batch = {
        .count = count,
        .stride = STRIDE,
        .iterations = 2,
        .F = planes->F,
        .M = planes->M,
        .q = result->q,
        .R = result->R,
        .U = kernel == 0 ? result->U : NULL,
        .sigma = kernel == 0 ? result->sigma : NULL,
        .V = kernel == 0 ? result->V : NULL,
    };
    all[kernel](&batch, 0, count);
}

static void expect_rotations(const Result *result, int kernel, int count)
{
    for (int i = 0; i < count; ++i) {
        expect_orthogonal(result->R, i, true);
        expect_same_rotation(result, i);
        if (kernel == 0) {
            expect_orthogonal(result->U, i, false);
            expect_orthogonal(result->V, i, false);
            // Equal ones may come in any order of their last bits.
            double slack = 1e-5 * (double)result->sigma[i];
            double second = (double)result->sigma[STRIDE + i];
            EXPECT((double)result->sigma[i] + slack >= second);
            EXPECT(second + slack >= fabs((double)result->sigma[2 * STRIDE + i]));
        }
    }
}

static void expect_same_bits(const Result *left, const Result *right, int count)
{
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < 4; ++k) {
            EXPECT(memcmp(&left->q[k * STRIDE + i], &right->q[k * STRIDE + i], 4) == 0);
        }
        for (int k = 0; k < 9; ++k) {
            EXPECT(memcmp(&left->R[k * STRIDE + i], &right->R[k * STRIDE + i], 4) == 0);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Planes planes;
    static Result reference;
    static Result result;
    int count = read_planes(data, size, &planes);
    for (int kernel = 0; kernel < KERNELS && count > 0; ++kernel) {
        run_kernel(sn_kernels_of(SN_ISA_REF, SN_PORTABLE_BITS), kernel, &planes, count, &reference);
        expect_rotations(&reference, kernel, count);
        for (int i = 0; i < SN_ISA_COUNT; ++i) {
            SnIsa isa = (SnIsa)i;
            if (!sn_isa_runs(isa)) {
                continue;
            }
            run_kernel(sn_kernels_of(isa, SN_FAST_BITS), kernel, &planes, count, &result);
            expect_rotations(&result, kernel, count);
            run_kernel(sn_kernels_of(isa, SN_PORTABLE_BITS), kernel, &planes, count, &result);
            expect_same_bits(&result, &reference, count);
        }
    }
    return 0;
}
