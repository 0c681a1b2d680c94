// Repair of a surface from a file, as far as it can be done without guessing at shapes: vertices
// are welded, triangles that say nothing go, and the others are oriented. Holes and crossings stay;
// the winding number copes with them.
#ifndef SN_GEOMETRY_SURFACE_REPAIR_H
#define SN_GEOMETRY_SURFACE_REPAIR_H

#include "geometry/surface_orient.h"

typedef struct SnSurfaceRepair {
    int welded_vertices;      // gone, since another is at their place
    int degenerate_triangles; // gone
    int duplicate_triangles;  // gone
    SnOrientation orientation;
} SnSurfaceRepair;

// In place. `tolerance` is a distance in metres, 0 for equal coordinates alone. When it fails, the
// surface is good but may be repaired in part.
SinewStatus sn_surface_repair(SnSurface *surface, double tolerance, const SinewAllocator *allocator,
                              SnSurfaceRepair *out_repair, SinewError *error);

#endif
