// Dense algebra on small matrices in double, row-major, for set-up: Cholesky and the eigenvalues of
// symmetric ones.
#ifndef SN_MODEL_VOXEL_SMALL_H
#define SN_MODEL_VOXEL_SMALL_H

#include <stdbool.h>

// The lower triangle becomes the factor of A = L L^T; what is above the diagonal is not looked at.
// False where a pivot is not positive.
bool sn_small_cholesky(int n, double *A);

// X <- L^-1 X and X <- L^-T X for n x columns numbers.
void sn_small_forward(int n, const double *L, int columns, double *X);
void sn_small_backward(int n, const double *L, int columns, double *X);

// A = U diag(values) U^T by Jacobi's rotations; columns of U are the vectors. A is overwritten.
void sn_small_eigen(int n, double *A, double *values, double *U);

// The inverse of a 3x3 matrix; false, and nothing written, where its determinant is below `least`.
bool sn_small_invert3(const double a[9], double least, double out[9]);

#endif
