// Which rigid motions of a body nothing holds. The elastic energy does not change when a piece of a
// body translates, and the work of dead loads has no bound then: a static solve has an equilibrium
// only where pins, attachments or colliders hold every translation that a load works on.
#ifndef SN_WORLD_HELD_H
#define SN_WORLD_HELD_H

#include "world/world.h"

// A vertex of the first piece of a body that was cut which no pin holds; -1 when there is none, or
// no memory to look for it.
int sn_body_find_loose(const SinewWorld *world, const SnBody *body);

// Fails with SINEW_ERROR_DIVERGED where weight and loads, as they are driven now, push the body or
// a piece of it along a translation that no pin and no attachment holds. For bodies whose law is
// small strain also where they turn it, since its energy does not change then either. Colliders are
// not looked at.
SinewStatus sn_body_check_held(const SinewWorld *world, const SnBody *body, double gravity_scale,
                               SinewError *error);

// The rigid motions that no pin and no attachment of the body holds, such as "translation along x,
// y and rotation about z". False, and an empty text: all are held.
bool sn_body_free_motions(const SnBody *body, char *out_text, size_t size);

#endif
