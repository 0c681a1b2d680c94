#include "solve/factor_layout.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

// Even shares in whole blocks of columns, so that no sliver is left over.
int sn_factor_panel_width(int width)
{
    int panels = (width + SN_PANEL_COLUMNS - 1) / SN_PANEL_COLUMNS;
    int share = (width + panels - 1) / panels;
    return (int)sn_round_up((size_t)share, SN_PANEL_BLOCK);
}

static int panels_of_width(int width)
{
    int share = sn_factor_panel_width(width);
    return (width + share - 1) / share;
}

// Rows of the top that subtree t touches: the rows below its roots. All other supernodes of the
// subtree have only rows among those and among the subtree's own columns.
static int collect_boundary(const SnSupernodes *s, int t, int *mark, int *rows)
{
    int count = 0;
    int end = s->first[s->subtree_end[t]];
    for (int i = s->subtree_begin[t]; i < s->subtree_end[t]; ++i) {
        bool is_root = s->parent[i] < 0 || s->subtree_of[s->parent[i]] != t;
        for (int64_t e = s->row_start[i]; is_root && e < s->row_start[i + 1]; ++e) {
            SN_ASSERT(s->rows[e] >= end);
            if (mark[s->rows[e]] != t) {
                mark[s->rows[e]] = t;
                rows[count++] = s->rows[e];
            }
        }
    }
    (void)end;
    sn_sort_rows(rows, count);
    return count;
}

static SinewStatus find_boundaries(const SnSupernodes *s, const SinewAllocator *allocator,
                                   SnFactorLayout *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *mark = NULL;
    int64_t total = 0;
    for (int i = 0; i < s->count; ++i) {
        int t = s->subtree_of[i];
        if (t >= 0 && (s->parent[i] < 0 || s->subtree_of[s->parent[i]] != t)) {
            total += sn_supernode_below(s, i);
        }
    }
    SN_ALLOC(out->boundary_start, allocator, s->subtree_count + 1, error);
    SN_ALLOC(out->boundary, allocator, total * out->block, error);
    SN_ALLOC(mark, allocator, s->columns, error);
    for (int i = 0; i < s->columns; ++i) {
        mark[i] = -1;
    }
    int at = 0;
    for (int t = 0; t < s->subtree_count; ++t) {
        out->boundary_start[t] = at;
        int *rows = out->boundary + at;
        int count = collect_boundary(s, t, mark, rows);
        // Rows of blocks become unknowns, from the back since they spread in place.
        for (int i = count * out->block - 1; i >= 0; --i) {
            rows[i] = rows[i / out->block] * out->block + i % out->block;
        }
        at += count * out->block;
    }
    out->boundary_start[s->subtree_count] = at;
    out->positions = out->unknowns + at;
done:
    sn_free(allocator, mark);
    return status;
}

// Fills the row positions of supernode i: own columns, then rows below, those outside of its
// subtree by their boundary position. position_of is scratch: the boundary position of a row.
static void fill_index(const SnSupernodes *s, const SnFactorLayout *out, int i,
                       const int *position_of, int *index)
{
    int block = out->block;
    int t = s->subtree_of[i];
    int inside_end = t < 0 ? s->columns : s->first[s->subtree_end[t]];
    int at = 0;
    for (int j = s->first[i] * block; j < s->first[i + 1] * block; ++j) {
        index[at++] = j;
    }
    for (int64_t e = s->row_start[i]; e < s->row_start[i + 1]; ++e) {
        int row = s->rows[e];
        int position = row < inside_end ? row * block : position_of[row];
        for (int k = 0; k < block; ++k) {
            index[at++] = position + k;
        }
    }
}

// Panels of supernode i, appended.
static void add_panels(const SnSupernodes *s, SnFactorLayout *out, int i, const int *position_of)
{
    int width = sn_supernode_width(s, i) * out->block;
    int rows = width + sn_supernode_below(s, i) * out->block;
    int share = sn_factor_panel_width(width);
    int first = (int)out->index_count;
    fill_index(s, out, i, position_of, out->index + first);
    out->index_count += (size_t)rows;
    out->panel_of[i] = out->panel_count;
    for (int from = 0; from < width; from += share) {
        SnPanel *panel = &out->panels[out->panel_count++];
        panel->columns = width - from < share ? width - from : share;
        panel->rows = rows - from;
        panel->first = first + from;
        panel->values = out->value_count;
        int padded = sn_panel_tiles(panel->rows) * SN_PANEL_TILE;
        out->value_count += (size_t)padded * (size_t)panel->columns;
        out->tallest = padded > out->tallest ? padded : out->tallest;
    }
}

static SinewStatus count_panels(const SnSupernodes *s, int block, int *out_panels,
                                int64_t *out_index, SinewError *error)
{
    int64_t panels = 0;
    int64_t index = 0;
    for (int i = 0; i < s->count; ++i) {
        int width = sn_supernode_width(s, i) * block;
        panels += panels_of_width(width);
        index += width + (int64_t)sn_supernode_below(s, i) * block;
    }
    if (index > INT_MAX || panels > INT_MAX) {
        return sn_fail(error, SINEW_ERROR_MEMORY,
                       "the factor needs %lld row positions, more than this version can count",
                       (long long)index);
    }
    *out_panels = (int)panels;
    *out_index = index;
    return SINEW_OK;
}

static SinewStatus add_all_panels(const SnSupernodes *s, const SinewAllocator *allocator,
                                  SnFactorLayout *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *position_of = NULL;
    SN_ALLOC(position_of, allocator, s->columns, error);
    for (int t = 0; t < s->subtree_count; ++t) {
        out->subtree_panel[t] = out->panel_count;
        for (int b = out->boundary_start[t]; b < out->boundary_start[t + 1]; b += out->block) {
            position_of[out->boundary[b] / out->block] = out->unknowns + b;
        }
        for (int i = s->subtree_begin[t]; i < s->subtree_end[t]; ++i) {
            add_panels(s, out, i, position_of);
        }
    }
    out->subtree_panel[s->subtree_count] = out->panel_count;
    for (int i = 0; i < s->count; ++i) {
        if (s->subtree_of[i] < 0) {
            add_panels(s, out, i, position_of);
        }
    }
done:
    sn_free(allocator, position_of);
    return status;
}

SinewStatus sn_factor_layout_create(const SnSupernodes *supernodes, int block,
                                    const SinewAllocator *allocator, SnFactorLayout *out,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int panels = 0;
    int64_t index = 0;
    *out = (SnFactorLayout){.block = block, .unknowns = supernodes->columns * block};
    SN_TRY(count_panels(supernodes, block, &panels, &index, error));
    SN_ALLOC(out->panels, allocator, panels, error);
    SN_ALLOC(out->panel_of, allocator, supernodes->count, error);
    SN_ALLOC(out->subtree_panel, allocator, supernodes->subtree_count + 1, error);
    SN_ALLOC(out->index, allocator, index, error);
    SN_TRY(find_boundaries(supernodes, allocator, out, error));
    SN_TRY(add_all_panels(supernodes, allocator, out, error));
done:
    if (status < 0) {
        sn_factor_layout_release(out, allocator);
    }
    return status;
}

void sn_factor_layout_release(SnFactorLayout *layout, const SinewAllocator *allocator)
{
    sn_free(allocator, layout->panels);
    sn_free(allocator, layout->panel_of);
    sn_free(allocator, layout->subtree_panel);
    sn_free(allocator, layout->index);
    sn_free(allocator, layout->boundary_start);
    sn_free(allocator, layout->boundary);
    *layout = (SnFactorLayout){0};
}
