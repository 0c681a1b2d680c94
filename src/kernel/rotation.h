// Rotations of 3x3 matrices, in batches: the closest rotation R to F, F = R S, always with det R =
// +1 (where det F < 0 the reflection stays in S: of the singular values the smallest carries the
// sign). Five kernels answer the same question and can take each other's place; see
// doc/rotations.md.
#ifndef SN_KERNEL_ROTATION_H
#define SN_KERNEL_ROTATION_H

// A batch in structure of arrays: component k of matrix i is at plane[k * stride + i]. Planes are
// 64-byte aligned, the stride is a multiple of 16 and at least `count` rounded up to 16. Kernels
// compute whole registers, so lanes past `count` are read and written up to that multiple of 16;
// what they hold does not matter.
// Matrices are row-major: F_rc is component 3 r + c. Quaternions are (x, y, z, w), w the scalar.
typedef struct SnRotationBatch {
    int count;
    int stride;
    int iterations; // `apd` and `energy`: Newton steps, at least 1; others ignore it
    const float *F; // 9 components
    const float *M; // `energy` alone: 6 components 00 11 22 01 02 12 of the symmetric second moment
    float *q; // 4: the rotation. `apd` and `energy` start from it; others only write it. Nullable
              // for those that only write it
    float *R; // 9: the rotation as a matrix, nullable
    float *U; // 9: `svd` alone, F = U diag(sigma) V^T, nullable
    float *sigma; // 3: `svd` alone, decreasing, the last may be negative, nullable
    float *V;     // 9: `svd` alone, nullable
} SnRotationBatch;

// Computes matrices [begin, end) of a batch; begin is a multiple of 16. Never fails: every finite F
// gives a rotation, and one with an entry that is not finite the identity.
typedef void SnRotationFn(const SnRotationBatch *batch, int begin, int end);

#endif
