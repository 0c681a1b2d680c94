#include "model/frames/direct.h"

#include "solve/cholesky.h"

SinewStatus sn_frames_direct_solve(const SnModelDef *model, const SnSparse *A, int columns,
                                   double *X, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t rows = (size_t)A->count * (size_t)A->block;
    SnCholesky *factor = NULL;
    SnCholeskyWork *work = NULL;
    // Builds without orderings take rows as they come, which is row after row of the grid.
    SnCholeskyDef def = {.allocator = model->allocator,
                         .kernels = model->kernels,
                         .ordering =
                             sn_ordering_available() ? SN_ORDERING_BEST : SN_ORDERING_NATURAL,
                         .right_sides = 1,
                         .worker_count = sn_workers_count(model->workers),
                         .keep_double = true};

    SN_TRY(sn_cholesky_create(&def, A, &factor, error));
    SN_TRY(sn_cholesky_work_create(factor, def.worker_count, &work, error));
    SN_TRY(sn_cholesky_factor(factor, A, model->workers, error));
    for (size_t c = 0; c < (size_t)columns; ++c) {
        SN_TRY(sn_cholesky_solve_double(factor, work, model->workers, X + c * rows, error));
    }

done:
    sn_cholesky_work_destroy(work);
    sn_cholesky_destroy(factor);
    return status;
}
