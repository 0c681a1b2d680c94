// Pins: which components of which vertices are held, the system of what is left, and where a motion
// takes them.
#ifndef SN_MODEL_NEWTON_PINS_H
#define SN_MODEL_NEWTON_PINS_H

#include "model/newton/body.h"

void sn_newton_pins_release(SnNewton *body, SnNewtonPins *pins);

static inline bool sn_newton_pins_hold(const SnNewton *body, size_t component)
{
    return (body->pins.set.held[component / 3] >> (component % 3) & 1) != 0;
}

// Where held components are at the fraction s of a step, from the places in the room's `start`: the
// middle of a pin's vertices moves straight, and they turn about it at an even pace, so that what a
// pin holds stays rigid on the way. Other components of out_x are left alone.
void sn_newton_pins_target(const SnNewton *body, const SnAffine *motions, double s, double *out_x);

// Keeps the motions that a step ended with, and the wrench of each pin from the forces on held
// components.
void sn_newton_pins_record(SnNewton *body, const SnAffine *motions, const double *forces);

#endif
