// Plain dense blocks: the reference for dense.kernel.c, with sums in the order of kernel/dense.h.
#include "kernel/dense.h"

#include <math.h>
#include <stddef.h>

static double chunk_sum(const SnDenseProduct *p, int row, int column, int from, int to)
{
    double sum = 0.0;
    for (int k = from; k < to; ++k) {
        sum += p->A[row + (ptrdiff_t)k * p->lda] * p->B[column + (ptrdiff_t)k * p->ldb];
    }
    return sum;
}

static void product(const SnDenseProduct *p, double sign, double keep)
{
    for (int column = 0; column < p->columns; ++column) {
        for (int row = 0; row < p->rows; ++row) {
            double *c = p->C + row + (ptrdiff_t)column * p->ldc;
            double result = keep != 0.0 ? *c : 0.0;
            for (int from = 0; from < p->depth; from += SN_DENSE_DEPTH) {
                int to = p->depth - from < SN_DENSE_DEPTH ? p->depth : from + SN_DENSE_DEPTH;
                result += sign * chunk_sum(p, row, column, from, to);
            }
            *c = result;
        }
    }
}

static void multiply(const SnDenseProduct *p)
{
    product(p, 1.0, 0.0);
}

static void subtract(const SnDenseProduct *p)
{
    product(p, -1.0, 1.0);
}

static int cholesky(int n, double *A, int lda)
{
    for (int k = 0; k < n; ++k) {
        double *pivot = A + (ptrdiff_t)k * lda;
        if (!(pivot[k] > 0.0 && pivot[k] < 0x1p1000)) {
            return k;
        }
        pivot[k] = sqrt(pivot[k]);
        for (int i = k + 1; i < n; ++i) {
            pivot[i] /= pivot[k];
        }
        for (int j = k + 1; j < n; ++j) {
            for (int i = j; i < n; ++i) {
                A[i + (ptrdiff_t)j * lda] += -pivot[j] * pivot[i];
            }
        }
    }
    return -1;
}

static void invert(int n, const double *L, int ldl, double *Wt, int ldw)
{
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i) {
            double sum = i == k ? 1.0 : 0.0;
            for (int j = i; j < k; ++j) {
                sum += -L[k + (ptrdiff_t)j * ldl] * Wt[i + (ptrdiff_t)j * ldw];
            }
            Wt[i + (ptrdiff_t)k * ldw] = i <= k ? sum / L[k + (ptrdiff_t)k * ldl] : sum;
        }
    }
}

static void combine(int rows, int columns, const double *A, int lda, const double *factors,
                    double *C, int ldc)
{
    for (int j = 0; j < columns; ++j) {
        const double *f = factors + 3 * (ptrdiff_t)j;
        for (int i = 0; i < rows; ++i) {
            C[i + (ptrdiff_t)j * ldc] =
                f[2] * A[i + 2 * (ptrdiff_t)lda] + (f[1] * A[i + lda] + f[0] * A[i]);
        }
    }
}

extern const SnDenseKernels sn_dense_ref;

const SnDenseKernels sn_dense_ref = {.multiply = multiply,
                                     .subtract = subtract,
                                     .cholesky = cholesky,
                                     .invert = invert,
                                     .combine = combine};
