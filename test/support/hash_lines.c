#include "support/hash_lines.h"

#include <inttypes.h>

typedef int HashFn(const SnKernels *kernels, SnWorkers *workers, FILE *out);

static HashFn *const rooms[] = {
    hash_rotation, hash_embed, hash_geometry, hash_solve, hash_material, hash_frames,
};

void hash_line(FILE *out, const char *name, const SnKernels *kernels, uint64_t hash)
{
    fprintf(out, "hash %s %s %016" PRIx64 "\n", name, kernels->variant, hash);
}

int hash_lines(const SnKernels *kernels, SnWorkers *workers, FILE *out)
{
    int failed = 0;
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; ++k) {
        failed |= rooms[k](kernels, workers, out);
    }
    return failed;
}
