// Harmonic and biharmonic weights: each frame's is 1 on its rigid part, 0 on the others', and
// between them solves Laplace's equation, or that equation twice, on the voxels. Each voxel counts
// with its stiffness, so that weights change where the body is soft.
#ifndef SN_MODEL_FRAMES_HARMONIC_H
#define SN_MODEL_FRAMES_HARMONIC_H

#include "model/frames/weights.h"

// `owners`: the frame that a vertex follows alone, or -1. `twice`: biharmonic. Fills frame_count
// weights a vertex.
SinewStatus sn_weights_harmonic(const SnWeightsDef *def, const int *owners, bool twice,
                                double *out_weights, SinewError *error);

// Harmonic weights never end: a pin at one end of a body would hold frames at the other by their
// tails. What is below the cut goes, and the rest is made to sum to one.
void sn_weights_cut_tails(const SnWeightsDef *def, double *weights);

#endif
