// The potential of a step at some poses of the frames, with gradient and Hessian by their dofs.
#ifndef SN_MODEL_FRAMES_POTENTIAL_H
#define SN_MODEL_FRAMES_POTENTIAL_H

#include "model/frames/body.h"

typedef struct SnFramesProblem {
    SnFrames *body;
    const SnStep *step;
    SnWorkers *workers;
    SinewStepReport *report;
    double tolerance;
    int budget; // iterations that the step may take in all; 0: any number
    bool dynamic;
    bool renews;    // contact is renewed at convergence
    bool geometric; // the Hessian is exact
    double a_rate;  // 1/s^2
    double v_rate;  // 1/s
    double v_last;  // 1/s: v = v_rate d - v_last d_last
} SnFramesProblem;

typedef struct SnFramesValue {
    double phi;      // J
    double noise;    // J, what rounding may make of a difference of two such potentials
    double residual; // N, norm of the gradient; turns count over the body's length
    double scale;    // N, norm of the forces at play
    double floor;    // N, what rounding leaves of a residual
    bool allowed;    // finite
} SnFramesValue;

// Looks at poses: fills the room's gradient and, with `hessian`, its Hessian.
SnFramesValue sn_frames_potential(const SnFramesProblem *problem, const double *poses,
                                  bool hessian);

// Norm of a vector of dofs that are wrenches: turns over the body's length.
double sn_frames_norm(const SnFrames *body, const double *dofs);

#endif
