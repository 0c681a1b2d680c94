// The surface of a body given by its signed distance, as triangles: marching tetrahedra over a
// body-centred cubic lattice, whose vertices are then spread evenly and pulled onto the body. The
// result is closed and manifold whatever the function does, since the tets fill space.
//
// Not taken: marching cubes and dual contouring, which need care to stay manifold where a cell is
// cut twice. The slivers that marching tetrahedra are known for come from cuts close to a lattice
// point; here no vertex starts nearer to one than a quarter of a lattice edge.
#ifndef SN_GEOMETRY_ISOSURFACE_H
#define SN_GEOMETRY_ISOSURFACE_H

#include "base/workers.h"
#include "geometry/box_tree.h"
#include "geometry/signed_fn.h"
#include "geometry/surface.h"

typedef struct SnIsosurfaceDef {
    SnSignedFn *fn; // must not change faster than distance does; called from all workers
    void *context;
    SnBox bounds; // hold the body; what sticks out is cut off
    double cell;  // m, of the lattice; edges come out about 0.42 of it
} SnIsosurfaceDef;

// Refuses lattices of more than 2^30 points. A body that no lattice point is inside of gives a
// surface without triangles.
SinewStatus sn_isosurface_create(const SnIsosurfaceDef *def, SnWorkers *workers,
                                 const SinewAllocator *allocator, SnSurface **out_surface,
                                 SinewError *error);

#endif
