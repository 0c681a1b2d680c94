// Where a few points are in a large tet mesh that nobody has made a locator of: one over the tets
// near the points alone gives the answers that one over all of them would, and takes a pass over
// the mesh instead of a tree over it (0.5 against 3.3 ms for 16 points among 32k tets).
#ifndef SN_GEOMETRY_NEAR_TETS_H
#define SN_GEOMETRY_NEAR_TETS_H

#include "geometry/point_location.h"

// `out` gets a location for each point; the points must be within SN_ELEMENT_REACH.
SinewStatus sn_near_tets_locate(const SnTetMesh *mesh, const double *points, int count,
                                const SinewAllocator *allocator, SnTetLocation *out,
                                SinewError *error);

#endif
