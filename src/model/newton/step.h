// What steps and static solves share: the problem they set up and the loads on it.
#ifndef SN_MODEL_NEWTON_STEP_H
#define SN_MODEL_NEWTON_STEP_H

#include "model/newton/potential.h"

SnNewtonProblem sn_newton_problem_make(SnNewton *body, const SnStep *step, SinewStepReport *report);

// Weight and dead loads on the vertices, N.
void sn_newton_load(const SnNewton *body, const SnStep *step, double *out_force);

// Ends a step in the state the room describes: held components exactly where they belong, reactions
// and the residual recorded.
void sn_newton_finish(const SnNewtonProblem *problem, const SnNewtonValue *value);

#endif
