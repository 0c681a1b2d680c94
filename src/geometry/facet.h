// The facets of a surface, numbered through: its triangles, then its lines. A line is a triangle of
// no width, so that whoever asks what a surface touches need not tell them apart.
#ifndef SN_GEOMETRY_FACET_H
#define SN_GEOMETRY_FACET_H

#include "geometry/box.h"
#include "geometry/surface.h"

// 0 without a surface. Nullable: surface.
static inline int sn_facet_count(const SnSurface *surface)
{
    return surface == NULL ? 0 : surface->triangle_count + surface->line_count;
}

// Nine doubles, xyz each; a line has its second end twice.
void sn_facet_corners(const SnSurface *surface, int facet, double out_corners[9]);

// Of all facets; empty without any. Nullable: surface.
SnBox sn_facets_box(const SnSurface *surface);

// Refuses more facets than `most`, positions beyond 1e30 in size or not finite, and vertices that
// do not exist, with the index of the vertex or the facet in the error. Nullable: surface.
SinewStatus sn_facets_check(const SnSurface *surface, int most, SinewError *error);

#endif
