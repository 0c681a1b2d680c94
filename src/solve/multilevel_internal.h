// What a hierarchy is made of; for the files multilevel*.c alone.
#ifndef SN_SOLVE_MULTILEVEL_INTERNAL_H
#define SN_SOLVE_MULTILEVEL_INTERNAL_H

#include "solve/cholesky.h"
#include "solve/multilevel.h"

enum {
    SN_MULTILEVEL_MAX = 16,                           // levels
    SN_MULTILEVEL_DEGREE = 2,                         // of the polynomial that smooths
    SN_MULTILEVEL_PRODUCTS = 2 * SN_MULTILEVEL_DEGREE // with a level's matrix, in one cycle
};

// Rows in float, for kernel/rows.h. Owns its arrays.
typedef struct SnMultilevelRows {
    int count;
    int *start;
    int *column;
    float *value;
} SnMultilevelRows;

typedef struct SnMultilevelLevel {
    SnMultilevelRows matrix;
    SnMultilevelRows prolong;   // from the next level; none on the last
    SnMultilevelRows restrict_; // its transpose
    float *inverse_diagonal;
    double radius; // of D^-1 A
    int *group;    // of each row, while the hierarchy is made
    int group_count;
} SnMultilevelLevel;

struct SnMultilevel {
    SinewAllocator allocator;
    const SnKernels *kernels;
    int level_count;
    SnMultilevelLevel levels[SN_MULTILEVEL_MAX];
    SnCholesky *coarsest;
};

#endif
