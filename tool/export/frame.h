// One body at one time, as writers of frames see it: the surface that shows, the elements that
// move, and what is known about them. All of it is lent. The writers here replace a file whole or
// not at all, and the same frame gives the same bytes.
#ifndef SN_TOOL_FRAME_H
#define SN_TOOL_FRAME_H

#include "base/memory.h"

#include <stdbool.h>

typedef struct SnFrame {
    const char *body;               // its name. Nullable
    double time;                    // s
    const float *surface_xyz;       // m
    int surface_vertex_count;       // 0: no surface
    const int *surface_triangles;   // three vertex indices each
    int surface_triangle_count;     //
    const float *surface_normals;   // three a vertex. Nullable
    const double *nodes_xyz;        // m
    const double *rest_xyz;         // m, of the same nodes; gives displacements. Nullable
    int node_count;                 //
    const int *elements;            // `corners` node indices each
    int element_count;              //
    int corners;                    // 4: tets; 8: cells, corner 4 i + 2 j + k; 0: no elements
    const double *velocities;       // m/s, three a node. Nullable
    const double *element_values;   // one an element. Nullable
    const char *element_value_name; // Nullable unless there are values
    const int *regions;             // one an element. Nullable
} SnFrame;

// SINEW_ERROR_ARGUMENT, with the body's name, for counts and indices that do not fit and for
// positions that are not finite. Every writer asks.
SinewStatus sn_frame_check(const SnFrame *frame, SinewError *error);

// Elements as tetrahedra or hexahedra, with displacement, velocity, regions and values where there
// are any, and the time, in doubles; a body without elements gives the triangles of its surface.
// Appended raw data, compressed if asked, whose bytes then depend on the version of zlib.
SinewStatus sn_frame_write_vtu(const SnFrame *frame, bool is_compressed, const char *path,
                               const SinewAllocator *allocator, SinewError *error);

// The surface alone, with normals if there are any. PLY is binary, little-endian.
SinewStatus sn_frame_write_obj(const SnFrame *frame, const char *path,
                               const SinewAllocator *allocator, SinewError *error);
SinewStatus sn_frame_write_ply(const SnFrame *frame, const char *path,
                               const SinewAllocator *allocator, SinewError *error);

#endif
