// One step of a hierarchy by smoothed aggregation: rows that are strongly tied form groups, a group
// is an unknown of the next level, and what the next level says is spread over the groups and
// smoothed once by the matrix. In double, for symmetric definite matrices that take constants to
// nearly zero, such as masses and a Laplacian.
#ifndef SN_SOLVE_AGGREGATION_H
#define SN_SOLVE_AGGREGATION_H

#include "solve/sparse.h"

// A matrix by rows that need not be square. Owns its arrays.
typedef struct SnRowMatrix {
    int rows;
    int columns;
    int *start;
    int *column; // ascending in a row
    double *value;
} SnRowMatrix;

void sn_row_matrix_release(SnRowMatrix *matrix, const SinewAllocator *allocator);

SinewStatus sn_row_matrix_transpose(const SnRowMatrix *matrix, const SinewAllocator *allocator,
                                    SnRowMatrix *out_transpose, SinewError *error);

// C = A B.
SinewStatus sn_row_matrix_multiply(const SnRowMatrix *A, const SnRowMatrix *B,
                                   const SinewAllocator *allocator, SnRowMatrix *out_product,
                                   SinewError *error);

// The group of each row, -1 for rows that no other is tied to. Depends on the values only through
// which ties are strong.
SinewStatus sn_aggregation_group(const SnRowMatrix *A, const SinewAllocator *allocator,
                                 int *out_group, int *out_count, SinewError *error);

// About the largest eigenvalue of D^-1 A, never less than it by more than a few percent.
SinewStatus sn_aggregation_radius(const SnRowMatrix *A, const SinewAllocator *allocator,
                                  double *out_radius, SinewError *error);

// P = (I - 4 / (3 radius) D^-1 A) T, T one in the column of a row's group.
SinewStatus sn_aggregation_prolong(const SnRowMatrix *A, const int *group, int group_count,
                                   double radius, const SinewAllocator *allocator,
                                   SnRowMatrix *out_P, SinewError *error);

#endif
