// Solves with a factor that is kept in panels laid out in the order in which they are read.
//
// A block of columns of the factor, with S its pivot block and C the block below it when its turn
// comes, is kept as one tall matrix P = [S^-1; -C S^-1], so that both sweeps of a solve are plain
// products without dependent chains:
//   forward, ascending:    x_below += (-C S^-1) x_own
//   backward, descending:  x_own    = P^T [x_own; x_below]
// (S^-1 enters once, between the sweeps, and C S^-1 = L21 L11^-1 in terms of the Cholesky factor.)
//
// Rows come in tiles of 16, columns in blocks of 8, 4, 2 and 1; a panel is
//   for each block of columns, for each tile, for each column of the block: 16 numbers.
// The last tile is filled up with zeros. Both sweeps read each number once, one after another.
//
// Not taken: columns of L with a triangular solve in the diagonal block. It reads the same bytes,
// but each column waits for the one before, which is what limits small factors.
#ifndef SN_KERNEL_PANEL_H
#define SN_KERNEL_PANEL_H

#include <stddef.h>

#define SN_PANEL_TILE 16
#define SN_PANEL_BLOCK 8

typedef struct SnPanel {
    int columns;   // own columns: positions index[first] to index[first] + columns - 1
    int rows;      // own columns and the rows below
    int first;     // the panel's row positions are index[first .. first + rows)
    size_t values; // its numbers start at values[values]
} SnPanel;

// Precision of the factor and the right-hand sides, and how many of those are solved at once. With
// three, position p of x is x[4 p], x[4 p + 1], x[4 p + 2], and the fourth number is zero.
typedef enum SnPanelKind {
    SN_PANEL_FLOAT3,
    SN_PANEL_FLOAT1,
    SN_PANEL_DOUBLE3,
    SN_PANEL_DOUBLE1,
    SN_PANEL_KINDS
} SnPanelKind;

typedef struct SnPanelJob {
    const SnPanel *panels;
    int begin; // panels [begin, end), taken in ascending order forward, in descending order
               // backward
    int end;
    const int *index;
    const void *values; // float or double
    void *x;            // float or double
    void *scratch;      // rows of the tallest panel, rounded up to a tile, times right-hand sides
    void *result;       // backward_columns alone: where x_own goes, laid out as in x
} SnPanelJob;

typedef void SnPanelFn(const SnPanelJob *job);

// A part of the sweep over the one panel `begin`, so that workers can share a large one.
typedef void SnPanelPartFn(const SnPanelJob *job, int begin, int end);

typedef struct SnPanelKernels {
    SnPanelFn *forward[SN_PANEL_KINDS];
    SnPanelFn *backward[SN_PANEL_KINDS];
    // The rows below in tiles [begin, end), from sn_panel_first_tile on.
    SnPanelPartFn *forward_tiles[SN_PANEL_KINDS];
    // Own columns [begin, end), begin a multiple of 8, written to `result`: the other columns' old
    // values are still being read.
    SnPanelPartFn *backward_columns[SN_PANEL_KINDS];
} SnPanelKernels;

// Width of the block of columns that starts where `left` columns are left: 8, 4, 2 or 1.
static inline int sn_panel_block(int left)
{
    return left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

// Tiles of a panel.
static inline int sn_panel_tiles(int rows)
{
    return (rows + SN_PANEL_TILE - 1) / SN_PANEL_TILE;
}

// The first tile that holds a row below; own rows in it are computed forward and dropped.
static inline int sn_panel_first_tile(const SnPanel *panel)
{
    return panel->columns / SN_PANEL_TILE;
}

#endif
