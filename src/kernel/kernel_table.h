// The table of kernels: one row per instruction set and variant, and the choice among them. A row
// is filled in kernel_variant.kernel.c, which the build compiles once per row.
#ifndef SN_KERNEL_KERNEL_TABLE_H
#define SN_KERNEL_KERNEL_TABLE_H

#include "base/status.h"
#include "kernel/block_rows.h"
#include "kernel/coarse.h"
#include "kernel/columns.h"
#include "kernel/dense.h"
#include "kernel/embed.h"
#include "kernel/frames.h"
#include "kernel/lattice.h"
#include "kernel/machine.h"
#include "kernel/node_blend.h"
#include "kernel/panel.h"
#include "kernel/rotation.h"
#include "kernel/rows.h"
#include "kernel/tet_blocks.h"
#include "kernel/tet_sweep.h"
#include "kernel/tet_volume.h"
#include "kernel/vertex_sum.h"
#include "kernel/voxel.h"

#include <stdbool.h>

// Slowest first. SN_ISA_REF is the plain C that tests compare the others with.
typedef enum SnIsa {
    SN_ISA_REF,
    SN_ISA_SSE2,
    SN_ISA_AVX2,
    SN_ISA_AVX512,
    SN_ISA_NEON,
    SN_ISA_WASM,
    SN_ISA_COUNT
} SnIsa;

// Fast variants fuse multiply and add and give the same bits on every processor that runs their
// instruction set; portable ones give the same bits on every instruction set.
typedef enum SnDeterminism { SN_FAST_BITS, SN_PORTABLE_BITS } SnDeterminism;

typedef struct SnKernels {
    const char *isa;     // "avx2"
    const char *variant; // "fast" or "portable"
    int lanes;           // floats in a register

    // Kernels, a group a line; each is declared in kernel_variant.kernel.c and kernel_ref.c.
    const SnMachineKernels *machine;
    SnRotationFn *rotation_svd, *rotation_apd, *rotation_polar, *rotation_qr, *rotation_energy;
    const SnDenseKernels *dense;    // blocks of the factorisation
    const SnPanelKernels *panel;    // solves with the factor
    const SnEmbedKernels *embed;    // embedded points
    const SnTetKernels *tet;        // sweeps over tets
    const SnVertexKernels *vertex;  // vectors over vertices
    const SnCoarseKernels *coarse;  // clusters of vertices
    const SnColumnKernels *columns; // columns of an inverse
    const SnRowsKernels *rows;      // sparse rows times vectors
    SnTetVolumeFn *tet_volume;
    const SnLatticeKernels *lattice;    // cells of a lattice
    const SnVoxelKernels *voxel;        // coarse cells with matrices of their own
    const SnFramesKernels *frames;      // blends of frames
    const SnTetBlockKernels *tet_block; // tets to blocks of a matrix
    const SnBlockKernels *block;        // rows of blocks
    const SnNodeKernels *node;          // nodes around a body
} SnKernels;

// Whether this program holds the kernels and this processor and operating system can run them.
bool sn_isa_runs(SnIsa isa);

// "ref", "sse2", ...
const char *sn_isa_name(SnIsa isa);

// The kernels of one instruction set. Only if sn_isa_runs(isa). Where a set has no fused
// multiply-add, fast is portable.
const SnKernels *sn_kernels_of(SnIsa isa, SnDeterminism determinism);

// The widest that runs here, or the one that the environment variable SINEW_ISA names. Fails, with
// the list of those that would do, when that is unknown or cannot run.
SinewStatus sn_kernels_pick(SnDeterminism determinism, const SnKernels **out_kernels,
                            SinewError *error);

#endif
