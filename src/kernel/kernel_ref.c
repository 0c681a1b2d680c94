// The row of plain reference kernels: loops a student could write, in the same order of operations
// as the portable variants, so that those must give the same bits.
#include "kernel/kernel_table.h"

extern const SnKernels sn_kernels_ref;
extern const SnMachineKernels sn_machine_ref;

const SnKernels sn_kernels_ref = {
    .isa = "ref",
    .variant = "portable",
    .lanes = 1,
    .machine = &sn_machine_ref,
};
