// A bar of cells that bends more and more, as frames of a run: for tests of what a run writes.
#ifndef SN_TEST_SUPPORT_BENDING_BAR_H
#define SN_TEST_SUPPORT_BENDING_BAR_H

#include "tool/export/frame.h"

enum {
    SN_BAR_X = 12,
    SN_BAR_YZ = 3,
    SN_BAR_NODES = (SN_BAR_X + 1) * (SN_BAR_YZ + 1) * (SN_BAR_YZ + 1),
    SN_BAR_CELLS = SN_BAR_X * SN_BAR_YZ * SN_BAR_YZ,
    SN_BAR_TRIANGLES = 4 * (2 * SN_BAR_X * SN_BAR_YZ + SN_BAR_YZ * SN_BAR_YZ)
};

typedef struct SnBendingBar {
    double rest[3 * SN_BAR_NODES];
    double nodes[3 * SN_BAR_NODES];
    double velocities[3 * SN_BAR_NODES];
    float xyz[3 * SN_BAR_NODES]; // the surface has the nodes as its vertices
    int cells[8 * SN_BAR_CELLS]; // corner 4 i + 2 j + k
    int tets[24 * SN_BAR_CELLS]; // six a cell
    int triangles[3 * SN_BAR_TRIANGLES];
    double values[6 * SN_BAR_CELLS];
    int regions[6 * SN_BAR_CELLS];
} SnBendingBar;

// From (0, 0, 0) to (2, 0.5, 0.5), at rest.
void sn_bending_bar_init(SnBendingBar *bar);

// Bends it: y moves down by time * x^2 / 4, with the velocities that belong to it. Multiples of 1/4
// are exact.
void sn_bending_bar_bend(SnBendingBar *bar, double time);

// The bar as a frame, of tets (4), cells (8) or the surface alone (0).
SnFrame sn_bending_bar_frame(const SnBendingBar *bar, int corners, double time);

#endif
