// Cells: the old tets around a place near a cut, and the parts that they fall into. A vertex of the
// mesh or an old tet goes in; out come the tets that have it, or that share a corner with it, each
// with the name of its part.
#ifndef SN_GEOMETRY_CUT_CELLS_H
#define SN_GEOMETRY_CUT_CELLS_H

#include "base/array.h"
#include "geometry/tet_cut.h"

// An old tet and which part it is in; -1: it went.
typedef struct SnCutCell {
    int tet;
    int part;
    double origin[3]; // m, its first corner
    double frame[9];  // 1/m, rows: gradients of the weights of its other corners
} SnCutCell;

// The cells that were found last. Borrows the mesh before the cut, and the cut.
typedef struct SnCutCells {
    const int *tets;
    const double *rest; // m, xyz a vertex
    const SnTetCut *cut;
    int *start;     // an old vertex: its tets
    int *around;    //
    SnArray list;   // SnCutCell
    int near_tet;   // the tet whose corners' tets those are; -1: of no tet
    bool is_framed; // cells have their frames
    int *stamps;    // an old tet: the last time it became a cell
    int stamp;      // how often cells were found
    SnArray faces;  // of the cells, a table
} SnCutCells;

// What was made is released by sn_cut_cells_release in any case.
SinewStatus sn_cut_cells_create(const int *tets, const double *rest, const SnTetCut *cut,
                                const SinewAllocator *allocator, SnCutCells *out_cells,
                                SinewError *error);
void sn_cut_cells_release(SnCutCells *cells, const SinewAllocator *allocator);

// The tets that have an old vertex; parts are named by the vertex' copies.
SinewStatus sn_cut_cells_at(SnCutCells *cells, int vertex, SinewError *error);

// The tets that share a corner with an old tet; parts hang together by faces. Asked for the same
// tet again, they are there.
SinewStatus sn_cut_cells_near(SnCutCells *cells, int tet, SinewError *error);

// Whether all are there and in one part: then nothing falls apart.
bool sn_cut_cells_are_whole(const SnCutCells *cells);

// The part of an old tet; -1: it is none of the cells, or went.
int sn_cut_cells_part_of(const SnCutCells *cells, int tet);

// Makes the cells' frames, without which nothing is weighed.
void sn_cut_cells_frame(SnCutCells *cells);

// Barycentric weights of a rest position in a cell; returns the smallest.
double sn_cut_cell_weigh(const SnCutCell *cell, const double p[3], double weights[4]);

#endif
