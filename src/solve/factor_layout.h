// Where everything of a factor stands: its panels in the order in which solves read them, the row
// positions of each, and the extra positions through which subtrees speak to the top.
//
// A solve works on an array of positions. Unknown j of the elimination order has position j. A
// subtree must not write to rows of the top while others do, so each has positions of its own for
// those rows, its boundary, after the unknowns: forward sums gather there and are then added to the
// top in the order of subtrees; before the backward sweep the top's values are copied there.
#ifndef SN_SOLVE_FACTOR_LAYOUT_H
#define SN_SOLVE_FACTOR_LAYOUT_H

#include "kernel/panel.h"
#include "solve/supernodes.h"

// Columns of a panel at most. Wider supernodes are cut: an inverse pivot block has all its square.
#define SN_PANEL_COLUMNS 64

typedef struct SnFactorLayout {
    int block; // unknowns a row of the matrix
    int unknowns;
    int positions; // unknowns and boundaries
    int tallest;   // rows of the tallest panel, rounded up to a tile

    int panel_count;
    SnPanel *panels;    // those of subtrees, subtree after subtree, then those of the top
    int *panel_of;      // first panel of each supernode
    int *subtree_panel; // subtree t has panels [subtree_panel[t], subtree_panel[t + 1]); then the
                        // top's
    int *index;
    size_t index_count;
    size_t value_count;

    int *boundary_start; // subtree t's boundary is [boundary_start[t], boundary_start[t + 1])
    int *boundary;       // positions of the top, counted from 0; their copies stand at unknowns + i
} SnFactorLayout;

SinewStatus sn_factor_layout_create(const SnSupernodes *supernodes, int block,
                                    const SinewAllocator *allocator, SnFactorLayout *out,
                                    SinewError *error);

void sn_factor_layout_release(SnFactorLayout *layout, const SinewAllocator *allocator);

// Columns of each panel but the last of a supernode with `width` unknowns.
int sn_factor_panel_width(int width);

#endif
