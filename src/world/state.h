// The state of a world: all that steps change, as bytes. A step takes a copy when it begins and
// puts it back when it fails; callers get the same bytes behind a header that tells whose they are
// and whether they are whole.
#ifndef SN_WORLD_STATE_H
#define SN_WORLD_STATE_H

#include "world/world.h"

// Keeps a copy of the bodies' states in the world. Allocates only when they have grown.
SinewStatus sn_state_keep(SinewWorld *world, SinewError *error);

// Brings that copy back.
void sn_state_put_back(SinewWorld *world);

#endif
