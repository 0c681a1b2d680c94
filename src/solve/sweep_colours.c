#include "solve/sweep_order_internal.h"

enum {
    ROW_BLOCK = 64, // rows side by side that have one colour
    TASK_BLOCKS = 4 // such blocks that are one task
};

static int block_count(const SnSweepPattern *pattern)
{
    return (pattern->count + ROW_BLOCK - 1) / ROW_BLOCK;
}

// The smallest colour for each block that no neighbour before it has; answers how many there are.
static int find_colours(const SnSweepPattern *pattern, int *taken, int *colours)
{
    int most = 0;
    for (int b = 0; b < block_count(pattern); ++b) {
        int end = (b + 1) * ROW_BLOCK < pattern->count ? (b + 1) * ROW_BLOCK : pattern->count;
        int colour = 0;
        for (int e = pattern->start[b * ROW_BLOCK]; e < pattern->start[end]; ++e) {
            int other = pattern->columns[e] / pattern->step / ROW_BLOCK;
            if (other < b) {
                taken[colours[other]] = b + 1;
            }
        }
        while (taken[colour] == b + 1) {
            ++colour;
        }
        colours[b] = colour;
        most = colour + 1 > most ? colour + 1 : most;
    }
    return most;
}

SinewStatus sn_sweep_colours(const SnSweepPattern *pattern, const SinewAllocator *allocator,
                             SnSweepOrder *order, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int blocks = block_count(pattern);
    int *colours = NULL; // a block
    int *taken = NULL;   // a colour: the block that last saw it taken; then its blocks so far
    SN_ALLOC(colours, allocator, blocks, error);
    SN_ALLOC_ZERO(taken, allocator, blocks + 1, error);
    order->stage_count = find_colours(pattern, taken, colours);
    SN_ALLOC_ZERO(order->stage_start, allocator, order->stage_count + 1, error);
    for (int c = 0; c < order->stage_count; ++c) {
        taken[c] = 0;
    }
    for (int b = 0; b < blocks; ++b) {
        order->stage_start[colours[b] + 1] += taken[colours[b]]++ % TASK_BLOCKS == 0 ? 1 : 0;
    }
    for (int c = 0; c < order->stage_count; ++c) {
        order->stage_start[c + 1] += order->stage_start[c];
        taken[c] = 0;
    }
    for (int r = 0; r < pattern->count; ++r) {
        int colour = colours[r / ROW_BLOCK];
        order->task[r] = order->stage_start[colour] + taken[colour] / TASK_BLOCKS;
        taken[colour] += r % ROW_BLOCK == ROW_BLOCK - 1 ? 1 : 0;
    }
done:
    sn_free(allocator, colours);
    sn_free(allocator, taken);
    return status;
}
