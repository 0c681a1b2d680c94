// The product K' = P^T K P by control and data streams [D alg 1]: blocks of K are read once one
// after the other, each with pairs of a weight and a place in K' that it is added to. One stream a
// part of the next level's rows, see SnTetmgStream.
#ifndef SN_MODEL_TETMG_STREAM_H
#define SN_MODEL_TETMG_STREAM_H

#include "model/tetmg/body.h"

// From a level to the next; both have their patterns, the level its parents and weights.
SinewStatus sn_tetmg_stream_create(SnTetmgLevel *level, const SnTetmgLevel *next,
                                   const SinewAllocator *allocator, SinewError *error);
void sn_tetmg_stream_release(SnTetmgLevel *level, const SinewAllocator *allocator);

// Weights of pairs anew, after those of the level have changed.
void sn_tetmg_stream_weigh(SnTetmgLevel *level);

// Blocks of the next level on and above the diagonal.
void sn_tetmg_stream_run(const SnTetmgLevel *level, SnTetmgLevel *next,
                         const SnBlockKernels *kernels, SnWorkers *workers);

#endif
