#include "solve/sweep_order_internal.h"

#include <stdint.h>
#include <string.h>

enum {
    DEPTH = 2,            // bisections, one inside the other
    NODES = 2 << DEPTH,   // of their tree: 1 is the whole, and n has the halves 2 n and 2 n + 1
    TASK_LEAST = 8 << 10, // entries that a part has at least; some ten microseconds of a sweep
    TAIL_MOST = 4 << 10   // entries of the last stages that are rather one task than shared
};

// Rows that part two halves are at most this share of both: they are swept when all others wait.
#define PARTING_MOST 0.25

typedef struct Draft {
    const SnSweepPattern *pattern;
    int *node;                     // a row: where it is; 0 as long as it is in a half's range
    int begin[NODES], end[NODES];  // rows of a half, some of which part others
    bool is_parted[NODES];         // has two halves; its rows are those that part them
    int64_t entries[NODES];        // of a node's rows, diagonals too
    int stage[NODES], task[NODES]; // of a node that has rows
} Draft;

static int64_t entries_of(const Draft *draft, int row)
{
    return draft->pattern->start[row + 1] - draft->pattern->start[row] + 1;
}

// Whether a row has a neighbour in the range that is not yet in a node.
static bool has_neighbour(const Draft *draft, int row, int begin, int end)
{
    bool found = false;
    for (int e = draft->pattern->start[row]; e < draft->pattern->start[row + 1] && !found; ++e) {
        int other = draft->pattern->columns[e] / draft->pattern->step;
        found = other >= begin && other < end && draft->node[other] == 0;
    }
    return found;
}

// Rows of [begin, end) with neighbours in the other range; they go into the node, unless it is 0.
static int part_rows(Draft *draft, int begin, int end, int other_begin, int other_end, int node)
{
    int count = 0;
    for (int r = begin; r < end; ++r) {
        if (draft->node[r] == 0 && has_neighbour(draft, r, other_begin, other_end)) {
            draft->node[r] = node;
            ++count;
        }
    }
    return count;
}

// The row at which the entries of a range are halved.
static int find_middle(const Draft *draft, int node, int64_t entries)
{
    int middle = draft->begin[node];
    for (int64_t sum = 0; 2 * sum < entries; ++middle) {
        sum += draft->node[middle] == 0 ? entries_of(draft, middle) : 0;
    }
    return middle;
}

// Halves a node's range, if that is worth it; else its rows are the node's.
static void bisect(Draft *draft, int node)
{
    int begin = draft->begin[node], end = draft->end[node], rows = 0;
    int64_t entries = 0;
    for (int r = begin; r < end; ++r) {
        entries += draft->node[r] == 0 ? entries_of(draft, r) : 0;
        rows += draft->node[r] == 0;
    }
    if (node < NODES / 2 && entries >= 2 * TASK_LEAST) {
        int middle = find_middle(draft, node, entries);
        int low = part_rows(draft, begin, middle, middle, end, 0);
        int high = part_rows(draft, middle, end, begin, middle, 0);
        if ((low < high ? low : high) <= PARTING_MOST * rows) {
            draft->is_parted[node] = true;
            draft->begin[2 * node] = begin;
            draft->end[2 * node] = draft->begin[2 * node + 1] = middle;
            draft->end[2 * node + 1] = end;
            if (low < high) {
                part_rows(draft, begin, middle, middle, end, node);
            } else {
                part_rows(draft, middle, end, begin, middle, node);
            }
        }
    }
    for (int r = begin; r < end; ++r) {
        draft->node[r] = draft->node[r] == 0 && !draft->is_parted[node] ? node : draft->node[r];
    }
}

static int depth_of(int node)
{
    int depth = 0;
    for (; node > 1; node /= 2) {
        ++depth;
    }
    return depth;
}

// Parts that were not halved come first, then what parted them, the last bisection first. The end
// of it that is not worth sharing is one task.
static void find_stages(Draft *draft)
{
    int64_t sums[DEPTH + 1] = {0}, tail = 0;
    int last = DEPTH;
    for (int r = 0; r < draft->pattern->count; ++r) {
        draft->entries[draft->node[r]] += entries_of(draft, r);
    }
    for (int n = 1; n < NODES; ++n) {
        draft->stage[n] = draft->is_parted[n] ? DEPTH - depth_of(n) : 0;
        sums[draft->stage[n]] += draft->entries[n];
    }
    while (last > 1 && tail + sums[last] + sums[last - 1] <= TAIL_MOST) {
        tail += sums[last--];
    }
    for (int n = 1; n < NODES; ++n) {
        draft->stage[n] = draft->stage[n] > last ? last : draft->stage[n];
    }
}

// Whether a stage is one task: all of its nodes together are not worth sharing.
static bool is_joined(const Draft *draft, int stage)
{
    int64_t sum = 0;
    for (int n = 1; n < NODES; ++n) {
        sum += draft->stage[n] == stage ? draft->entries[n] : 0;
    }
    return stage > 0 && sum <= TAIL_MOST;
}

// Numbers the tasks stage by stage.
static SinewStatus number_tasks(Draft *draft, const SinewAllocator *allocator, SnSweepOrder *order,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int tasks = 0;
    SN_ALLOC_ZERO(order->stage_start, allocator, DEPTH + 2, error);
    for (int stage = 0; stage <= DEPTH; ++stage) {
        bool joined = is_joined(draft, stage);
        int before = tasks;
        for (int n = 1; n < NODES; ++n) {
            if (draft->stage[n] == stage && draft->entries[n] > 0) {
                draft->task[n] = joined ? before : tasks;
                tasks = draft->task[n] + 1;
            }
        }
        order->stage_count += tasks > before;
        order->stage_start[order->stage_count] = tasks;
    }
done:
    return status;
}

SinewStatus sn_sweep_halves(const SnSweepPattern *pattern, const SinewAllocator *allocator,
                            SnSweepOrder *order, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Draft draft = {.pattern = pattern, .node = order->task}; // first a row's node
    memset(draft.node, 0, (size_t)pattern->count * sizeof *draft.node);
    draft.end[1] = pattern->count;
    for (int n = 1; n < NODES; ++n) {
        bisect(&draft, n);
    }
    find_stages(&draft);
    SN_TRY(number_tasks(&draft, allocator, order, error));
    for (int r = 0; r < pattern->count; ++r) {
        order->task[r] = draft.task[order->task[r]];
    }
done:
    return status;
}
