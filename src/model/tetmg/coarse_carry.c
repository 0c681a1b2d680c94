// What a cut leaves of the coarse matrix: rows of nodes whose vertices, their neighbours and the
// nodes of those are all as they were. Such a row is the sum of the same numbers in the same order,
// so it is copied to the last bit. The order of elimination stays too: it was good before, and a
// cut only takes couplings away.
#include "model/tetmg/coarse.h"

#include <string.h>

enum { NONE = -1, SEVERAL = -2 };

typedef struct Draft {
    SnTetmg *body;
    const SnTetmg *from;
    const SnTetCut *cut;
    unsigned char *near; // a vertex outside: 1 where it or a neighbour is at the cut
    int *node_now;       // an old node, or what is above
    int *node_before;    // a node
} Draft;

static void mark_near(const Draft *draft)
{
    const SnNewtonPattern *pattern = &draft->body->tets.pattern;
    for (int v = 0; v < pattern->count; ++v) {
        unsigned char near = 0;
        for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1]; ++i) {
            near |= draft->cut->is_split[draft->cut->vertex_source[pattern->column[i]]];
        }
        draft->near[v] = near;
    }
}

static void pair(int *list, int at, int other)
{
    list[at] = list[at] == NONE || list[at] == other ? other : SEVERAL;
}

// Pairs nodes by the vertices that follow them. False: the lattice is another one.
static bool pair_nodes(const Draft *draft)
{
    const SnTetmgCoarse *now = &draft->body->coarse, *before = &draft->from->coarse;
    const SnSplit *tets = &draft->body->tets;
    for (int v = 0; v < tets->elements.vertex_count; ++v) {
        size_t to = 8 * (size_t)tets->inside[v];
        size_t at = 8 * (size_t)draft->from->tets.inside[draft->cut->vertex_source[v]];
        for (size_t k = 0; k < 8; ++k) {
            if (now->full[to + k] != before->full[at + k]) {
                return false;
            }
            pair(draft->node_now, before->nodes[at + k] / 4, now->nodes[to + k] / 4);
            pair(draft->node_before, now->nodes[to + k] / 4, before->nodes[at + k] / 4);
        }
    }
    return true;
}

static bool is_same_row(const Draft *draft, int n)
{
    const SnTetmgCoarse *now = &draft->body->coarse, *before = &draft->from->coarse;
    int old = draft->node_before[n];
    if (old < 0 || draft->node_now[old] != n ||
        now->start[n + 1] - now->start[n] != before->start[old + 1] - before->start[old] ||
        now->row_start[n + 1] - now->row_start[n] !=
            before->row_start[old + 1] - before->row_start[old]) {
        return false;
    }
    bool same = true;
    for (int m = now->start[n]; m < now->start[n + 1] && same; ++m) {
        same = draft->near[draft->body->tets.outside[now->members[m] / 8]] == 0;
    }
    for (int e = 0; e < now->row_start[n + 1] - now->row_start[n] && same; ++e) {
        same = draft->node_now[before->column[before->row_start[old] + e]] ==
               now->column[now->row_start[n] + e];
    }
    return same;
}

static void copy_rows(const Draft *draft)
{
    SnTetmgCoarse *now = &draft->body->coarse;
    const SnTetmgCoarse *before = &draft->from->coarse;
    for (int n = 0; n < now->count; ++n) {
        now->carried[n] = is_same_row(draft, n) ? 1 : 0;
        if (now->carried[n] != 0) {
            int old = draft->node_before[n];
            memcpy(now->plain + 9 * (size_t)now->row_start[n],
                   before->plain + 9 * (size_t)before->row_start[old],
                   9 * (size_t)(now->row_start[n + 1] - now->row_start[n]) * sizeof *now->plain);
        }
    }
}

// Nodes in the order of those that they were; parts of a node one after the other. `next` and
// `first` are room: lists of the nodes that an old node became.
static void carry_order(const Draft *draft, int *first, int *next, int *out_order)
{
    const int *old_order = sn_cholesky_order(draft->from->coarse.cholesky);
    int filled = 0;
    for (int o = 0; o < draft->from->coarse.count; ++o) {
        first[o] = NONE;
    }
    for (int n = draft->body->coarse.count; n-- > 0;) {
        next[n] = first[draft->node_before[n]];
        first[draft->node_before[n]] = n;
    }
    for (int i = 0; i < draft->from->coarse.count; ++i) {
        for (int n = first[old_order[i]]; n >= 0; n = next[n]) {
            out_order[filled++] = n;
        }
    }
}

// Whether every node was one node.
static bool has_all(const Draft *draft)
{
    bool all = true;
    for (int n = 0; n < draft->body->coarse.count && all; ++n) {
        all = draft->node_before[n] >= 0;
    }
    return all;
}

static void clear(int *list, int count)
{
    for (int i = 0; i < count; ++i) {
        list[i] = NONE;
    }
}

SinewStatus sn_tetmg_coarse_carry(SnTetmg *body, const SnTetmgCutFrom *from, int *out_order,
                                  bool *out_known, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->tets.allocator;
    SnTetmgCoarse *now = &body->coarse;
    int old_count = from->body->coarse.count;
    int *first = NULL, *next = NULL;
    Draft draft = {.body = body, .from = from->body, .cut = from->cut};
    *out_known = false;
    if (old_count == 0) {
        return SINEW_OK;
    }
    SN_ALLOC(draft.near, allocator, from->cut->vertex_count, error);
    SN_ALLOC(draft.node_now, allocator, old_count, error);
    SN_ALLOC(draft.node_before, allocator, now->count, error);
    SN_ALLOC(first, allocator, old_count, error);
    SN_ALLOC(next, allocator, now->count, error);
    SN_ALLOC_ZERO(now->carried, allocator, now->count, error);
    clear(draft.node_now, old_count);
    clear(draft.node_before, now->count);
    if (pair_nodes(&draft) && has_all(&draft)) {
        mark_near(&draft);
        carry_order(&draft, first, next, out_order);
        *out_known = true;
        if (from->body->scales.mass_scale != 0.0 && !from->body->tets.system_is_stale) {
            copy_rows(&draft);
            now->is_carried = true;
            body->carried_scales = from->body->scales;
        }
    }
done:
    sn_free(allocator, draft.near);
    sn_free(allocator, draft.node_now);
    sn_free(allocator, draft.node_before);
    sn_free(allocator, first);
    sn_free(allocator, next);
    return status;
}
