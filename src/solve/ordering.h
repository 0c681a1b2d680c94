// The order in which unknowns are eliminated, which decides how much a factor fills in: nested
// dissection by METIS, minimum degree by AMD. The only file that speaks to either library.
#ifndef SN_SOLVE_ORDERING_H
#define SN_SOLVE_ORDERING_H

#include "solve/sparse.h"

#include <stdbool.h>

typedef enum SnOrdering {
    SN_ORDERING_BEST,    // METIS and AMD, whichever fills in less
    SN_ORDERING_METIS,   // nested dissection
    SN_ORDERING_AMD,     // approximate minimum degree
    SN_ORDERING_NATURAL, // as the rows come
    SN_ORDERING_GIVEN    // the caller's permutation
} SnOrdering;

// Whether this build holds METIS and AMD.
bool sn_ordering_available(void);

// Fills order[i] = the row that is eliminated i-th, for METIS, AMD or NATURAL.
SinewStatus sn_ordering_compute(const SnSparse *pattern, SnOrdering ordering,
                                const SinewAllocator *allocator, int *order, SinewError *error);

#endif
