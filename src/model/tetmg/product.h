// The matrix of the next level, K' = P^T K P, four ways: by the control and data streams of [D alg
// 1], by a gather per coarse block, in two stages, and plainly. What each reads is made once.
#ifndef SN_MODEL_TETMG_PRODUCT_H
#define SN_MODEL_TETMG_PRODUCT_H

#include "model/tetmg/body.h"

// From a level to the next; both have their patterns, the level its parents and weights.
SinewStatus sn_tetmg_product_create(SnTetmgLevel *level, const SnTetmgLevel *next,
                                    SinewTetmgProduct product, const SinewAllocator *allocator,
                                    SinewError *error);
void sn_tetmg_product_release(SnTetmgLevel *level, const SinewAllocator *allocator);

// Values of the next level out of the level's.
void sn_tetmg_product_run(const SnTetmgLevel *level, SnTetmgLevel *next, SinewTetmgProduct product,
                          const SnBlockKernels *kernels, SnWorkers *workers);

// Weights of pairs anew, after those of the level have changed.
void sn_tetmg_product_weigh(SnTetmgLevel *level, const SnTetmgLevel *next,
                            SinewTetmgProduct product);

// The entry of a row's column; the diagonal's is behind all others. Not of the first level.
int sn_tetmg_level_entry(const SnTetmgLevel *level, int row, int column);
int sn_tetmg_level_column(const SnTetmgLevel *level, int entry);

// All, the diagonal's too.
int sn_tetmg_level_entries(const SnTetmgLevel *level);

#endif
