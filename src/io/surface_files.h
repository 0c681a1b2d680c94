// Surfaces in files. Readers look at bytes in memory and never trust them: what is wrong gets a
// sentence with the line or the byte. Vertices come as they stand in the file; joining those at one
// place is a step of its own (geometry/surface_weld.h). Writers replace a file whole or not at all.
#ifndef SN_IO_SURFACE_FILES_H
#define SN_IO_SURFACE_FILES_H

#include "geometry/surface.h"
#include "io/bytes.h"

typedef SinewStatus SnSurfaceReader(const SnBytes *bytes, const SinewAllocator *allocator,
                                    SnSurface **out_surface, SinewError *error);

typedef struct SnSurfaceFormat {
    const char *name;      // "PLY"
    const char *extension; // ".ply", lower case
    SnSurfaceReader *read;
    bool (*looks_so)(const SnBytes *bytes); // what the bytes say; NULL: nothing sure
} SnSurfaceFormat;

// The format that the bytes, or else the extension of the path, speak for; NULL: none that we know.
const SnSurfaceFormat *sn_surface_format_of(const SnBytes *bytes);

// Opens a file and reads it by its format.
SinewStatus sn_surface_read(const char *path, const SinewAllocator *allocator,
                            SnSurface **out_surface, SinewError *error);

// Wavefront OBJ: v, f, l; indices may be negative, polygons are cut. The group of a face is the
// name of its g or o, its usemtl, or both with a slash between. Other statements are passed over.
SnSurfaceReader sn_read_obj;

// PLY, ASCII and both binary orders: vertex, face, tristrips and edge elements with any properties
// in any order; other elements are passed over.
SnSurfaceReader sn_read_ply;

// STL, ASCII (each solid is a group) and binary. Three vertices a triangle.
SnSurfaceReader sn_read_stl;

// OFF with any of the prefixes ST, C and N, whose extra columns are passed over. ASCII.
SnSurfaceReader sn_read_off;

// 3DS: each object that has a mesh is a group. Vertices are as they stand in the file, most often
// with z up; hierarchies and animations are passed over.
SnSurfaceReader sn_read_3ds;

bool sn_looks_like_ply(const SnBytes *bytes);
bool sn_looks_like_stl(const SnBytes *bytes);
bool sn_looks_like_off(const SnBytes *bytes);
bool sn_looks_like_3ds(const SnBytes *bytes);

// Writes by the extension of the path: .obj, .ply (binary) or .stl (binary).
SinewStatus sn_surface_write(const SnSurface *surface, const char *path,
                             const SinewAllocator *allocator, SinewError *error);

// Exact: numbers have the digits that a double needs. Groups become g, lines become l.
SinewStatus sn_write_obj(const SnSurface *surface, const char *path,
                         const SinewAllocator *allocator, SinewError *error);

// Exact but for the groups, which PLY has none of: coordinates are floats if all of them are, else
// doubles. Lines become edge elements. Binary is little-endian.
SinewStatus sn_write_ply(const SnSurface *surface, const char *path, bool ascii,
                         const SinewAllocator *allocator, SinewError *error);

// Triangles alone, each with its own corners, rounded to float. A coordinate that is no float by
// far is refused.
SinewStatus sn_write_stl(const SnSurface *surface, const char *path,
                         const SinewAllocator *allocator, SinewError *error);

#endif
