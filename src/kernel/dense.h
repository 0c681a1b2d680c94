// Dense blocks for the factorisation, in double and column-major: entry (i, j) of A is A[i + j
// lda]. Rows are computed in whole registers: `rows` is rounded up to a multiple of 8, and the rows
// in between are read and written, so arrays have room for them. What they hold does not matter.
// Each entry of a product is summed in ascending order of the inner index, in chunks of
// SN_DENSE_DEPTH, so portable variants agree bit for bit whatever their register width.
#ifndef SN_KERNEL_DENSE_H
#define SN_KERNEL_DENSE_H

#define SN_DENSE_ROWS 8
#define SN_DENSE_DEPTH 128

typedef struct SnDenseProduct {
    int rows;
    int columns;
    int depth;
    const double *A; // rows x depth
    int lda;
    const double *B; // columns x depth
    int ldb;
    double *C; // rows x columns
    int ldc;
} SnDenseProduct;

typedef struct SnDenseKernels {
    // C = A B^T
    void (*multiply)(const SnDenseProduct *product);
    // C -= A B^T
    void (*subtract)(const SnDenseProduct *product);
    // The lower triangle of the n x n block A becomes its Cholesky factor. Answers -1, or the
    // column whose pivot is not a positive number; columns before it are then factored.
    int (*cholesky)(int n, double *A, int lda);
    // W^T = (L^-1)^T for the lower triangle L of an n x n block; below its diagonal W^T is zero.
    void (*invert)(int n, const double *L, int ldl, double *Wt, int ldw);
    // Each column of C (rows x columns) becomes a sum of the three columns of A, with three of the
    // factors.
    void (*combine)(int rows, int columns, const double *A, int lda, const double *factors,
                    double *C, int ldc);
} SnDenseKernels;

#endif
