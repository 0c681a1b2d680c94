// The pattern of a body of tets after a cut, from the pattern before it. Rows of vertices that the
// cut left alone, and whose neighbours it left alone, are copied; the others are found from the
// tets around them. The pattern is the one that sn_newton_pattern_create would find. Only colours
// may be others: tets keep theirs, since a cut takes neighbours away and adds none.
#include "model/newton/pattern.h"

#include <limits.h>
#include <string.h>

typedef struct Draft {
    const SnNewtonPattern *old;
    const SnNewtonElements *elements; // after the cut
    const SnTetCut *cut;
    SnNewtonPattern *pattern;
    unsigned char *near;    // an old vertex: 1 where its row holds one at the cut
    unsigned char *touched; // a vertex: 1 where its row is found anew
    int *start;             // a vertex: its tets, none where it is not touched
    int *around;            //
    int *mark;              // a vertex: the last that saw it, or its entry in the row at hand
    int *columns;           // of touched rows, one after the other
    int *column_start;      // a vertex: its place there
    int *shift;             // a vertex: how far its row moved
} Draft;

static void mark_touched(Draft *draft)
{
    const SnNewtonPattern *old = draft->old;
    const SnTetCut *cut = draft->cut;
    for (int v = 0; v < old->count; ++v) {
        unsigned char near = 0;
        for (int i = old->row_start[v]; i < old->row_start[v + 1]; ++i) {
            near |= cut->is_split[old->column[i]];
        }
        draft->near[v] = near;
    }
    for (int v = 0; v < cut->vertex_count; ++v) {
        draft->touched[v] = draft->near[cut->vertex_source[v]];
    }
}

// Tets at touched vertices, ascending. Returns how many corners that are.
static int list_tets(Draft *draft)
{
    const int *vertices = draft->elements->vertices;
    int count = draft->elements->vertex_count, corners = 4 * draft->elements->count;
    memset(draft->start, 0, ((size_t)count + 2) * sizeof *draft->start);
    for (int i = 0; i < corners; ++i) {
        draft->start[vertices[i] + 2] += draft->touched[vertices[i]];
    }
    for (int v = 0; v <= count; ++v) {
        draft->start[v + 1] += draft->start[v];
    }
    // start[v + 1] runs while the lists fill and ends as the start of the next vertex.
    for (int i = 0; i < corners; ++i) {
        if (draft->touched[vertices[i]] != 0) {
            draft->around[draft->start[vertices[i] + 1]++] = i / 4;
        }
    }
    return draft->start[count];
}

// Neighbours of a vertex, itself included, ascending. Returns how many.
static int find_row(Draft *draft, int vertex, int *row)
{
    int count = 0;
    draft->mark[vertex] = vertex;
    row[count++] = vertex;
    for (int i = draft->start[vertex]; i < draft->start[vertex + 1]; ++i) {
        const int *corners = draft->elements->vertices + 4 * (size_t)draft->around[i];
        for (int c = 0; c < 4; ++c) {
            if (draft->mark[corners[c]] != vertex) {
                int at = count++;
                draft->mark[corners[c]] = vertex;
                for (; at > 0 && row[at - 1] > corners[c]; --at) {
                    row[at] = row[at - 1];
                }
                row[at] = corners[c];
            }
        }
    }
    return count;
}

static SinewStatus find_rows(Draft *draft, const SinewAllocator *allocator, int corners,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewtonPattern *pattern = draft->pattern;
    const SnNewtonPattern *old = draft->old;
    int filled = 0;
    int64_t total = 0;
    SN_ALLOC(draft->columns, allocator, 3 * (size_t)corners + (size_t)pattern->count, error);
    memset(draft->mark, 0xff, (size_t)pattern->count * sizeof *draft->mark);
    pattern->row_start[0] = 0;
    for (int v = 0; v < pattern->count; ++v) {
        int source = draft->cut->vertex_source[v];
        int count = old->row_start[source + 1] - old->row_start[source];
        if (draft->touched[v] != 0) {
            draft->column_start[v] = filled;
            count = find_row(draft, v, draft->columns + filled);
            filled += count;
        }
        total += count;
        if (total > INT_MAX / 9) {
            SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "the matrix has more than %d blocks, more than this version counts",
                           INT_MAX / 9));
        }
        pattern->row_start[v + 1] = (int)total;
    }
    pattern->entry_count = (int)total;
done:
    return status;
}

static void copy_rows(Draft *draft)
{
    SnNewtonPattern *pattern = draft->pattern;
    const SnNewtonPattern *old = draft->old;
    for (int v = 0; v < pattern->count; ++v) {
        int source = draft->cut->vertex_source[v];
        int *row = pattern->column + pattern->row_start[v];
        int count = pattern->row_start[v + 1] - pattern->row_start[v];
        draft->shift[v] = pattern->row_start[v] - old->row_start[source];
        if (draft->touched[v] != 0) {
            memcpy(row, draft->columns + draft->column_start[v], (size_t)count * sizeof *row);
        } else {
            const int *from = old->column + old->row_start[source];
            for (int i = 0; i < count; ++i) {
                row[i] = draft->cut->vertex_place[from[i]];
            }
            pattern->diagonal[v] = old->diagonal[source] + draft->shift[v];
        }
    }
}

// Rows that were copied have their entries where they were in them.
static void shift_slots(Draft *draft)
{
    for (int e = 0; e < draft->elements->count; ++e) {
        const int *vertices = draft->elements->vertices + 4 * (size_t)e;
        const int *from = draft->old->slots + 16 * (size_t)draft->cut->tet_source[e];
        int *to = draft->pattern->slots + 16 * (size_t)e;
        for (int a = 0; a < 4; ++a) {
            int shift = draft->shift[vertices[a]];
            for (int c = 0; c < 4; ++c) {
                to[4 * a + c] = from[4 * a + c] + shift;
            }
        }
    }
}

static void find_slots(Draft *draft)
{
    SnNewtonPattern *pattern = draft->pattern;
    int *entry = draft->mark;
    for (int v = 0; v < pattern->count; ++v) {
        for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1] && draft->touched[v];
             ++i) {
            entry[pattern->column[i]] = i;
        }
        if (draft->touched[v] != 0) {
            pattern->diagonal[v] = entry[v];
        }
        for (int i = draft->start[v]; i < draft->start[v + 1]; ++i) {
            const int *vertices = draft->elements->vertices + 4 * (size_t)draft->around[i];
            int *slots = pattern->slots + 16 * (size_t)draft->around[i];
            for (int k = 0; k < 16; ++k) {
                slots[k] = vertices[k / 4] == v ? entry[vertices[k % 4]] : slots[k];
            }
        }
    }
}

static void copy_colours(Draft *draft)
{
    SnNewtonPattern *pattern = draft->pattern;
    const SnNewtonPattern *old = draft->old;
    int filled = 0;
    pattern->colour_start[0] = 0;
    for (int c = 0; c < old->colour_count; ++c) {
        for (int i = old->colour_start[c]; i < old->colour_start[c + 1]; ++i) {
            int place = draft->cut->tet_place[old->order[i]];
            if (place >= 0) {
                pattern->order[filled++] = place;
            }
        }
        pattern->colour_start[c + 1] = filled;
    }
}

static SinewStatus make(Draft *draft, const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNewtonPattern *pattern = draft->pattern;
    size_t count = (size_t)pattern->count, tets = (size_t)draft->elements->count;
    SN_ALLOC(draft->near, allocator, draft->old->count, error);
    SN_ALLOC(draft->touched, allocator, count, error);
    SN_ALLOC(draft->start, allocator, count + 2, error);
    SN_ALLOC(draft->around, allocator, 4 * tets, error);
    SN_ALLOC(draft->mark, allocator, count, error);
    SN_ALLOC(draft->column_start, allocator, count, error);
    SN_ALLOC(draft->shift, allocator, count, error);
    SN_ALLOC_FILLED(pattern->row_start, allocator, count + 1, error);
    SN_ALLOC(pattern->diagonal, allocator, count, error);
    SN_ALLOC_FILLED(pattern->slots, allocator, 16 * tets, error);
    SN_ALLOC_FILLED(pattern->order, allocator, tets, error);
    SN_ALLOC(pattern->colour_start, allocator, pattern->colour_count + 2, error);
    mark_touched(draft);
    int corners = list_tets(draft);
    SN_TRY(find_rows(draft, allocator, corners, error));
    SN_ALLOC_FILLED(pattern->column, allocator, pattern->entry_count, error);
    copy_rows(draft);
    shift_slots(draft);
    find_slots(draft);
    copy_colours(draft);
done:
    return status;
}

SinewStatus sn_newton_pattern_cut(const SnNewtonPattern *old, const SnNewtonElements *elements,
                                  const SnTetCut *cut, const SinewAllocator *allocator,
                                  SnNewtonPattern *out_pattern, SinewError *error)
{
    *out_pattern =
        (SnNewtonPattern){.count = elements->vertex_count, .colour_count = old->colour_count};
    Draft draft = {.old = old, .elements = elements, .cut = cut, .pattern = out_pattern};
    SinewStatus status = make(&draft, allocator, error);
    void *const arrays[] = {draft.near, draft.touched, draft.start,        draft.around,
                            draft.mark, draft.columns, draft.column_start, draft.shift};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(allocator, arrays[i]);
    }
    return status;
}
