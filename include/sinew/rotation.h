// Rotations of 3x3 matrices, many at a time: of each matrix F the closest rotation R, F = R S with
// S symmetric. R is always a rotation, det R = +1; where det F < 0 the reflection stays in S, so
// that of the singular values the smallest carries the sign.
//
//     SinewRotationDef def = sinew_rotation_def_default();
//     def.method = SINEW_ROTATION_SVD;
//     def.count = 1000;
//     def.stride = 1008; // a multiple of 16
//     def.F = F;         // 9 * 1008 floats, 64-byte aligned: component k of matrix i is
//     def.R = R;         // F[k * 1008 + i]
//     if (sinew_rotations(&def, &error) < 0) {
//         fprintf(stderr, "%s\n", error.text);
//     }
#ifndef SINEW_ROTATION_H
#define SINEW_ROTATION_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Ways to the rotation. All but QR end at the closest one and can take each other's place.
typedef enum SinewRotationMethod {
    // Newton's method from a start, which q holds: the fastest when rotations change little from
    // call to call, as in a simulation. One iteration leaves about 0.001 degrees after a turn by 5
    // degrees, two leave rounding. Falls back on SVD where Newton is not safe.
    SINEW_ROTATION_APD = 0,
    // Singular value decomposition. No start needed, any F, and U, sigma and V if wanted.
    SINEW_ROTATION_SVD = 1,
    // Newton iteration on the matrix itself. No start needed.
    SINEW_ROTATION_POLAR = 2,
    // Gram-Schmidt on the columns of F in their order. Not the closest rotation, but cheap; the
    // first column of R points along that of F.
    SINEW_ROTATION_QR = 3,
    // The rotation closest to F M: that of an element with second moment M which fits best in the
    // mean over its volume. From a start, as APD.
    SINEW_ROTATION_ENERGY = 4
} SinewRotationMethod;

// A batch of matrices and what to write. Start from sinew_rotation_def_default().
//
// Planes are arrays of single components: component k of matrix i is at plane[k * stride + i].
// Matrices are row-major, so that component 3 r + c is row r, column c; quaternions are (x, y, z,
// w), w the scalar. Every plane is 64-byte aligned. Whole registers are computed, so each component
// must have room for `count` rounded up to a multiple of 16: the numbers past `count` are read and
// overwritten, whatever they are. Outputs may not overlap inputs, q apart, which is both for APD
// and ENERGY.
//
// Any finite F gives a rotation, also when it is zero (the identity), of rank one or two, or a
// reflection. An F with an entry that is not finite gives the identity, with singular values zero.
typedef struct SinewRotationDef {
    SinewRotationMethod method; // default SINEW_ROTATION_APD
    int iterations;             // APD and ENERGY: Newton steps, 1 to 100, default 2
    int count;                  // matrices, default 0
    int stride;                 // floats from one component to the next, a multiple of 16
    const float *F;             // 9 components. Never NULL when there are matrices
    const float *M;   // 6 components 00 11 22 01 02 12. Nullable: M unless the method is ENERGY
    float *q;         // 4 components: unit quaternions; the start for APD and ENERGY. Nullable: q
                      // unless the method is one of these
    float *R;         // 9 components. Nullable: R
    float *U;         // 9 components, SVD alone: F = U diag(sigma) V^T. Nullable: U
    float *sigma;     // 3 components, SVD alone, decreasing, the last may be negative.
                      // Nullable: sigma
    float *V;         // 9 components, SVD alone. Nullable: V
    int worker_count; // threads that share the work, the calling one included, default 1. More are
                      // started for this call alone, which pays from about 100 000 matrices on
    SinewDeterminism determinism; // default SINEW_FAST
    SinewAllocator allocator;     // used when worker_count > 1. All zero (default): malloc and free
    SinewTasks tasks;             // used when worker_count > 1. All zero (default): own threads
    uint32_t struct_size;         // set by the default function, do not touch
} SinewRotationDef;

// A def with every default set. count, stride and the planes must then be filled in.
SINEW_API SinewRotationDef sinew_rotation_def_default(void);

// Computes the batch. SINEW_ERROR_ARGUMENT: a member is out of its range, and nothing was written.
// SINEW_ERROR_UNSUPPORTED: SINEW_ISA names instructions that this machine does not run.
// SINEW_ERROR_MEMORY: the workers could not be made. Nullable: error
SINEW_API SinewStatus sinew_rotations(const SinewRotationDef *def, SinewError *error);

#ifdef __cplusplus
}
#endif

#endif
