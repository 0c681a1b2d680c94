// Patches: neighbouring blocks of tets with a row for each vertex they touch, kernel/tet_sweep.h.
// Vertices and tets are along a curve, so a patch of 512 tets touches some 180 vertices, and a
// vertex has one row or two where it has 16 tets.
#include "model/split/blocks.h"

#include <string.h>

enum { TETS_MAX = SN_TET_PATCH_BLOCKS * SN_TET_BLOCK };

// The walk over tets that opens patches and their rows.
typedef struct Walk {
    SnSplit *body;
    const int *order; // tets outside
    int *patch_of;    // a vertex inside: the patch that last touched it
    int *row_of;      // a vertex inside: its row there
    int patch;        // the open one
    int first;        // its first place in `order`
    int rows;         // so far, of all patches
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

// A lane of a block; beyond the last tet it repeats one with the tet -1.
static void fill_lane(const Walk *walk, int lane, int tet, bool real)
{
    SnSplitBlocks *blocks = &walk->body->blocks;
    blocks->tets[lane] = real ? tet : -1;
    for (int a = 0; a < 4; ++a) {
        int row = walk->row_of[corner_vertex(walk->body, tet, a)];
        int at = (4 * (lane / SN_TET_BLOCK) + a) * SN_TET_BLOCK + lane % SN_TET_BLOCK;
        blocks->corners[at] = (uint16_t)(4 * (row - blocks->patch_row[walk->patch]));
    }
}

// Ends the open patch before a place in `order`. Its tets go to blocks in turn, so that the tets of
// a block are apart: sums that meet in one row would wait for each other.
static void close_patch(Walk *walk, int end)
{
    SnSplitBlocks *blocks = &walk->body->blocks;
    int tets = end - walk->first;
    int count = (tets + SN_TET_BLOCK - 1) / SN_TET_BLOCK;
    int begin = blocks->patch_block[walk->patch];
    for (int i = 0; i < count * SN_TET_BLOCK && blocks->tets != NULL; ++i) {
        int lane = (begin + i % count) * SN_TET_BLOCK + i / count;
        fill_lane(walk, lane, walk->order[walk->first + (i < tets ? i : tets - 1)], i < tets);
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
    walk->patch = walk->first = walk->rows = 0;
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

// The rows of each vertex, in the order of patches.
static void list_rows(SnSplit *body)
{
    SnSplitBlocks *blocks = &body->blocks;
    int *start = blocks->vertex_start;
    int vertices = body->elements.vertex_count;
    int rows = blocks->patch_row[blocks->patch_count];
    memset(start, 0, ((size_t)vertices + 1) * sizeof *start);
    for (int r = 0; r < rows; ++r) {
        start[blocks->row_vertex[r] / 3 + 1] += 1;
    }
    for (int v = 0; v < vertices; ++v) {
        start[v + 1] += start[v];
    }
    for (int r = 0; r < rows; ++r) {
        blocks->vertex_rows[start[blocks->row_vertex[r] / 3]++] = 4 * r;
    }
    // Filling moved each start to its end.
    memmove(start + 1, start, (size_t)vertices * sizeof *start);
    start[0] = 0;
}

SinewStatus sn_split_patches_create(SnSplit *body, const int *order, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitBlocks *blocks = &body->blocks;
    const SinewAllocator *allocator = &body->allocator;
    int vertices = body->elements.vertex_count;
    // A patch is closed at 127 tets or more.
    int patches_max = body->elements.count / 127 + 2;
    Walk walk = {.body = body, .order = order};

    SN_ALLOC(walk.patch_of, allocator, vertices, error);
    SN_ALLOC(walk.row_of, allocator, vertices, error);
    SN_ALLOC(blocks->patch_block, allocator, patches_max, error);
    SN_ALLOC(blocks->patch_row, allocator, patches_max, error);
    SN_ALLOC(blocks->vertex_start, allocator, (size_t)vertices + 1, error);
    open_patches(&walk); // counts
    SN_ALLOC(blocks->row_vertex, allocator, walk.rows, error);
    SN_ALLOC(blocks->vertex_rows, allocator, walk.rows, error);
    SN_ALLOC(blocks->corners, allocator, 4 * (size_t)blocks->count * SN_TET_BLOCK, error);
    SN_ALLOC(blocks->tets, allocator, (size_t)blocks->count * SN_TET_BLOCK, error);
    open_patches(&walk); // fills
    list_rows(body);

done:
    sn_free(allocator, walk.patch_of);
    sn_free(allocator, walk.row_of);
    return status;
}

void sn_split_patches_release(SnSplit *body)
{
    SnSplitBlocks *blocks = &body->blocks;
    void *const arrays[] = {blocks->tets,       blocks->corners,    blocks->patch_block,
                            blocks->patch_row,  blocks->row_vertex, blocks->vertex_start,
                            blocks->vertex_rows};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(&body->allocator, arrays[i]);
    }
}
