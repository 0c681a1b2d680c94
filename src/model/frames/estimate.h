// How far a body of frames is from finite elements for the way it is held and loaded: one linear
// solve on its cells at rest, with the same pins and loads, beside the frames' own answer. Static
// solves of bodies whose frames nobody placed begin with it, once for each set of pins. What
// contact does is not known to it.
#ifndef SN_MODEL_FRAMES_ESTIMATE_H
#define SN_MODEL_FRAMES_ESTIMATE_H

#include "model/frames/potential.h"

// Work over that of finite elements: of loads at held frames, and of pins that move. 1: as good as
// they are; 0: there is none.
typedef struct SnFramesEstimate {
    double loads; // below 1: the frames give way less
    double pins;  // above 1: the frames resist more
} SnFramesEstimate;

SinewStatus sn_frames_estimate(const SnFramesProblem *problem, SnFramesEstimate *out_estimate,
                               SinewError *error);

#endif
