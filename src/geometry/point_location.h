// Where points are in a tet mesh: the tet around a point and its barycentric weights there, or,
// outside, the nearest tet with weights that go on beyond it. Those are not clamped: they reproduce
// affine fields outside too, which the multigrid of [D] needs to converge.
#ifndef SN_GEOMETRY_POINT_LOCATION_H
#define SN_GEOMETRY_POINT_LOCATION_H

#include "geometry/element_tree.h"
#include "geometry/tet_mesh.h"

// How a mesh is searched. Const once made; the mesh must outlive it and stay as it is.
typedef struct SnTetLocator {
    const SnTetMesh *mesh;
    SnElementTree *tree; // over the tets that have a volume
    int *tets;           // the tet at each place of the tree
    double *maps;        // 12 a place: x0, then rows of the inverse of (x1 - x0, x2 - x0, x3 - x0)
} SnTetLocator;

// Tets without volume (less than 1e-10 times the cube of their longest edge) have no weights and
// are never chosen; a mesh of nothing else is refused, as are corners that do not exist and
// positions beyond SN_ELEMENT_REACH.
SinewStatus sn_tet_locator_create(const SnTetMesh *mesh, SnWorkers *workers,
                                  const SinewAllocator *allocator, SnTetLocator **out_locator,
                                  SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_tet_locator_destroy(SnTetLocator *locator, const SinewAllocator *allocator);

typedef struct SnTetLocation {
    int tet;
    double weights[4]; // their sum is 1; below 0 for corners that the point lies beyond
    double distance;   // m, from the tet; 0 inside
} SnTetLocation;

// The point must be within SN_ELEMENT_REACH. Which tet it is where several would do:
//   on a face, edge or vertex    where the smallest weight is largest, then the one with the lowest
//                                index; 1e-10 below zero still counts as inside
//   outside, equally far         distances that differ by rounding alone (1e-12 of them) count as
//                                equal, then the same
//   where tets overlap           the guess, or else the first in the tree's order that has the
//   point
//                                well inside
// `guess` is a place of the tree, or -1 for none, that is tried first; it never changes the answer
// where tets do not overlap. It is replaced by the place of the answer.
SnTetLocation sn_tet_locate(const SnTetLocator *locator, const double p[3], int *guess);

#endif
