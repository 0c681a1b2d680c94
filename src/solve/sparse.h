// Sparse symmetric matrices by rows (CSR), of numbers or of 3x3 blocks. Both triangles are stored,
// so that a product gathers: each row is written by one worker, in one order of sums.
#ifndef SN_SOLVE_SPARSE_H
#define SN_SOLVE_SPARSE_H

#include "base/workers.h"

// Row i has the entries [row_start[i], row_start[i + 1]), in ascending order of column, the
// diagonal among them. With block 3 an entry is 9 numbers, row-major, and a row stands for three
// unknowns. Arrays are borrowed.
typedef struct SnSparse {
    int count; // rows, and columns
    int block; // 1 or 3
    const int *row_start;
    const int *column;
    const double *value; // block * block numbers an entry; NULL where only the pattern matters
} SnSparse;

// Checks that sizes fit, columns ascend within range, each row has its diagonal and the pattern is
// symmetric. The sentence names the row. Values are not looked at.
SinewStatus sn_sparse_check(const SnSparse *A, SinewError *error);

// y = A x for `right_sides` (1 to 3) vectors side by side: x[(row) * right_sides + r], a row being
// one of count * block unknowns.
void sn_sparse_multiply(const SnSparse *A, SnWorkers *workers, int right_sides, const double *x,
                        double *y);

#endif
