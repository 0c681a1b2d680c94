// The coarse space of a body that a cut made, from that of the body before it. Vertices keep their
// weights; a node whose members fell apart is there once for each part, the first in its place and
// the others behind all nodes. Rows of nodes whose members, their neighbours and the nodes of those
// are all as they were are copied: such a row of C is the sum of the same numbers in the same
// order, so it is the same to the last bit. The order of elimination stays too: it was good before,
// and a cut only takes couplings away.
#include "model/tetmg/coarse.h"

#include <string.h>

typedef struct Draft {
    SnTetmg *body;
    const SnTetmg *from;
    const SnTetCut *cut;
    unsigned char *near;    // a vertex inside: 1 where it or a neighbour is at the cut
    unsigned char *hit;     // an old node: 1 where a member is at the cut
    unsigned char *apart;   // an old node: 1 where it became several
    unsigned char *is_far;  // a node: 1 where no member is near
    unsigned char *is_same; // a node: 1 where its row has the nodes that it had, too
    int *now;               // an old node: the first that came of it, or -1
    int *before;            // a node
    int *first, *next;      // lists of the nodes that an old node became, and the order
    int *order;             //
} Draft;

// Nodes ------------------------------------------------------------------------------------------

// The vertex inside before the cut.
static size_t source_of(const Draft *draft, int i)
{
    int source = draft->cut->vertex_source[draft->body->tets.outside[i]];
    return (size_t)draft->from->tets.inside[source];
}

static SinewStatus copy_nodes(const Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgCoarse *now = &draft->body->coarse;
    const SnTetmgCoarse *old = &draft->from->coarse;
    const SinewAllocator *allocator = &draft->body->tets.allocator;
    size_t vertices = (size_t)draft->cut->vertex_count;
    SN_ALLOC_FILLED(now->nodes, allocator, 8 * vertices, error);
    SN_ALLOC_FILLED(now->full, allocator, 8 * vertices, error);
    SN_ALLOC_ZERO(now->weights, allocator, 8 * vertices, error);
    for (size_t i = 0; i < vertices; ++i) {
        size_t source = source_of(draft, (int)i);
        memcpy(now->nodes + 8 * i, old->nodes + 8 * source, 8 * sizeof *now->nodes);
        memcpy(now->full + 8 * i, old->full + 8 * source, 8 * sizeof *now->full);
    }
    now->count = old->count;
done:
    return status;
}

// A number for each part of every node that has a member at the cut.
static SinewStatus part_nodes(const Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgCoarse *now = &draft->body->coarse;
    const SnSplit *tets = &draft->body->tets;
    SnTetmgParts parts = {0};
    int count = now->count;
    for (int i = 0; i < draft->cut->vertex_count; ++i) {
        bool split = draft->cut->is_split[draft->cut->vertex_source[tets->outside[i]]] != 0;
        for (int k = 8 * i; k < 8 * i + 8 && split; ++k) {
            draft->hit[now->nodes[k] / 4] = 1;
        }
    }
    SN_TRY(sn_tetmg_parts_create(draft->body, &parts, error));
    for (int n = 0; n < now->count; ++n) {
        if (draft->hit[n] != 0) { // so it has a member
            count = sn_tetmg_coarse_part_node(draft->body, &parts, n, n, count);
        }
    }
    now->count = count;
done:
    sn_tetmg_parts_release(draft->body, &parts);
    return status;
}

// Nodes that lost all their members go; the others move up.
static SinewStatus drop_empty(const Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgCoarse *now = &draft->body->coarse;
    int *number = NULL;
    int count = 0;
    SN_TRY(sn_tetmg_coarse_list_members(draft->body, error));
    SN_ALLOC(number, &draft->body->tets.allocator, now->count, error);
    for (int n = 0; n < now->count; ++n) {
        number[n] = count;
        count += now->start[n + 1] > now->start[n] ? 1 : 0;
    }
    for (int i = 0; i < 8 * draft->cut->vertex_count; ++i) {
        now->nodes[i] = 4 * number[now->nodes[i] / 4];
    }
    now->count = count;
done:
    sn_free(&draft->body->tets.allocator, number);
    return status;
}

// Which node each one was, and which it became.
static void pair_nodes(const Draft *draft)
{
    SnTetmgCoarse *now = &draft->body->coarse;
    const SnTetmgCoarse *old = &draft->from->coarse;
    memset(draft->now, 0xff, (size_t)old->count * sizeof *draft->now);
    for (int n = 0; n < now->count; ++n) {
        int member = now->members[now->start[n]];
        int before = old->nodes[8 * source_of(draft, member / 8) + (size_t)(member % 8)] / 4;
        draft->before[n] = before;
        now->root[n] = old->root[before];
        draft->apart[before] = draft->now[before] >= 0;
        draft->now[before] = draft->now[before] >= 0 ? draft->now[before] : n;
    }
}

// Rows -------------------------------------------------------------------------------------------

static void mark_near(const Draft *draft)
{
    const SnSplit *tets = &draft->body->tets;
    const SnNewtonPattern *pattern = &tets->pattern;
    for (int v = 0; v < pattern->count; ++v) {
        unsigned char near = 0;
        for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1]; ++i) {
            near |= draft->cut->is_split[draft->cut->vertex_source[pattern->column[i]]];
        }
        draft->near[tets->inside[v]] = near;
    }
}

static void compare_rows(const Draft *draft)
{
    const SnTetmgCoarse *now = &draft->body->coarse, *old = &draft->from->coarse;
    for (int n = 0; n < now->count; ++n) {
        int before = draft->before[n];
        unsigned char near = 0, other = 0;
        for (int m = now->start[n]; m < now->start[n + 1]; ++m) {
            near |= draft->near[now->members[m] / 8];
        }
        for (int e = old->row_start[before]; e < old->row_start[before + 1]; ++e) {
            other |= draft->apart[old->column[e]];
        }
        draft->is_far[n] = near == 0;
        draft->is_same[n] = near == 0 && other == 0;
    }
}

// Nodes in the order of those that they were; parts of a node one after the other.
static void carry_order(const Draft *draft)
{
    const int *old_order = sn_cholesky_order(draft->from->coarse.cholesky);
    int old_count = draft->from->coarse.count, filled = 0;
    memset(draft->first, 0xff, (size_t)old_count * sizeof *draft->first);
    for (int n = draft->body->coarse.count; n-- > 0;) {
        draft->next[n] = draft->first[draft->before[n]];
        draft->first[draft->before[n]] = n;
    }
    for (int i = 0; i < old_count; ++i) {
        for (int n = draft->first[old_order[i]]; n >= 0; n = draft->next[n]) {
            draft->order[filled++] = n;
        }
    }
}

// A row of C whose members are far from the cut, though a node of it may be a part of one: where it
// shares entries with one part of each alone, all numbers of the old sums are in them.
static bool copy_row(const Draft *draft, int n, int *place)
{
    SnTetmgCoarse *now = &draft->body->coarse;
    const SnTetmgCoarse *old = &draft->from->coarse;
    int before = draft->before[n];
    int count = now->row_start[n + 1] - now->row_start[n];
    if (draft->is_far[n] == 0 || count != old->row_start[before + 1] - old->row_start[before]) {
        return false;
    }
    for (int e = now->row_start[n]; e < now->row_start[n + 1]; ++e) {
        place[draft->before[now->column[e]]] = e;
    }
    for (int e = old->row_start[before]; e < old->row_start[before + 1]; ++e) {
        memcpy(now->plain + 9 * (size_t)place[old->column[e]], old->plain + 9 * (size_t)e,
               9 * sizeof *now->plain);
    }
    return true;
}

// Rows of C, where the body that was cut had them.
static SinewStatus copy_rows(const Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgCoarse *now = &draft->body->coarse;
    if (draft->from->scales.mass_scale == 0.0 || draft->from->tets.system_is_stale) {
        return SINEW_OK;
    }
    SN_ALLOC(now->carried, &draft->body->tets.allocator, now->count, error);
    for (int n = 0; n < now->count; ++n) {
        now->carried[n] = copy_row(draft, n, draft->first) ? 1 : 0;
    }
    now->is_carried = true;
    draft->body->carried_scales = draft->from->scales;
done:
    return status;
}

static SinewStatus carry_nodes(Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &draft->body->tets.allocator;
    size_t old_count = (size_t)draft->from->coarse.count;
    SN_ALLOC_ZERO(draft->hit, allocator, old_count, error);
    SN_ALLOC_ZERO(draft->apart, allocator, old_count, error);
    SN_ALLOC(draft->now, allocator, old_count, error);
    SN_TRY(copy_nodes(draft, error));
    SN_TRY(sn_tetmg_coarse_list_members(draft->body, error));
    SN_TRY(part_nodes(draft, error));
    if (draft->cut->tet_count < draft->cut->old_tet_count) {
        SN_TRY(drop_empty(draft, error));
    }
    SN_TRY(sn_tetmg_coarse_list_members(draft->body, error));
    SN_ALLOC(draft->before, allocator, draft->body->coarse.count, error);
    SN_ALLOC(draft->body->coarse.root, allocator, draft->body->coarse.count, error);
    pair_nodes(draft);
done:
    return status;
}

static SinewStatus carry_rows(Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &draft->body->tets.allocator;
    SnTetmgCoarse *now = &draft->body->coarse;
    SN_ALLOC(draft->near, allocator, draft->cut->vertex_count, error);
    SN_ALLOC(draft->is_far, allocator, now->count, error);
    SN_ALLOC(draft->is_same, allocator, now->count, error);
    SN_ALLOC(draft->first, allocator, draft->from->coarse.count, error);
    SN_ALLOC(draft->next, allocator, now->count, error);
    SN_ALLOC(draft->order, allocator, now->count, error);
    mark_near(draft);
    compare_rows(draft);
    SnTetmgKeptNodes kept = {&draft->from->coarse, draft->before, draft->now, draft->is_same};
    SN_TRY(sn_tetmg_coarse_find_pattern(draft->body, &kept, error));
    carry_order(draft);
    SN_TRY(sn_tetmg_coarse_analyse(draft->body, draft->order, error));
    SN_TRY(copy_rows(draft, error));
done:
    return status;
}

SinewStatus sn_tetmg_coarse_carry(SnTetmg *body, const SnTetmgCutFrom *from, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Draft draft = {.body = body, .from = from->body, .cut = from->cut};
    SN_TRY(carry_nodes(&draft, error));
    SN_TRY(carry_rows(&draft, error));
done:;
    void *const arrays[] = {draft.near, draft.hit,    draft.apart, draft.is_same, draft.is_far,
                            draft.now,  draft.before, draft.first, draft.next,    draft.order};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(&body->tets.allocator, arrays[i]);
    }
    return status;
}

void sn_tetmg_coarse_inherit(SnTetmg *body, SnTetmg *from)
{
    SnTetmgCoarse *now = &body->coarse, *old = &from->coarse;
    if (now->count > 0 && 9 * (size_t)now->row_start[now->count] <= old->value_room) {
        double *value = now->value;
        size_t room = now->value_room;
        now->value = old->value;
        now->value_room = old->value_room;
        old->value = value;
        old->value_room = room;
    }
}
