// The pattern of the coarse matrix, and what its factor looks at once.
#include "model/tetmg/coarse.h"

#include "base/array.h"

#include <string.h>

// Which things were seen for the node `stamp` - 1, and a list of them.
typedef struct Seen {
    int *stamps;
    int *list;
    int count;
} Seen;

static void see(Seen *seen, int thing, int stamp)
{
    if (seen->stamps[thing] != stamp) {
        seen->stamps[thing] = stamp;
        seen->list[seen->count++] = thing;
    }
}

// Nodes that share an entry with node n: those of the neighbours of its members.
static void find_neighbours(const SnTetmg *body, int n, Seen *vertices, Seen *nodes)
{
    const SnSplit *tets = &body->tets;
    const SnTetmgCoarse *c = &body->coarse;
    vertices->count = nodes->count = 0;
    for (int m = c->start[n]; m < c->start[n + 1]; ++m) {
        int v = tets->outside[c->members[m] / 8];
        for (int i = tets->pattern.row_start[v]; i < tets->pattern.row_start[v + 1]; ++i) {
            see(vertices, tets->inside[tets->pattern.column[i]], n + 1);
        }
    }
    for (int i = 0; i < vertices->count; ++i) {
        for (size_t k = 0; k < 8; ++k) {
            see(nodes, c->nodes[8 * (size_t)vertices->list[i] + k] / 4, n + 1);
        }
    }
}

static void sort_ascending(int *list, int count)
{
    for (int i = 1; i < count; ++i) {
        int value = list[i], k = i;
        for (; k > 0 && list[k - 1] > value; --k) {
            list[k] = list[k - 1];
        }
        list[k] = value;
    }
}

// A row that is as it was before a cut: its nodes are in the same order.
static void copy_row(const SnTetmgKeptNodes *kept, int n, Seen *nodes)
{
    int old = kept->before[n];
    nodes->count = 0;
    for (int e = kept->old->row_start[old]; e < kept->old->row_start[old + 1]; ++e) {
        nodes->list[nodes->count++] = kept->now[kept->old->column[e]];
    }
}

SinewStatus sn_tetmg_coarse_find_pattern(SnTetmg *body, const SnTetmgKeptNodes *kept,
                                         SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgCoarse *c = &body->coarse;
    const SinewAllocator *allocator = &body->tets.allocator;
    Seen vertices = {0}, nodes = {0};
    SnArray columns = sn_array_of(allocator, sizeof(int));

    SN_ALLOC_ZERO(vertices.stamps, allocator, body->tets.elements.vertex_count, error);
    SN_ALLOC(vertices.list, allocator, body->tets.elements.vertex_count, error);
    SN_ALLOC_ZERO(nodes.stamps, allocator, c->count, error);
    SN_ALLOC(nodes.list, allocator, c->count, error);
    SN_ALLOC(c->row_start, allocator, c->count + 1, error);
    c->row_start[0] = 0;
    if (kept != NULL) { // room at once, for about as many as before
        size_t before = (size_t)kept->old->row_start[kept->old->count];
        SN_TRY(
            sn_expect_memory(sn_array_add(&columns, before / 4 * 5), before, sizeof(int), error));
        columns.count = 0;
    }
    for (int n = 0; n < c->count; ++n) {
        if (kept != NULL && kept->is_same[n]) {
            copy_row(kept, n, &nodes);
        } else {
            find_neighbours(body, n, &vertices, &nodes);
            sort_ascending(nodes.list, nodes.count);
        }
        int *row = sn_array_add(&columns, (size_t)nodes.count);
        SN_TRY(sn_expect_memory(row, (size_t)nodes.count, sizeof *row, error));
        memcpy(row, nodes.list, (size_t)nodes.count * sizeof *row);
        c->row_start[n + 1] = c->row_start[n] + nodes.count;
    }
    c->column = sn_array_take(&columns);
    SN_TRY(sn_expect_memory(c->column, (size_t)c->row_start[c->count], sizeof *c->column, error));
    SN_ALLOC_FILLED(c->plain, allocator, 9 * (size_t)c->row_start[c->count], error);
    // Some more than it takes, for what a cut adds.
    c->value_room = 9 * ((size_t)c->row_start[c->count] / 2 * 3 + 1);
    SN_ALLOC(c->value, allocator, c->value_room, error);
done:
    sn_array_release(&columns);
    sn_free(allocator, vertices.stamps);
    sn_free(allocator, vertices.list);
    sn_free(allocator, nodes.stamps);
    sn_free(allocator, nodes.list);
    return status;
}

SinewStatus sn_tetmg_coarse_analyse(SnTetmg *body, const int *order, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgCoarse *c = &body->coarse;
    int workers = sn_workers_count(body->tets.workers);
    SnSparse C = {.count = c->count, .block = 3, .row_start = c->row_start, .column = c->column};
    SnCholeskyDef def = {.allocator = &body->tets.allocator,
                         .kernels = body->tets.kernels,
                         .ordering = order != NULL ? SN_ORDERING_GIVEN : SN_ORDERING_BEST,
                         .permutation = order,
                         .right_sides = 1,
                         .worker_count = workers,
                         .is_checked = order != NULL, // rows of one that was, and some of its kind
                         .keep_float = true};
    SN_TRY(sn_cholesky_create(&def, &C, &c->cholesky, error));
    SN_TRY(sn_cholesky_work_create(c->cholesky, workers, &c->work, error));
done:
    return status;
}
