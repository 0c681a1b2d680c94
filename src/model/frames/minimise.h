// Newton's method on the potential of a step: exact Hessian, made definite by a shift where it is
// not, and a line search; the frames' poses of the state are what moves.
#ifndef SN_MODEL_FRAMES_MINIMISE_H
#define SN_MODEL_FRAMES_MINIMISE_H

#include "model/frames/potential.h"

typedef enum SnFramesEnd {
    SN_FRAMES_CONVERGED,
    SN_FRAMES_STALLED,   // no better state along the direction
    SN_FRAMES_EXHAUSTED, // out of iterations
    SN_FRAMES_CAPPED,    // the step's budget is spent
    SN_FRAMES_FORBIDDEN  // the potential is not finite where it starts
} SnFramesEnd;

// Moves the state's poses. Of a static problem an end is a minimum, not a saddle: where the Hessian
// at the end has a direction of descent, the search goes on along it.
SnFramesEnd sn_frames_minimise(const SnFramesProblem *problem, double tolerance, int max_iterations,
                               SnFramesValue *out_value);

#endif
