// Cubic cells over a body: which of a grid's cells the body fills or its surface crosses, how full
// they are, and their nodes, numbered without gaps. What [A] simulates. In goes a surface (closed,
// open, or lines), a signed function that says what is inside, or both.
#ifndef SN_GEOMETRY_CELL_LATTICE_H
#define SN_GEOMETRY_CELL_LATTICE_H

#include "base/workers.h"
#include "geometry/signed_fn.h"
#include "geometry/surface.h"

#include <stdbool.h>

typedef enum SnCellLabel {
    SN_CELL_EXTERIOR, // not in the lattice
    SN_CELL_INTERIOR, // full
    SN_CELL_BOUNDARY  // crossed by the surface
} SnCellLabel;

// The body. A cell that a triangle or line touches is boundary, whatever the function says there,
// so open surfaces and lines become boundary cells with nothing inside. Elsewhere the function at
// the cell's centre decides; where neighbours disagree though no triangle parts them (a hole in the
// surface, or no surface at all) both are sampled and are boundary if the function changes sign.
// Without a surface, parts thinner than a cell may be missed.
typedef struct SnCellBody {
    const SnSurface *surface; // nullable
    SnSignedFn *fn;           // nullable: nothing is inside; called from many threads
    void *context;            // of fn
    double min[3];            // m, bounds of the body; used only where there is no surface
    double max[3];
} SnCellBody;

typedef struct SnCellLatticeDef {
    double cell_size;  // m; 0: take longest_cells
    int longest_cells; // cells along the longest side of the body, which they fit exactly
    int padding;       // layers of exterior cells around the body, 0 or more
    int samples;       // along each axis of a crossed cell, 1 to 16
    bool keep_apart;   // parts of the body that pass through one cell without being connected there
                       // get cells of their own, see below
} SnCellLatticeDef;

// 32 cells along the longest side, no padding, 4 samples, parts joined.
SnCellLatticeDef sn_cell_lattice_def_default(void);

// A grid of size[0] x size[1] x size[2] cells, of which the lattice holds those not exterior,
// sorted by (i, j, k), k fastest. Corner c of cell (i, j, k) is the grid's node (i + (c >> 2 & 1),
// j + (c >> 1 & 1), k + (c & 1)). Nodes are numbered in the order in which cells first name them.
//
// Fill is the share of samples that are inside, at the centres of samples^3 equal cubes; 1 in
// interior cells. A plane that cuts a cell makes it wrong by at most about half a layer of samples,
// 1 / (2 samples), and by far less on average: errors of cells cancel in the sum.
//
// Parts kept apart. The cubes of the samples are occupied where their centre is inside or where the
// surface touches them: together they cover the body, so what is connected in the body stays so.
// Cubes that share a corner are connected. Each connected part of a cell becomes a cell of its own
// with its share of the fill; two cells share the nodes between them if and only if their parts
// touch. Parts with a gap of two cubes, 2 / samples of a cell, always come apart; with less, they
// may stay joined.
typedef struct SnCellLattice {
    double origin[3]; // m, of node (0, 0, 0)
    double cell_size; // m
    int size[3];
    int cell_count;
    int boundary_count;
    int *cells;            // i, j, k a cell
    unsigned char *labels; // SnCellLabel a cell
    float *fills;          // 0 to 1
    int *nodes;            // eight a cell
    int node_count;
    int *node_cells;   // i, j, k a node
    double *positions; // m, xyz of each node
    int *row_start;    // the first cell of row (i, j), at [i size[1] + j]; and one more for the end

    // Which cube belongs to which of several cells at one place; empty unless parts were kept
    // apart.
    int samples;
    int *cubes_of;        // a cell: where its cubes start, or -1 where it is alone at its place
    unsigned char *cubes; // samples^3 a place, last axis fastest: 1 + the part, 0 where empty
} SnCellLattice;

SinewStatus sn_cell_lattice_create(const SnCellBody *body, const SnCellLatticeDef *def,
                                   SnWorkers *workers, const SinewAllocator *allocator,
                                   SnCellLattice **out_lattice, SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_cell_lattice_destroy(SnCellLattice *lattice, const SinewAllocator *allocator);

// The first cell at (i, j, k), or -1 where the place is exterior or beyond the grid. `out_count`
// (nullable) is the number of cells there: more than one where parts were kept apart.
int sn_cell_lattice_find(const SnCellLattice *lattice, int i, int j, int k, int *out_count);

#endif
