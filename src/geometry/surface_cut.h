// What a cut of tets makes of the surface that follows them: vertices near the cut are there once
// for each side that has triangles of theirs, and the faces that the cut laid bare join in.
//
// The tets around a surface vertex are in one or several parts after the cut; each triangle of the
// vertex goes with the tet that its middle is in, or nearest to, and the vertex is there once for
// each part that has triangles. So the outside of a tet mesh falls apart exactly as its tets do,
// and a finer or coarser surface to about an element.
#ifndef SN_GEOMETRY_SURFACE_CUT_H
#define SN_GEOMETRY_SURFACE_CUT_H

#include "geometry/surface.h"
#include "geometry/tet_cut.h"

// What is cut. Borrowed.
typedef struct SnSurfaceCutDef {
    const SnSurface *surface;    // as it was, at rest
    const int *vertex_start;     // a vertex: its triangles
    const int *vertex_triangles; //
    const int *elements;         // a vertex: the old tet it is in
    const double *weights;       // four a vertex
    const int *tets;             // the old ones
    const double *rest;          // m, of the tets' old vertices
    const SnTetCut *cut;
} SnSurfaceCutDef;

// Vertices keep their indices; more come after them. Triangles of tets that were taken out are not
// there; faces laid bare come last.
typedef struct SnSurfaceCut {
    SnSurface *surface; // one group, no lines
    int *elements;      // a vertex: its tet; -1: none is near
    double *weights;    // four a vertex
    int *source;        // a vertex: which it was; -1: a corner of a face laid bare
} SnSurfaceCut;

SinewStatus sn_surface_cut_create(const SnSurfaceCutDef *def, const SinewAllocator *allocator,
                                  SnSurfaceCut *out_cut, SinewError *error);

// Also of what a failure left.
void sn_surface_cut_release(SnSurfaceCut *cut, const SinewAllocator *allocator);

#endif
