// Rows of a symmetric matrix of 3x3 blocks in float: products, Gauss-Seidel sweeps and the inverse
// diagonal blocks, for `tetmg`. A row is a vertex; vectors over vertices are xyz packed, with room
// for one float more.
//
// Entries off the diagonal stand in the order of sweeps: in each row first those whose rows come
// earlier in a forward sweep, then the later ones. A forward sweep from zero reads the first alone
// and the residual it leaves reads the second alone, so that both together cost one product.
#ifndef SN_KERNEL_BLOCK_ROWS_H
#define SN_KERNEL_BLOCK_ROWS_H

// Blocks are 9 floats, columns side by side. Diagonal blocks are 12: columns of four floats.
typedef struct SnBlockRows {
    const int *start;    // a row: its first entry; and the end
    const int *later;    // a row: its first entry that comes later in sweeps
    const int *columns;  // an entry: three times its column; and one more that is read along
    const float *values; // 9 an entry, and 25 floats more that are read along, finite
    const float *mass;   // a row: what the diagonal has beyond the negative sum of the others
    const float *added;  // nullable: 12 a row, more on the diagonal
    float *diagonal;     // 12 a row; `invert` writes
    float *inverse;      // 12 a row; zero where held; `invert` writes
    const float *free;   // xyz a row: 1, or 0 where held
    const float *x;      // of `multiply` and `residual`
    const float *right;  // of sweeps
    float *out;          // of all but `invert`; sweeps read and write it
} SnBlockRows;

// Rows [begin, end).
typedef void SnBlockRowsFn(const SnBlockRows *rows, int begin, int end);

// Sums of weighted blocks of 9 floats, from one matrix to another: the streams of [D alg 1], a
// control byte a block of `from` (the top bit goes on to the next block, the others count pairs)
// and a weight and a place in `to` a pair; or a gather, a list of weights and places in `from` a
// block of `to`. Places are nine times an entry.
typedef struct SnBlockPairs {
    const unsigned char *control; // of `stream`
    const int *start;             // of `gather`: an entry of `to`
    const float *weights;
    const int *places;
    const float *from; // and 7 floats more that are read along
    float *to;
} SnBlockPairs;

enum { SN_BLOCK_NEXT = 128, SN_BLOCK_COUNT = 127 };

typedef struct SnBlockKernels {
    SnBlockRowsFn *invert;   // diagonal = mass - sum of the row + added, and its inverse
    SnBlockRowsFn *multiply; // out = free A x
    SnBlockRowsFn *forward;  // out = inverse (right - earlier out)
    SnBlockRowsFn *residual; // out = -free later x
    SnBlockRowsFn *backward; // out = inverse (right - (earlier and later) out), last row first
    void (*stream)(const SnBlockPairs *pairs, int count); // adds to `to`; `count` control bytes
    // Sets entries [begin, end) of `to`, but for those without a list.
    void (*gather)(const SnBlockPairs *pairs, int begin, int end);
} SnBlockKernels;

#endif
