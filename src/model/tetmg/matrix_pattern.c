// The pattern of the matrix: rows and the order of sweeps over them, edges and the slots that tets
// write to; and room for values.
#include "model/tetmg/matrix.h"

#include <string.h>

enum {
    EDGE_CHUNK = 512,  // edges that are sorted among themselves
    EDGE_TETS_MAX = 32 // more are sorted as if they were so many
};

// Room that only set-up needs.
typedef struct Draft {
    int *place;     // an entry of the body's pattern: its entry inside
    int *edge_of;   // an entry of the body's pattern, row before column inside: its edge
    int *tet_edges; // six a tet: its edges, complemented where they are turned
    int *counts;    // an edge: its tets
    int *places;    // an edge: its new number
    int *filled;    // an edge: slots handed out
} Draft;

// Neighbours as the body's pattern has them, by their places inside.
static SinewStatus find_order(SnTetmg *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplit *tets = &body->tets;
    const SnNewtonPattern *pattern = &tets->pattern;
    int *start = NULL, *columns = NULL;
    SN_ALLOC(start, &tets->allocator, pattern->count + 1, error);
    SN_ALLOC(columns, &tets->allocator, pattern->entry_count, error);
    start[0] = 0;
    for (int r = 0; r < pattern->count; ++r) {
        int v = tets->outside[r], count = start[r];
        for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1]; ++i) {
            columns[count++] = tets->inside[pattern->column[i]];
        }
        start[r + 1] = count;
    }
    SN_TRY(sn_sweep_order_create(pattern->count, start, columns, 1, &tets->allocator,
                                 &body->matrix.order, error));
done:
    sn_free(&tets->allocator, start);
    sn_free(&tets->allocator, columns);
    return status;
}

// Puts entry i of the body's pattern into the row that ends at `end`, columns ascending.
static void insert_entry(SnTetmg *body, int *sources, int begin, int end, int i)
{
    int *columns = body->matrix.columns;
    int column = 3 * body->tets.inside[body->tets.pattern.column[i]];
    int k = end;
    for (; k > begin && columns[k - 1] > column; --k) {
        columns[k] = columns[k - 1];
        if (sources != NULL) {
            sources[k] = sources[k - 1];
        }
    }
    columns[k] = column;
    if (sources != NULL) {
        sources[k] = i;
    }
}

void sn_tetmg_matrix_fill_row(SnTetmg *body, int row, int *sources)
{
    const SnSplit *tets = &body->tets;
    const SnNewtonPattern *pattern = &tets->pattern;
    SnTetmgMatrix *matrix = &body->matrix;
    int v = tets->outside[row], count = matrix->start[row];
    for (int later = 0; later < 2; ++later) {
        int begin = count;
        for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1]; ++i) {
            int other = tets->inside[pattern->column[i]];
            if (other != row &&
                sn_sweep_comes_earlier(&matrix->order, other, row) == (later == 0)) {
                insert_entry(body, sources, begin, count++, i);
            }
        }
        matrix->later[row] = later == 0 ? count : matrix->later[row];
    }
    matrix->start[row + 1] = count;
}

SinewStatus sn_tetmg_matrix_make_rows(SnTetmg *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnNewtonPattern *pattern = &body->tets.pattern;
    SnTetmgMatrix *matrix = &body->matrix;
    matrix->entry_count = pattern->entry_count - pattern->count;
    matrix->edge_count = matrix->entry_count / 2;
    SN_ALLOC(matrix->start, &body->tets.allocator, pattern->count + 1, error);
    SN_ALLOC(matrix->later, &body->tets.allocator, pattern->count, error);
    SN_ALLOC_FILLED(matrix->columns, &body->tets.allocator, matrix->entry_count + 1, error);
    matrix->columns[matrix->entry_count] = 0; // read along, never used
    matrix->start[0] = 0;
done:
    return status;
}

static SinewStatus find_rows(SnTetmg *body, Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplit *tets = &body->tets;
    SnTetmgMatrix *matrix = &body->matrix;
    int *sources = NULL;
    SN_TRY(sn_tetmg_matrix_make_rows(body, error));
    SN_ALLOC(sources, &tets->allocator, matrix->entry_count, error);
    for (int r = 0; r < tets->pattern.count; ++r) {
        sn_tetmg_matrix_fill_row(body, r, sources);
    }
    for (int e = 0; e < matrix->entry_count; ++e) {
        draft->place[sources[e]] = e;
    }
done:
    sn_free(&tets->allocator, sources);
    return status;
}

// Corners of the six edges, in the order of SnTetBlocks.
const int sn_tetmg_edge_corners[SN_TET_EDGES][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};

// Edges in the order of their first vertex inside.
static SinewStatus make_edges(SnTetmg *body, Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplit *tets = &body->tets;
    const SnNewtonPattern *pattern = &tets->pattern;
    SnTetmgMatrix *matrix = &body->matrix;
    int count = 0;

    SN_ALLOC(matrix->edge_first, &tets->allocator, matrix->edge_count, error);
    SN_ALLOC(matrix->edge_second, &tets->allocator, matrix->edge_count, error);
    for (int r = 0; r < pattern->count; ++r) {
        int v = tets->outside[r];
        for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1]; ++i) {
            if (tets->inside[pattern->column[i]] > r) {
                draft->edge_of[i] = count;
                matrix->edge_first[count++] = 9 * draft->place[i];
            }
        }
    }
    // Each edge once more, by the tets that have it: there both entries are at hand.
    for (int k = 0; k < SN_TET_EDGES * tets->elements.count; ++k) {
        const int *slots = pattern->slots + 16 * (size_t)(k / SN_TET_EDGES);
        const int *vertices = tets->elements.vertices + 4 * (size_t)(k / SN_TET_EDGES);
        int a = sn_tetmg_edge_corners[k % SN_TET_EDGES][0],
            b = sn_tetmg_edge_corners[k % SN_TET_EDGES][1];
        bool turned = tets->inside[vertices[a]] > tets->inside[vertices[b]];
        int entry = slots[turned ? 4 * b + a : 4 * a + b];
        int edge = draft->edge_of[entry];
        matrix->edge_second[edge] = 9 * draft->place[slots[turned ? 4 * a + b : 4 * b + a]];
        draft->tet_edges[k] = turned ? ~edge : edge;
    }
done:
    return status;
}

typedef struct Edge {
    int index;
    bool turned; // the tet's first corner has the later vertex
} Edge;

static Edge edge_of(const Draft *draft, int tet, int edge)
{
    int found = draft->tet_edges[SN_TET_EDGES * tet + edge];
    return (Edge){found < 0 ? ~found : found, found < 0};
}

static int sort_key(const Draft *draft, int edge)
{
    int count = draft->counts[edge];
    return count < EDGE_TETS_MAX ? count : EDGE_TETS_MAX - 1;
}

// Numbers edges anew: within chunks that stay near each other in memory, those of as many tets side
// by side, so that the loops over them have ends that a processor foresees.
static SinewStatus sort_edges(SnTetmg *body, Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgMatrix *matrix = &body->matrix;
    const SinewAllocator *allocator = &body->tets.allocator;
    size_t count = (size_t)matrix->edge_count;
    int *first = NULL, *second = NULL;

    SN_ALLOC(draft->places, allocator, count, error);
    SN_ALLOC(first, allocator, count, error);
    SN_ALLOC(second, allocator, count, error);
    for (int begin = 0; begin < matrix->edge_count; begin += EDGE_CHUNK) {
        int end = begin + EDGE_CHUNK < matrix->edge_count ? begin + EDGE_CHUNK : matrix->edge_count;
        int starts[EDGE_TETS_MAX + 1] = {0};
        for (int e = begin; e < end; ++e) {
            starts[sort_key(draft, e) + 1] += 1;
        }
        for (int k = 0; k < EDGE_TETS_MAX; ++k) {
            starts[k + 1] += starts[k];
        }
        for (int e = begin; e < end; ++e) {
            draft->places[e] = begin + starts[sort_key(draft, e)]++;
            first[draft->places[e]] = matrix->edge_first[e];
            second[draft->places[e]] = matrix->edge_second[e];
        }
    }
    memcpy(matrix->edge_first, first, count * sizeof *first);
    memcpy(matrix->edge_second, second, count * sizeof *second);
done:
    sn_free(allocator, first);
    sn_free(allocator, second);
    return status;
}

// Tets of each edge, by the numbers that edges begin with.
static SinewStatus count_tets(SnTetmg *body, Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_ALLOC_ZERO(draft->counts, &body->tets.allocator, body->matrix.edge_count, error);
    for (int k = 0; k < SN_TET_EDGES * body->tets.elements.count; ++k) {
        draft->counts[edge_of(draft, k / SN_TET_EDGES, k % SN_TET_EDGES).index] += 1;
    }
done:
    return status;
}

int sn_tetmg_matrix_spare_slot(const SnTetmg *body, int block)
{
    return SN_TET_EDGES * body->tets.elements.count + block;
}

// Slots of an edge side by side, in the order of tets inside.
static SinewStatus make_slots(SnTetmg *body, Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplit *tets = &body->tets;
    SnTetmgMatrix *matrix = &body->matrix;
    int lanes = tets->blocks.count * SN_TET_BLOCK;

    SN_ALLOC(matrix->slots, &tets->allocator, SN_TET_EDGES * (size_t)lanes, error);
    SN_ALLOC_ZERO(matrix->turned, &tets->allocator, SN_TET_EDGES * (size_t)tets->blocks.count,
                  error);
    SN_ALLOC(matrix->edge_start, &tets->allocator, matrix->edge_count + 1, error);
    SN_ALLOC(draft->filled, &tets->allocator, matrix->edge_count, error);
    for (int e = 0; e < matrix->edge_count; ++e) {
        matrix->edge_start[draft->places[e] + 1] = draft->counts[e];
    }
    matrix->edge_start[0] = 0;
    for (int e = 0; e < matrix->edge_count; ++e) {
        draft->filled[e] = matrix->edge_start[e];
        matrix->edge_start[e + 1] += matrix->edge_start[e];
    }
    for (int k = 0; k < SN_TET_EDGES * lanes; ++k) {
        int lane = k / SN_TET_EDGES, edge = k % SN_TET_EDGES;
        int tet = tets->blocks.tets[lane];
        int plane = SN_TET_EDGES * (lane / SN_TET_BLOCK) + edge, at = lane % SN_TET_BLOCK;
        int slot = sn_tetmg_matrix_spare_slot(body, lane / SN_TET_BLOCK);
        if (tet >= 0) {
            Edge found = edge_of(draft, tet, edge);
            slot = draft->filled[draft->places[found.index]]++;
            matrix->turned[plane] |= (uint16_t)((found.turned ? 1U : 0U) << at);
        }
        matrix->slots[plane * SN_TET_BLOCK + at] = SN_TET_EDGE_SLOT * slot;
    }
done:
    return status;
}

// Mode paper puts diagonal blocks behind the others.
static void clear_end(SnTetmg *body)
{
    size_t rows = (size_t)body->tets.elements.vertex_count;
    memset(body->matrix.values + 9 * (size_t)body->matrix.entry_count, 0,
           (9 * rows + 16) * sizeof *body->matrix.values);
}

SinewStatus sn_tetmg_matrix_make_values(SnTetmg *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgMatrix *matrix = &body->matrix;
    const SinewAllocator *allocator = &body->tets.allocator;
    size_t rows = (size_t)body->tets.elements.vertex_count;
    size_t slots = (size_t)sn_tetmg_matrix_spare_slot(body, body->tets.blocks.count);
    size_t entries = (size_t)matrix->entry_count;
    // Some more than it takes, for what a cut adds.
    matrix->value_room = (9 * (entries + rows) + 16) / 16 * 17 + 17;
    SN_ALLOC(matrix->values, allocator, matrix->value_room, error);
    clear_end(body);
    SN_ALLOC(matrix->diagonal, allocator, 12 * rows, error);
    SN_ALLOC(matrix->inverse, allocator, 12 * rows, error);
    SN_ALLOC_ZERO(matrix->added, allocator, 12 * rows, error);
    SN_ALLOC_ZERO(matrix->left, allocator, 3 * rows + 4, error);
    SN_ALLOC(matrix->edges, allocator, SN_TET_EDGE_SLOT * slots, error);
    SN_ALLOC(matrix->lasts, allocator, slots, error);
done:
    return status;
}

SinewStatus sn_tetmg_matrix_create(SnTetmg *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->tets.allocator;
    Draft draft = {0};

    SN_ALLOC(draft.place, allocator, body->tets.pattern.entry_count, error);
    SN_ALLOC(draft.edge_of, allocator, body->tets.pattern.entry_count, error);
    SN_ALLOC(draft.tet_edges, allocator, SN_TET_EDGES * (size_t)body->tets.elements.count, error);
    SN_TRY(find_order(body, error));
    SN_TRY(find_rows(body, &draft, error));
    SN_TRY(make_edges(body, &draft, error));
    SN_TRY(count_tets(body, &draft, error));
    SN_TRY(sort_edges(body, &draft, error));
    SN_TRY(make_slots(body, &draft, error));
    SN_TRY(sn_tetmg_matrix_make_values(body, error));

done:
    sn_free(allocator, draft.place);
    sn_free(allocator, draft.edge_of);
    sn_free(allocator, draft.counts);
    sn_free(allocator, draft.places);
    sn_free(allocator, draft.filled);
    sn_free(allocator, draft.tet_edges);
    return status;
}

static void swap(float **a, float **b)
{
    float *kept = *a;
    *a = *b;
    *b = kept;
}

void sn_tetmg_matrix_inherit(SnTetmg *body, SnTetmg *from)
{
    SnTetmgMatrix *to = &body->matrix, *old = &from->matrix;
    size_t rows = (size_t)body->tets.elements.vertex_count;
    if (sn_tetmg_matrix_spare_slot(body, body->tets.blocks.count) <=
        sn_tetmg_matrix_spare_slot(from, from->tets.blocks.count)) {
        swap(&to->edges, &old->edges);
        swap(&to->lasts, &old->lasts);
    }
    if (9 * ((size_t)to->entry_count + rows) + 16 <= old->value_room) {
        size_t room = to->value_room;
        to->value_room = old->value_room;
        old->value_room = room;
        swap(&to->values, &old->values);
        clear_end(body);
    }
}

void sn_tetmg_matrix_release(SnTetmg *body)
{
    SnTetmgMatrix *m = &body->matrix;
    void *const arrays[] = {m->turned,     m->start,      m->later,       m->columns, m->slots,
                            m->edge_start, m->edge_first, m->edge_second, m->values,  m->diagonal,
                            m->inverse,    m->added,      m->edges,       m->lasts,   m->left};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(&body->tets.allocator, arrays[i]);
    }
    sn_sweep_order_release(&m->order, &body->tets.allocator);
}
