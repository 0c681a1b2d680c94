// Loops over the rows of a level that threads share: Gauss-Seidel sweeps, stage by stage of their
// order, and products and residuals, of which each row is for itself.
#ifndef SN_MODEL_TETMG_SWEEP_H
#define SN_MODEL_TETMG_SWEEP_H

#include "base/workers.h"
#include "kernel/block_rows.h"
#include "solve/sweep_order.h"

// Backward sweeps take all in the other direction.
void sn_tetmg_sweep_forward(SnWorkers *workers, const SnSweepOrder *order,
                            const SnBlockKernels *kernels, const SnBlockRows *rows);
void sn_tetmg_sweep_backward(SnWorkers *workers, const SnSweepOrder *order,
                             const SnBlockKernels *kernels, const SnBlockRows *rows);

// Rows [0, count) by a kernel that writes each from others' input alone.
void sn_tetmg_sweep_rows(SnWorkers *workers, int count, const SnBlockRows *rows, SnBlockRowsFn *fn);

#endif
