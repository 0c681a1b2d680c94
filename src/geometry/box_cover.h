// Cubes over a box whose own cells need not be cubes: the grid of cubes that is nearest to those
// cells and to the box' sides. Its nodes lie exactly on the box where an edge divides all sides;
// elsewhere the outermost cubes stick out by equal parts on both sides, so that what is symmetric
// stays so, and hold some of the box alone.
#ifndef SN_GEOMETRY_BOX_COVER_H
#define SN_GEOMETRY_BOX_COVER_H

#include "geometry/box_tets.h"

#include <stdbool.h>

typedef struct SnBoxCover {
    int cells[3];
    double edge;     // m
    double min[3];   // m, the grid's lowest corner
    bool is_as_said; // the cells that were asked for are cubes
    double overhang; // how much longer than the box the grid is along an axis, at most; 0: not
} SnBoxCover;

// The cover of a box with the cells in `grid`.
SnBoxCover sn_box_cover_find(const SnBoxTetsDef *grid);

// The share of the cube (i, j, k) that is inside the box, where each cube is cut into `division`
// along its sides.
double sn_box_cover_fill(const SnBoxCover *cover, const SnBoxTetsDef *grid, const int place[3],
                         int division);

#endif
