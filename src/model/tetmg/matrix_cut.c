// The matrix' pattern after a cut that opened faces and took no tet, from the pattern before it.
// Vertices inside are as they were, with copies behind them, so rows far from the cut are copied
// and sweeps come to rows in the order they did. An edge at the cut falls apart into the edges of
// its parts, which share its slots among them: no other edge's slots move.
#include "model/tetmg/matrix.h"

#include <string.h>

typedef struct Draft {
    SnTetmg *body;
    const SnTetmg *from;
    const SnTetCut *cut;
    int *moved;           // an old entry: where it is now; -1: nowhere
    int *entry_of;        // a row: its column's entry in the row at hand, where `seen` says so
    int *seen;            // a row: the row + 1 that entry_of is of
    unsigned char *apart; // an old entry: 1 where its row's vertex is at the cut
    int *owners;          // an old slot of an edge at the cut: its place in `slots`
} Draft;

// Rows -------------------------------------------------------------------------------------------

// Each vertex is swept with the one that it was copied from.
static SinewStatus take_order(Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmg *body = draft->body;
    const SnTetmg *from = draft->from;
    int count = body->tets.elements.vertex_count, *source = NULL;
    SN_ALLOC(source, &body->tets.allocator, count, error);
    for (int r = 0; r < count; ++r) {
        source[r] = from->tets.inside[draft->cut->vertex_source[body->tets.outside[r]]];
    }
    SN_TRY(sn_sweep_order_follow(&from->matrix.order, source, count, &body->tets.allocator,
                                 &body->matrix.order, error));
done:
    sn_free(&body->tets.allocator, source);
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
static void follow_entries(Draft *draft, int row)
{
    const SnTetmgMatrix *now = &draft->body->matrix, *old = &draft->from->matrix;
    for (int e = now->start[row]; e < now->start[row + 1]; ++e) {
        draft->entry_of[now->columns[e] / 3] = e;
        draft->seen[now->columns[e] / 3] = row + 1;
    }
    for (int e = old->start[row]; e < old->start[row + 1]; ++e) {
        int column = old->columns[e] / 3;
        draft->moved[e] = draft->seen[column] == row + 1 ? draft->entry_of[column] : -1;
    }
}

static void copy_row(Draft *draft, int row)
{
    SnTetmgMatrix *now = &draft->body->matrix;
    const SnTetmgMatrix *old = &draft->from->matrix;
    int begin = now->start[row], first = old->start[row], count = old->start[row + 1] - first;
    memcpy(now->columns + begin, old->columns + first, (size_t)count * sizeof *now->columns);
    for (int i = 0; i < count; ++i) {
        draft->moved[first + i] = begin + i;
    }
    now->later[row] = begin + old->later[row] - first;
    now->start[row + 1] = begin + count;
}

static SinewStatus make_rows(Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int rows = draft->from->tets.elements.vertex_count;
    SN_TRY(sn_tetmg_matrix_make_rows(draft->body, error));
    for (int r = 0; r < draft->body->tets.elements.vertex_count; ++r) {
        if (r < rows && !is_touched(draft, r)) {
            copy_row(draft, r);
            continue;
        }
        sn_tetmg_matrix_fill_row(draft->body, r, NULL);
        if (r < rows) {
            follow_entries(draft, r);
        }
    }
done:
    return status;
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
    for (int lane = 0; lane < old->blocks.count * SN_TET_BLOCK; ++lane) {
        int tet = old->blocks.tets[lane];
        const int *v = old->elements.vertices + 4 * (size_t)(tet >= 0 ? tet : 0);
        if (tet < 0 || (split[v[0]] | split[v[1]] | split[v[2]] | split[v[3]]) == 0) {
            continue;
        }
        for (int k = 0; k < SN_TET_EDGES; ++k) {
            const int *corners = sn_tetmg_edge_corners[k];
            int place =
                (SN_TET_EDGES * (lane / SN_TET_BLOCK) + k) * SN_TET_BLOCK + lane % SN_TET_BLOCK;
            if ((split[v[corners[0]]] | split[v[corners[1]]]) != 0) {
                draft->owners[matrix->slots[place] / SN_TET_EDGE_SLOT] = place;
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
    int end = old_start[old_edge + 1], slot = old_start[old_edge];
    int *owners = draft->owners;
    for (int first = slot; first < end; ++first) {
        if (owners[first] < 0) {
            continue; // in a part that is done
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

static SinewStatus make_edges(Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgMatrix *matrix = &draft->body->matrix;
    const SnTetmgMatrix *old = &draft->from->matrix;
    const SinewAllocator *allocator = &draft->body->tets.allocator;
    size_t planes = SN_TET_EDGES * (size_t)draft->body->tets.blocks.count;
    int count = 0;
    SN_ALLOC_FILLED(matrix->slots, allocator, planes * SN_TET_BLOCK, error);
    SN_ALLOC(matrix->turned, allocator, planes, error);
    SN_ALLOC_FILLED(matrix->edge_first, allocator, matrix->edge_count, error);
    SN_ALLOC_FILLED(matrix->edge_second, allocator, matrix->edge_count, error);
    SN_ALLOC_FILLED(matrix->edge_start, allocator, matrix->edge_count + 1, error);
    memcpy(matrix->slots, old->slots, planes * SN_TET_BLOCK * sizeof *old->slots);
    memcpy(matrix->turned, old->turned, planes * sizeof *old->turned);
    matrix->edge_start[0] = 0;
    for (int e = 0; e < old->edge_count; ++e) {
        int first = old->edge_first[e] / 9, second = old->edge_second[e] / 9;
        if ((draft->apart[first] | draft->apart[second]) != 0) {
            count = part_edge(draft, e, count);
        } else {
            matrix->edge_first[count] = 9 * draft->moved[first];
            matrix->edge_second[count] = 9 * draft->moved[second];
            matrix->edge_start[++count] = old->edge_start[e + 1];
        }
    }
    SN_ASSERT(count == matrix->edge_count);
done:
    return status;
}

SinewStatus sn_tetmg_matrix_cut(SnTetmg *body, const SnTetmg *from, const SnTetCut *cut,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->tets.allocator;
    size_t rows = (size_t)cut->vertex_count, entries = (size_t)from->matrix.entry_count;
    Draft draft = {.body = body, .from = from, .cut = cut};
    SN_ALLOC_FILLED(draft.moved, allocator, entries, error);
    SN_ALLOC(draft.entry_of, allocator, rows, error);
    SN_ALLOC_ZERO(draft.seen, allocator, rows, error);
    SN_ALLOC_FILLED(draft.apart, allocator, entries, error);
    SN_ALLOC(draft.owners, allocator, SN_TET_EDGES * (size_t)cut->tet_count, error);
    SN_TRY(take_order(&draft, error));
    SN_TRY(make_rows(&draft, error));
    find_owners(&draft);
    SN_TRY(make_edges(&draft, error));
    SN_TRY(sn_tetmg_matrix_make_values(body, error));
done:
    sn_free(allocator, draft.moved);
    sn_free(allocator, draft.entry_of);
    sn_free(allocator, draft.seen);
    sn_free(allocator, draft.apart);
    sn_free(allocator, draft.owners);
    return status;
}
