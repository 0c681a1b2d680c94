#include "solve/pseudo_inverse.h"

#include <math.h>
#include <string.h>

SinewStatus sn_pseudo_inverse_create(int row_count, int column_count,
                                     const SinewAllocator *allocator, SnPseudoInverse *out_inverse,
                                     SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t rows = (size_t)row_count, columns = (size_t)column_count;
    size_t rank = rows < columns ? rows : columns;

    *out_inverse = (SnPseudoInverse){
        .row_count = row_count, .column_count = column_count, .rank_max = (int)rank};
    SN_ALLOC_ZERO(out_inverse->matrix, allocator, rows * columns, error);
    SN_ALLOC_ZERO(out_inverse->remains, allocator, rows * columns, error);
    SN_ALLOC_ZERO(out_inverse->basis, allocator, rank * columns, error);
    SN_ALLOC_ZERO(out_inverse->left, allocator, rank * rows, error);
    SN_ALLOC_ZERO(out_inverse->triangle, allocator, rank * rank, error);
    SN_ALLOC_ZERO(out_inverse->room, allocator, rank, error);

done:
    if (status < 0) {
        sn_pseudo_inverse_release(out_inverse, allocator);
    }
    return status;
}

void sn_pseudo_inverse_release(SnPseudoInverse *inverse, const SinewAllocator *allocator)
{
    sn_free(allocator, inverse->matrix);
    sn_free(allocator, inverse->remains);
    sn_free(allocator, inverse->basis);
    sn_free(allocator, inverse->left);
    sn_free(allocator, inverse->triangle);
    sn_free(allocator, inverse->room);
    *inverse = (SnPseudoInverse){0};
}

// Eight sums side by side, for which processors have registers, in an order that never changes.
static double dot(int count, const double *a, const double *b)
{
    double sums[8] = {0.0}, rest = 0.0;
    int i = 0;
    for (; i + 8 <= count; i += 8) {
        for (int k = 0; k < 8; ++k) {
            sums[k] += a[i + k] * b[i + k];
        }
    }
    for (; i < count; ++i) {
        rest += a[i] * b[i];
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7])) + rest;
}

static void add(int count, double scale, const double *a, double *out)
{
    for (int i = 0; i < count; ++i) {
        out[i] += scale * a[i];
    }
}

// Takes what `count` orthonormal vectors span out of v, twice, since the first time leaves rounding
// of its own size behind; adds what was taken to `taken`, `stride` apart (nullable). Answers the
// length that is left.
static double take_out(int size, int count, const double *vectors, double *v, double *taken,
                       size_t stride)
{
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = 0; k < count; ++k) {
            const double *q = vectors + (size_t)k * (size_t)size;
            double along = dot(size, q, v);
            add(size, -along, q, v);
            if (taken != NULL) {
                taken[(size_t)k * stride] += along;
            }
        }
    }
    return sqrt(dot(size, v, v));
}

// The row that the basis spans least, and how long what is left of it is.
static int find_longest(const SnPseudoInverse *inverse, double *out_length)
{
    size_t columns = (size_t)inverse->column_count;
    int longest = 0;
    double square = -1.0;
    for (int r = 0; r < inverse->row_count; ++r) {
        const double *row = inverse->remains + (size_t)r * columns;
        double now = dot(inverse->column_count, row, row);
        if (now > square) {
            square = now;
            longest = r;
        }
    }
    *out_length = sqrt(fmax(square, 0.0));
    return longest;
}

// Rows of the basis, longest remains first; `left` becomes the coordinates of M's rows in it.
static void find_basis(SnPseudoInverse *inverse, double tolerance)
{
    int columns = inverse->column_count, rows = inverse->row_count;
    double first = 0.0, length;
    inverse->rank = 0;
    memcpy(inverse->remains, inverse->matrix,
           (size_t)rows * (size_t)columns * sizeof *inverse->matrix);
    while (inverse->rank < inverse->rank_max) {
        int longest = find_longest(inverse, &length);
        first = inverse->rank == 0 ? length : first;
        if (!(length > tolerance * first)) {
            break;
        }
        double *q = inverse->basis + (size_t)inverse->rank * (size_t)columns;
        double *coordinates = inverse->left + (size_t)inverse->rank * (size_t)rows;
        memcpy(q, inverse->remains + (size_t)longest * (size_t)columns,
               (size_t)columns * sizeof *q);
        length = take_out(columns, inverse->rank, inverse->basis, q, NULL, 0);
        for (int i = 0; i < columns; ++i) {
            q[i] /= length;
        }
        for (int r = 0; r < rows; ++r) {
            double *row = inverse->remains + (size_t)r * (size_t)columns;
            coordinates[r] = dot(columns, q, row);
            add(columns, -coordinates[r], q, row);
        }
        inverse->rank += 1;
    }
}

void sn_pseudo_inverse_find(SnPseudoInverse *inverse, double tolerance)
{
    size_t rows = (size_t)inverse->row_count, stride = (size_t)inverse->rank_max;
    find_basis(inverse, tolerance);
    memset(inverse->triangle, 0, stride * stride * sizeof *inverse->triangle);
    for (int k = 0; k < inverse->rank; ++k) {
        double *column = inverse->left + (size_t)k * rows;
        double length =
            take_out(inverse->row_count, k, inverse->left, column, inverse->triangle + k, stride);
        inverse->triangle[(size_t)k * stride + (size_t)k] = length;
        for (size_t r = 0; r < rows; ++r) {
            column[r] /= length;
        }
    }
}

void sn_pseudo_inverse_apply(const SnPseudoInverse *inverse, const double *g, double *out_x)
{
    size_t rows = (size_t)inverse->row_count, columns = (size_t)inverse->column_count;
    size_t stride = (size_t)inverse->rank_max;
    double *y = inverse->room;
    memset(out_x, 0, columns * sizeof *out_x);
    for (int k = inverse->rank - 1; k >= 0; --k) {
        const double *row = inverse->triangle + (size_t)k * stride;
        double sum = dot(inverse->row_count, inverse->left + (size_t)k * rows, g);
        for (int j = k + 1; j < inverse->rank; ++j) {
            sum -= row[j] * y[j];
        }
        y[k] = sum / row[k];
        add(inverse->column_count, y[k], inverse->basis + (size_t)k * columns, out_x);
    }
}

void sn_pseudo_inverse_apply_transposed(const SnPseudoInverse *inverse, const double *f,
                                        double *out_y)
{
    size_t rows = (size_t)inverse->row_count, columns = (size_t)inverse->column_count;
    size_t stride = (size_t)inverse->rank_max;
    double *z = inverse->room;
    memset(out_y, 0, rows * sizeof *out_y);
    for (int k = 0; k < inverse->rank; ++k) {
        double sum = dot(inverse->column_count, inverse->basis + (size_t)k * columns, f);
        for (int j = 0; j < k; ++j) {
            sum -= inverse->triangle[(size_t)j * stride + (size_t)k] * z[j];
        }
        z[k] = sum / inverse->triangle[(size_t)k * stride + (size_t)k];
        add(inverse->row_count, z[k], inverse->left + (size_t)k * rows, out_y);
    }
}

void sn_pseudo_inverse_project(const SnPseudoInverse *inverse, double *x)
{
    for (int k = 0; k < inverse->rank; ++k) {
        const double *q = inverse->basis + (size_t)k * (size_t)inverse->column_count;
        add(inverse->column_count, -dot(inverse->column_count, q, x), q, x);
    }
}
