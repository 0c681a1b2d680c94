// Cholesky factors of small dense matrices, kept in float for many solves. Values are made in
// double by the dense kernels.
#ifndef SN_MODEL_SPLIT_TRIANGLE_H
#define SN_MODEL_SPLIT_TRIANGLE_H

#include "kernel/kernel_table.h"

#include <stddef.h>

typedef struct SnSplitTriangle {
    int count;
    float *values; // column-major with the stride below; the diagonal has inverses
} SnSplitTriangle;

// From one column to the next, for the double matrix too.
static inline size_t sn_split_triangle_stride(int count)
{
    return ((size_t)count + SN_DENSE_ROWS - 1) / SN_DENSE_ROWS * SN_DENSE_ROWS;
}

// Factors the lower triangle of `matrix`, which is used up. False: it is not definite.
bool sn_split_triangle_factor(const SnDenseKernels *dense, double *matrix, int count,
                              SnSplitTriangle *out);

// x = (L L^T)^-1 x
void sn_split_triangle_solve(const SnSplitTriangle *triangle, float *x);

#endif
