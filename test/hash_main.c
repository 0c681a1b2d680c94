// sinew_hash: prints a hash of what each room computes in portable mode, with the instruction set
// that is best here or that SINEW_ISA names. Two machines agree when the lines do. Needs no test
// library, so that it can be built for another processor and run in an emulator.
#include "support/hash_lines.h"

int main(void)
{
    const SnKernels *kernels = NULL;
    SinewError error;
    if (sn_kernels_pick(SN_PORTABLE_BITS, &kernels, &error) < 0) {
        fprintf(stderr, "sinew_hash: %s\n", error.text);
        return 1;
    }
    return hash_lines(kernels, stdout);
}
