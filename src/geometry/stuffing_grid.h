// Inside the mesher: the lattice while it is filled. Places are integers in units of half a cell
// (see bcc_link.h). A leaf of the octree at level k has 2^k cells a side and is found by the place
// of its centre, which no other leaf of any level has.
#ifndef SN_GEOMETRY_STUFFING_GRID_H
#define SN_GEOMETRY_STUFFING_GRID_H

#include "base/array.h"
#include "geometry/bcc_link.h"
#include "geometry/place_table.h"
#include "geometry/stuffing.h"

#include <stdbool.h>

// A cube of the octree.
typedef struct SnLeaf {
    int centre[3];
    int level;
} SnLeaf;

// A lattice point.
typedef struct SnStuffPoint {
    int at[3];
    bool is_known; // the function was evaluated here; if not, the point is known to be inside
    bool is_used;  // corner or centre of a leaf, or the centre of a cell beside one
    SnPointLabel label;
    int slot;     // among the points near the surface; -1: not one
    double value; // of the function, where known
    double x[3];  // m
} SnStuffPoint;

typedef struct SnStuffGrid {
    const SnStuffingDef *def;
    const SinewAllocator *allocator;
    SnWorkers *workers;
    double cell_size; // m
    double origin[3]; // m, of place 0, 0, 0
    int depth;        // the octree's root is a leaf of this level
    SnArray leaves;   // SnLeaf
    SnPlaceTable leaf_table;
    SnArray points; // SnStuffPoint
    SnPlaceTable point_table;
} SnStuffGrid;

// Half a side of a leaf, in places.
static inline int sn_leaf_half(const SnLeaf *leaf)
{
    return 1 << leaf->level;
}

// Corner 0 to 7: 4 a + 2 b + c with a, b, c along x, y, z.
static inline void sn_leaf_corner(const SnLeaf *leaf, int corner, int at[3])
{
    int half = sn_leaf_half(leaf);
    at[0] = leaf->centre[0] + (corner & 4 ? half : -half);
    at[1] = leaf->centre[1] + (corner & 2 ? half : -half);
    at[2] = leaf->centre[2] + (corner & 1 ? half : -half);
}

// The leaf of that level in which a place lies that is no corner of one.
static inline SnLeaf sn_leaf_around(const int at[3], int level)
{
    int half = 1 << level;
    SnLeaf leaf = {.level = level};
    for (int c = 0; c < 3; ++c) {
        leaf.centre[c] = (at[c] & ~(2 * half - 1)) + half;
    }
    return leaf;
}

// Where the stages of the work begin and end, as shares of it: measured on spheres of 64 to 128
// cells a side, uniform and graded.
#define SN_STUFF_WALKED 0.12   // the octree has been walked down
#define SN_STUFF_SEARCHED 0.25 // the points near the surface are known
#define SN_STUFF_LAID 0.40     // the lattice has its points
#define SN_STUFF_CUT 0.60      // edges are cut
#define SN_STUFF_MOVED 0.65    // points are moved onto cuts
#define SN_STUFF_FILLED 0.95   // tets are made

static inline void sn_grid_tell(const SnStuffGrid *grid, double share)
{
    if (grid->def->tell != NULL) {
        grid->def->tell(grid->def->teller, share);
    }
}

// sn_parallel_for in parts, after each of which the share that is done, between `from` and `to`, is
// told.
void sn_grid_parallel_for(const SnStuffGrid *grid, int count, int grain, SnRangeFn *fn,
                          void *context, double from, double to);

void sn_grid_position(const SnStuffGrid *grid, const int at[3], double out_x[3]);

// The function within the bounds, and what is cut off by them: negative inside both. NaN where the
// function says so.
double sn_grid_value(const SnStuffGrid *grid, const double x[3]);

// The index of the point at a place, which is added where it is missing.
SinewStatus sn_grid_point(SnStuffGrid *grid, const int at[3], int *out_index, SinewError *error);

// Notes the function's value at a point, which is no NaN.
static inline void sn_grid_label(SnStuffPoint *point, double value)
{
    point->value = value;
    point->label = value < 0.0 ? SN_POINT_INSIDE : SN_POINT_OUTSIDE;
    point->is_known = true;
}

// Evaluates the function at all points from `first` on that are not known, and labels them.
void sn_grid_evaluate(SnStuffGrid *grid, int first);

// What a first look at space found: `cells` of the finest size that the surface may cross, and
// larger or equal `blocks` that are inside. Space in neither is outside.
typedef struct SnStuffSearch {
    SnStuffGrid *grid;
    SnArray cells;           // SnLeaf of level 0; all their points are known
    SnPlaceTable cell_table; // centre to index
    SnArray blocks;          // SnLeaf; a level of -1 marks one that was broken up into cells
    SnPlaceTable block_table;
} SnStuffSearch;

SinewStatus sn_search_run(SnStuffSearch *search, SinewError *error); // stuffing_search.c

// The index of the block that holds the cell with this centre, -1 when there is none.
int sn_search_block(const SnStuffSearch *search, const int centre[3]);

// How many of the nine points of a cell are inside.
int sn_search_inside_count(const SnStuffSearch *search, const SnLeaf *cell);

void sn_search_release(SnStuffSearch *search);

// The sentence for a lattice that finds nothing to fill.
SinewStatus sn_grid_refuse_empty(const SnStuffGrid *grid, SinewError *error);

// Turns what was found into leaves of one size, or of a balanced octree, and gives them points.
SinewStatus sn_grid_fill(SnStuffGrid *grid, const SnStuffSearch *search, SinewError *error);
SinewStatus sn_grid_add_even_leaves(SnStuffGrid *grid, const SnStuffSearch *search,
                                    SinewError *error);
SinewStatus sn_grid_add_graded_leaves(SnStuffGrid *grid, const SnStuffSearch *search,
                                      SinewError *error); // stuffing_octree.c

void sn_grid_release(SnStuffGrid *grid);

// The points near the surface: their neighbours, and where the edges between them are cut.
typedef struct SnStuffCuts {
    const SinewAllocator *allocator;
    int slot_count;
    int *points;     // of each slot
    int *neighbours; // SN_BCC_EDGES each: a point, or -1 where there is none, which is outside
    double *cuts;    // beside neighbours: how far along the edge the cut is, 0 to 1, from a point
                     // outside to one inside; -1: not cut
} SnStuffCuts;

// Cuts the edges and moves points onto cuts that are too near, [L] steps 2 and 3
// (stuffing_cuts.c).
SinewStatus sn_cuts_create(SnStuffGrid *grid, SnStuffCuts *out_cuts, SinewError *error);

void sn_cuts_release(SnStuffCuts *cuts);

// Fills the tets of the lattice, [L] step 4 (stuffing_stencils.c).
SinewStatus sn_stencils_fill(SnStuffGrid *grid, const SnStuffCuts *cuts, SnTetMesh **out_mesh,
                             SinewError *error);

#endif
