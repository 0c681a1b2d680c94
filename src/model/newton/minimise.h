// Newton's method on the potential of a step: exact tangent, made definite where it is not, line
// search; and the way to the places where pins hold.
#ifndef SN_MODEL_NEWTON_MINIMISE_H
#define SN_MODEL_NEWTON_MINIMISE_H

#include "model/newton/potential.h"

typedef enum SnNewtonEnd {
    SN_NEWTON_CONVERGED, // the residual is within the tolerance
    SN_NEWTON_STALLED,   // no better state along the direction: rounding, or a kink
    SN_NEWTON_EXHAUSTED, // used up its iterations
    SN_NEWTON_FORBIDDEN  // began where the law allows nothing
} SnNewtonEnd;

// Minimises from the room's `move`, with held components where they are. *out_value is that of the
// last state, which the room describes.
SinewStatus sn_newton_minimise(const SnNewtonProblem *problem, double tolerance, int max_iterations,
                               SnNewtonValue *out_value, SnNewtonEnd *out_end, SinewError *error);

// Factors the Hessian at the state last looked at: the exact one, else that with a small shift,
// else with definite points, else that with a growing shift. `definite` skips the first two.
SinewStatus sn_newton_factor(const SnNewtonProblem *problem, bool definite, bool *out_exact,
                             SinewError *error);

// Moves held components to the room's `target` with the linear response of the rest. False, and
// `move` as before, when that is not allowed or, with `strict`, inverts more elements than were.
SinewStatus sn_newton_respond(const SnNewtonProblem *problem, bool strict, bool *out_moved,
                              SinewError *error);

// True when held components are not at the room's `target` yet.
bool sn_newton_must_respond(const SnNewtonProblem *problem);

#endif
