// One row of the kernel table: the kernels of this instruction set and variant.
#include "kernel/kernel_table.h"
#include "kernel/wide.h"

#define STRINGIFY(x) #x
#define TEXT(x) STRINGIFY(x)

extern const SnKernels SN_NAME(kernels);
extern const SnMachineKernels SN_NAME(machine);

const SnKernels SN_NAME(kernels) = {
    .isa = TEXT(SN_ISA),
    .variant = SN_FAST ? "fast" : "portable",
    .lanes = SN_LANES,
    .machine = &SN_NAME(machine),
};
