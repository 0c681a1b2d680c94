#include "model/voxel/pattern.h"

#include <string.h>

SinewStatus sn_voxel_list_corners(const int *corners, int cell_count, int vertex_count,
                                  const SinewAllocator *allocator, int **out_start,
                                  int **out_corners, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *start = NULL, *list = NULL;
    *out_start = *out_corners = NULL;
    SN_ALLOC_ZERO(start, allocator, (size_t)vertex_count + 1, error);
    SN_ALLOC(list, allocator, 8 * (size_t)cell_count, error);
    for (int i = 0; i < 8 * cell_count; ++i) {
        start[corners[i] + 1] += 1;
    }
    for (int v = 0; v < vertex_count; ++v) {
        start[v + 1] += start[v];
    }
    for (int i = 0; i < 8 * cell_count; ++i) {
        list[start[corners[i]]++] = i;
    }
    // Filling moved each start to its end, which is the next one's start.
    for (int v = vertex_count; v > 0; --v) {
        start[v] = start[v - 1];
    }
    start[0] = 0;
    *out_start = start;
    *out_corners = list;
    start = list = NULL;

done:
    sn_free(allocator, start);
    sn_free(allocator, list);
    return status;
}

// Whether a vertex is already among those of a row; rows are short.
static int find_column(const int *columns, int begin, int end, int vertex)
{
    for (int i = begin; i < end; ++i) {
        if (columns[i] == vertex) {
            return i;
        }
    }
    return -1;
}

static void sort_row(int *row, int count)
{
    for (int i = 1; i < count; ++i) {
        int value = row[i], j = i;
        for (; j > 0 && row[j - 1] > value; --j) {
            row[j] = row[j - 1];
        }
        row[j] = value;
    }
}

// The columns of each row, without repetition. Counts alone where `columns` is NULL.
static void list_rows(const SnVoxelLevel *level, int *row_start, int *columns, int *room)
{
    int count = 0;
    for (int v = 0; v < level->vertex_count; ++v) {
        int in_row = 0;
        for (int i = level->vertex_start[v]; i < level->vertex_start[v + 1]; ++i) {
            const int *corners = level->corners + level->vertex_corners[i] / 8 * 8;
            for (int c = 0; c < 8; ++c) {
                if (find_column(room, 0, in_row, corners[c]) < 0) {
                    room[in_row++] = corners[c];
                }
            }
        }
        sort_row(room, in_row);
        row_start[v] = count;
        if (columns != NULL) {
            memcpy(columns + count, room, (size_t)in_row * sizeof *room);
        }
        count += in_row;
    }
    row_start[level->vertex_count] = count;
}

static void list_entries(const SnVoxelLevel *level, SnVoxelPattern *pattern)
{
    for (int e = 0; e < level->cell_count; ++e) {
        const int *corners = level->corners + 8 * (size_t)e;
        for (int i = 0; i < 64; ++i) {
            int row = corners[i / 8];
            pattern->entries[64 * (size_t)e + (size_t)i] =
                find_column(pattern->columns, pattern->row_start[row], pattern->row_start[row + 1],
                            corners[i % 8]);
        }
    }
}

SinewStatus sn_voxel_pattern_create(const SnVoxelLevel *level, const SinewAllocator *allocator,
                                    SnVoxelPattern *out_pattern, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVoxelPattern pattern = {0};
    int *room = NULL, widest = 0;

    *out_pattern = pattern;
    for (int v = 0; v < level->vertex_count; ++v) {
        int cells = level->vertex_start[v + 1] - level->vertex_start[v];
        widest = cells > widest ? cells : widest;
    }
    SN_ALLOC(room, allocator, 8 * (size_t)widest, error);
    SN_ALLOC(pattern.row_start, allocator, (size_t)level->vertex_count + 1, error);
    list_rows(level, pattern.row_start, NULL, room);
    size_t count = (size_t)pattern.row_start[level->vertex_count];
    SN_ALLOC(pattern.columns, allocator, count, error);
    SN_ALLOC(pattern.blocks, allocator, 9 * count, error);
    SN_ALLOC(pattern.entries, allocator, 64 * (size_t)level->cell_count, error);
    list_rows(level, pattern.row_start, pattern.columns, room);
    list_entries(level, &pattern);
    *out_pattern = pattern;
    pattern = (SnVoxelPattern){0};

done:
    sn_free(allocator, room);
    sn_voxel_pattern_release(&pattern, allocator);
    return status;
}

void sn_voxel_pattern_release(SnVoxelPattern *pattern, const SinewAllocator *allocator)
{
    sn_free(allocator, pattern->row_start);
    sn_free(allocator, pattern->columns);
    sn_free(allocator, pattern->entries);
    sn_free(allocator, pattern->blocks);
    *pattern = (SnVoxelPattern){0};
}
