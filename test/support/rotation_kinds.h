// Random matrices of every kind a rotation kernel may meet, and batches to hold them.
#ifndef SN_TEST_SUPPORT_ROTATION_KINDS_H
#define SN_TEST_SUPPORT_ROTATION_KINDS_H

#include "base/random.h"
#include "kernel/kernel_table.h"

typedef enum RotationKind {
    ROTATION_NEAR_IDENTITY,
    ROTATION_TETRAHEDRON, // [B] table 4
    ROTATION_GENERAL,     // independent Gaussian entries
    ROTATION_CONDITION,   // singular values 1, 1 to 1e-4, 1e-4
    ROTATION_FLAT,        // singular values 1, e, e and less, e down to 1e-8
    ROTATION_REFLECTION,
    ROTATION_RANK1,
    ROTATION_RANK2,
    ROTATION_ZERO,
    ROTATION_SCALE,     // Gaussian entries times 1e-18 to 1e18
    ROTATION_HALF_TURN, // a turn by 180 degrees times a stretch
    ROTATION_KIND_COUNT
} RotationKind;

const char *rotation_kind_name(RotationKind kind);

// One matrix, row-major.
void rotation_kind_matrix(RotationKind kind, SnRandom *random, double out_F[9]);

// Allocates all planes of a batch for `count` matrices, fills F with the kind, M with second
// moments whose eigenvalues are within 1 to 3 times a common factor, and q with the identity. Lanes
// past `count` repeat the last one.
SnRotationBatch rotation_batch_make(RotationKind kind, uint64_t seed, int count);

// A batch that shares F and M with `batch` and has its own outputs, q the identity.
SnRotationBatch rotation_batch_twin(const SnRotationBatch *batch);

void rotation_batch_reset(const SnRotationBatch *batch); // q to the identity
void rotation_batch_free_outputs(SnRotationBatch *batch);
void rotation_batch_free(SnRotationBatch *batch);

// The five kernels of a table row, in this order.
enum { ROTATION_KERNEL_COUNT = 5 };
extern const char *const rotation_kernel_names[ROTATION_KERNEL_COUNT];
SnRotationFn *rotation_kernel_of(const SnKernels *kernels, int kernel);

// Hash of everything a kernel writes for matrices [0, count), in index order.
uint64_t rotation_batch_hash(const SnRotationBatch *batch);

#endif
