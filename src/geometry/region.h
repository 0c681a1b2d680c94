// Parts of space that pick vertices: pins, loads and materials say where they act by these.
#ifndef SN_GEOMETRY_REGION_H
#define SN_GEOMETRY_REGION_H

#include "base/memory.h"
#include "sinew/geometry.h"

#include <stdbool.h>

// Refuses a region that is not said, not finite, has a box of negative size, a radius that is not
// positive, or vertices outside [0, vertex_count); `what` ("pin 0 of body \"beam\"") begins the
// sentence.
SinewStatus sn_region_check(const SinewRegion *region, int vertex_count, const char *what,
                            SinewError *error);

// True when the vertex with that index and rest position is in the region. Lists of vertices are
// sorted by sn_region_copy, so that this is a binary search.
bool sn_region_holds(const SinewRegion *region, int vertex, const double rest[3]);

// A region that owns its list of vertices, sorted. Released by sn_region_release.
SinewStatus sn_region_copy(const SinewRegion *region, const SinewAllocator *allocator,
                           SinewRegion *out_region, SinewError *error);
void sn_region_release(SinewRegion *region, const SinewAllocator *allocator);

#endif
