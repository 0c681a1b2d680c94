// Rows of a sparse matrix times three right-hand sides at once, in float. Vectors have four floats
// a row: x, y, z and one that nobody reads. A row's entries are summed in two partial sums that
// take turns, in one order whatever the lanes.
#ifndef SN_KERNEL_ROWS_H
#define SN_KERNEL_ROWS_H

typedef struct SnRows {
    const int *start;  // of each row's entries, and the end
    const int *column; //
    const float *value;
    const float *x;     // four a column
    const float *b;     // four a row
    const float *scale; // a row: 1 / diagonal
    float alpha, beta;
    float *out; // four a row; not x
} SnRows;

typedef void SnRowsFn(const SnRows *rows, int begin, int end); // rows [begin, end)

typedef struct SnRowsKernels {
    SnRowsFn *multiply; // out = b + alpha A x; b nullable: zero; it may be out
    SnRowsFn *relax;    // out = beta out + alpha scale (b - A x)
} SnRowsKernels;

#endif
