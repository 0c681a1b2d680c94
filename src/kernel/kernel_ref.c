// The row of plain reference kernels: loops a student could write, in the same order of operations
// as the portable variants, so that those must give the same bits.
#include "kernel/kernel_table.h"

extern const SnDenseKernels sn_dense_ref;
extern const SnPanelKernels sn_panel_ref;
extern const SnKernels sn_kernels_ref;

const SnKernels sn_kernels_ref = {
    .isa = "ref",
    .variant = "portable",
    .lanes = 1,
    .dense = &sn_dense_ref,
    .panel = &sn_panel_ref,
};
