// What a surface is like: its size, its parts, and what is wrong with it. Corners at the same place
// count as one vertex, so that files which repeat them are judged by their shape.
#ifndef SN_GEOMETRY_SURFACE_REPORT_H
#define SN_GEOMETRY_SURFACE_REPORT_H

#include "geometry/surface.h"

#include <stdbool.h>

typedef struct SnSurfaceReport {
    int vertices;             // as they stand in the surface
    int distinct_vertices;    // places
    int triangles;            //
    int lines;                //
    int groups;               //
    int components;           // of triangles that share vertices
    int boundary_edges;       // with one triangle: the rims of holes
    int nonmanifold_edges;    // with three or more
    int inconsistent_edges;   // with two that run the same way
    int degenerate_triangles; // without an area; those with a repeated corner have no edges
    int duplicate_triangles;  // with the same vertices as one before
    double low[3];            // m, bounds of the vertices; 0 where there are none
    double high[3];           //
    double area;              // m^2
    double volume;            // m^3, signed; of an open surface about the middle of its bounds
    bool watertight;          // closed, two triangles at each edge, consistently oriented
} SnSurfaceReport;

SinewStatus sn_surface_report(const SnSurface *surface, const SinewAllocator *allocator,
                              SnSurfaceReport *out_report, SinewError *error);

#endif
