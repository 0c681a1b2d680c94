// Embedded points by the formula, see embed.h.
#include "kernel/embed.h"

#include <stddef.h>

extern const SnEmbedKernels sn_embed_ref;

static void embed(const SnEmbedBatch *b, int begin, int end, size_t width)
{
    for (size_t p = (size_t)begin; p < (size_t)end; ++p) {
        const int *nodes = b->nodes + width * p;
        const float *weights = b->weights + width * p;
        for (size_t c = 0; c < 3; ++c) {
            float sum = weights[0] * b->positions[3 * (size_t)nodes[0] + c];
            for (size_t k = 1; k < width; ++k) {
                sum = weights[k] * b->positions[3 * (size_t)nodes[k] + c] + sum;
            }
            b->xyz[3 * p + c] = sum;
        }
    }
}

static void embed_four(const SnEmbedBatch *batch, int begin, int end)
{
    embed(batch, begin, end, 4);
}

static void embed_eight(const SnEmbedBatch *batch, int begin, int end)
{
    embed(batch, begin, end, 8);
}

const SnEmbedKernels sn_embed_ref = {.four = embed_four, .eight = embed_eight};
