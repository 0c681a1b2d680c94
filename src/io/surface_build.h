// A surface while a reader finds its parts: vertices, polygons, lines and groups come in any order
// and number; at the end polygons are cut into triangles and the surface is handed out.
#ifndef SN_IO_SURFACE_BUILD_H
#define SN_IO_SURFACE_BUILD_H

#include "base/array.h"
#include "geometry/surface.h"

#include <stdbool.h>

// The most vertices, triangles or lines: three times as many still fit an int.
#define SN_SURFACE_COUNT_MAX 700000000

typedef struct SnSurfaceBuild {
    const SinewAllocator *allocator;
    SnArray positions;   // double, xyz packed
    SnArray corners;     // int, of all faces one after the other
    SnArray face_sizes;  // int, corners of each face, at least 3
    SnArray face_groups; // int
    SnArray lines;       // int, two each
    SnArray names;       // the groups, in order of appearance
    SnArray letters;     // the names' text
    SnArray slots;       // int, table of groups by the hash of their names; -1: empty
    int group;           // of the faces to come; -1: none was begun
    int largest_face;    // corners
} SnSurfaceBuild;

SnSurfaceBuild sn_surface_build_of(const SinewAllocator *allocator);

static inline int sn_surface_build_vertex_count(const SnSurfaceBuild *build)
{
    return (int)(build->positions.count / 3);
}

// Three finite coordinates.
SinewStatus sn_surface_build_vertex(SnSurfaceBuild *build, const double position[3],
                                    SinewError *error);

// A face with `count` corners. Two make a line, fewer make nothing.
SinewStatus sn_surface_build_face(SnSurfaceBuild *build, const int *corners, int count,
                                  SinewError *error);

SinewStatus sn_surface_build_line(SnSurfaceBuild *build, int from, int to, SinewError *error);

// Faces to come belong to the group of that name, which is made if there is none. `fresh`: another
// one is made even so.
SinewStatus sn_surface_build_group(SnSurfaceBuild *build, const char *name, size_t length,
                                   bool fresh, SinewError *error);

// All corners and line ends must be below the number of vertices by now. Leaves the build empty.
SinewStatus sn_surface_build_finish(SnSurfaceBuild *build, SnSurface **out_surface,
                                    SinewError *error);

void sn_surface_build_release(SnSurfaceBuild *build);

#endif
