// Batches of rotations with a choice of method: the kernels behind sinew/rotation.h, for models
// that bring their own kernels and workers.
#ifndef SN_MATH_ROTATION_H
#define SN_MATH_ROTATION_H

#include "base/workers.h"
#include "kernel/kernel_table.h"
#include "sinew/rotation.h"

// The kernel of a method.
SnRotationFn *sn_rotation_kernel(const SnKernels *kernels, SinewRotationMethod method);

// Computes the whole batch, shared among workers (NULL: this thread alone). The same bits for any
// number of them. The batch must be as SnRotationBatch asks.
void sn_rotations(const SnKernels *kernels, SnWorkers *workers, SinewRotationMethod method,
                  const SnRotationBatch *batch);

#endif
