// The matrix' pattern after a cut, from the pattern before it. Vertices inside are in the order
// that they were in, with copies behind them, so rows far from the cut are copied and sweeps come
// to rows in the order they did. An edge at the cut falls apart into the edges of its parts, which
// share the slots of its tets that stay; slots of other edges stay side by side and move up
// together where some before them went.
#include "model/tetmg/matrix.h"

#include "model/split/blocks.h"

#include <string.h>

typedef struct Draft {
    SnTetmg *body;
    const SnTetmg *from;
    const SnTetCut *cut;
    int *row_now;         // an old row: which it is, or -1
    int *moved;           // an old entry: where it is now; -1: nowhere
    int *entry_of;        // a row: its column's entry in the row at hand, where `seen` says so
    int *seen;            // a row: the row + 1 that entry_of is of
    unsigned char *apart; // an old entry: 1 where its row's vertex is at the cut
    int *before;          // a lane: where its tet was, or -1; NULL: all are in their lanes still
    int *owners;          // an old slot of an edge at the cut: its place in `slots`, or -1
    int *slot_now;        // an old slot: where it is, or -1 where that is said already
} Draft;

// Rows -------------------------------------------------------------------------------------------

// Rows that stay, and the order of sweeps: each vertex is swept with the one it was copied from.
static SinewStatus take_order(Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplit *now = &draft->body->tets, *old = &draft->from->tets;
    const SnTetCut *cut = draft->cut;
    int *source = NULL; // a row: the old one
    SN_ALLOC(source, &now->allocator, cut->vertex_count, error);
    for (int r = 0; r < cut->vertex_count; ++r) {
        source[r] = old->inside[cut->vertex_source[now->outside[r]]];
    }
    for (int r = 0; r < cut->old_vertex_count; ++r) {
        int place = cut->vertex_place[old->outside[r]];
        draft->row_now[r] = place >= 0 ? now->inside[place] : -1;
    }
    SN_TRY(sn_sweep_order_follow(&draft->from->matrix.order, source, cut->vertex_count,
                                 &now->allocator, &draft->body->matrix.order, error));
done:
    sn_free(&now->allocator, source);
    return status;
}

static bool is_touched(const Draft *draft, int row)
{
    const SnSplit *tets = &draft->body->tets;
    int v = tets->outside[row];
    bool touched = false;
    for (int i = tets->pattern.row_start[v]; i < tets->pattern.row_start[v + 1]; ++i) {
        int other = tets->pattern.column[i];
        touched = touched || draft->cut->is_split[draft->cut->vertex_source[other]] != 0;
    }
    return touched;
}

// Where the entries of an old row went that was made anew.
static void follow_entries(Draft *draft, int old_row, int row)
{
    const SnTetmgMatrix *now = &draft->body->matrix, *old = &draft->from->matrix;
    for (int e = now->start[row]; e < now->start[row + 1]; ++e) {
        draft->entry_of[now->columns[e] / 3] = e;
        draft->seen[now->columns[e] / 3] = row + 1;
    }
    for (int e = old->start[old_row]; e < old->start[old_row + 1]; ++e) {
        int column = draft->row_now[old->columns[e] / 3];
        bool stays = column >= 0 && draft->seen[column] == row + 1;
        draft->moved[e] = stays ? draft->entry_of[column] : -1;
    }
}

static void copy_row(Draft *draft, int old_row, int row)
{
    SnTetmgMatrix *now = &draft->body->matrix;
    const SnTetmgMatrix *old = &draft->from->matrix;
    int begin = now->start[row], first = old->start[old_row];
    int count = old->start[old_row + 1] - first;
    bool all_stay = draft->cut->copy_start == draft->cut->old_vertex_count;
    memcpy(now->columns + begin, old->columns + first, (size_t)count * sizeof *now->columns);
    for (int i = 0; i < count; ++i) {
        draft->moved[first + i] = begin + i;
    }
    for (int e = begin; e < begin + count && !all_stay; ++e) {
        now->columns[e] = 3 * draft->row_now[now->columns[e] / 3];
    }
    now->later[row] = begin + old->later[old_row] - first;
    now->start[row + 1] = begin + count;
}

static SinewStatus make_rows(Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplit *old = &draft->from->tets;
    SN_TRY(sn_tetmg_matrix_make_rows(draft->body, error));
    for (int r = 0; r < draft->cut->vertex_count; ++r) {
        bool is_copy = r >= draft->cut->copy_start;
        int before = old->inside[draft->cut->vertex_source[draft->body->tets.outside[r]]];
        if (!is_copy && !is_touched(draft, r)) {
            copy_row(draft, before, r);
            continue;
        }
        sn_tetmg_matrix_fill_row(draft->body, r, NULL);
        if (!is_copy) {
            follow_entries(draft, before, r);
        }
    }
done:
    return status;
}

// Lanes ------------------------------------------------------------------------------------------

// The place of an edge of a lane in `slots`.
static int place_of(int lane, int edge)
{
    return (SN_TET_EDGES * (lane / SN_TET_BLOCK) + edge) * SN_TET_BLOCK + lane % SN_TET_BLOCK;
}

// Where the tet of a lane was, or -1.
static int lane_before(const Draft *draft, int lane)
{
    int in_place = draft->body->tets.blocks.tets[lane] >= 0 ? lane : -1;
    return draft->before != NULL ? draft->before[lane] : in_place;
}

// Which edges of lanes are written transposed, as before the cut; edges at the cut say it again.
static void copy_turned(Draft *draft)
{
    const uint16_t *from = draft->from->matrix.turned;
    uint16_t *to = draft->body->matrix.turned;
    for (int b = 0; b < draft->body->tets.blocks.count; ++b, to += SN_TET_EDGES) {
        const int *before = draft->before + b * SN_TET_BLOCK;
        int block = sn_split_block_before(before);
        if (block >= 0) {
            memcpy(to, from + (size_t)block * SN_TET_EDGES, SN_TET_EDGES * sizeof *to);
            continue;
        }
        for (int i = 0; i < SN_TET_EDGES * SN_TET_BLOCK; ++i) {
            int k = i / SN_TET_BLOCK, lane = i % SN_TET_BLOCK, old = before[lane];
            unsigned bits = old >= 0 ? from[place_of(old, k) / SN_TET_BLOCK] : 0U;
            to[k] |= (uint16_t)((old >= 0 ? bits >> (old % SN_TET_BLOCK) & 1U : 0U) << lane);
        }
    }
}

// One edge of a lane, by its slot before the cut.
static void copy_slot(const Draft *draft, int old_slot, int *to)
{
    int slot = draft->slot_now[old_slot / SN_TET_EDGE_SLOT];
    *to = slot >= 0 ? SN_TET_EDGE_SLOT * slot : *to;
}

// Slots of edges far from the cut, from where tets were; lanes without a tet have a spare one.
static void copy_slots(Draft *draft)
{
    enum { PLACES = SN_TET_EDGES * SN_TET_BLOCK }; // a block
    const int *from = draft->from->matrix.slots;
    int *to = draft->body->matrix.slots;
    for (int b = 0; b < draft->body->tets.blocks.count; ++b, to += PLACES) {
        const int *before = draft->before + b * SN_TET_BLOCK;
        int block = sn_split_block_before(before);
        for (int i = 0; i < PLACES && block >= 0; ++i) {
            copy_slot(draft, from[(size_t)block * PLACES + (size_t)i], &to[i]);
        }
        for (int i = 0; i < PLACES && block < 0; ++i) {
            int old = before[i % SN_TET_BLOCK];
            if (old >= 0) {
                copy_slot(draft, from[place_of(old, i / SN_TET_BLOCK)], &to[i]);
            } else {
                to[i] = SN_TET_EDGE_SLOT * sn_tetmg_matrix_spare_slot(draft->body, b);
            }
        }
    }
}

// Edges ------------------------------------------------------------------------------------------

// One edge of one lane.
typedef struct Side {
    int low, high; // rows, now
    bool turned;   // the tet's first corner has the later row
} Side;

static Side side_at(const Draft *draft, int place)
{
    const SnSplit *tets = &draft->body->tets;
    int plane = place / SN_TET_BLOCK;
    int tet = tets->blocks.tets[plane / SN_TET_EDGES * SN_TET_BLOCK + place % SN_TET_BLOCK];
    const int *corners = sn_tetmg_edge_corners[plane % SN_TET_EDGES];
    int a = tets->inside[tets->elements.vertices[4 * (size_t)tet + (size_t)corners[0]]];
    int b = tets->inside[tets->elements.vertices[4 * (size_t)tet + (size_t)corners[1]]];
    return a < b ? (Side){a, b, false} : (Side){b, a, true};
}

// Rows of old vertices at the cut, and who has the slots of their edges.
static void find_owners(Draft *draft)
{
    const SnSplit *old = &draft->from->tets;
    const SnTetmgMatrix *matrix = &draft->from->matrix;
    const unsigned char *split = draft->cut->is_split;
    for (int r = 0; r < old->elements.vertex_count; ++r) {
        memset(draft->apart + matrix->start[r], split[old->outside[r]],
               (size_t)(matrix->start[r + 1] - matrix->start[r]));
    }
    if (draft->before != NULL) { // else all slots have an owner
        memset(draft->owners, 0xff,
               SN_TET_EDGES * (size_t)draft->cut->old_tet_count * sizeof *draft->owners);
    }
    for (int lane = 0; lane < draft->body->tets.blocks.count * SN_TET_BLOCK; ++lane) {
        int before = lane_before(draft, lane), tet = before >= 0 ? old->blocks.tets[before] : 0;
        const int *v = old->elements.vertices + 4 * (size_t)tet;
        if (before < 0 || (split[v[0]] | split[v[1]] | split[v[2]] | split[v[3]]) == 0) {
            continue;
        }
        for (int k = 0; k < SN_TET_EDGES; ++k) {
            const int *corners = sn_tetmg_edge_corners[k];
            if ((split[v[corners[0]]] | split[v[corners[1]]]) != 0) {
                int slot = matrix->slots[place_of(before, k)] / SN_TET_EDGE_SLOT;
                draft->owners[slot] = place_of(lane, k);
            }
        }
    }
}

static int find_entry(const SnTetmgMatrix *matrix, int row, int column)
{
    int e = matrix->start[row];
    while (matrix->columns[e] != 3 * column) {
        ++e;
    }
    return e;
}

// Hands a slot to the lane and edge at `place`.
static void give_slot(Draft *draft, int place, int slot, bool turned)
{
    SnTetmgMatrix *matrix = &draft->body->matrix;
    unsigned bit = 1U << (place % SN_TET_BLOCK);
    uint16_t *bits = &matrix->turned[place / SN_TET_BLOCK];
    matrix->slots[place] = SN_TET_EDGE_SLOT * slot;
    *bits = (uint16_t)(turned ? *bits | bit : *bits & ~bit);
}

// The parts of an old edge, each with its slots in the order of tets; returns the edges so far.
static int part_edge(Draft *draft, int old_edge, int count)
{
    SnTetmgMatrix *matrix = &draft->body->matrix;
    const int *old_start = draft->from->matrix.edge_start;
    int end = old_start[old_edge + 1], slot = matrix->edge_start[count];
    int *owners = draft->owners;
    for (int first = old_start[old_edge]; first < end; ++first) {
        if (owners[first] < 0) {
            continue; // of a tet that went, or in a part that is done
        }
        Side part = side_at(draft, owners[first]);
        for (int s = first; s < end; ++s) {
            Side side = owners[s] >= 0 ? side_at(draft, owners[s]) : (Side){-1, -1, false};
            if (side.low == part.low && side.high == part.high) {
                give_slot(draft, owners[s], slot++, side.turned);
                owners[s] = -1;
            }
        }
        matrix->edge_first[count] = 9 * find_entry(matrix, part.low, part.high);
        matrix->edge_second[count] = 9 * find_entry(matrix, part.high, part.low);
        matrix->edge_start[++count] = slot;
    }
    return count;
}

// An edge far from the cut; returns the edges so far.
static int copy_edge(Draft *draft, int old_edge, int count)
{
    SnTetmgMatrix *matrix = &draft->body->matrix;
    const SnTetmgMatrix *old = &draft->from->matrix;
    int slot = matrix->edge_start[count];
    matrix->edge_first[count] = 9 * draft->moved[old->edge_first[old_edge] / 9];
    matrix->edge_second[count] = 9 * draft->moved[old->edge_second[old_edge] / 9];
    int begin = old->edge_start[old_edge], end = old->edge_start[old_edge + 1];
    for (int s = begin; s < end && draft->slot_now != NULL; ++s) {
        draft->slot_now[s] = slot + s - begin;
    }
    matrix->edge_start[count + 1] = slot + end - begin;
    return count + 1;
}

// What lanes had before the cut, where they have it still; else what does not depend on edges.
static SinewStatus take_lanes(Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &draft->body->tets.allocator;
    SnTetmgMatrix *matrix = &draft->body->matrix;
    const SnTetmgMatrix *old = &draft->from->matrix;
    size_t planes = SN_TET_EDGES * (size_t)draft->body->tets.blocks.count;
    SN_ALLOC_FILLED(matrix->slots, allocator, planes * SN_TET_BLOCK, error);
    SN_ALLOC_ZERO(matrix->turned, allocator, planes, error);
    if (draft->before == NULL) {
        memcpy(matrix->slots, old->slots, planes * SN_TET_BLOCK * sizeof *old->slots);
        memcpy(matrix->turned, old->turned, planes * sizeof *old->turned);
    } else {
        size_t slots = SN_TET_EDGES * (size_t)draft->cut->old_tet_count;
        SN_ALLOC_FILLED(draft->slot_now, allocator, slots, error);
        memset(draft->slot_now, 0xff, slots * sizeof *draft->slot_now);
        copy_turned(draft);
    }
done:
    return status;
}

static SinewStatus make_edges(Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgMatrix *matrix = &draft->body->matrix;
    const SnTetmgMatrix *old = &draft->from->matrix;
    const SinewAllocator *allocator = &draft->body->tets.allocator;
    int count = 0;
    SN_TRY(take_lanes(draft, error));
    SN_ALLOC_FILLED(matrix->edge_first, allocator, matrix->edge_count, error);
    SN_ALLOC_FILLED(matrix->edge_second, allocator, matrix->edge_count, error);
    SN_ALLOC_FILLED(matrix->edge_start, allocator, matrix->edge_count + 1, error);
    matrix->edge_start[0] = 0;
    for (int e = 0; e < old->edge_count; ++e) {
        int first = old->edge_first[e] / 9, second = old->edge_second[e] / 9;
        bool is_far = (draft->apart[first] | draft->apart[second]) == 0;
        count = is_far ? copy_edge(draft, e, count) : part_edge(draft, e, count);
    }
    SN_ASSERT(count == matrix->edge_count);
    if (draft->before != NULL) {
        copy_slots(draft);
    }
done:
    return status;
}

// Making -----------------------------------------------------------------------------------------

static SinewStatus make(Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTetCut *cut = draft->cut;
    const SinewAllocator *allocator = &draft->body->tets.allocator;
    size_t entries = (size_t)draft->from->matrix.entry_count;
    SN_ALLOC(draft->row_now, allocator, cut->old_vertex_count, error);
    SN_ALLOC_FILLED(draft->moved, allocator, entries, error);
    SN_ALLOC(draft->entry_of, allocator, cut->vertex_count, error);
    SN_ALLOC_ZERO(draft->seen, allocator, cut->vertex_count, error);
    SN_ALLOC_FILLED(draft->apart, allocator, entries, error);
    SN_ALLOC(draft->owners, allocator, SN_TET_EDGES * (size_t)cut->old_tet_count, error);
    SN_TRY(take_order(draft, error));
    SN_TRY(make_rows(draft, error));
    SN_TRY(
        sn_split_lanes_before(&draft->body->tets, &draft->from->tets, cut, &draft->before, error));
    find_owners(draft);
    SN_TRY(make_edges(draft, error));
    SN_TRY(sn_tetmg_matrix_make_values(draft->body, error));
done:
    return status;
}

SinewStatus sn_tetmg_matrix_cut(SnTetmg *body, const SnTetmg *from, const SnTetCut *cut,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->tets.allocator;
    Draft draft = {.body = body, .from = from, .cut = cut};
    SN_TRY(make(&draft, error));
done:;
    void *const arrays[] = {draft.row_now, draft.moved,  draft.entry_of, draft.seen,
                            draft.apart,   draft.before, draft.owners,   draft.slot_now};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(allocator, arrays[i]);
    }
    return status;
}
