// Dot products of many columns with three vectors at once, in float: for the contact part of the
// preconditioner of `split`, whose columns are those of an inverse. Each product has 16 partial
// sums, entry j in sum j % 16, which are then added pairwise. So the order does not depend on the
// lanes.
#ifndef SN_KERNEL_COLUMNS_H
#define SN_KERNEL_COLUMNS_H

enum { SN_COLUMNS_PARTS = 16 };

typedef struct SnColumns {
    int length;                  // of a column, a multiple of SN_COLUMNS_PARTS
    const float *const *columns; // 64-byte aligned, padded with zeros
    const float *vectors;        // three of them, `length` apart, 64-byte aligned
    float *out;                  // three per column
} SnColumns;

typedef struct SnColumnKernels {
    // Columns [begin, end): out[3 i + k] = columns[i] . vector k.
    void (*dot)(const SnColumns *columns, int begin, int end);
} SnColumnKernels;

#endif
