// Symmetric positive definite matrices to test solvers with.
#ifndef SN_TEST_SUPPORT_MATRICES_H
#define SN_TEST_SUPPORT_MATRICES_H

#include "solve/sparse.h"

// Owns its arrays.
typedef struct SnTestMatrix {
    SnSparse sparse;
    int *row_start;
    int *column;
    double *value;
} SnTestMatrix;

// shift I + graph Laplacian of an nx x ny x nz grid with the 6 nearest neighbours, with blocks each
// edge carries a random 3x3 stiffness (symmetric, positive semi-definite).
SnTestMatrix sn_test_grid(int nx, int ny, int nz, int block, double shift, uint64_t seed);

// shift I + Laplacian of a random graph with `edges` edges.
SnTestMatrix sn_test_random_graph(int count, int edges, int block, double shift, uint64_t seed);

void sn_test_matrix_free(SnTestMatrix *matrix);

#endif
