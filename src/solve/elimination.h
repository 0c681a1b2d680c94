// What elimination does to a pattern before any number is known: the elimination tree, its
// postorder and how many entries each column of the factor gets.
#ifndef SN_SOLVE_ELIMINATION_H
#define SN_SOLVE_ELIMINATION_H

#include "solve/sparse.h"

// All arrays have one number per row. Columns are numbered in elimination order from here on.
typedef struct SnElimination {
    int count;
    int *order;   // order[column] = row of the matrix
    int *place;   // place[row] = column: the inverse
    int *parent;  // in the elimination tree, -1 for roots; a parent comes after its children
    int *below;   // entries of the factor's column below the diagonal
    int64_t fill; // entries of the factor, the diagonal included
} SnElimination;

// From an order of the rows; it is changed to a postorder of its own tree, which fills in the same.
SinewStatus sn_elimination_create(const SnSparse *pattern, const int *order,
                                  const SinewAllocator *allocator, SnElimination *out,
                                  SinewError *error);

void sn_elimination_release(SnElimination *elimination, const SinewAllocator *allocator);

// Visits a forest given by parents so that each node comes after all below it and subtrees stay
// together; children in ascending order. scratch has 2 count numbers. post[i] = the i-th node
// visited.
void sn_postorder(int count, const int *parent, int *scratch, int *post);

// Sorts rows in ascending order.
void sn_sort_rows(int *rows, int count);

#endif
