// Small dense symmetric matrices, some dozen to some hundred rows: Cholesky's factor and solves
// with it. Row-major; only the lower triangle is read and written.
#ifndef SN_MODEL_FRAMES_DENSE_H
#define SN_MODEL_FRAMES_DENSE_H

#include <stdbool.h>

// A = L L^T in place. False where a pivot is not positive; A is then rubbish.
bool sn_dense_factor(double *A, int count);

// x = L^-1 x and x = L^-T x, in place; both together are A^-1.
void sn_dense_forward(const double *L, int count, double *x);
void sn_dense_backward(const double *L, int count, double *x);

#endif
