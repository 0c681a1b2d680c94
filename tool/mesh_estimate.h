// What a mesh will take before it is made: about how many cells, and how much memory. A request
// that neither the library nor the machine can meet is refused at once, with one that they can.
#ifndef SN_TOOL_MESH_ESTIMATE_H
#define SN_TOOL_MESH_ESTIMATE_H

#include "geometry/surface_report.h"

#include <stdbool.h>

typedef struct SnMeshEstimate {
    double cells; // of the lattice, 12 tets each
    double bytes; // at the most while the mesh is made
} SnMeshEstimate;

// Tets with cells of `cell_size` (m) in the surface. Of one that is not watertight the volume is
// not known: the cells near the surface alone count.
SnMeshEstimate sn_mesh_estimate(const SnSurfaceReport *shape, double cell_size, bool is_graded);

// SINEW_ERROR_ARGUMENT where that is more cells than a mesh may have or more bytes than `memory`;
// the sentence tells both, and how many cells along the longest side would fit.
SinewStatus sn_mesh_estimate_check(const SnSurfaceReport *shape, double cell_size, bool is_graded,
                                   double memory, SinewError *error);

#endif
