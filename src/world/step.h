// How a world goes from one state to the next, in time or, for static solves, in pseudo-time.
#ifndef SN_WORLD_STEP_H
#define SN_WORLD_STEP_H

#include "world/world.h"

typedef struct SnAdvance {
    double from;          // s, or pseudo-time
    double to;            //
    double dt;            // s; 0 in static solves
    bool is_static;       //
    double gravity_scale; // 1 in time
    double load_scale;    // of loads without a ramp
    double tolerance;     // replaces the models' own where positive
} SnAdvance;

// On failure the world is as it was.
SinewStatus sn_world_advance(SinewWorld *world, const SnAdvance *advance, SinewError *error);

// Of static solves: refuses bodies that cannot come to rest, once drivers are where they end.
SinewStatus sn_static_begin(const SinewWorld *world, const SnAdvance *advance, SinewError *error);

// What the solve came to when bodies ended with `status`: names what is unheld where one failed,
// refuses a body that fell past all colliders, and reports inverted elements.
SinewStatus sn_static_end(const SinewWorld *world, const SnAdvance *advance, SinewStatus status,
                          SinewStepReport *report, SinewError *error);

#endif
