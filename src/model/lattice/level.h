// A level of a lattice: a grid, the linearised cells on it, cells with matrices of their own, and
// the vectors that a cycle works with. In goes a linearisation, out come products, diagonals and
// directions.
#ifndef SN_MODEL_LATTICE_LEVEL_H
#define SN_MODEL_LATTICE_LEVEL_H

#include "kernel/kernel_table.h"
#include "model/lattice/cell.h"
#include "model/lattice/grid.h"

// A cell of a coarse level that is not full, in which stiffness differs, or in which pins hold what
// the level cannot hold: it has the Galerkin matrix of the cells below it.
typedef struct SnLatticeCut {
    int cell;       // block * 16 + lane
    int place[3];   // i, j, k
    int corners[8]; // nodes, as sn_lattice_grid_corners gives
} SnLatticeCut;

// Up to sixteen such cells of a slab that no pin touches, whose matrices are over modes.
typedef struct SnLatticeModal {
    int count;
    int cells[SN_LATTICE_BLOCK];
    int corners[8 * SN_LATTICE_BLOCK]; // sixteen for each corner; those of the last cell go on
} SnLatticeModal;

typedef enum SnLatticeHeld {
    SN_LATTICE_FREE,
    SN_LATTICE_HELD,
    SN_LATTICE_NOTHING // no node is there
} SnLatticeHeld;

// What pins make of a level. Made by set_pins, const between its calls.
typedef struct SnLatticeHold {
    unsigned char *held; // a number of a vector: SnLatticeHeld
    int cut_count;
    SnLatticeCut *cuts; // sorted by slab
    int *cut_start;     // size[0] + 1 places among cuts
    float *matrices;    // 24 x 32 a cut, columns padded
    int modal_count;
    SnLatticeModal *modals; // sorted by slab
    int *modal_start;       // size[0] + 1 places among modals
    float *modal_matrices;  // SN_LATTICE_MODAL x 16 each
    // A cell: its place among cuts, or -1, or -2 - its place among modals, times 16 plus its lane.
    // NULL where there is none.
    int *cut_of;
    double lambda_max; // the largest eigenvalue of D^-1 K at rest, measured
    bool is_lent;      // all but the matrices is another's
} SnLatticeHold;

// Whether a cell has a matrix of its own.
static inline bool sn_lattice_hold_cuts(const SnLatticeHold *hold, int cell)
{
    return hold->cut_of != NULL && hold->cut_of[cell] != -1;
}

// A point's corners and weights on a level.
typedef struct SnLatticeSpring {
    int nodes[8];
    float weights[8];
} SnLatticeSpring;

// The site of a point at `u` (along the grid's axes, in cells) of the finest cell at `place`, on
// the level with that index: in the cell there that holds the finest one.
void sn_lattice_grid_site(const SnLatticeGrid *grid, int index, const int place[3],
                          const double u[3], SnLatticeSpring *out_site);

// Springs at points, for all levels: stiffness of point p, which sits at springs[p] of a level.
typedef struct SnLatticeSprings {
    int count;
    const int *points;       // which points have one
    const float *stiffness;  // 9 each
    SnLatticeSpring **sites; // a level: one a point
} SnLatticeSprings;

// Springs joined by cell: six numbers of a symmetric stiffness (xx yy zz xy xz yz), then the place
// in the cell, 0 to 1 along the grid's axes. Zero where a cell has none.
enum { SN_LATTICE_CELL_SPRING = 9 };
typedef struct SnLatticeCellSprings {
    int count;             // cells
    const int *places;     // i, j, k each, on the finest level
    const double *numbers; // SN_LATTICE_CELL_SPRING each
} SnLatticeCellSprings;

typedef struct SnLatticeLevel {
    SnLatticeGrid grid;
    const SnLatticeKernels *kernels;
    SnRotationFn *rotations;
    SinewLatticeElement element;
    SinewLatticeDifferential differential;
    float hourglass;
    int index; // 0: the finest
    SnLatticeHold hold;
    float *R;             // 9 a cell block
    float *R_kept;        // R when the factor was made, where this level is the only one; else NULL
    float *L;             // 6, definite: clamped, or that of warped stiffness or Zhu et al.
    float *L_exact;       // 6, of the finest level alone
    float *turns;         // a batch of blocks or a slab: how far R turned at most
    float *lame;          // 2, times h / 16; 0 where a cell is empty or cut
    unsigned char *mixed; // a cell: 1 where stiffness differs below it; NULL: nowhere
    float *inertia;       // 16 a node block: kg/s^2 on the diagonal
    float *d_inverse;     // 1 / diagonal; 0 where held
    float *x, *b, *y, *p; // one block, of which x is the first
    float *F;             // 9 a cell block; without corrections it lies over b, y and p
    float *correction;    // what the full approximation scheme took into F; NULL without it
    bool corrects;        // there is room for that
    int chunk_slabs;      // slabs that one worker does in one go
    int chunk_count;      //
    int *edge_start;      // a chunk: where its doubles for the plane after it begin
    size_t plane_size;    // numbers of the largest plane of nodes
    float *room;          // for sums on their way: SN_LATTICE_ROOM planes at least
    bool has_inertia;
    bool is_lent;                    // grid, `mixed` and `edge_start` are another level's
    const SnLatticeSprings *springs; // NULL: none
} SnLatticeLevel;

// Cell blocks whose rotations are found together.
enum { SN_LATTICE_BATCH_BLOCKS = SN_LATTICE_BATCH / SN_LATTICE_BLOCK };

SinewStatus sn_lattice_level_create(SnLatticeLevel *level, const SinewAllocator *allocator,
                                    SinewError *error);
void sn_lattice_level_release(SnLatticeLevel *level, const SinewAllocator *allocator);

// Another level of the same shape: what never changes is lent by `from`, which must outlive it;
// what a linearisation and a cycle work with is its own, and empty.
SinewStatus sn_lattice_level_copy(const SnLatticeLevel *from, const SinewAllocator *allocator,
                                  SnLatticeLevel *out_level, SinewError *error);

// Ends all of a level that is not lent to copies.
void sn_lattice_level_shrink(SnLatticeLevel *level, const SinewAllocator *allocator);

// What pins make of a level, lent by `from` but for its matrices. Ended as others are.
SinewStatus sn_lattice_hold_lend(const SnLatticeHold *from, const SinewAllocator *allocator,
                                 SnLatticeHold *out_hold, SinewError *error);
void sn_lattice_hold_release(SnLatticeHold *hold, const SinewAllocator *allocator);

// A chunk's slabs: they sum into the planes of nodes below each, and into the plane after the last,
// which the next chunk owns, through a buffer.
typedef struct SnLatticeChunk {
    int first, last;      // slabs [first, last)
    int plane, plane_end; // node blocks of the planes that the chunk owns
    int edge_plane;       // the first node block of the plane after, or 0
    int edge;             // where its sums are among the edges
    int edge_size;        // numbers
} SnLatticeChunk;
SnLatticeChunk sn_lattice_level_chunk(const SnLatticeLevel *level, int index);

// Planes of floats in a level's room: three for each of some sweeps that follow each other.
enum { SN_LATTICE_STAGES = 4, SN_LATTICE_ROOM = 3 * SN_LATTICE_STAGES };

// y = K x with inertia and springs; x must be zero where nothing is. `exact` takes L as it is.
void sn_lattice_level_apply(const SnLatticeLevel *level, SnWorkers *workers, bool exact,
                            const float *x, float *y);

// Adds K x of the cells between planes `slab` and `slab` + 1, springs and inertia left out, to the
// sums of the lower plane in y_low and of the upper in y_high, both addressed as y is.
void sn_lattice_level_apply_slab(const SnLatticeLevel *level, bool exact, int slab, const float *x,
                                 float *y_low, float *y_high);

// The level as its kernels take it.
SnLatticeOperator sn_lattice_level_operator(const SnLatticeLevel *level, bool exact);

// d_inverse from the definite K. Springs count with the sums of their rows, so that they do not
// raise the largest eigenvalue.
void sn_lattice_level_invert_diagonal(SnLatticeLevel *level, SnWorkers *workers);

// Rotations of the first `cells` of a batch, from its F.
void sn_lattice_level_rotate(const SnLatticeLevel *level, int cells, SnLatticeRotations *batch);

// R and L from positions (finest level), or from F averaged over the finer level's cells. The first
// returns the largest turn of a cell since R was last made, radians; about right while it is small.
double sn_lattice_level_linearise(SnLatticeLevel *level, SnWorkers *workers, const double *x);

// F alone from positions, of a level whose R and L belong to them already.
void sn_lattice_level_gradients(SnLatticeLevel *level, SnWorkers *workers, const double *x);

// How far a coarse level's cells would turn if it were averaged, radians. Its R and L stay.
double sn_lattice_level_compare(SnLatticeLevel *level, const SnLatticeLevel *finer,
                                SnWorkers *workers);

// The same for the only level of a lattice: how far its cells have turned from R_kept.
double sn_lattice_level_compare_kept(const SnLatticeLevel *level);
void sn_lattice_level_average(SnLatticeLevel *level, const SnLatticeLevel *finer,
                              SnWorkers *workers);

// R and L from the level's own F.
void sn_lattice_level_relinearise(SnLatticeLevel *level, SnWorkers *workers);

// Energy, J, and its gradient at x, in double. Nullable: out_force, and then dets and energies are
// all that is found. `lame` has 2 x 16 numbers a cell block, Pa.
typedef struct SnLatticeState {
    const double *lame;
    const double *x;
    double *force;
    double *energies; // a cell block
    float *dets;      // a cell
    bool linearises;  // the level's R and L become those at x
} SnLatticeState;
double sn_lattice_level_force(const SnLatticeLevel *level, SnWorkers *workers,
                              const SnLatticeState *state);

// The largest turn of a cell when that last linearised, radians.
double sn_lattice_level_turned(const SnLatticeLevel *level);

// How the energy at x + t move goes on beyond the tangent at x: out[0] t^3 + out[1] t^4, J, where
// cells turn. R is that at x.
void sn_lattice_level_rise(const SnLatticeLevel *level, SnWorkers *workers, const double *move,
                           double out[2]);

// a . b.
double sn_lattice_level_dot(const SnLatticeLevel *level, SnWorkers *workers, const float *a,
                            const float *b);

// The cell with its tangent and matrix, in double.
void sn_lattice_level_matrix(const SnLatticeLevel *level, int cell, double K[576]);

#endif
