// All bodies of a world, each handed to a function once. Small bodies run side by side, one worker
// each; large ones come one after the other, each with all workers. Which is which depends on the
// bodies alone, and a body's loops give the same bits either way.
#ifndef SN_WORLD_CROWD_H
#define SN_WORLD_CROWD_H

#include "world/world.h"

// Called from many threads, each with another body.
typedef void SnBodyFn(void *context, SnBody *body);

// Room of each worker for forces at the points of any body that it may run. Allocates only when
// there are more of them.
SinewStatus sn_crowd_reserve(SinewWorld *world, SinewError *error);

void sn_crowd_each(SinewWorld *world, SnBodyFn *fn, void *context);

// Whether sn_crowd_each runs this body beside others.
bool sn_crowd_is_small(const SinewWorld *world, const SnBody *body);

#endif
