// Distances within a body, along its voxels: from a set of vertices to all others. For placing
// frames far from each other and for weights that fall off with the way inside the body.
#ifndef SN_MODEL_FRAMES_GEODESIC_H
#define SN_MODEL_FRAMES_GEODESIC_H

#include "model/frames/grid.h"

// Dijkstra's method over vertices that share a cube. `distances` in: 0 at the sources, INFINITY (or
// what is known already) elsewhere; out: m, INFINITY where no way leads.
SinewStatus sn_geodesic_spread(const SnFramesGrid *grid, const SinewAllocator *allocator,
                               double *distances, SinewError *error);

// `count` vertices far from each other: the first is the farthest from the middle of the body, each
// next the farthest from those before. Pieces that no way reaches come first.
SinewStatus sn_geodesic_farthest(const SnFramesGrid *grid, int count,
                                 const SinewAllocator *allocator, int *out_vertices,
                                 SinewError *error);

#endif
