// The state of a world: all that steps change, as bytes. A step takes a copy when it begins and
// puts it back when it fails; callers get the same bytes behind a header that tells whose they are
// and whether they are whole.
#ifndef SN_WORLD_STATE_H
#define SN_WORLD_STATE_H

#include "world/world.h"

// Changes whenever the bytes of a state mean something else.
enum { SN_STATE_VERSION = 4 };

// Room in the world for a copy of the bodies' states, however much of what they have room for they
// touch. Allocates only when they have grown.
SinewStatus sn_state_reserve(SinewWorld *world, SinewError *error);

// Keeps a copy of one body's state there. Bodies may be kept at the same time.
void sn_state_keep_body(SinewWorld *world, const SnBody *body);

// Brings the copy of one body back, or those of all.
void sn_state_put_back_body(SinewWorld *world, SnBody *body);
void sn_state_put_back(SinewWorld *world);

#endif
