// Cuts of bodies: what was cut is kept with the body as lists of faces or tets, so that a saved
// state can be brought back into a world that is not yet cut, bit for bit.
//
// A log is int32_t: for each cut 1 where it removes tets or 0, the number of items, the items.
#ifndef SN_WORLD_CUT_H
#define SN_WORLD_CUT_H

#include "world/body_parts.h"

// The parts that the body has after the cuts of a log beyond its own; all zero where there are none
// more. Makes room for the log in the body. Fails where it is no log, or does not begin as the
// body's own.
SinewStatus sn_body_follow_cuts(SinewWorld *world, SnBody *body, const int32_t *log, size_t count,
                                SnBodyParts *out_parts, SinewError *error);

// Makes the log the body's, once it has adopted those parts. Allocates nothing.
void sn_body_log_cuts(SnBody *body, const int32_t *log, size_t count);

#endif
