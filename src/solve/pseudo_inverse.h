// The pseudo-inverse of a small dense matrix M: the smallest x for which |M x - g| is smallest,
// also where rows depend on each other or are more than columns. M = L U B with orthonormal rows B,
// that span the rows of M as far as they can be told from rounding, orthonormal columns L, and U
// upper triangular. Chosen over the singular values because Gram and Schmidt are enough and repeat
// their bits.
#ifndef SN_SOLVE_PSEUDO_INVERSE_H
#define SN_SOLVE_PSEUDO_INVERSE_H

#include "base/memory.h"

typedef struct SnPseudoInverse {
    int row_count, column_count;
    int rank;
    double *matrix;   // M, row-major: for the caller to fill
    double *basis;    // B: rank rows of column_count
    double *left;     // L: rank columns of row_count numbers each
    double *triangle; // U: rank rows, each rank_max numbers long
    double *remains;  // room: what of each row the basis does not span yet
    double *room;     // rank_max numbers
    int rank_max;     // the smaller of both counts
} SnPseudoInverse;

// Everything is zero, the rank too.
SinewStatus sn_pseudo_inverse_create(int row_count, int column_count,
                                     const SinewAllocator *allocator, SnPseudoInverse *out_inverse,
                                     SinewError *error);
void sn_pseudo_inverse_release(SnPseudoInverse *inverse, const SinewAllocator *allocator);

// From the matrix as it is. Rows of which less than `tolerance` of the longest row is new count as
// combinations of the others.
void sn_pseudo_inverse_find(SnPseudoInverse *inverse, double tolerance);

// x = M^+ g, and y = (M^+)^T f.
void sn_pseudo_inverse_apply(const SnPseudoInverse *inverse, const double *g, double *out_x);
void sn_pseudo_inverse_apply_transposed(const SnPseudoInverse *inverse, const double *f,
                                        double *out_y);

// x <- (I - M^+ M) x: what of x the matrix does not see.
void sn_pseudo_inverse_project(const SnPseudoInverse *inverse, double *x);

#endif
