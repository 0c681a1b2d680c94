// Sweeps over tets for `split`: from positions of vertices to the deformation gradient, its
// rotation, the corner forces, the action of the tangent and the energy. Tets come in blocks of 16,
// each component of a block side by side, so that a sweep reads few streams whatever the lanes.
// Neighbouring blocks form a patch, which has a row for each vertex that it touches: its positions
// are copied in once, the forces of its corners stay in the first cache, and one sum for each row
// leaves it.
//
// Not taken: planes over the whole body, as the rotation kernels have. A sweep reads thirty of
// them at a time, more streams than a processor fetches ahead. Nor a slot for each corner, summed
// by vertex afterwards: that writes and reads ten times the bytes, and made half of a sweep.
#ifndef SN_KERNEL_TET_SWEEP_H
#define SN_KERNEL_TET_SWEEP_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SN_TET_BLOCK = 16,
    SN_TET_REST = 11,          // planes of 16: Dm^-1 row-major (9), 2 mu V, lambda V
    SN_TET_TANGENT = 6,        // planes of 16: W (00 11 22 01 02 12)
    SN_TET_TANGENT_FIXED = 15, // planes of 16: the same and the cofactor of F (9)
    SN_TET_PATCH_ROWS = 256,   // a patch has at most so many
    SN_TET_PATCH_BLOCKS = 16
};

// The energy density mu |F - R|^2 + ...
typedef enum SnTetLaw {
    SN_TET_MU,        // nothing more: what the global step of [B] sees
    SN_TET_COROTATED, // lambda / 2 (tr(R^T F) - 3)^2
    SN_TET_FIXED      // lambda / 2 (det F - 1)^2
} SnTetLaw;

// Planes of 16 a block that a law's tangent takes.
static inline int sn_tet_tangent_planes(SnTetLaw law)
{
    return law == SN_TET_FIXED ? SN_TET_TANGENT_FIXED : SN_TET_TANGENT;
}

// Component k of lane l of block b is at plane[(planes b + k) 16 + l]. Arrays are 64-byte aligned.
// Lanes beyond the last tet repeat its corners with no volume, so they add zeros.
// Vectors over vertices are xyz packed, with room for one float more: corners are read four floats
// at a time.
typedef struct SnTetSweep {
    SnTetLaw law;
    int rotations; // Newton steps a sweep takes from the quaternions in q; 0: takes them as they
                   // are
    const int *patch_block;  // first block of each patch, and the end
    const int *patch_row;    // first row of each patch, and the end
    const int *row_vertex;   // three times the vertex of a row
    const uint16_t *corners; // 4 planes: four times the row of the corner inside its patch
    const int *row_start;    // a row: its first place in `sources`, and the end
    const uint16_t
        *sources;      // a corner of the row: 4 (64 block + 16 corner + 4 (lane % 4) + lane / 4)
    const float *rest; // SN_TET_REST planes
    const float *x;    // positions, or a direction in `product`
    bool warped;       // `product`, SN_TET_COROTATED: x are positions, and rows become the forces
                       // R K (R^T x - X) of rotations as they are, where the tangent's W is -mu
    float *q;          // 4 planes: rotations, unit quaternions (x, y, z, w)
    float *tangent;    // sn_tet_tangent_planes: `gradient` writes (nullable there), `product` reads
    float *rows;       // four floats a row: d energy / d x of the patch's tets, and a zero
    float *F;          // 9 planes, of `deform` alone
    double *energy;    // a patch, of `energy` alone
    int *inverted;     // a patch, of `energy` alone: tets with det F <= 0
} SnTetSweep;

// Patches [begin, end). A row adds the sources at even places and those at odd places, then both.
typedef void SnTetSweepFn(const SnTetSweep *sweep, int begin, int end);

typedef struct SnTetKernels {
    SnTetSweepFn *deform;   // F
    SnTetSweepFn *gradient; // forces in rows, and the tangent; renews q
    SnTetSweepFn *product;  // the tangent times the direction x, as forces in rows
    SnTetSweepFn *energy;   // energy and inverted tets; renews q
} SnTetKernels;

#endif
