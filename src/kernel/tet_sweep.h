// Sweeps over tets for `split`: from positions of vertices to the deformation gradient, its
// rotation, the corner forces, the action of the tangent and the energy. Tets come in blocks of 16,
// each component of a block side by side, so that a sweep reads few streams whatever the lanes.
//
// Not taken: planes over the whole body, as the rotation kernels have. A sweep reads thirty of
// them at a time, more streams than a processor fetches ahead.
#ifndef SN_KERNEL_TET_SWEEP_H
#define SN_KERNEL_TET_SWEEP_H

enum {
    SN_TET_BLOCK = 16,
    SN_TET_REST = 11, // planes of 16: Dm^-1 row-major (9), 2 mu V, lambda V
    SN_TET_TANGENT =
        15 // planes of 16: W (00 11 22 01 02 12), cofactor of F (9, SN_TET_FIXED alone)
};

// The energy density mu |F - R|^2 + ...
typedef enum SnTetLaw {
    SN_TET_MU,        // nothing more: what the global step of [B] sees
    SN_TET_COROTATED, // lambda / 2 (tr(R^T F) - 3)^2
    SN_TET_FIXED      // lambda / 2 (det F - 1)^2
} SnTetLaw;

// Component k of lane l of block b is at plane[(planes b + k) 16 + l]. Arrays are 64-byte aligned.
// Lanes beyond the last tet repeat its corners with no volume and a slot that nobody reads.
// Vectors over vertices are xyz packed, with room for one float more: corners are read four floats
// at a time.
typedef struct SnTetSweep {
    SnTetLaw law;
    int rotations; // Newton steps a sweep takes from the quaternions in q; 0: takes them as they
                   // are
    const int *vertices; // 4 planes: three times the corner's vertex
    const int *slots;    // 4 planes: four times the place in `corners`
    const float *rest;   // SN_TET_REST planes
    const float *x;      // positions, or a direction in `product`
    float *q;            // 4 planes: rotations, unit quaternions (x, y, z, w)
    float *tangent; // SN_TET_TANGENT planes: `gradient` writes (nullable there), `product` reads
    float *corners; // four floats a slot: d energy / d x of one corner, and a zero
    float *F;       // 9 planes, of `deform` alone
    double *energy; // a block, of `energy` alone
    int *inverted;  // a block, of `energy` alone: tets with det F <= 0
} SnTetSweep;

// Blocks [begin, end).
typedef void SnTetSweepFn(const SnTetSweep *sweep, int begin, int end);

typedef struct SnTetKernels {
    SnTetSweepFn *deform;   // F
    SnTetSweepFn *gradient; // corner forces, and the tangent; renews q
    SnTetSweepFn *product;  // the tangent times the direction x, as corner forces
    SnTetSweepFn *energy;   // energy and inverted tets; renews q
} SnTetKernels;

#endif
