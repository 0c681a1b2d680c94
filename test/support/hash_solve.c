// The sparse solvers on grids: factor and solves in both precisions, levels.
#include "base/hash.h"
#include "base/random.h"
#include "solve/cholesky.h"
#include "solve/multilevel.h"
#include "support/hash_lines.h"
#include "support/matrices.h"

#include <stdlib.h>

enum { NX = 17, NY = 11, NZ = 9, ROWS = NX * NY * NZ };

// Nested dissection of a box of the grid: both halves, then the plane between them. METIS and AMD
// are not there on every processor, and their answers are not ours to promise.
static void dissect(const int low[3], const int high[3], int *order, int *count)
{
    int axis = 0;
    for (int a = 1; a < 3; ++a) {
        axis = high[a] - low[a] > high[axis] - low[axis] ? a : axis;
    }
    int first[3] = {low[0], low[1], low[2]};
    int last[3] = {high[0], high[1], high[2]};
    if (high[axis] - low[axis] > 2) {
        int middle = (low[axis] + high[axis]) / 2;
        last[axis] = middle;
        dissect(low, last, order, count);
        first[axis] = middle + 1;
        dissect(first, high, order, count);
        first[axis] = middle;
        last[axis] = middle + 1;
    }
    for (int z = first[2]; z < last[2]; ++z) {
        for (int y = first[1]; y < last[1]; ++y) {
            for (int x = first[0]; x < last[0]; ++x) {
                order[(*count)++] = (z * NY + y) * NX + x;
            }
        }
    }
}

static void fill(double *x, int count)
{
    SnRandom random = {77};
    for (int i = 0; i < count; ++i) {
        x[i] = sn_random_between(&random, -1.0, 1.0);
    }
}

// Float and double solves with one factor.
static SinewStatus hash_factor(const SnCholeskyDef *def, const SnSparse *matrix, SnWorkers *workers,
                               double *numbers, uint64_t *out_hash)
{
    SinewStatus status = SINEW_OK;
    SnCholesky *cholesky = NULL;
    SnCholeskyWork *work = NULL;
    int count = ROWS * 3;
    float *narrow = (float *)(numbers + 4 * count);
    SN_TRY(sn_cholesky_create(def, matrix, &cholesky, NULL));
    SN_TRY(sn_cholesky_work_create(cholesky, def->worker_count, &work, NULL));
    SN_TRY(sn_cholesky_factor(cholesky, matrix, workers, NULL));
    fill(numbers, count);
    for (int i = 0; i < count; ++i) {
        narrow[i] = (float)numbers[i];
    }
    SN_TRY(sn_cholesky_solve_float(cholesky, work, workers, narrow, NULL));
    SN_TRY(sn_cholesky_solve_double(cholesky, work, workers, numbers, NULL));
    *out_hash = sn_hash(SN_HASH_START, narrow, (size_t)count * sizeof *narrow);
    *out_hash = sn_hash(*out_hash, numbers, (size_t)count * sizeof *numbers);
done:
    sn_cholesky_work_destroy(work);
    sn_cholesky_destroy(cholesky);
    return status;
}

static SinewStatus hash_multilevel(const SnSparse *matrix, const SnKernels *kernels,
                                   SnWorkers *workers, double *numbers, uint64_t *out_hash)
{
    SinewStatus status = SINEW_OK;
    SnMultilevel *multilevel = NULL;
    SnMultilevelWork *work = NULL;
    SnMultilevelGoal goal = {1e-5, 50};
    int count = 3 * matrix->count;
    float *x = (float *)(numbers + count);
    fill(numbers, count);
    for (int i = 0; i < count; ++i) {
        x[i] = (float)numbers[i];
    }
    SN_TRY(sn_multilevel_create(matrix, kernels, NULL, &multilevel, NULL));
    SN_TRY(sn_multilevel_work_create(multilevel, sn_workers_count(workers), &work, NULL));
    SN_TRY(sn_multilevel_solve(multilevel, work, workers, &goal, x, NULL, NULL));
    *out_hash = sn_hash(SN_HASH_START, x, (size_t)count * sizeof *x);
done:
    sn_multilevel_work_destroy(work);
    sn_multilevel_destroy(multilevel);
    return status;
}

int hash_solve(const SnKernels *kernels, SnWorkers *workers, FILE *out)
{
    int failed = 0;
    int *order = malloc(ROWS * sizeof *order);
    double *numbers = malloc(6 * 3 * ROWS * sizeof *numbers);
    if (order == NULL || numbers == NULL) {
        free(order);
        free(numbers);
        return 1;
    }
    int count = 0;
    dissect((int[]){0, 0, 0}, (int[]){NX, NY, NZ}, order, &count);
    for (int block = 1; block <= 3; block += 2) {
        SnTestMatrix m = sn_test_grid(NX, NY, NZ, block, 0.05, 5);
        SnCholeskyDef def = {.kernels = kernels,
                             .ordering = SN_ORDERING_GIVEN,
                             .permutation = order,
                             .right_sides = block == 1 ? 3 : 1,
                             .worker_count = sn_workers_count(workers),
                             .keep_float = true,
                             .keep_double = true};
        uint64_t hash = 0;
        failed |= hash_factor(&def, &m.sparse, workers, numbers, &hash) < 0;
        hash_line(out, block == 1 ? "cholesky" : "cholesky_blocks", kernels, hash);
        if (block == 1) {
            failed |= hash_multilevel(&m.sparse, kernels, workers, numbers, &hash) < 0;
            hash_line(out, "multilevel", kernels, hash);
        }
        sn_test_matrix_free(&m);
    }
    free(order);
    free(numbers);
    return failed;
}
