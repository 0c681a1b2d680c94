// rotation.*: every rotation kernel in every row of the table, on the 800,000 matrices of [B] table
// 4, with its error against the reference in double precision.
//
// Timed is one call for the whole batch, all input and output in memory. `apd` and `energy` start
// from the unit quaternion, which is written back before each run, outside the clock; so q, a
// quarter of what they read, is fresher in the caches than F. Bytes count the planes that a kernel
// reads and writes, each once. Memory is the library's own, on pages of whatever size it gets.
#include "bench/bench.h"
#include "bench/workload_rotation.h"
#include "math/mat3.h"
#include "math/rotation_reference.h"

#include <math.h>
#include <string.h>

enum {
    MATRICES = 800000,
    MATRICES_QUICK = 80000,
    MATRICES_CACHED = 8000, // 416 KB of F and q: in the second cache, not in the first
    GRAIN = 16000           // matrices a worker takes at a time
};

typedef enum Kernel { SVD, APD, POLAR, QR, ENERGY } Kernel;

typedef struct Case {
    const char *name;
    Kernel kernel;
    int iterations;
    bool cached;
    double flops; // a matrix
} Case;

// Operations are counted in the loop as compiled for avx512, fast: two for a fused multiply-add,
// one for an addition, multiplication, division, or root, none for selects and
// comparisons. `apd` and `energy` take 200 a Newton step and `energy` 50 for F M; `svd` 624 in
// twelve Jacobi turns and 400 for the rest; `polar` 130 a step, of which these matrices need three.
static const Case cases[] = {
    {"rotation.apd1", APD, 1, false, 200.0},      {"rotation.apd1_cached", APD, 1, true, 200.0},
    {"rotation.apd2", APD, 2, false, 400.0},      {"rotation.svd", SVD, 1, false, 1024.0},
    {"rotation.polar", POLAR, 1, false, 450.0},   {"rotation.qr", QR, 1, false, 224.0},
    {"rotation.energy", ENERGY, 2, false, 450.0},
};

enum { CASE_COUNT = sizeof cases / sizeof *cases };

// Planes that a kernel may read or write.
enum { PLANES_F = 9, PLANES_M = 6, PLANES_Q = 4, PLANES_MATRIX = 9, PLANES_SIGMA = 3 };

typedef struct Rotation {
    int count;
    int stride;
    float *F;
    float *M;
    float *q;
    float *R;
    float *U;
    float *sigma;
    float *V;
    double *closest;    // rotations closest to F, 9 numbers a matrix
    double *closest_FM; // rotations closest to F M, what `energy` looks for; made when needed
} Rotation;

static SinewStatus list(SnBench *bench, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int c = 0; c < CASE_COUNT; ++c) {
        char name[SN_BENCH_NAME];
        snprintf(name, sizeof name, "%s%s", cases[c].name, bench->quick ? ".80k" : "");
        SN_TRY(sn_bench_add_rows(bench, &sn_bench_rotation, name, true, c, error));
    }
done:
    return status;
}

static SinewStatus alloc_planes(float **out_planes, int planes, int stride, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC(*out_planes, NULL, (size_t)planes * (size_t)stride, error);
done:
    return status;
}

static void close_rotation(void *state)
{
    Rotation *rotation = state;
    if (rotation == NULL) {
        return;
    }
    float *const planes[] = {rotation->F, rotation->M,     rotation->q, rotation->R,
                             rotation->U, rotation->sigma, rotation->V};
    for (int p = 0; p < (int)(sizeof planes / sizeof *planes); ++p) {
        sn_free(NULL, planes[p]);
    }
    sn_free(NULL, rotation->closest);
    sn_free(NULL, rotation->closest_FM);
    sn_free(NULL, rotation);
}

// Second moments of elements of all shapes: A A^T with A the unit matrix and some noise.
static void fill_moments(Rotation *rotation)
{
    SnRandom random = {11};
    for (int i = 0; i < rotation->count; ++i) {
        double A[9];
        for (int k = 0; k < 9; ++k) {
            A[k] = (k % 4 == 0 ? 1.0 : 0.0) + sn_random_between(&random, -0.3, 0.3);
        }
        static const int rows[6] = {0, 1, 2, 0, 0, 1};
        static const int columns[6] = {0, 1, 2, 1, 2, 2};
        for (int k = 0; k < 6; ++k) {
            const double *a = A + 3 * rows[k];
            const double *b = A + 3 * columns[k];
            rotation->M[(size_t)k * (size_t)rotation->stride + (size_t)i] =
                (float)(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
        }
    }
}

static void load_matrix(const float *planes, int count, int stride, int i, double *out)
{
    for (int k = 0; k < count; ++k) {
        out[k] = (double)planes[(size_t)k * (size_t)stride + (size_t)i];
    }
}

static void find_closest(void *context, int begin, int end, int worker)
{
    (void)worker;
    Rotation *rotation = context;
    for (int i = begin; i < end; ++i) {
        double F[9];
        load_matrix(rotation->F, 9, rotation->stride, i, F);
        sn_rotation_reference(F, rotation->closest + 9 * (size_t)i);
    }
}

static void find_closest_FM(void *context, int begin, int end, int worker)
{
    (void)worker;
    Rotation *rotation = context;
    for (int i = begin; i < end; ++i) {
        double F[9];
        double m[6];
        double FM[9];
        load_matrix(rotation->F, 9, rotation->stride, i, F);
        load_matrix(rotation->M, 6, rotation->stride, i, m);
        const double M[9] = {m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2]};
        for (int k = 0; k < 9; ++k) {
            const double *row = F + k / 3 * 3;
            FM[k] = row[0] * M[k % 3] + row[1] * M[3 + k % 3] + row[2] * M[6 + k % 3];
        }
        sn_rotation_reference(FM, rotation->closest_FM + 9 * (size_t)i);
    }
}

static SinewStatus open_rotation(SnBench *bench, void **out_state, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Rotation *rotation = NULL;
    SN_ALLOC_ZERO(rotation, NULL, 1, error);
    *out_state = rotation;
    rotation->count = bench->quick ? MATRICES_QUICK : MATRICES;
    // One more line, so that the planes do not start at the same place of a cache's page.
    rotation->stride = rotation->count + 16;
    SN_TRY(alloc_planes(&rotation->F, PLANES_F, rotation->stride, error));
    SN_TRY(alloc_planes(&rotation->M, PLANES_M, rotation->stride, error));
    SN_TRY(alloc_planes(&rotation->q, PLANES_Q, rotation->stride, error));
    SN_TRY(alloc_planes(&rotation->R, PLANES_MATRIX, rotation->stride, error));
    SN_TRY(alloc_planes(&rotation->U, PLANES_MATRIX, rotation->stride, error));
    SN_TRY(alloc_planes(&rotation->sigma, PLANES_SIGMA, rotation->stride, error));
    SN_TRY(alloc_planes(&rotation->V, PLANES_MATRIX, rotation->stride, error));
    SN_ALLOC(rotation->closest, NULL, 9 * (size_t)rotation->count, error);
    SN_ALLOC(rotation->closest_FM, NULL, 9 * (size_t)rotation->count, error);
    sn_workload_rotation(1, rotation->count, rotation->stride, rotation->F);
    fill_moments(rotation);
    sn_parallel_for(bench->workers, rotation->count, 1000, find_closest, rotation);
    sn_parallel_for(bench->workers, rotation->count, 1000, find_closest_FM, rotation);
done:
    return status;
}

// One entry while it runs.
typedef struct Run {
    SnRotationFn *kernel;
    SnRotationBatch batch;
} Run;

static void start_from_unit_quaternions(void *context)
{
    const SnRotationBatch *batch = &((Run *)context)->batch;
    size_t stride = (size_t)batch->stride;
    memset(batch->q, 0, 3 * stride * sizeof *batch->q);
    for (size_t i = 0; i < stride; ++i) {
        batch->q[3 * stride + i] = 1.0f;
    }
}

static void run_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    Run *run = context;
    run->kernel(&run->batch, begin, end);
}

static void run_batch(void *context, SnWorkers *workers)
{
    Run *run = context;
    if (workers == NULL) {
        run->kernel(&run->batch, 0, run->batch.count);
    } else {
        // The cached batch is smaller than a grain; all threads share it all the same.
        int share = run->batch.count / sn_workers_count(workers) / 16 * 16 + 16;
        sn_parallel_for(workers, run->batch.count, share < GRAIN ? share : GRAIN, run_range, run);
    }
}

// What a kernel gets and gives, as the models use it, and the bytes of that.
static void set_up(const Rotation *rotation, const Case *what, const SnKernels *kernels, Run *run,
                   SnBenchWork *work)
{
    SnRotationBatch batch = {.count = rotation->count,
                             .stride = rotation->stride,
                             .iterations = what->iterations,
                             .F = rotation->F};
    if (what->cached) {
        batch.count = MATRICES_CACHED;
        batch.stride = MATRICES_CACHED + 16;
    }
    int read = PLANES_F;
    int written = 0;
    switch (what->kernel) {
    case SVD:
        run->kernel = kernels->rotation_svd;
        batch.R = rotation->R;
        batch.U = rotation->U;
        batch.sigma = rotation->sigma;
        batch.V = rotation->V;
        written = 3 * PLANES_MATRIX + PLANES_SIGMA;
        break;
    case APD:
        run->kernel = kernels->rotation_apd;
        batch.q = rotation->q;
        read += PLANES_Q;
        written = PLANES_Q;
        break;
    case POLAR:
        run->kernel = kernels->rotation_polar;
        batch.R = rotation->R;
        written = PLANES_MATRIX;
        break;
    case QR:
        run->kernel = kernels->rotation_qr;
        batch.R = rotation->R;
        written = PLANES_MATRIX;
        break;
    case ENERGY:
        run->kernel = kernels->rotation_energy;
        batch.M = rotation->M;
        batch.q = rotation->q;
        read += PLANES_M + PLANES_Q;
        written = PLANES_Q;
        break;
    }
    run->batch = batch;
    // q is read and written in place; all other outputs are planes of their own.
    int touched = batch.q != NULL ? read : read + written;
    *work = (SnBenchWork){.items = batch.count,
                          .bytes_read = 4.0 * read,
                          .bytes_written = 4.0 * written,
                          .flops = what->flops,
                          .precision = SN_FLOAT,
                          .working_set = 4.0 * touched * batch.count};
}

// The angle that turns one rotation into the other: |R - S| = 2 sqrt(2) sin(angle / 2). The
// difference of matrices keeps small angles exact where their trace would not.
static double angle_between(const double R[9], const double S[9])
{
    double sum = 0.0;
    for (int k = 0; k < 9; ++k) {
        sum += (R[k] - S[k]) * (R[k] - S[k]);
    }
    double half_sine = sqrt(sum / 8.0);
    return 2.0 * asin(half_sine < 1.0 ? half_sine : 1.0) * 180.0 / 3.14159265358979323846;
}

static void add_angles(const SnRotationBatch *batch, const double *closest, SnBenchResult *result)
{
    double sum = 0.0;
    double most = 0.0;
    for (int i = 0; i < batch->count; ++i) {
        double R[9];
        if (batch->R != NULL) {
            load_matrix(batch->R, 9, batch->stride, i, R);
        } else {
            double q[4];
            load_matrix(batch->q, 4, batch->stride, i, q);
            sn_quat_to_mat3(q, R);
        }
        double angle = angle_between(R, closest + 9 * (size_t)i);
        sum += angle;
        most = angle > most ? angle : most;
    }
    sn_bench_figure(result, "error_mean_deg", sum / batch->count);
    sn_bench_figure(result, "error_max_deg", most);
}

// |U Sigma V^T - F| / |F|, Frobenius.
static void add_reconstruction(const SnRotationBatch *batch, SnBenchResult *result)
{
    double sum = 0.0;
    double most = 0.0;
    for (int i = 0; i < batch->count; ++i) {
        double F[9];
        double U[9];
        double sigma[3];
        double V[9];
        load_matrix(batch->F, 9, batch->stride, i, F);
        load_matrix(batch->U, 9, batch->stride, i, U);
        load_matrix(batch->sigma, 3, batch->stride, i, sigma);
        load_matrix(batch->V, 9, batch->stride, i, V);
        double difference = 0.0;
        double size = 0.0;
        for (int k = 0; k < 9; ++k) {
            const double *u = U + k / 3 * 3;
            const double *v = V + k % 3 * 3;
            double d =
                u[0] * sigma[0] * v[0] + u[1] * sigma[1] * v[1] + u[2] * sigma[2] * v[2] - F[k];
            difference += d * d;
            size += F[k] * F[k];
        }
        double relative = sqrt(difference / size);
        sum += relative;
        most = relative > most ? relative : most;
    }
    sn_bench_figure(result, "reconstruction", most);
    sn_bench_figure(result, "reconstruction_mean", sum / batch->count);
}

// A cached batch is a copy of the first matrices, packed at its own stride.
static SinewStatus pack_cached(const Rotation *rotation, SnRotationBatch *batch, float **out_memory,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t stride = (size_t)batch->stride;
    SN_TRY(alloc_planes(out_memory, PLANES_F + PLANES_Q, batch->stride, error));
    for (size_t k = 0; k < PLANES_F; ++k) {
        memcpy(*out_memory + k * stride, rotation->F + k * (size_t)rotation->stride,
               stride * sizeof **out_memory);
    }
    batch->F = *out_memory;
    batch->q = *out_memory + PLANES_F * stride;
done:
    return status;
}

static SinewStatus run_entry(SnBench *bench, void *state, const SnBenchEntry *entry,
                             SnBenchResult *out_result, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const Rotation *rotation = state;
    const Case *what = &cases[entry->index];
    float *cached = NULL;
    Run run;
    SnBenchWork work;
    set_up(rotation, what, entry->kernels, &run, &work);
    if (what->cached) {
        SN_TRY(pack_cached(rotation, &run.batch, &cached, error));
    }
    SnBenchTask task = {.prepare = run.batch.q != NULL ? start_from_unit_quaternions : NULL,
                        .run = run_batch,
                        .context = &run};
    SnBenchTime time = sn_bench_time(bench, entry, &task);
    sn_bench_fill(bench, entry, time, &work, "ns", out_result);
    add_angles(&run.batch, what->kernel == ENERGY ? rotation->closest_FM : rotation->closest,
               out_result);
    if (what->kernel == SVD) {
        add_reconstruction(&run.batch, out_result);
    }
done:
    sn_free(NULL, cached);
    return status;
}

const SnBenchGroup sn_bench_rotation = {.name = "rotation",
                                        .list = list,
                                        .open = open_rotation,
                                        .close = close_rotation,
                                        .run = run_entry};
