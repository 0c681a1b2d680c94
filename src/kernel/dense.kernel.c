// Dense double blocks for the factorisation (kernel/dense.h).
#include "kernel/dense.h"
#include "kernel/wide.h"

#include <stdbool.h>
#include <stddef.h>

#define LANES (SN_LANES / 2)

// A tile of the product that stays in registers: TILE_VECTORS registers of rows, TILE_COLUMNS
// columns.
#if SN_LANES == 16
enum { TILE_VECTORS = 3, TILE_COLUMNS = 8 };
#else
enum { TILE_VECTORS = 2, TILE_COLUMNS = 4 };
#endif

static inline WideDouble load(const double *p)
{
    WideDouble v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store(double *p, WideDouble v)
{
    memcpy(p, &v, sizeof v);
}

// One tile of C from one chunk of the inner index.
static inline __attribute__((always_inline)) void tile(const SnDenseProduct *p, int vectors,
                                                       int columns, bool subtract, int row,
                                                       int column, int from, int to)
{
    WideDouble sum[TILE_COLUMNS][TILE_VECTORS];
    for (int j = 0; j < columns; ++j) {
        for (int v = 0; v < vectors; ++v) {
            sum[j][v] = (WideDouble){0};
        }
    }
    const double *a = p->A + row + (ptrdiff_t)from * p->lda;
    const double *b = p->B + column + (ptrdiff_t)from * p->ldb;
    for (int k = from; k < to; ++k) {
        WideDouble left[TILE_VECTORS];
        for (int v = 0; v < vectors; ++v) {
            left[v] = load(a + v * LANES);
        }
        for (int j = 0; j < columns; ++j) {
            WideDouble right = b[j] - (WideDouble){0};
            for (int v = 0; v < vectors; ++v) {
                sum[j][v] = wide_double_madd(left[v], right, sum[j][v]);
            }
        }
        a += p->lda;
        b += p->ldb;
    }
    for (int j = 0; j < columns; ++j) {
        double *c = p->C + row + (ptrdiff_t)(column + j) * p->ldc;
        for (int v = 0; v < vectors; ++v) {
            WideDouble before = from == 0 && !subtract ? (WideDouble){0} : load(c + v * LANES);
            store(c + v * LANES, subtract ? before - sum[j][v] : before + sum[j][v]);
        }
    }
}

// A row of tiles, `vectors` registers high.
static inline __attribute__((always_inline)) void tile_row(const SnDenseProduct *p, int vectors,
                                                           bool subtract, int row, int from, int to)
{
    int column = 0;
    for (; column + TILE_COLUMNS <= p->columns; column += TILE_COLUMNS) {
        tile(p, vectors, TILE_COLUMNS, subtract, row, column, from, to);
    }
    for (; column + 2 <= p->columns; column += 2) {
        tile(p, vectors, 2, subtract, row, column, from, to);
    }
    if (column < p->columns) {
        tile(p, vectors, 1, subtract, row, column, from, to);
    }
}

static inline __attribute__((always_inline)) void product(const SnDenseProduct *p, bool subtract)
{
    int rows = (p->rows + SN_DENSE_ROWS - 1) / SN_DENSE_ROWS * SN_DENSE_ROWS;
    for (int from = 0; from < p->depth; from += SN_DENSE_DEPTH) {
        int to = p->depth - from < SN_DENSE_DEPTH ? p->depth : from + SN_DENSE_DEPTH;
        int row = 0;
        for (; row + TILE_VECTORS * LANES <= rows; row += TILE_VECTORS * LANES) {
            tile_row(p, TILE_VECTORS, subtract, row, from, to);
        }
        for (; row < rows; row += LANES) {
            tile_row(p, 1, subtract, row, from, to);
        }
    }
}

static void multiply(const SnDenseProduct *p)
{
    product(p, false);
}

static void subtract(const SnDenseProduct *p)
{
    product(p, true);
}

// y -= a x over rows [begin, end), whole registers and then one by one.
static inline void subtract_multiple(int begin, int end, double a, const double *x, double *y)
{
    WideDouble factor = -a - (WideDouble){0};
    int i = begin;
    for (; i + LANES <= end; i += LANES) {
        store(y + i, wide_double_madd(factor, load(x + i), load(y + i)));
    }
    for (; i < end; ++i) {
        WideDouble one = wide_double_madd(factor, x[i] - (WideDouble){0}, y[i] - (WideDouble){0});
        y[i] = one[0];
    }
}

static int cholesky(int n, double *A, int lda)
{
    for (int k = 0; k < n; ++k) {
        double *pivot_column = A + (ptrdiff_t)k * lda;
        double pivot = pivot_column[k];
        // Written so that a pivot that is no number fails too; the bound keeps infinity out.
        if (!(pivot > 0.0 && pivot < 0x1p1000)) {
            return k;
        }
        double root = __builtin_sqrt(pivot);
        pivot_column[k] = root;
        for (int i = k + 1; i < n; ++i) {
            pivot_column[i] /= root;
        }
        for (int j = k + 1; j < n; ++j) {
            subtract_multiple(j, n, pivot_column[j], pivot_column, A + (ptrdiff_t)j * lda);
        }
    }
    return -1;
}

// Row k of L W = I after the rows before it: W_k. = (e_k - sum_j L_kj W_j.) / L_kk. W^T has these
// rows as columns.
static void invert(int n, const double *L, int ldl, double *Wt, int ldw)
{
    for (int k = 0; k < n; ++k) {
        double *row = Wt + (ptrdiff_t)k * ldw;
        for (int i = 0; i < n; ++i) {
            row[i] = i == k ? 1.0 : 0.0;
        }
        for (int j = 0; j < k; ++j) {
            subtract_multiple(0, j + 1, L[k + (ptrdiff_t)j * ldl], Wt + (ptrdiff_t)j * ldw, row);
        }
        double pivot = L[k + (ptrdiff_t)k * ldl];
        for (int i = 0; i <= k; ++i) {
            row[i] /= pivot;
        }
    }
}

static void combine(int rows, int columns, const double *A, int lda, const double *factors,
                    double *C, int ldc)
{
    for (int i = 0; i < rows; i += LANES) {
        WideDouble x = load(A + i), y = load(A + i + lda), z = load(A + i + 2 * (ptrdiff_t)lda);
        for (int j = 0; j < columns; ++j) {
            const double *f = factors + 3 * (ptrdiff_t)j;
            WideDouble sum = (f[0] - (WideDouble){0}) * x;
            sum = wide_double_madd(f[1] - (WideDouble){0}, y, sum);
            sum = wide_double_madd(f[2] - (WideDouble){0}, z, sum);
            store(C + i + (ptrdiff_t)j * ldc, sum);
        }
    }
}

extern const SnDenseKernels SN_NAME(dense);

const SnDenseKernels SN_NAME(dense) = {.multiply = multiply,
                                       .subtract = subtract,
                                       .cholesky = cholesky,
                                       .invert = invert,
                                       .combine = combine};
