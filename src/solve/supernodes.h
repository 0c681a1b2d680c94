// Supernodes: runs of columns of the factor that share their rows below, so that elimination and
// solves work on dense blocks. Columns with nearly the same rows are joined too, where the zeros
// that this stores cost less time in a solve than a block of their own would.
//
// The tree of supernodes is cut into subtrees of like weight, and a top above them. The cut depends
// on the matrix alone, so that any number of workers computes the same.
#ifndef SN_SOLVE_SUPERNODES_H
#define SN_SOLVE_SUPERNODES_H

#include "solve/elimination.h"

typedef struct SnSupernodes {
    int count;
    int columns;        // of the factor
    int *order;         // order[column] = row of the matrix, supernodes one after another
    int *place;         // the inverse
    int *first;         // supernode s has columns [first[s], first[s + 1])
    int *parent;        // -1 for roots
    int64_t *row_start; // its rows below are rows[row_start[s] .. row_start[s + 1]), ascending
    int *rows;

    int subtree_count;
    int *subtree_begin; // subtree t has supernodes [subtree_begin[t], subtree_end[t])
    int *subtree_end;
    int *subtree_of; // of each supernode, -1 for the top
} SnSupernodes;

SinewStatus sn_supernodes_create(const SnSparse *pattern, const SnElimination *elimination,
                                 const SinewAllocator *allocator, SnSupernodes *out,
                                 SinewError *error);

void sn_supernodes_release(SnSupernodes *supernodes, const SinewAllocator *allocator);

static inline int sn_supernode_width(const SnSupernodes *s, int i)
{
    return s->first[i + 1] - s->first[i];
}

// Rows below.
static inline int sn_supernode_below(const SnSupernodes *s, int i)
{
    return (int)(s->row_start[i + 1] - s->row_start[i]);
}

#endif
