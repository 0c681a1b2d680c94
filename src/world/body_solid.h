// Solids that bodies of a world share: what a shape, a surface or a tet mesh gives is found once
// and only posed for each body. Kept by content, so a caller may end an asset and load it again.
#ifndef SN_WORLD_BODY_SOLID_H
#define SN_WORLD_BODY_SOLID_H

#include "geometry/tet_thickness.h"
#include "world/world.h"

// Owns copies of what it was made from.
typedef struct SnBodySolid {
    SnShared shared;
    SinewAllocator allocator;
    SnShape shape; // with its own parts
    SnSurface *surface;
    SnTetMesh *tets;
    SnSolidDef def;           // over them
    SnSolid *base;            // without a pose
    SnTetThickness thickness; // of its tets; all zero: not found yet
} SnBodySolid;

// The solid that `def` describes, whatever its pose. The caller leaves it.
SinewStatus sn_body_solid_take(SinewWorld *world, const SnSolidDef *def, SnBodySolid **out_solid,
                               SinewError *error);

// NULL is fine.
void sn_body_solid_leave(SnBodySolid *solid);

#endif
