#include "model/tetmg/product.h"

#include "model/tetmg/stream.h"

#include <string.h>

enum { ROW_GRAIN = 32, ENTRY_GRAIN = 64 };

int sn_tetmg_level_entry(const SnTetmgLevel *level, int row, int column)
{
    if (row == column) {
        return level->entry_count + row;
    }
    // Columns that sweeps come to earlier ascend, and so do the later ones.
    bool earlier = sn_sweep_comes_earlier(&level->order, column, row);
    int low = earlier ? level->start[row] : level->later[row];
    int high = (earlier ? level->later[row] : level->start[row + 1]) - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (level->columns[middle] < 3 * column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int sn_tetmg_level_entries(const SnTetmgLevel *level)
{
    return level->entry_count + level->count;
}

int sn_tetmg_level_column(const SnTetmgLevel *level, int entry)
{
    return entry < level->entry_count ? level->columns[entry] / 3 : entry - level->entry_count;
}

static inline void add_block(float weight, const float *in, float *out)
{
    for (int k = 0; k < 9; ++k) {
        out[k] += weight * in[k];
    }
}

// Gather -----------------------------------------------------------------------------------------

// Calls for each pair of fine and coarse entry, fine entries ascending; `pass` 0 counts.
static void list_gather(SnTetmgLevel *level, const SnTetmgLevel *next, int pass)
{
    for (int e = 0; e < sn_tetmg_level_entries(level); ++e) {
        const int *rows = level->parents + 4 * level->entry_rows[e];
        const int *columns = level->parents + 4 * sn_tetmg_level_column(level, e);
        const float *row_weights = level->full + 4 * level->entry_rows[e];
        const float *column_weights = level->full + 4 * sn_tetmg_level_column(level, e);
        for (int k = 0; k < 16; ++k) {
            int row = rows[k / 4], column = columns[k % 4];
            if (row > column || row_weights[k / 4] * column_weights[k % 4] == 0.0f) {
                continue; // mirrored, or nothing
            }
            int entry = sn_tetmg_level_entry(next, row, column);
            if (pass == 0) {
                level->gather_start[entry + 1] += 1;
            } else {
                level->pair_corners[level->gather_start[entry]] = (unsigned char)k;
                level->pair_places[level->gather_start[entry]++] = 9 * e;
            }
        }
    }
}

static SinewStatus create_gather(SnTetmgLevel *level, const SnTetmgLevel *next,
                                 const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = sn_tetmg_level_entries(next);
    SN_ALLOC_ZERO(level->gather_start, allocator, count + 1, error);
    list_gather(level, next, 0);
    for (int e = 0; e < count; ++e) {
        level->gather_start[e + 1] += level->gather_start[e];
    }
    SN_ALLOC(level->pair_weights, allocator, level->gather_start[count], error);
    SN_ALLOC(level->pair_places, allocator, level->gather_start[count], error);
    SN_ALLOC(level->pair_corners, allocator, level->gather_start[count], error);
    list_gather(level, next, 1);
    // Filling moved each start to its end.
    memmove(level->gather_start + 1, level->gather_start,
            (size_t)count * sizeof *level->gather_start);
    level->gather_start[0] = 0;
done:
    return status;
}

static void weigh_gather(SnTetmgLevel *level, const SnTetmgLevel *next)
{
    int count = level->gather_start[sn_tetmg_level_entries(next)];
    for (int p = 0; p < count; ++p) {
        int e = level->pair_places[p] / 9, k = level->pair_corners[p];
        level->pair_weights[p] = level->weights[4 * level->entry_rows[e] + k / 4] *
                                 level->weights[4 * sn_tetmg_level_column(level, e) + k % 4];
    }
}

typedef struct Job {
    const SnTetmgLevel *level;
    SnTetmgLevel *next;
    const SnBlockKernels *kernels;
    const SnBlockPairs *pairs;
} Job;

static void gather_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->kernels->gather(job->pairs, begin, end);
}

// Entries below the diagonal from those above.
static void mirror_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    SnTetmgLevel *next = job->next;
    (void)worker;
    for (int row = begin; row < end; ++row) {
        for (int e = next->start[row]; e < next->start[row + 1]; ++e) {
            int from = next->mirrors[e];
            for (size_t k = 0; k < 9 && next->columns[e] < 3 * row; ++k) {
                next->values[9 * (size_t)e + k] =
                    next->values[9 * (size_t)from + 3 * (k % 3) + k / 3];
            }
        }
    }
}

static void run_gather(const SnTetmgLevel *level, SnTetmgLevel *next, const SnBlockKernels *kernels,
                       SnWorkers *workers)
{
    SnBlockPairs pairs = {.start = level->gather_start,
                          .weights = level->pair_weights,
                          .places = level->pair_places,
                          .from = level->values,
                          .to = next->values};
    Job job = {level, next, kernels, &pairs};
    sn_parallel_for(workers, sn_tetmg_level_entries(next), ENTRY_GRAIN, gather_range, &job);
}

// Two stages -------------------------------------------------------------------------------------

// The place of a node in a row of B, which is short; added where it is not there yet.
static int find_middle(SnTetmgLevel *level, int row, int node, int *count)
{
    int begin = level->middle_start[row];
    for (int i = begin; i < begin + *count; ++i) {
        if (level->middle_nodes[i] == node) {
            return i;
        }
    }
    level->middle_nodes[begin + *count] = node;
    *count += 1;
    return begin + *count - 1;
}

// The diagonal's block last.
static int row_entry(const SnTetmgLevel *level, int row, int i)
{
    int at = level->start[row] + i;
    return at < level->start[row + 1] ? at : level->entry_count + row;
}

static int row_length(const SnTetmgLevel *level, int row)
{
    return level->start[row + 1] - level->start[row] + 1;
}

// Rows of B: nodes of all neighbours.
static SinewStatus create_first_stage(SnTetmgLevel *level, const SinewAllocator *allocator,
                                      SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC(level->middle_start, allocator, level->count + 1, error);
    SN_ALLOC(level->first_slots, allocator, 4 * (size_t)sn_tetmg_level_entries(level), error);
    SN_ALLOC(level->middle_nodes, allocator, 4 * (size_t)sn_tetmg_level_entries(level), error);
    level->middle_start[0] = 0;
    for (int r = 0; r < level->count; ++r) {
        int count = 0;
        for (int i = 0; i < row_length(level, r); ++i) {
            int e = row_entry(level, r, i);
            for (int k = 0; k < 4; ++k) {
                level->first_slots[4 * e + k] = find_middle(
                    level, r, level->parents[4 * sn_tetmg_level_column(level, e) + k], &count);
            }
        }
        level->middle_start[r + 1] = level->middle_start[r] + count;
    }
    SN_ALLOC(level->middle, allocator, 9 * (size_t)level->middle_start[level->count], error);
done:
    return status;
}

// Where each entry of a member's row of B goes.
static SinewStatus create_second_stage(SnTetmgLevel *level, const SnTetmgLevel *next,
                                       const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int members = level->member_start[next->count], count = 0;
    SN_ALLOC(level->second_start, allocator, members + 1, error);
    for (int m = 0; m < members; ++m) {
        int row = level->members[m] / 4;
        level->second_start[m] = count;
        count += level->middle_start[row + 1] - level->middle_start[row];
    }
    level->second_start[members] = count;
    SN_ALLOC(level->second_slots, allocator, count, error);
    for (int n = 0; n < next->count; ++n) {
        for (int m = level->member_start[n]; m < level->member_start[n + 1]; ++m) {
            int begin = level->middle_start[level->members[m] / 4];
            for (int i = level->second_start[m]; i < level->second_start[m + 1]; ++i) {
                int node = level->middle_nodes[begin + i - level->second_start[m]];
                level->second_slots[i] = 9 * sn_tetmg_level_entry(next, n, node);
            }
        }
    }
done:
    return status;
}

static void first_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnTetmgLevel *level = job->level;
    (void)worker;
    for (int r = begin; r < end; ++r) {
        int first = level->middle_start[r];
        memset(level->middle + 9 * (size_t)first, 0,
               9 * (size_t)(level->middle_start[r + 1] - first) * sizeof *level->middle);
        for (int i = 0; i < row_length(level, r); ++i) {
            int e = row_entry(level, r, i);
            const float *weights = level->weights + 4 * sn_tetmg_level_column(level, e);
            for (int k = 0; k < 4; ++k) {
                add_block(weights[k], level->values + 9 * (size_t)e,
                          level->middle + 9 * (size_t)level->first_slots[4 * e + k]);
            }
        }
    }
}

static void second_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnTetmgLevel *level = job->level;
    (void)worker;
    for (int n = begin; n < end; ++n) {
        for (int m = level->member_start[n]; m < level->member_start[n + 1]; ++m) {
            float weight = level->weights[level->members[m]];
            const float *block =
                level->middle + 9 * (size_t)level->middle_start[level->members[m] / 4];
            for (int i = level->second_start[m]; i < level->second_start[m + 1]; ++i, block += 9) {
                add_block(weight, block, job->next->values + level->second_slots[i]);
            }
        }
    }
}

// Plain ------------------------------------------------------------------------------------------

// [D eq 9] as it stands: for each coarse block the sum over all rows and columns that it is made
// of, found anew each time.
static void plain_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnTetmgLevel *level = job->level;
    SnTetmgLevel *next = job->next;
    (void)worker;
    for (int n = begin; n < end; ++n) {
        int row = next->entry_rows[n], column = sn_tetmg_level_column(next, n);
        float *out = next->values + 9 * (size_t)n;
        for (int m = level->member_start[row]; m < level->member_start[row + 1]; ++m) {
            int r = level->members[m] / 4;
            for (int i = 0; i < row_length(level, r); ++i) {
                int e = row_entry(level, r, i);
                const int *parents = level->parents + 4 * sn_tetmg_level_column(level, e);
                for (int k = 0; k < 4; ++k) {
                    if (parents[k] == column) {
                        add_block(level->weights[level->members[m]] *
                                      level->weights[4 * sn_tetmg_level_column(level, e) + k],
                                  level->values + 9 * (size_t)e, out);
                    }
                }
            }
        }
    }
}

// All four ---------------------------------------------------------------------------------------

SinewStatus sn_tetmg_product_create(SnTetmgLevel *level, const SnTetmgLevel *next,
                                    SinewTetmgProduct product, const SinewAllocator *allocator,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (product == SINEW_PRODUCT_STREAM) {
        SN_TRY(sn_tetmg_stream_create(level, next, allocator, error));
    } else if (product == SINEW_PRODUCT_GATHER) {
        SN_TRY(create_gather(level, next, allocator, error));
    } else if (product == SINEW_PRODUCT_TWO_STAGE) {
        SN_TRY(create_first_stage(level, allocator, error));
        SN_TRY(create_second_stage(level, next, allocator, error));
    }
    sn_tetmg_product_weigh(level, next, product);
done:
    return status;
}

void sn_tetmg_product_release(SnTetmgLevel *level, const SinewAllocator *allocator)
{
    void *const arrays[] = {level->pair_weights, level->pair_places,  level->gather_start,
                            level->middle_start, level->middle_nodes, level->middle,
                            level->first_slots,  level->second_slots, level->second_start,
                            level->pair_corners};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(allocator, arrays[i]);
    }
    sn_tetmg_stream_release(level, allocator);
    level->pair_corners = NULL;
    level->pair_weights = level->middle = NULL;
    level->pair_places = level->gather_start = level->middle_start = level->middle_nodes = NULL;
    level->first_slots = level->second_slots = level->second_start = NULL;
}

void sn_tetmg_product_weigh(SnTetmgLevel *level, const SnTetmgLevel *next,
                            SinewTetmgProduct product)
{
    if (product == SINEW_PRODUCT_STREAM) {
        sn_tetmg_stream_weigh(level);
    } else if (product == SINEW_PRODUCT_GATHER) {
        weigh_gather(level, next);
    }
}

void sn_tetmg_product_run(const SnTetmgLevel *level, SnTetmgLevel *next, SinewTetmgProduct product,
                          const SnBlockKernels *kernels, SnWorkers *workers)
{
    Job job = {.level = level, .next = next};
    if (product == SINEW_PRODUCT_GATHER) {
        run_gather(level, next, kernels, workers);
    } else if (product == SINEW_PRODUCT_STREAM) {
        sn_tetmg_stream_run(level, next, kernels, workers);
    }
    if (product == SINEW_PRODUCT_GATHER || product == SINEW_PRODUCT_STREAM) {
        sn_parallel_for(workers, next->count, ROW_GRAIN, mirror_range, &job);
        return;
    }
    memset(next->values, 0, 9 * (size_t)sn_tetmg_level_entries(next) * sizeof *next->values);
    if (product == SINEW_PRODUCT_TWO_STAGE) {
        sn_parallel_for(workers, level->count, ROW_GRAIN, first_range, &job);
        sn_parallel_for(workers, next->count, ROW_GRAIN, second_range, &job);
    } else {
        sn_parallel_for(workers, sn_tetmg_level_entries(next), ENTRY_GRAIN, plain_range, &job);
    }
}
