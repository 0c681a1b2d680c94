// Patches: neighbouring blocks of tets with a row for each vertex they touch, kernel/tet_sweep.h.
// Vertices and tets are along a curve, so a patch of 256 tets touches some 130 vertices, and a
// vertex has two rows where it has 16 tets.
#include "model/split/blocks.h"

#include <string.h>

enum { TETS_MAX = SN_TET_PATCH_BLOCKS * SN_TET_BLOCK };

// The walk over tets that opens patches and their rows.
typedef struct Walk {
    SnSplit *body;
    const int *order;              // tets outside
    int *row_now;                  // a vertex inside before a cut: which it is now, or -1
    int *patch_of;                 // a vertex inside: the patch that last touched it
    int *row_of;                   // a vertex inside: its row there
    int patch;                     // the open one
    int first;                     // its first place in `order`
    int rows;                      // so far, of all patches
    int sources;                   // so far, of all patches
    int filled[SN_TET_PATCH_ROWS]; // a row of the open patch: its next place in the sources
} Walk;

static int corner_vertex(const SnSplit *body, int tet, int corner)
{
    return body->inside[body->elements.vertices[4 * (size_t)tet + (size_t)corner]];
}

// Rows for the corners of a tet. The first walk only counts them.
static void open_rows(Walk *walk, int tet)
{
    int *row_vertex = walk->body->blocks.row_vertex;
    for (int a = 0; a < 4; ++a) {
        int v = corner_vertex(walk->body, tet, a);
        if (walk->patch_of[v] != walk->patch) {
            walk->patch_of[v] = walk->patch;
            walk->row_of[v] = walk->rows;
            if (row_vertex != NULL) {
                row_vertex[walk->rows] = 3 * v;
            }
            walk->rows += 1;
        }
    }
}

// Rows by how many tets they take, most first, so that rows of a group take about as many and loops
// over them end where the one before did; `counts` comes in by the old rows and goes out by the new
// ones. `row_vertex` of the open patch; nullable.
static void sort_rows(int rows, int *row_vertex, int *counts)
{
    for (int r = 1; r < rows; ++r) {
        int vertex = row_vertex != NULL ? row_vertex[r] : 0, count = counts[r], at = r;
        for (; at > 0 && counts[at - 1] < count; --at) {
            counts[at] = counts[at - 1];
            if (row_vertex != NULL) {
                row_vertex[at] = row_vertex[at - 1];
            }
        }
        counts[at] = count;
        if (row_vertex != NULL) {
            row_vertex[at] = vertex;
        }
    }
}

// The groups of the open patch, whose rows have been sorted: each has as many places a row as its
// first row takes. Rows that fill up the last group repeat the first row's vertex.
static void open_groups(Walk *walk, int rows, const int *counts)
{
    SnSplitBlocks *blocks = &walk->body->blocks;
    int first = blocks->patch_row[walk->patch];
    walk->rows = first + (int)sn_round_up((size_t)rows, SN_TET_ROW_GROUP);
    for (int r = 0; r < walk->rows - first; ++r) {
        int place = walk->sources + r % SN_TET_ROW_GROUP;
        if (blocks->row_vertex != NULL) {
            walk->filled[r] = place;
            if (r < rows) {
                walk->row_of[blocks->row_vertex[first + r] / 3] = first + r;
            } else {
                blocks->row_vertex[first + r] = blocks->row_vertex[first];
            }
        }
        if (r % SN_TET_ROW_GROUP + 1 == SN_TET_ROW_GROUP) {
            walk->sources += SN_TET_ROW_GROUP * counts[r - r % SN_TET_ROW_GROUP];
            if (blocks->row_vertex != NULL) {
                blocks->group_start[(first + r) / SN_TET_ROW_GROUP + 1] = walk->sources;
            }
        }
    }
}

// The rows of the open patch, whose tets are known, in their order and with room for sources.
static void order_rows(Walk *walk, int tets)
{
    SnSplitBlocks *blocks = &walk->body->blocks;
    int first = blocks->patch_row[walk->patch];
    int rows = walk->rows - first;
    int counts[SN_TET_PATCH_ROWS] = {0};
    for (int i = 0; i < 4 * tets; ++i) {
        int v = corner_vertex(walk->body, walk->order[walk->first + i / 4], i % 4);
        counts[walk->row_of[v] - first] += 1;
    }
    sort_rows(rows, blocks->row_vertex != NULL ? blocks->row_vertex + first : NULL, counts);
    open_groups(walk, rows, counts);
}

// A lane of a block; beyond the last tet it repeats one with the tet -1, and no row takes it.
static void fill_lane(Walk *walk, int lane, int tet, bool real)
{
    SnSplitBlocks *blocks = &walk->body->blocks;
    int block = lane / SN_TET_BLOCK;
    int at = lane % SN_TET_BLOCK;
    blocks->tets[lane] = real ? tet : -1;
    for (int a = 0; a < 4; ++a) {
        int row = walk->row_of[corner_vertex(walk->body, tet, a)] - blocks->patch_row[walk->patch];
        int source =
            64 * (block - blocks->patch_block[walk->patch]) + 16 * a + 4 * (at % 4) + at / 4;
        blocks->corners[(4 * block + a) * SN_TET_BLOCK + at] = (uint16_t)(4 * row);
        if (real) {
            blocks->sources[walk->filled[row]] = (uint16_t)(4 * source);
            walk->filled[row] += SN_TET_ROW_GROUP;
        }
    }
}

// Ends the open patch before a place in `order`. Its tets go to blocks in turn.
static void close_patch(Walk *walk, int end)
{
    SnSplitBlocks *blocks = &walk->body->blocks;
    int tets = end - walk->first;
    int count = (tets + SN_TET_BLOCK - 1) / SN_TET_BLOCK;
    int begin = blocks->patch_block[walk->patch];
    order_rows(walk, tets);
    if (blocks->tets != NULL) {
        for (int i = 0; i < count * SN_TET_BLOCK; ++i) {
            int lane = (begin + i % count) * SN_TET_BLOCK + i / count;
            fill_lane(walk, lane, walk->order[walk->first + (i < tets ? i : tets - 1)], i < tets);
        }
    }
    walk->patch += 1;
    walk->first = end;
    blocks->patch_block[walk->patch] = begin + count;
    blocks->patch_row[walk->patch] = walk->rows;
}

static void open_patches(Walk *walk)
{
    SnSplit *body = walk->body;
    SnSplitBlocks *blocks = &body->blocks;
    walk->patch = walk->first = walk->rows = walk->sources = 0;
    blocks->patch_block[0] = blocks->patch_row[0] = 0;
    for (int v = 0; v < body->elements.vertex_count; ++v) {
        walk->patch_of[v] = -1;
    }
    for (int i = 0; i < body->elements.count; ++i) {
        int rows = walk->rows - blocks->patch_row[walk->patch];
        if (i - walk->first == TETS_MAX || rows + 4 > SN_TET_PATCH_ROWS) {
            close_patch(walk, i);
        }
        open_rows(walk, walk->order[i]);
    }
    close_patch(walk, body->elements.count);
    blocks->patch_count = walk->patch;
    blocks->count = blocks->patch_block[walk->patch];
}

// The vertex of a row, or -1 of one that only fills up its group.
static int row_owner(const SnSplitBlocks *blocks, int patch, int row)
{
    int first = blocks->patch_row[patch];
    bool repeats = row > first && blocks->row_vertex[row] == blocks->row_vertex[first];
    return repeats ? -1 : blocks->row_vertex[row] / 3;
}

// Rows of each vertex: how many are beyond the first four.
static void count_rows(SnSplit *body, int *seen)
{
    const SnSplitBlocks *blocks = &body->blocks;
    for (int p = 0; p < blocks->patch_count; ++p) {
        for (int r = blocks->patch_row[p]; r < blocks->patch_row[p + 1]; ++r) {
            int v = row_owner(blocks, p, r);
            if (v >= 0 && seen[v]++ >= SN_VERTEX_ROWS) {
                blocks->further_start[v + 1] += 1;
            }
        }
    }
}

// The rows of each vertex, in the order of patches: the first four, and those beyond.
static void list_rows(SnSplit *body, int *seen)
{
    SnSplitBlocks *blocks = &body->blocks;
    int *start = blocks->further_start;
    size_t vertices = (size_t)body->elements.vertex_count;
    memset(start, 0, (vertices + 1) * sizeof *start);
    memset(seen, 0, vertices * sizeof *seen);
    count_rows(body, seen);
    for (size_t i = 0; i < SN_VERTEX_ROWS * vertices; ++i) {
        blocks->vertex_rows[i] = 4 * blocks->patch_row[blocks->patch_count];
    }
    for (size_t v = 0; v < vertices; ++v) {
        start[v + 1] += start[v];
        seen[v] = 0;
    }
    for (int p = 0; p < blocks->patch_count; ++p) {
        for (int r = blocks->patch_row[p]; r < blocks->patch_row[p + 1]; ++r) {
            int v = row_owner(blocks, p, r);
            if (v >= 0 && seen[v] < SN_VERTEX_ROWS) {
                blocks->vertex_rows[SN_VERTEX_ROWS * v + seen[v]++] = 4 * r;
            } else if (v >= 0) {
                blocks->further_rows[start[v] + seen[v]++ - SN_VERTEX_ROWS] = 4 * r;
            }
        }
    }
}

static SinewStatus make_walk(SnSplit *body, int patches_max, Walk *walk, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitBlocks *blocks = &body->blocks;
    const SinewAllocator *allocator = &body->allocator;
    size_t vertices = (size_t)body->elements.vertex_count;
    SN_ALLOC(walk->patch_of, allocator, vertices, error);
    SN_ALLOC(walk->row_of, allocator, vertices, error);
    SN_ALLOC(blocks->patch_block, allocator, patches_max, error);
    SN_ALLOC(blocks->patch_row, allocator, patches_max, error);
    SN_ALLOC(blocks->vertex_rows, allocator, SN_VERTEX_ROWS * vertices, error);
    SN_ALLOC(blocks->further_start, allocator, vertices + 1, error);
done:
    return status;
}

// For what a first walk has counted.
static SinewStatus make_lists(SnSplit *body, const Walk *walk, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitBlocks *blocks = &body->blocks;
    const SinewAllocator *allocator = &body->allocator;
    SN_ALLOC_FILLED(blocks->row_vertex, allocator, walk->rows, error);
    SN_ALLOC_ZERO(blocks->group_start, allocator, walk->rows / SN_TET_ROW_GROUP + 1, error);
    SN_ALLOC(blocks->further_rows, allocator, walk->rows, error);
    SN_ALLOC_FILLED(blocks->sources, allocator, walk->sources, error);
    SN_ALLOC_FILLED(blocks->corners, allocator, 4 * (size_t)blocks->count * SN_TET_BLOCK, error);
    SN_ALLOC_FILLED(blocks->tets, allocator, (size_t)blocks->count * SN_TET_BLOCK, error);
    for (int i = 0; i < walk->sources; ++i) {
        blocks->sources[i] = SN_TET_NO_SOURCE;
    }
done:
    return status;
}

SinewStatus sn_split_patches_create(SnSplit *body, const int *order, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Walk walk = {.body = body, .order = order};
    // A patch is closed at 63 tets or more.
    SN_TRY(make_walk(body, body->elements.count / 63 + 2, &walk, error));
    open_patches(&walk); // counts
    SN_TRY(make_lists(body, &walk, error));
    open_patches(&walk); // fills
    list_rows(body, walk.row_of);

done:
    sn_free(&body->allocator, walk.patch_of);
    sn_free(&body->allocator, walk.row_of);
    return status;
}

// After a cut ------------------------------------------------------------------------------------

// Tets of an old patch that stay, and whether all of them do.
static int count_stay(const SnSplitBlocks *old, const SnTetCut *cut, int patch, bool *out_all)
{
    int stay = 0, all = 0;
    for (int lane = old->patch_block[patch] * SN_TET_BLOCK;
         lane < old->patch_block[patch + 1] * SN_TET_BLOCK; ++lane) {
        all += old->tets[lane] >= 0 ? 1 : 0;
        stay += old->tets[lane] >= 0 && cut->tet_place[old->tets[lane]] >= 0 ? 1 : 0;
    }
    *out_all = stay == all;
    return stay;
}

// Whether a tet up to a place in `order` has a copy among its corners.
static bool has_copy(const Walk *walk, const SnTetCut *cut, int end)
{
    bool has = false;
    for (int i = walk->first; i < end && !has; ++i) {
        const int *corners = cut->tets + 4 * (size_t)walk->order[i];
        for (int c = 0; c < 4; ++c) {
            has = has || corners[c] >= cut->copy_start;
        }
    }
    return has;
}

// Tets and vertices of a patch as it was, by their new numbers; rows and sources begin behind those
// of the patches before it.
static void copy_lists(const Walk *walk, const SnSplitBlocks *old, const SnTetCut *cut, int patch)
{
    SnSplitBlocks *blocks = &walk->body->blocks;
    int first = old->patch_row[patch], rows = old->patch_row[patch + 1] - first;
    int group = first / SN_TET_ROW_GROUP, groups = rows / SN_TET_ROW_GROUP;
    int source = old->group_start[group], sources = old->group_start[group + groups] - source;
    int *starts = blocks->group_start + walk->rows / SN_TET_ROW_GROUP;
    int from = old->patch_block[patch] * SN_TET_BLOCK;
    int to = blocks->patch_block[walk->patch] * SN_TET_BLOCK;
    int lanes = old->patch_block[patch + 1] * SN_TET_BLOCK - from;
    memcpy(blocks->sources + walk->sources, old->sources + source,
           (size_t)sources * sizeof *old->sources);
    memcpy(blocks->corners + 4 * (size_t)to, old->corners + 4 * (size_t)from,
           4 * (size_t)lanes * sizeof *old->corners);
    for (int i = 0; i < rows; ++i) {
        blocks->row_vertex[walk->rows + i] = 3 * walk->row_now[old->row_vertex[first + i] / 3];
    }
    for (int i = 0; i < lanes; ++i) {
        int tet = old->tets[from + i];
        blocks->tets[to + i] = tet >= 0 ? cut->tet_place[tet] : -1;
    }
    for (int g = 1; g <= groups; ++g) {
        starts[g] = old->group_start[group + g] - source + walk->sources;
    }
}

// A patch as it was, behind those before it; its tets end before a place in `order`.
static void copy_patch(Walk *walk, const SnSplitBlocks *old, const SnTetCut *cut, int patch,
                       int end)
{
    SnSplitBlocks *blocks = &walk->body->blocks;
    int first = old->patch_row[patch], last = old->patch_row[patch + 1];
    int block_count = old->patch_block[patch + 1] - old->patch_block[patch];
    if (blocks->row_vertex != NULL) {
        copy_lists(walk, old, cut, patch);
    }
    walk->rows += last - first;
    walk->sources +=
        old->group_start[last / SN_TET_ROW_GROUP] - old->group_start[first / SN_TET_ROW_GROUP];
    walk->patch += 1;
    walk->first = end;
    blocks->patch_block[walk->patch] = blocks->patch_block[walk->patch - 1] + block_count;
    blocks->patch_row[walk->patch] = walk->rows;
}

// Patches keep the tets that stay; one without any goes. False: a patch would have too many rows.
static bool follow_patches(Walk *walk, const SnSplitBlocks *old, const SnTetCut *cut)
{
    SnSplitBlocks *blocks = &walk->body->blocks;
    walk->patch = walk->first = walk->rows = walk->sources = 0;
    blocks->patch_block[0] = blocks->patch_row[0] = 0;
    memset(walk->patch_of, 0xff, (size_t)cut->vertex_count * sizeof *walk->patch_of);
    for (int p = 0; p < old->patch_count; ++p) {
        bool all = true;
        int end = walk->first + count_stay(old, cut, p, &all), first_row = walk->rows;
        if (all && !has_copy(walk, cut, end)) {
            copy_patch(walk, old, cut, p, end);
            continue;
        }
        for (int i = walk->first; i < end; ++i) {
            if (walk->rows - first_row + 4 > SN_TET_PATCH_ROWS) {
                return false;
            }
            open_rows(walk, walk->order[i]);
        }
        if (end > walk->first) {
            close_patch(walk, end);
        }
    }
    blocks->patch_count = walk->patch;
    blocks->count = blocks->patch_block[walk->patch];
    return true;
}

// Whether patches have lost so many tets that sweeps would feel it: a third more blocks than tets
// need. Patches made anew never have so many, so this does not happen twice in a row.
static bool is_sparse(const SnSplit *body)
{
    return 3 * body->blocks.count > 4 * (body->elements.count / SN_TET_BLOCK + 1);
}

static SinewStatus list_rows_now(const SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                                 Walk *walk, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC(walk->row_now, &body->allocator, cut->old_vertex_count, error);
    for (int i = 0; i < cut->old_vertex_count; ++i) {
        int place = cut->vertex_place[from->outside[i]];
        walk->row_now[i] = place >= 0 ? body->inside[place] : -1;
    }
done:
    return status;
}

SinewStatus sn_split_patches_cut(SnSplit *body, const SnSplit *from, const SnTetCut *cut,
                                 const int *order, bool *out_done, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Walk walk = {.body = body, .order = order};
    *out_done = false;
    SN_TRY(make_walk(body, from->blocks.patch_count + 1, &walk, error));
    SN_TRY(list_rows_now(body, from, cut, &walk, error));
    if (!follow_patches(&walk, &from->blocks, cut) || is_sparse(body)) { // counts
        sn_split_patches_release(body);
        body->blocks = (SnSplitBlocks){0};
        goto done;
    }
    SN_TRY(make_lists(body, &walk, error));
    follow_patches(&walk, &from->blocks, cut); // fills
    list_rows(body, walk.row_of);
    *out_done = true;

done:
    sn_free(&body->allocator, walk.row_now);
    sn_free(&body->allocator, walk.patch_of);
    sn_free(&body->allocator, walk.row_of);
    return status;
}

void sn_split_patches_release(SnSplit *body)
{
    SnSplitBlocks *blocks = &body->blocks;
    void *const arrays[] = {blocks->tets,        blocks->corners,      blocks->patch_block,
                            blocks->patch_row,   blocks->row_vertex,   blocks->further_start,
                            blocks->vertex_rows, blocks->further_rows, blocks->group_start,
                            blocks->sources};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(&body->allocator, arrays[i]);
    }
}
