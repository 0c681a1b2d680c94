// From a body's def, which is never trusted, to what a body is made of: a description of its solid
// and its materials. Refuses every number that makes no sense, before anything is built.
#ifndef SN_WORLD_BODY_PLAN_H
#define SN_WORLD_BODY_PLAN_H

#include "geometry/solid.h"
#include "material/material.h"
#include "sinew/world.h"

// More cells than this along a side, or in all, are taken for a slip of the hand.
#define SN_RESOLUTION_MAX 1024
#define SN_CELLS_MAX (1 << 25)

// Cells along the longest side where none are said: of the default model so many that a figure of
// some 15 cm falls and lands in real time on one core (doc/choosing.md).
static inline int sn_resolution_default(SinewModelKind model)
{
    return model == SINEW_MODEL_LATTICE ? 10 : 16;
}

// Owns its arrays; borrows the def's assets, which must outlive it. May not be copied: `solid`
// points into it.
typedef struct SnBodyPlan {
    SnShape shape; // owns the parts of a blob
    SnSolidDef solid;
    SnMaterial *materials; // 1 + region_count
    SinewRegion *regions;  //
    SnMaterials table;     // over them
} SnBodyPlan;

// On failure there is nothing to release.
SinewStatus sn_body_plan_make(const SinewBodyDef *def, const char *what,
                              const SinewAllocator *allocator, SnBodyPlan *out_plan,
                              SinewError *error);
void sn_body_plan_release(SnBodyPlan *plan, const SinewAllocator *allocator);

#endif
