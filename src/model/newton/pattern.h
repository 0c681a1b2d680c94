// Which vertices feel each other: the block pattern of all matrices of a body, over all its
// vertices whether held or not, where each element's blocks go in it, and colours of elements that
// share no vertex. Elements of one colour are added at the same time, colour after colour, so every
// sum has one order and with it the same bits for any number of workers.
//
// Not taken: element matrices in memory and a gather by rows. It has no colours to wait for, but
// needs 1.2 kB a tet and 4.6 kB a hexahedron.
#ifndef SN_MODEL_NEWTON_PATTERN_H
#define SN_MODEL_NEWTON_PATTERN_H

#include "geometry/tet_cut.h"
#include "model/newton/elements.h"
#include "solve/sparse.h"

// Const once made. Owns its arrays.
typedef struct SnNewtonPattern {
    int count;         // vertices
    int entry_count;   // blocks
    int *row_start;    // as in SnSparse
    int *column;       //
    int *slots;        // corners^2 an element: the entry of the block (row corner, column corner)
    int *diagonal;     // the entry of each vertex with itself
    int colour_count;  //
    int *colour_start; // colour_count + 1 places in `order`
    int *order;        // elements, colour after colour
} SnNewtonPattern;

SinewStatus sn_newton_pattern_create(const SnNewtonElements *elements,
                                     const SinewAllocator *allocator, SnNewtonPattern *out_pattern,
                                     SinewError *error);

// The pattern of tets after a cut, of `old` before it: rows far from the cut are copied. `elements`
// are those after it. What was made is released by _release in any case.
SinewStatus sn_newton_pattern_cut(const SnNewtonPattern *old, const SnNewtonElements *elements,
                                  const SnTetCut *cut, const SinewAllocator *allocator,
                                  SnNewtonPattern *out_pattern, SinewError *error);

void sn_newton_pattern_release(SnNewtonPattern *pattern, const SinewAllocator *allocator);

// Calls fn over the places of `order`, one colour after the other.
void sn_newton_pattern_each(const SnNewtonPattern *pattern, SnWorkers *workers, SnRangeFn *fn,
                            void *context);

#endif
