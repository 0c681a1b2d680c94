#include "solve/aggregation.h"

#include "base/random.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// A tie is strong when it is at least this share of the geometric mean of both diagonals.
#define STRONG 0.04

// Iterations for the radius, and what is added to what they found.
enum { RADIUS_ITERATIONS = 12 };
#define RADIUS_MARGIN 1.05

void sn_row_matrix_release(SnRowMatrix *matrix, const SinewAllocator *allocator)
{
    sn_free(allocator, matrix->start);
    sn_free(allocator, matrix->column);
    sn_free(allocator, matrix->value);
    *matrix = (SnRowMatrix){0};
}

static SinewStatus allocate(int rows, int columns, size_t entries, const SinewAllocator *allocator,
                            SnRowMatrix *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out = (SnRowMatrix){.rows = rows, .columns = columns};
    SN_ALLOC_ZERO(out->start, allocator, (size_t)rows + 1, error);
    SN_ALLOC(out->column, allocator, entries, error);
    SN_ALLOC(out->value, allocator, entries, error);
done:
    if (status < 0) {
        sn_row_matrix_release(out, allocator);
    }
    return status;
}

SinewStatus sn_row_matrix_transpose(const SnRowMatrix *matrix, const SinewAllocator *allocator,
                                    SnRowMatrix *out_transpose, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int entries = matrix->start[matrix->rows];
    SN_TRY(
        allocate(matrix->columns, matrix->rows, (size_t)entries, allocator, out_transpose, error));
    int *start = out_transpose->start;
    for (int i = 0; i < entries; ++i) {
        start[matrix->column[i] + 1] += 1;
    }
    for (int c = 0; c < matrix->columns; ++c) {
        start[c + 1] += start[c];
    }
    for (int r = 0; r < matrix->rows; ++r) {
        for (int i = matrix->start[r]; i < matrix->start[r + 1]; ++i) {
            int at = start[matrix->column[i]]++;
            out_transpose->column[at] = r;
            out_transpose->value[at] = matrix->value[i];
        }
    }
    // Filling moved each start to its end.
    memmove(start + 1, start, (size_t)matrix->columns * sizeof *start);
    start[0] = 0;
done:
    return status;
}

// Products ---------------------------------------------------------------------------------------

// One row of a product: sums by column, and the columns that were met.
typedef struct Row {
    double *sum;
    int *met_at; // by column: 1 + the row that last met it
    int *columns;
    int count;
} Row;

static void multiply_row(const SnRowMatrix *A, const SnRowMatrix *B, int r, Row *row)
{
    row->count = 0;
    for (int i = A->start[r]; i < A->start[r + 1]; ++i) {
        int k = A->column[i];
        for (int j = B->start[k]; j < B->start[k + 1]; ++j) {
            int c = B->column[j];
            if (row->met_at[c] != r + 1) {
                row->met_at[c] = r + 1;
                row->sum[c] = 0.0;
                row->columns[row->count++] = c;
            }
            row->sum[c] += A->value[i] * B->value[j];
        }
    }
}

static void sort_columns(int *columns, int count)
{
    for (int i = 1; i < count; ++i) {
        int c = columns[i], k = i;
        for (; k > 0 && columns[k - 1] > c; --k) {
            columns[k] = columns[k - 1];
        }
        columns[k] = c;
    }
}

SinewStatus sn_row_matrix_multiply(const SnRowMatrix *A, const SnRowMatrix *B,
                                   const SinewAllocator *allocator, SnRowMatrix *out_product,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Row row = {0};
    size_t entries = 0;
    *out_product = (SnRowMatrix){0};
    SN_ALLOC(row.sum, allocator, B->columns, error);
    SN_ALLOC_ZERO(row.met_at, allocator, B->columns, error);
    SN_ALLOC(row.columns, allocator, B->columns, error);
    for (int r = 0; r < A->rows; ++r) {
        multiply_row(A, B, r, &row);
        entries += (size_t)row.count;
    }
    SN_TRY(allocate(A->rows, B->columns, entries, allocator, out_product, error));
    memset(row.met_at, 0, (size_t)B->columns * sizeof *row.met_at);
    for (int r = 0; r < A->rows; ++r) {
        int at = out_product->start[r];
        multiply_row(A, B, r, &row);
        sort_columns(row.columns, row.count);
        for (int i = 0; i < row.count; ++i) {
            out_product->column[at + i] = row.columns[i];
            out_product->value[at + i] = row.sum[row.columns[i]];
        }
        out_product->start[r + 1] = at + row.count;
    }
done:
    sn_free(allocator, row.sum);
    sn_free(allocator, row.met_at);
    sn_free(allocator, row.columns);
    return status;
}

// Groups -----------------------------------------------------------------------------------------

static double diagonal_of(const SnRowMatrix *A, int row)
{
    for (int i = A->start[row]; i < A->start[row + 1]; ++i) {
        if (A->column[i] == row) {
            return A->value[i];
        }
    }
    return 0.0;
}

// Ties of like sign as the diagonal pull apart instead of together, and count as none.
static bool is_strong(const SnRowMatrix *A, const double *diagonal, int row, int entry)
{
    int other = A->column[entry];
    return other != row && -A->value[entry] >= STRONG * sqrt(diagonal[row] * diagonal[other]);
}

enum { NO_GROUP = -1, NOT_YET = -2 };

// A row none of whose neighbours is in a group founds one with all of them.
static int found_groups(const SnRowMatrix *A, const double *diagonal, int *group)
{
    int count = 0;
    for (int r = 0; r < A->rows; ++r) {
        bool founds = group[r] == NOT_YET, tied = false;
        for (int i = A->start[r]; i < A->start[r + 1]; ++i) {
            if (is_strong(A, diagonal, r, i)) {
                tied = true;
                founds = founds && group[A->column[i]] == NOT_YET;
            }
        }
        if (!tied) {
            group[r] = NO_GROUP;
            continue;
        }
        for (int i = A->start[r]; founds && i < A->start[r + 1]; ++i) {
            if (is_strong(A, diagonal, r, i)) {
                group[A->column[i]] = count;
            }
        }
        group[r] = founds ? count++ : group[r];
    }
    return count;
}

// Rows that are left join the group that they are tied to most. `founded` are the groups before.
static void join_groups(const SnRowMatrix *A, const double *diagonal, const int *founded,
                        int *group)
{
    for (int r = 0; r < A->rows; ++r) {
        double most = 0.0;
        for (int i = A->start[r]; founded[r] == NOT_YET && i < A->start[r + 1]; ++i) {
            int other = founded[A->column[i]];
            if (other >= 0 && is_strong(A, diagonal, r, i) && -A->value[i] > most) {
                most = -A->value[i];
                group[r] = other;
            }
        }
    }
}

// What is still left founds groups among itself.
static int found_rest(const SnRowMatrix *A, const double *diagonal, int count, int *group)
{
    for (int r = 0; r < A->rows; ++r) {
        if (group[r] != NOT_YET) {
            continue;
        }
        group[r] = count;
        for (int i = A->start[r]; i < A->start[r + 1]; ++i) {
            if (group[A->column[i]] == NOT_YET && is_strong(A, diagonal, r, i)) {
                group[A->column[i]] = count;
            }
        }
        count += 1;
    }
    return count;
}

SinewStatus sn_aggregation_group(const SnRowMatrix *A, const SinewAllocator *allocator,
                                 int *out_group, int *out_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double *diagonal = NULL;
    int *founded = NULL;
    SN_ALLOC(diagonal, allocator, A->rows, error);
    SN_ALLOC(founded, allocator, A->rows, error);
    for (int r = 0; r < A->rows; ++r) {
        diagonal[r] = diagonal_of(A, r);
        out_group[r] = NOT_YET;
    }
    *out_count = found_groups(A, diagonal, out_group);
    memcpy(founded, out_group, (size_t)A->rows * sizeof *founded);
    join_groups(A, diagonal, founded, out_group);
    *out_count = found_rest(A, diagonal, *out_count, out_group);
done:
    sn_free(allocator, diagonal);
    sn_free(allocator, founded);
    return status;
}

// Smoothing --------------------------------------------------------------------------------------

// Powers of D^-1 A on a vector that is the same every time.
SinewStatus sn_aggregation_radius(const SnRowMatrix *A, const SinewAllocator *allocator,
                                  double *out_radius, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double *x = NULL, *y = NULL;
    SnRandom random = {1};
    SN_ALLOC(x, allocator, A->rows, error);
    SN_ALLOC(y, allocator, A->rows, error);
    *out_radius = 1.0;
    for (int r = 0; r < A->rows; ++r) {
        x[r] = sn_random_between(&random, -1.0, 1.0);
    }
    for (int k = 0; k < RADIUS_ITERATIONS; ++k) {
        double before = 0.0, after = 0.0;
        for (int r = 0; r < A->rows; ++r) {
            double sum = 0.0;
            for (int i = A->start[r]; i < A->start[r + 1]; ++i) {
                sum += A->value[i] * x[A->column[i]];
            }
            y[r] = sum / diagonal_of(A, r);
            before += x[r] * x[r];
            after += y[r] * y[r];
        }
        *out_radius = before > 0.0 ? RADIUS_MARGIN * sqrt(after / before) : 1.0;
        double scale = after > 0.0 ? 1.0 / sqrt(after) : 0.0;
        for (int r = 0; r < A->rows; ++r) {
            x[r] = y[r] * scale;
        }
    }
done:
    sn_free(allocator, x);
    sn_free(allocator, y);
    return status;
}

SinewStatus sn_aggregation_prolong(const SnRowMatrix *A, const int *group, int group_count,
                                   double radius, const SinewAllocator *allocator,
                                   SnRowMatrix *out_P, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnRowMatrix T = {0};
    *out_P = (SnRowMatrix){0};
    SN_TRY(allocate(A->rows, group_count, (size_t)A->rows, allocator, &T, error));
    for (int r = 0; r < A->rows; ++r) {
        T.start[r + 1] = T.start[r] + (group[r] >= 0 ? 1 : 0);
        T.column[T.start[r]] = group[r]; // written over where there is none
        T.value[T.start[r]] = 1.0;
    }
    SN_TRY(sn_row_matrix_multiply(A, &T, allocator, out_P, error));
    for (int r = 0; r < A->rows; ++r) {
        double step = 4.0 / (3.0 * radius * diagonal_of(A, r));
        for (int i = out_P->start[r]; i < out_P->start[r + 1]; ++i) {
            out_P->value[i] = (out_P->column[i] == group[r] ? 1.0 : 0.0) - step * out_P->value[i];
        }
    }
done:
    sn_row_matrix_release(&T, allocator);
    return status;
}
