#include "solve/sparse.h"

#include <limits.h>
#include <stdbool.h>

static SinewStatus check_rows(const SnSparse *A, SinewError *error)
{
    if (A->row_start[0] != 0) {
        return sn_fail_at(error, SINEW_ERROR_ARGUMENT, 0, "row_start[0] is %d, expected 0",
                          A->row_start[0]);
    }
    for (int i = 0; i < A->count; ++i) {
        int begin = A->row_start[i];
        int end = A->row_start[i + 1];
        if (end < begin) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, i,
                              "row %d ends at entry %d, before its start at %d", i, end, begin);
        }
        bool diagonal = false;
        for (int e = begin; e < end; ++e) {
            int j = A->column[e];
            if (j < 0 || j >= A->count) {
                return sn_fail_at(error, SINEW_ERROR_ARGUMENT, i,
                                  "row %d has column %d, expected 0 to %d", i, j, A->count - 1);
            }
            if (e > begin && j <= A->column[e - 1]) {
                return sn_fail_at(error, SINEW_ERROR_ARGUMENT, i,
                                  "row %d has column %d after %d, expected ascending columns", i, j,
                                  A->column[e - 1]);
            }
            diagonal = diagonal || j == i;
        }
        if (!diagonal) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, i, "row %d has no diagonal entry", i);
        }
    }
    return SINEW_OK;
}

static bool has_entry(const SnSparse *A, int row, int column)
{
    int low = A->row_start[row];
    int high = A->row_start[row + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (A->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < A->row_start[row + 1] && A->column[low] == column;
}

SinewStatus sn_sparse_check(const SnSparse *A, SinewError *error)
{
    if (A->count < 1 || (A->block != 1 && A->block != 3) || A->count > INT_MAX / 4 / A->block) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the matrix has %d rows of blocks of %d, expected at least 1 row (at most "
                       "%d) and blocks of 1 or 3",
                       A->count, A->block, INT_MAX / 4 / (A->block == 3 ? 3 : 1));
    }
    if (A->row_start == NULL || A->column == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "the matrix has no %s",
                       A->row_start == NULL ? "row_start" : "column");
    }
    SinewStatus status = check_rows(A, error);
    for (int i = 0; status == SINEW_OK && i < A->count; ++i) {
        for (int e = A->row_start[i]; e < A->row_start[i + 1]; ++e) {
            if (!has_entry(A, A->column[e], i)) {
                return sn_fail_at(error, SINEW_ERROR_ARGUMENT, i,
                                  "row %d has column %d but row %d has no column %d, expected a "
                                  "symmetric pattern with both triangles",
                                  i, A->column[e], A->column[e], i);
            }
        }
    }
    return status;
}

typedef struct Multiply {
    const SnSparse *A;
    int right_sides;
    const double *x;
    double *y;
} Multiply;

// One row of numbers, or three of a row of blocks.
static void multiply_row(const Multiply *m, int row)
{
    const SnSparse *A = m->A;
    int width = A->block;
    for (int i = 0; i < width; ++i) {
        double sum[3] = {0.0};
        for (int e = A->row_start[row]; e < A->row_start[row + 1]; ++e) {
            const double *value = A->value + (size_t)e * (size_t)(width * width) + i * width;
            const double *x = m->x + (ptrdiff_t)A->column[e] * width * m->right_sides;
            for (int j = 0; j < width; ++j) {
                for (int r = 0; r < m->right_sides; ++r) {
                    sum[r] += value[j] * x[j * m->right_sides + r];
                }
            }
        }
        for (int r = 0; r < m->right_sides; ++r) {
            m->y[((ptrdiff_t)row * width + i) * m->right_sides + r] = sum[r];
        }
    }
}

static void multiply_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Multiply *m = context;
    for (int row = begin; row < end; ++row) {
        multiply_row(m, row);
    }
}

void sn_sparse_multiply(const SnSparse *A, SnWorkers *workers, int right_sides, const double *x,
                        double *y)
{
    SN_ASSERT(right_sides >= 1 && right_sides <= 3);
    Multiply m = {A, right_sides, x, y};
    sn_parallel_for(workers, A->count, 1024, multiply_rows, &m);
}
