// Pins: which components of which vertices are held, where they go and what force that takes.
#ifndef SN_MODEL_SPLIT_PINS_H
#define SN_MODEL_SPLIT_PINS_H

#include "model/split/body.h"

// Keeps inertia less loads of held vertices, from which reactions are found when they are asked
// for. `forces`: N, xyz a vertex outside.
void sn_split_pins_record(SnSplit *body, const double *forces);

// Held components of `x` (outside) to where a step ends. False: all were there.
bool sn_split_pins_target(const SnSplit *body, const SnAffine *motions, double *x);

#endif
