// Consistent orientation. Triangles are turned until neighbours over each edge that has just two of
// them run against each other; such patches then get a direction as a whole:
// - a closed patch has its normals outside, decided by its signed volume;
// - a closed patch inside another keeps its direction relative to that one: a cavity stays a cavity
//   and a core stays a core, also in a file that is inside out altogether;
// - an open patch keeps the direction that most of its area had;
// - one that has no consistent direction, such as a Moebius strip, keeps that of its first triangle
//   as far as it goes, and is counted.
#ifndef SN_GEOMETRY_SURFACE_ORIENT_H
#define SN_GEOMETRY_SURFACE_ORIENT_H

#include "geometry/surface.h"

typedef struct SnOrientation {
    int patches;           // joined over edges that have two triangles
    int closed_patches;    //
    int unorientable;      // patches without a consistent direction
    int flipped_triangles; //
} SnOrientation;

// Turns triangles in place by exchanging their last two corners. Vertices must be welded. Time is
// linear but for patches inside the box of one whose sign differs: those count its triangles once.
SinewStatus sn_surface_orient(SnSurface *surface, const SinewAllocator *allocator,
                              SnOrientation *out_orientation, SinewError *error);

#endif
