// What a body says of itself before anyone relies on it: a poor fit of its model, too few tets
// across its thinnest part, a size or mass that suggests another unit of length.
#ifndef SN_WORLD_WARNING_H
#define SN_WORLD_WARNING_H

#include "world/world.h"

// Makes the body's warning: one sentence with all there is to say. The body has its model and
// masses; `solid` is what it was made from.
SinewStatus sn_body_make_warning(SinewWorld *world, const SinewBodyDef *def, const SnSolid *solid,
                                 SnBody *body, SinewError *error);

// Takes what the model says now, which a static solve may have changed.
void sn_body_renew_warning(SnBody *body);

// The sentence; NULL: there is nothing to say.
const char *sn_body_warning(const SnBody *body);

// "is 15 m long and weighs 6.56e+05 kg; if its file is in centimetres, scale 0.01 makes it 0.15 m
// and 0.656 kg". False, and an empty text, where length (m) and mass (kg) are usual: 1 mm to 10 m,
// at most 10 t.
bool sn_unusual_size(double length, double mass, char *out_text, size_t size);

#endif
