// Whether an equilibrium stays: at a minimum of the potential no direction lowers it to second
// order; at a saddle, such as a straight bar that is pressed past its buckling load, one does.
#ifndef SN_MODEL_NEWTON_STABILITY_H
#define SN_MODEL_NEWTON_STABILITY_H

#include "model/newton/potential.h"

// True when no direction lowers the potential to second order, at the state last evaluated.
bool sn_newton_is_stable(const SnNewtonProblem *problem);

// At a saddle, the state last evaluated and the room's `move`: moves to where the potential is
// lower, along the direction of least stiffness, and evaluates that. False, with `move` as it was,
// where no such place is found. Minimising from there cannot come back to the saddle.
bool sn_newton_leave_saddle(const SnNewtonProblem *problem, SnNewtonValue *value);

#endif
