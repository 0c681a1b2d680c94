// Tubes around the lines of a surface, so that what is made of lines alone can be seen, touched and
// written as triangles: six sides, closed at both ends, each line for itself. Lines are cut in
// equal pieces, rings of vertices between them, so that tubes bend.
#ifndef SN_GEOMETRY_LINE_TUBES_H
#define SN_GEOMETRY_LINE_TUBES_H

#include "geometry/surface.h"

// `piece`: the length of a piece at most, m. Lines without a length are left out; refused where all
// are.
SinewStatus sn_line_tubes_create(const SnSurface *lines, double radius, double piece,
                                 const SinewAllocator *allocator, SnSurface **out_surface,
                                 SinewError *error);

#endif
