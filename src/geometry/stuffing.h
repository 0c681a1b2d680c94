// Tets of a body given by a signed function: isosurface stuffing [L] (Labelle and Shewchuk 2007).
// A body-centred cubic lattice is laid over the body, the edges of its tets that leave the body are
// cut where the function is zero, lattice points too near to a cut are moved onto it, and each tet
// is filled by a stencil. Over random functions with the worst of cuts all dihedral angles were
// between 10.5 and 163.8 degrees, which the tests hold every mesh to; that is a search, not a
// proof. The interior has cells of one size, or of sizes that double away from the surface.
//
// The mesh conforms, is positively oriented, and its boundary is a closed manifold with its
// vertices where the function is zero. Where two sheets of the surface come nearer to each other
// than about a cell, so that moving a lattice point would make the body touch itself, cuts are
// moved along their edges instead (by less than half a cell, the only vertices off the surface);
// parts thinner than the cells may vanish.
//
// Not taken: one function value a lattice point of the bounding box. It is simpler, but its cost is
// that of the box, and most of a box is neither surface nor body.
#ifndef SN_GEOMETRY_STUFFING_H
#define SN_GEOMETRY_STUFFING_H

#include "base/workers.h"
#include "geometry/signed_fn.h"
#include "geometry/tet_mesh.h"

typedef struct SnStuffingDef {
    SnSignedFn *function; // negative inside; NaN counts as outside
    void *context;        // given to it
    double min[3];        // m; what of the body is outside these bounds is cut off
    double max[3];        // m
    int cells;            // along the longest side; 0: cell_size says
    double cell_size;     // m; 0: cells says
    double slope;         // the function changes by at most this much a metre: 1 for distances, the
                          // default; where it is larger than that times the distance to be crossed,
                          // nothing is evaluated. 0: not known, everything is evaluated
    int is_graded;        // larger cells away from the surface
    // Told the share of the work that is done, 0 to 1, by the calling thread; nullable: no
    // callback.
    void (*tell)(void *teller, double share);
    void *teller;
} SnStuffingDef;

// 32 cells along the longest side, all of one size; no function yet.
SnStuffingDef sn_stuffing_def_default(void);

// The most cells a mesh may have: its tets and their faces are still counted by an int.
#define SN_STUFFING_CELLS_MAX 14000000

// Makes the mesh. Its vertices are in Morton order and all used. The same bits for any number of
// workers. `workers` and `allocator` are nullable.
SinewStatus sn_stuffing_create(const SnStuffingDef *def, SnWorkers *workers,
                               const SinewAllocator *allocator, SnTetMesh **out_mesh,
                               SinewError *error);

// The size of the cells that a def asks for, m.
double sn_stuffing_cell_size(const SnStuffingDef *def);

#endif
