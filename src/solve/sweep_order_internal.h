// The two ways to share a sweep, see sweep_order.h. Both fill the stages and the tasks of rows.
#ifndef SN_SOLVE_SWEEP_ORDER_INTERNAL_H
#define SN_SOLVE_SWEEP_ORDER_INTERNAL_H

#include "solve/sweep_order.h"

typedef struct SnSweepPattern {
    int count; // rows
    const int *start;
    const int *columns;
    int step; // columns are `step` times a row
} SnSweepPattern;

// `task` has room.
SinewStatus sn_sweep_halves(const SnSweepPattern *pattern, const SinewAllocator *allocator,
                            SnSweepOrder *order, SinewError *error);
SinewStatus sn_sweep_colours(const SnSweepPattern *pattern, const SinewAllocator *allocator,
                             SnSweepOrder *order, SinewError *error);

#endif
