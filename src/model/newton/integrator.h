// Rules of motion: what velocity and acceleration go with a move d = x_(n+1) - x_n.
#ifndef SN_MODEL_NEWTON_INTEGRATOR_H
#define SN_MODEL_NEWTON_INTEGRATOR_H

#include "model/newton/potential.h"

// Sets the problem's rates and the room's v0 and a0 from the state. BDF2 uses the
// formula for steps of any ratio. Its first step and that of Newmark's rule find the accelerations
// of the state from the equations of motion.
SinewStatus sn_newton_integrator_begin(SnNewtonProblem *problem, SinewError *error);

// Takes the move, and what goes with it in the room, into the state.
void sn_newton_integrator_end(const SnNewtonProblem *problem);

#endif
