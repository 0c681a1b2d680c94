// Fills a round body with its tets. The mesher puts the vertices of the outside on the surface, so
// the faces between them are chords: of a sphere with 8 cells across they miss 5.4 % of its volume,
// and with it of mass and stiffness. Here those vertices move outwards, or inwards where the body
// is hollow, until the volume between the faces and the surface is as much on one side as on the
// other. Flat sides stay as they are.
//
// Not taken: density and modulus scaled for the whole body. It needs the volume, which a surface
// with holes does not tell, and thick and thin parts miss different shares.
#ifndef SN_GEOMETRY_TET_FILL_H
#define SN_GEOMETRY_TET_FILL_H

#include "base/workers.h"
#include "geometry/signed_fn.h"
#include "geometry/tet_mesh.h"

// `mesh` is positively oriented with the vertices of its outside where the function is zero, as
// sn_stuffing_create makes it; `cell_size` is that of the mesher. No vertex moves further than a
// quarter of it, and no angle between faces leaves the range that the mesher keeps because of it.
// The same bits for any number of workers. `workers` and `allocator` are nullable.
SinewStatus sn_tet_fill(SnTetMesh *mesh, SnSignedFn *function, void *context, double cell_size,
                        SnWorkers *workers, const SinewAllocator *allocator, SinewError *error);

#endif
