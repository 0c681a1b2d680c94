// Assets: the public surfaces and tet meshes, each a mesh of the library with the allocator that it
// was made by.
#ifndef SN_WORLD_ASSET_H
#define SN_WORLD_ASSET_H

#include "geometry/surface.h"
#include "geometry/tet_mesh.h"
#include "sinew/geometry.h"

struct SinewSurface {
    SinewAllocator allocator;
    SnSurface *surface;
};

struct SinewTets {
    SinewAllocator allocator;
    SnTetMesh *mesh;
};

#endif
