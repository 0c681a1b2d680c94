// Embedded points: 1003 of them with four and with eight random nodes each.
#include "support/hash_lines.h"

#include "base/hash.h"
#include "base/random.h"

enum { POINTS = 1003, NODES = 211 };

typedef struct Embed {
    int nodes[8 * POINTS];
    float weights[8 * POINTS];
    float positions[3 * NODES];
    float xyz[3 * POINTS];
    SnEmbedBatch batch;
    SnEmbedFn *fn;
} Embed;

static void embed_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Embed *embed = context;
    embed->fn(&embed->batch, begin, end);
}

static void fill(Embed *embed)
{
    SnRandom random = {31};
    for (int i = 0; i < 8 * POINTS; ++i) {
        embed->nodes[i] = (int)(sn_random_bits(&random) % NODES);
        embed->weights[i] = (float)sn_random_between(&random, -0.5, 1.5);
    }
    for (int i = 0; i < 3 * NODES; ++i) {
        embed->positions[i] = (float)sn_random_between(&random, -10.0, 10.0);
    }
    embed->batch = (SnEmbedBatch){embed->nodes, embed->weights, embed->positions, embed->xyz};
}

int hash_embed(const SnKernels *kernels, SnWorkers *workers, FILE *out)
{
    Embed *embed = sn_alloc(NULL, 1, sizeof *embed);
    if (embed == NULL) {
        return 1;
    }
    fill(embed);
    embed->fn = kernels->embed->four;
    sn_parallel_for(workers, POINTS, 100, embed_range, embed);
    hash_line(out, "embed_four", kernels, sn_hash(SN_HASH_START, embed->xyz, sizeof embed->xyz));
    embed->fn = kernels->embed->eight;
    sn_parallel_for(workers, POINTS, 100, embed_range, embed);
    hash_line(out, "embed_eight", kernels, sn_hash(SN_HASH_START, embed->xyz, sizeof embed->xyz));
    sn_free(NULL, embed);
    return 0;
}
