// A triangle surface as files give it: a soup that may be open, flipped in parts, doubled or worse.
// Lines are allowed too, since models that fill cells take them.
#ifndef SN_GEOMETRY_SURFACE_H
#define SN_GEOMETRY_SURFACE_H

#include "geometry/names.h"

typedef struct SnSurface {
    int vertex_count;
    int triangle_count;
    int line_count;
    double *positions; // m, xyz packed, all finite
    int *triangles;    // three vertex indices each, counter-clockwise from outside
    int *groups;       // the group of each triangle
    int *lines;        // two vertex indices each
    SnNames names;     // of the groups; at least one
} SnSurface;

// Room for the given counts; groups are zero and their names empty, the rest is uninitialised.
SinewStatus sn_surface_create(int vertex_count, int triangle_count, int line_count, int group_count,
                              const SinewAllocator *allocator, SnSurface **out_surface,
                              SinewError *error);

// A copy of all of it.
SinewStatus sn_surface_copy(const SnSurface *from, const SinewAllocator *allocator,
                            SnSurface **out_surface, SinewError *error);

// NULL is fine. The allocator must be the one it was made with.
void sn_surface_destroy(SnSurface *surface, const SinewAllocator *allocator);

#endif
