#include "math/rotation.h"

#include <stdbool.h>

// Matrices in one range of the parallel loop: long enough to hide its cost, short enough to share.
enum { GRAIN = 2048 };

enum { ITERATIONS_MOST = 100, METHOD_COUNT = SINEW_ROTATION_ENERGY + 1 };

SnRotationFn *sn_rotation_kernel(const SnKernels *kernels, SinewRotationMethod method)
{
    switch (method) {
    case SINEW_ROTATION_APD:
        return kernels->rotation_apd;
    case SINEW_ROTATION_SVD:
        return kernels->rotation_svd;
    case SINEW_ROTATION_POLAR:
        return kernels->rotation_polar;
    case SINEW_ROTATION_QR:
        return kernels->rotation_qr;
    case SINEW_ROTATION_ENERGY:
        return kernels->rotation_energy;
    }
    return NULL;
}

typedef struct Loop {
    SnRotationFn *kernel;
    const SnRotationBatch *batch;
} Loop;

static void run_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Loop *loop = context;
    loop->kernel(loop->batch, begin, end);
}

void sn_rotations(const SnKernels *kernels, SnWorkers *workers, SinewRotationMethod method,
                  const SnRotationBatch *batch)
{
    Loop loop = {sn_rotation_kernel(kernels, method), batch};
    SN_ASSERT(loop.kernel != NULL);
    sn_parallel_for(workers, batch->count, GRAIN, run_range, &loop);
}

SinewRotationDef sinew_rotation_def_default(void)
{
    return (SinewRotationDef){
        .method = SINEW_ROTATION_APD,
        .iterations = 2,
        .worker_count = 1,
        .determinism = SINEW_FAST,
        .struct_size = sizeof(SinewRotationDef),
    };
}

static bool needs_start(SinewRotationMethod method)
{
    return method == SINEW_ROTATION_APD || method == SINEW_ROTATION_ENERGY;
}

static SinewStatus check_numbers(const SinewRotationDef *def, SinewError *error)
{
    if ((int)def->method < 0 || (int)def->method >= METHOD_COUNT) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "method is %d, expected one of SinewRotationMethod, 0 to %d",
                       (int)def->method, METHOD_COUNT - 1);
    }
    if (needs_start(def->method) && (def->iterations < 1 || def->iterations > ITERATIONS_MOST)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "iterations is %d, expected 1 to %d",
                       def->iterations, ITERATIONS_MOST);
    }
    if (def->count < 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "count is %d, expected zero or more",
                       def->count);
    }
    if (def->stride < def->count || def->stride % 16 != 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "stride is %d for %d matrices, expected a multiple of 16 that is not less",
                       def->stride, def->count);
    }
    if (def->worker_count < 1 || def->worker_count > SN_WORKERS_MAX) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "worker_count is %d, expected 1 to %d",
                       def->worker_count, SN_WORKERS_MAX);
    }
    if (def->determinism != SINEW_FAST && def->determinism != SINEW_PORTABLE) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "determinism is %d, expected SINEW_FAST (0) or SINEW_PORTABLE (1)",
                       (int)def->determinism);
    }
    return SINEW_OK;
}

// How a method stands to a plane.
typedef enum PlaneUse { PLANE_NEEDED, PLANE_OPTIONAL, PLANE_UNUSED } PlaneUse;

static SinewStatus check_plane(const char *name, const float *plane, PlaneUse use,
                               const char *users, SinewError *error)
{
    if (plane == NULL && use == PLANE_NEEDED) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s is NULL, expected a plane for %s", name,
                       users);
    }
    if (plane != NULL && use == PLANE_UNUSED) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s is given, expected NULL: it is for %s",
                       name, users);
    }
    if ((uintptr_t)plane % SN_ALIGNMENT != 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s is %u bytes past a 64-byte boundary, expected to be on one", name,
                       (unsigned)((uintptr_t)plane % SN_ALIGNMENT));
    }
    return SINEW_OK;
}

static SinewStatus check_planes(const SinewRotationDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool start = needs_start(def->method);
    bool energy = def->method == SINEW_ROTATION_ENERGY;
    PlaneUse svd_use = def->method == SINEW_ROTATION_SVD ? PLANE_OPTIONAL : PLANE_UNUSED;
    SN_TRY(check_plane("F", def->F, PLANE_NEEDED, "every method", error));
    SN_TRY(check_plane("M", def->M, energy ? PLANE_NEEDED : PLANE_UNUSED, "method ENERGY", error));
    SN_TRY(check_plane("q", def->q, start ? PLANE_NEEDED : PLANE_OPTIONAL,
                       "the start of methods APD and ENERGY", error));
    SN_TRY(check_plane("R", def->R, PLANE_OPTIONAL, "every method", error));
    SN_TRY(check_plane("U", def->U, svd_use, "method SVD", error));
    SN_TRY(check_plane("sigma", def->sigma, svd_use, "method SVD", error));
    SN_TRY(check_plane("V", def->V, svd_use, "method SVD", error));
    if (def->q == NULL && def->R == NULL && def->U == NULL && def->sigma == NULL &&
        def->V == NULL) {
        status = sn_fail(error, SINEW_ERROR_ARGUMENT,
                         "q, R, U, sigma and V are all NULL, expected something to write");
    }

done:
    return status;
}

static SinewStatus check_def(const SinewRotationDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (def == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "def is NULL, expected a SinewRotationDef");
    }
    if (def->struct_size != sizeof *def) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "struct_size is %u, expected %u: start from sinew_rotation_def_default()",
                       (unsigned)def->struct_size, (unsigned)sizeof *def);
    }
    SN_TRY(check_numbers(def, error));
    if (def->count > 0) {
        SN_TRY(check_planes(def, error));
    }

done:
    return status;
}

SinewStatus sinew_rotations(const SinewRotationDef *def, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWorkers *workers = NULL;
    const SnKernels *kernels = NULL;

    SN_TRY(check_def(def, error));
    SN_TRY(sn_kernels_pick(def->determinism == SINEW_PORTABLE ? SN_PORTABLE_BITS : SN_FAST_BITS,
                           &kernels, error));
    if (def->worker_count > 1) {
        SN_TRY(sn_workers_create(&def->allocator, &def->tasks, def->worker_count, &workers, error));
    }
    SnRotationBatch batch = {
        .count = def->count,
        .stride = def->stride,
        .iterations = def->iterations,
        .F = def->F,
        .M = def->M,
        .q = def->q,
        .R = def->R,
        .U = def->U,
        .sigma = def->sigma,
        .V = def->V,
    };
    sn_rotations(kernels, workers, def->method, &batch);

done:
    sn_workers_destroy(workers);
    return status;
}
