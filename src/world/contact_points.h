// The vertices of a body's surface at which contact is felt. Surfaces that are shown may be much
// finer than a body's elements, which cannot tell such near points apart: contact is then felt at
// some of them, about half an element apart, that stand for the area around them. So pressure
// times area, and with it every force, is that of the whole surface.
#ifndef SN_WORLD_CONTACT_POINTS_H
#define SN_WORLD_CONTACT_POINTS_H

#include "base/memory.h"
#include "geometry/surface.h"

typedef struct SnContactPoints {
    int count;
    int *vertices; // of the surface, ascending
    double *areas; // m^2: their own and of those that they stand for
    int *carriers; // per surface vertex: the contact point that has its area; -1: it has none
} SnContactPoints;

// What they are found from. All borrowed.
typedef struct SnContactPointsDef {
    const SnSurface *surface;
    const double *areas;         // m^2, per vertex
    const int *vertex_start;     // triangles of a vertex
    const int *vertex_triangles; //
    double spacing;              // m, between points at least; 0: all vertices are contact points
} SnContactPointsDef;

// Vertices on edges and tips come first, the others in their order; each is left out where one that
// faces the same way is nearer than the spacing, and the nearest of those takes its area. What was
// made is released by sn_contact_points_release in any case.
SinewStatus sn_contact_points_find(const SnContactPointsDef *def, const SinewAllocator *allocator,
                                   SnContactPoints *out_points, SinewError *error);
void sn_contact_points_release(SnContactPoints *points, const SinewAllocator *allocator);

#endif
