// The public solver: sinew/solve.h over solve/cholesky.h.
#include "sinew/solve.h"

#include "solve/cholesky.h"

#include <string.h>

struct SinewFactor {
    SinewAllocator allocator;
    SnWorkers *workers;
    SnCholesky *cholesky;
    SnCholeskyWork *work;
    SnSparse pattern; // of arrays that follow
    int *row_start;
    int *column;
};

SinewFactorDef sinew_factor_def_default(void)
{
    return (SinewFactorDef){.block = 1,
                            .right_sides = 3,
                            .keep_float = 1,
                            .worker_count = 1,
                            .determinism = SINEW_FAST,
                            .struct_size = sizeof(SinewFactorDef)};
}

static SinewStatus check_def(const SinewFactorDef *def, SinewError *error)
{
    if (def == NULL || def->struct_size != sizeof *def) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the def was not made by sinew_factor_def_default()");
    }
    if (def->value == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "the matrix has no value");
    }
    return SINEW_OK;
}

// The pattern is needed again by every update.
static SinewStatus copy_pattern(const SnSparse *matrix, SinewFactor *factor, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int entries = matrix->row_start[matrix->count];
    SN_ALLOC(factor->row_start, &factor->allocator, matrix->count + 1, error);
    SN_ALLOC(factor->column, &factor->allocator, entries, error);
    memcpy(factor->row_start, matrix->row_start, ((size_t)matrix->count + 1) * sizeof(int));
    memcpy(factor->column, matrix->column, (size_t)entries * sizeof(int));
    factor->pattern = (SnSparse){.count = matrix->count,
                                 .block = matrix->block,
                                 .row_start = factor->row_start,
                                 .column = factor->column};
done:
    return status;
}

SinewStatus sinew_factor_create(const SinewFactorDef *def, SinewFactor **out_factor,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewFactor *factor = NULL;
    const SnKernels *kernels = NULL;
    if (out_factor == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "out_factor is NULL");
    }
    *out_factor = NULL;
    SN_TRY(check_def(def, error));
    SnSparse matrix = {.count = def->row_count,
                       .block = def->block,
                       .row_start = def->row_start,
                       .column = def->column,
                       .value = def->value};
    SN_TRY(sn_sparse_check(&matrix, error));
    SN_TRY(sn_kernels_pick(def->determinism == SINEW_PORTABLE ? SN_PORTABLE_BITS : SN_FAST_BITS,
                           &kernels, error));
    SN_ALLOC_ZERO(factor, &def->allocator, 1, error);
    factor->allocator = def->allocator;
    SN_TRY(copy_pattern(&matrix, factor, error));
    SN_TRY(sn_workers_create(&factor->allocator, &def->tasks, def->worker_count, &factor->workers,
                             error));
    SnCholeskyDef inner = {.allocator = &factor->allocator,
                           .kernels = kernels,
                           .ordering =
                               sn_ordering_available() ? SN_ORDERING_BEST : SN_ORDERING_NATURAL,
                           .right_sides = def->right_sides,
                           .worker_count = sn_workers_count(factor->workers),
                           .keep_float = def->keep_float != 0,
                           .keep_double = def->keep_double != 0};
    SN_TRY(sn_cholesky_create(&inner, &factor->pattern, &factor->cholesky, error));
    SN_TRY(sn_cholesky_work_create(factor->cholesky, inner.worker_count, &factor->work, error));
    SN_TRY(sinew_factor_update(factor, def->value, error));
    *out_factor = factor;
    factor = NULL;
done:
    sinew_factor_destroy(factor);
    return status;
}

SinewStatus sinew_factor_update(SinewFactor *factor, const double *value, SinewError *error)
{
    if (factor == NULL || value == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s is NULL",
                       factor == NULL ? "factor" : "value");
    }
    SnSparse matrix = factor->pattern;
    matrix.value = value;
    return sn_cholesky_factor(factor->cholesky, &matrix, factor->workers, error);
}

SinewStatus sinew_factor_solve(SinewFactor *factor, float *x, SinewError *error)
{
    if (factor == NULL || x == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s is NULL", factor == NULL ? "factor" : "x");
    }
    return sn_cholesky_solve_float(factor->cholesky, factor->work, factor->workers, x, error);
}

SinewStatus sinew_factor_solve_double(SinewFactor *factor, double *x, SinewError *error)
{
    if (factor == NULL || x == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s is NULL", factor == NULL ? "factor" : "x");
    }
    return sn_cholesky_solve_double(factor->cholesky, factor->work, factor->workers, x, error);
}

SinewFactorInfo sinew_factor_info(const SinewFactor *factor)
{
    SnCholeskyInfo info = sn_cholesky_info(factor->cholesky);
    return (SinewFactorInfo){
        .entries = info.fill, .numbers_read = info.solve_reads, .bytes = info.bytes};
}

void sinew_factor_destroy(SinewFactor *factor)
{
    if (factor == NULL) {
        return;
    }
    SinewAllocator allocator = factor->allocator;
    sn_cholesky_work_destroy(factor->work);
    sn_cholesky_destroy(factor->cholesky);
    sn_workers_destroy(factor->workers);
    sn_free(&allocator, factor->column);
    sn_free(&allocator, factor->row_start);
    sn_free(&allocator, factor);
}
