#include "model/tetmg/stream.h"

#include "model/tetmg/product.h"

#include <string.h>

enum {
    PARTS_MAX = 4,          // more would read most blocks twice
    PART_ENTRIES = 12 << 10 // blocks of the level that a part is worth at least
};

// A row of the next level goes with the middle one of those that follow it, so that a part reads
// rows that are near each other.
static int part_of(const SnTetmgLevel *level, int row)
{
    int begin = level->member_start[row], end = level->member_start[row + 1];
    int middle = begin < end ? level->members[(begin + end) / 2] / 4 : 0;
    return (int)((int64_t)middle * level->stream.part_count / level->count);
}

// Parts that an entry goes to, as bits.
static unsigned parts_of(const SnTetmgLevel *level, const unsigned char *parts, int e)
{
    const int *rows = level->parents + 4 * level->entry_rows[e];
    return 1U << parts[rows[0]] | 1U << parts[rows[1]] | 1U << parts[rows[2]] |
           1U << parts[rows[3]];
}

// Pairs of an entry with a part: those with a weight, to blocks on or above the diagonal; the
// others are mirrored. `pass` 0 counts.
static int list_pairs(SnTetmgLevel *level, const SnTetmgLevel *next, const unsigned char *parts,
                      int part, int e, int first, int pass)
{
    int other = sn_tetmg_level_column(level, e), count = 0;
    const int *rows = level->parents + 4 * level->entry_rows[e];
    const int *columns = level->parents + 4 * other;
    const float *row_weights = level->full + 4 * level->entry_rows[e];
    const float *column_weights = level->full + 4 * other;
    for (int k = 0; k < 16; ++k) {
        int row = rows[k / 4], column = columns[k % 4];
        if (parts[row] != part || row > column ||
            row_weights[k / 4] * column_weights[k % 4] == 0.0f) {
            continue;
        }
        if (pass == 1) {
            level->pair_places[first + count] = 9 * sn_tetmg_level_entry(next, row, column);
            level->pair_corners[first + count] = (unsigned char)k;
        }
        ++count;
    }
    return count;
}

// Where streams have come to.
typedef struct Cursor {
    int runs, controls, pairs;
} Cursor;

// Runs, control bytes and pairs of a part; `pass` 0 counts.
static void list_part(SnTetmgLevel *level, const SnTetmgLevel *next, const unsigned char *parts,
                      int part, int pass, Cursor *cursor)
{
    SnTetmgStream *stream = &level->stream;
    int last = -2; // entry of the last run
    for (int e = 0; e < sn_tetmg_level_entries(level); ++e) {
        int count = (parts_of(level, parts, e) >> part & 1U) == 0
                        ? 0
                        : list_pairs(level, next, parts, part, e, cursor->pairs, pass);
        if (count == 0) {
            continue;
        }
        cursor->runs += e != last + 1;
        if (pass == 1) {
            SnTetmgRun *run = &stream->runs[cursor->runs - 1];
            *run = e == last + 1 ? *run : (SnTetmgRun){e, 0, cursor->controls, cursor->pairs};
            run->count += 1;
            stream->control[cursor->controls] = (unsigned char)(SN_BLOCK_NEXT | count);
        }
        cursor->controls += 1;
        cursor->pairs += count;
        last = e;
    }
}

static SinewStatus list_rows(SnTetmgLevel *level, const unsigned char *parts, int count,
                             const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgStream *stream = &level->stream;
    int filled = 0;
    SN_ALLOC(stream->row_start, allocator, stream->part_count + 1, error);
    SN_ALLOC(stream->rows, allocator, count, error);
    for (int p = 0; p < stream->part_count; ++p) {
        stream->row_start[p] = filled;
        for (int row = 0; row < count; ++row) {
            if (parts[row] == p) {
                stream->rows[filled++] = row;
            }
        }
    }
    stream->row_start[stream->part_count] = filled;
done:
    return status;
}

SinewStatus sn_tetmg_stream_create(SnTetmgLevel *level, const SnTetmgLevel *next,
                                   const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgStream *stream = &level->stream;
    int worth = sn_tetmg_level_entries(level) / PART_ENTRIES;
    unsigned char *parts = NULL; // a row of the next level
    stream->part_count = worth < 1 ? 1 : worth < PARTS_MAX ? worth : PARTS_MAX;
    SN_ALLOC(parts, allocator, next->count, error);
    for (int row = 0; row < next->count; ++row) {
        parts[row] = (unsigned char)part_of(level, row);
    }
    SN_TRY(list_rows(level, parts, next->count, allocator, error));
    SN_ALLOC(stream->run_start, allocator, stream->part_count + 1, error);
    for (int pass = 0; pass < 2; ++pass) {
        Cursor cursor = {0};
        for (int p = 0; p < stream->part_count; ++p) {
            stream->run_start[p] = cursor.runs;
            list_part(level, next, parts, p, pass, &cursor);
        }
        stream->run_start[stream->part_count] = cursor.runs;
        if (pass == 0) {
            SN_ALLOC(stream->runs, allocator, cursor.runs, error);
            SN_ALLOC(stream->control, allocator, cursor.controls, error);
            SN_ALLOC(level->pair_weights, allocator, cursor.pairs, error);
            SN_ALLOC(level->pair_places, allocator, cursor.pairs, error);
            SN_ALLOC(level->pair_corners, allocator, cursor.pairs, error);
        }
    }
done:
    sn_free(allocator, parts);
    return status;
}

void sn_tetmg_stream_release(SnTetmgLevel *level, const SinewAllocator *allocator)
{
    SnTetmgStream *stream = &level->stream;
    sn_free(allocator, stream->row_start);
    sn_free(allocator, stream->rows);
    sn_free(allocator, stream->run_start);
    sn_free(allocator, stream->runs);
    sn_free(allocator, stream->control);
    *stream = (SnTetmgStream){0};
}

static void weigh_run(SnTetmgLevel *level, const SnTetmgRun *run)
{
    int p = run->pair;
    for (int i = 0; i < run->count; ++i) {
        int e = run->entry + i;
        const float *rows = level->weights + 4 * level->entry_rows[e];
        const float *columns = level->weights + 4 * sn_tetmg_level_column(level, e);
        for (int end = p + (level->stream.control[run->control + i] & SN_BLOCK_COUNT); p < end;
             ++p) {
            int k = level->pair_corners[p];
            level->pair_weights[p] = rows[k / 4] * columns[k % 4];
        }
    }
}

void sn_tetmg_stream_weigh(SnTetmgLevel *level)
{
    for (int r = 0; r < level->stream.run_start[level->stream.part_count]; ++r) {
        weigh_run(level, &level->stream.runs[r]);
    }
}

typedef struct Job {
    const SnTetmgLevel *level;
    SnTetmgLevel *next;
    const SnBlockKernels *kernels;
} Job;

// Blocks of a part's rows that its stream adds to; those below the diagonal are mirrored later.
static void clear_rows(const SnTetmgStream *stream, int part, SnTetmgLevel *next)
{
    size_t block = 9 * sizeof *next->values;
    for (int i = stream->row_start[part]; i < stream->row_start[part + 1]; ++i) {
        size_t row = (size_t)stream->rows[i], begin = (size_t)next->start[row];
        memset(next->values + 9 * begin, 0, ((size_t)next->start[row + 1] - begin) * block);
        memset(next->values + 9 * ((size_t)next->entry_count + row), 0, block);
    }
}

static void part_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnTetmgLevel *level = job->level;
    const SnTetmgStream *stream = &level->stream;
    (void)worker;
    for (int p = begin; p < end; ++p) {
        clear_rows(stream, p, job->next);
        for (int r = stream->run_start[p]; r < stream->run_start[p + 1]; ++r) {
            const SnTetmgRun *run = &stream->runs[r];
            SnBlockPairs pairs = {.control = stream->control + run->control,
                                  .weights = level->pair_weights + run->pair,
                                  .places = level->pair_places + run->pair,
                                  .from = level->values + 9 * (size_t)run->entry,
                                  .to = job->next->values};
            job->kernels->stream(&pairs, run->count);
        }
    }
}

void sn_tetmg_stream_run(const SnTetmgLevel *level, SnTetmgLevel *next,
                         const SnBlockKernels *kernels, SnWorkers *workers)
{
    Job job = {level, next, kernels};
    sn_parallel_for(workers, level->stream.part_count, 1, part_range, &job);
}
