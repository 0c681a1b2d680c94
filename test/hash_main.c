// sinew_hash: prints a hash of what each room computes in portable mode, with the instruction set
// that is best here or that SINEW_ISA names, and as many threads as SINEW_THREADS says. Two
// machines agree when the lines do. Needs no test library, so that it can be built for another
// processor and run in an emulator.
#include "support/hash_lines.h"

#include <stdlib.h>

int main(void)
{
    const char *threads = getenv("SINEW_THREADS");
    const SnKernels *kernels = NULL;
    SnWorkers *workers = NULL;
    SinewError error;
    if (sn_kernels_pick(SN_PORTABLE_BITS, &kernels, &error) < 0 ||
        sn_workers_create(NULL, NULL, threads == NULL ? 1 : atoi(threads), &workers, &error) < 0) {
        fprintf(stderr, "sinew_hash: %s\n", error.text);
        return 1;
    }
    int failed = hash_lines(kernels, workers, stdout);
    sn_workers_destroy(workers);
    return failed;
}
