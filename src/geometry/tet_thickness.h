// How many tets are across the thinnest part of a mesh. From faces of the outside a ray goes along
// the inward normal, from tet to tet, until it leaves the mesh: its length is the thickness there,
// and the tets that it passes through say how large elements are. Chosen over counting layers of
// vertices, which cannot tell two elements from three.
#ifndef SN_GEOMETRY_TET_THICKNESS_H
#define SN_GEOMETRY_TET_THICKNESS_H

#include "base/memory.h"

typedef struct SnTetThickness {
    double across; // elements: a tenth of the outside has no more than this many behind it
    double length; // m, the thickness there
} SnTetThickness;

// `tets` has four vertex indices per tet, positively oriented; `positions` xyz per vertex, m. The
// side of an element is that of a cube with the volume of 5.5 tets: boxes cut into five or six tets
// per cell then have about as many elements across as they have cells. All zero without tets.
SinewStatus sn_tet_thickness_find(const int *tets, int tet_count, int vertex_count,
                                  const double *positions, const SinewAllocator *allocator,
                                  SnTetThickness *out_thickness, SinewError *error);

#endif
