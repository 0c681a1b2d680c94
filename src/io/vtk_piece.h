// What both VTK formats come down to: points, the corners of each cell, its type and perhaps its
// region. Taking it into a draft keeps the tets.
#ifndef SN_IO_VTK_PIECE_H
#define SN_IO_VTK_PIECE_H

#include "io/numbers.h"
#include "io/tet_draft.h"

typedef struct SnVtkPiece {
    SnNumbers points;       // three a point
    SnNumbers connectivity; // point numbers of all cells, one after the other
    SnNumbers ends;         // where each cell ends in there; of type NONE: each cell starts with
                            // its number of points, as files before version 5 have it
    SnNumbers types;        // one a cell
    SnNumbers regions;      // one a cell; of type NONE: there is none
} SnVtkPiece;

// Arrays that name regions, best first, compared without case: how good a name is (0 is best), or
// -1 if it is none.
int sn_vtk_region_rank(const char *name, size_t length);

// The array in which our writers keep the names of the regions, each ended by a zero.
#define SN_VTK_NAMES "RegionNames"
#define SN_VTK_REGION "region"

SinewStatus sn_vtk_piece_take(const SnVtkPiece *piece, SnTetDraft *draft, SinewError *error);

// Names of the regions 0, 1, ... from such an array.
SinewStatus sn_vtk_name_regions(const SnNumbers *names, SnTetDraft *draft, SinewError *error);

void sn_vtk_piece_release(SnVtkPiece *piece, const SinewAllocator *allocator);

#endif
