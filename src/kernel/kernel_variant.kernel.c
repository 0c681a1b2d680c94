// One row of the kernel table: the kernels of this instruction set and variant.
#include "kernel/kernel_table.h"
#include "kernel/wide.h"

#define STRINGIFY(x) #x
#define TEXT(x) STRINGIFY(x)

extern const SnDenseKernels SN_NAME(dense);
extern const SnCoarseKernels SN_NAME(coarse);
extern const SnColumnKernels SN_NAME(columns);
extern const SnEmbedKernels SN_NAME(embed);
extern const SnFramesKernels SN_NAME(frames);
extern const SnLatticeKernels SN_NAME(lattice);
extern const SnPanelKernels SN_NAME(panel);
extern const SnKernels SN_NAME(kernels);
extern const SnMachineKernels SN_NAME(machine);
extern const SnRowsKernels SN_NAME(rows);
extern const SnTetKernels SN_NAME(tet);
extern const SnVertexKernels SN_NAME(vertex);
extern const SnVoxelKernels SN_NAME(voxel);
extern const SnTetBlockKernels SN_NAME(tet_block);
extern const SnBlockKernels SN_NAME(block);
extern const SnNodeKernels SN_NAME(node);

SnTetVolumeFn SN_NAME(tet_volume);
SnRotationFn SN_NAME(rotation_svd), SN_NAME(rotation_apd), SN_NAME(rotation_polar),
    SN_NAME(rotation_qr), SN_NAME(rotation_energy);

const SnKernels SN_NAME(kernels) = {
    .isa = TEXT(SN_ISA),
    .variant = SN_FAST ? "fast" : "portable",
    .lanes = SN_LANES,
    .machine = &SN_NAME(machine),
    .rotation_svd = SN_NAME(rotation_svd),
    .rotation_apd = SN_NAME(rotation_apd),
    .rotation_polar = SN_NAME(rotation_polar),
    .rotation_qr = SN_NAME(rotation_qr),
    .rotation_energy = SN_NAME(rotation_energy),
    .dense = &SN_NAME(dense),
    .panel = &SN_NAME(panel),
    .embed = &SN_NAME(embed),
    .tet = &SN_NAME(tet),
    .vertex = &SN_NAME(vertex),
    .coarse = &SN_NAME(coarse),
    .columns = &SN_NAME(columns),
    .rows = &SN_NAME(rows),
    .tet_volume = SN_NAME(tet_volume),
    .lattice = &SN_NAME(lattice),
    .voxel = &SN_NAME(voxel),
    .frames = &SN_NAME(frames),
    .tet_block = &SN_NAME(tet_block),
    .block = &SN_NAME(block),
    .node = &SN_NAME(node),
};
