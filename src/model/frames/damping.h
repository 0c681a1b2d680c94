// Rayleigh's damping by stiffness, for strains: a force beta K v that no motion as a whole feels.
//
// With e the strains of a step's end and e' = v_rate (e - e*) how fast they change by the rule of
// motion, e* known at the start, friction is what 1/2 beta v_rate (e - e*)^T C (e - e*) pushes back
// with. Beside e^T C e / 2 that is a spring (1 + k) times as stiff, k = beta v_rate, which rests at
// k / (1 + k) e*: so samples damp by other roots and strains to begin from, and springs likewise.
#ifndef SN_MODEL_FRAMES_DAMPING_H
#define SN_MODEL_FRAMES_DAMPING_H

#include "model/frames/potential.h"

// Room for damping where a material has some. Refuses samples whose law is not by strains.
SinewStatus sn_frames_damping_create(SnFrames *body, SinewError *error);
void sn_frames_damping_release(SnFramesDamping *damping, const SinewAllocator *allocator);

// At the start of a step, once its rates are known.
void sn_frames_damping_begin(const SnFramesProblem *problem);

#endif
