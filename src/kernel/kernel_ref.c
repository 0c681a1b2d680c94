// The row of plain reference kernels: loops a student could write, in the same order of operations
// as the portable variants, so that those must give the same bits.
#include "kernel/kernel_table.h"

extern const SnDenseKernels sn_dense_ref;
extern const SnCoarseKernels sn_coarse_ref;
extern const SnColumnKernels sn_columns_ref;
extern const SnEmbedKernels sn_embed_ref;
extern const SnFramesKernels sn_frames_ref;
extern const SnLatticeKernels sn_lattice_ref;
extern const SnPanelKernels sn_panel_ref;
extern const SnKernels sn_kernels_ref;
extern const SnMachineKernels sn_machine_ref;
extern const SnRowsKernels sn_rows_ref;
extern const SnTetKernels sn_tet_ref;
extern const SnVertexKernels sn_vertex_ref;
extern const SnVoxelKernels sn_voxel_ref;
extern const SnTetBlockKernels sn_tet_block_ref;
extern const SnBlockKernels sn_block_ref;
extern const SnNodeKernels sn_node_ref;

SnTetVolumeFn sn_tet_volume_ref;
SnRotationFn sn_rotation_svd_ref, sn_rotation_apd_ref, sn_rotation_polar_ref, sn_rotation_qr_ref,
    sn_rotation_energy_ref;

const SnKernels sn_kernels_ref = {
    .isa = "ref",
    .variant = "portable",
    .lanes = 1,
    .machine = &sn_machine_ref,
    .rotation_svd = sn_rotation_svd_ref,
    .rotation_apd = sn_rotation_apd_ref,
    .rotation_polar = sn_rotation_polar_ref,
    .rotation_qr = sn_rotation_qr_ref,
    .rotation_energy = sn_rotation_energy_ref,
    .dense = &sn_dense_ref,
    .panel = &sn_panel_ref,
    .embed = &sn_embed_ref,
    .tet = &sn_tet_ref,
    .vertex = &sn_vertex_ref,
    .coarse = &sn_coarse_ref,
    .columns = &sn_columns_ref,
    .rows = &sn_rows_ref,
    .tet_volume = sn_tet_volume_ref,
    .lattice = &sn_lattice_ref,
    .voxel = &sn_voxel_ref,
    .frames = &sn_frames_ref,
    .tet_block = &sn_tet_block_ref,
    .block = &sn_block_ref,
    .node = &sn_node_ref,
};
