#include "model/tetmg/matrix.h"

#include <string.h>

enum {
    TET_GRAIN = 32,     // blocks of tets a range
    EDGE_GRAIN = 1024,  //
    ROW_GRAIN = 512,    //
    SWEEP_GRAIN = 4,    // row blocks a range
    EDGE_CHUNK = 512,   // edges that are sorted among themselves
    EDGE_TETS_MAX = 32, // more are sorted as if they were so many
    // Rows of a block are swept one after the other, blocks of a colour at the same time. Longer
    // blocks would follow the sequential sweep a little closer, and leave less to share.
    ROW_BLOCK = 64
};

// The pattern ------------------------------------------------------------------------------------

// Room that only set-up needs.
typedef struct Draft {
    int *colours;   // a row block
    int *place;     // an entry of the body's pattern: its entry inside
    int *edge_of;   // an entry of the body's pattern, row before column inside: its edge
    int *tet_edges; // six a tet: its edges, complemented where they are turned
    int *counts;    // an edge: its tets
    int *places;    // an edge: its new number
    int *filled;    // an edge: slots handed out
} Draft;

static int row_block_count(const SnTetmg *body)
{
    return (body->tets.elements.vertex_count + ROW_BLOCK - 1) / ROW_BLOCK;
}

// The smallest colour that no neighbour of a row block has yet.
static SinewStatus colour_blocks(SnTetmg *body, Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplit *tets = &body->tets;
    SnTetmgMatrix *matrix = &body->matrix;
    int blocks = row_block_count(body);
    int vertices = tets->elements.vertex_count;
    int *taken = NULL; // a colour: the block that last saw it taken

    SN_ALLOC_ZERO(taken, &tets->allocator, blocks + 1, error);
    for (int b = 0; b < blocks; ++b) {
        int end = (b + 1) * ROW_BLOCK < vertices ? (b + 1) * ROW_BLOCK : vertices;
        int colour = 0;
        for (int r = b * ROW_BLOCK; r < end; ++r) {
            int v = tets->outside[r];
            for (int i = tets->pattern.row_start[v]; i < tets->pattern.row_start[v + 1]; ++i) {
                int other = tets->inside[tets->pattern.column[i]] / ROW_BLOCK;
                if (other < b) {
                    taken[draft->colours[other]] = b + 1;
                }
            }
        }
        while (taken[colour] == b + 1) {
            ++colour;
        }
        draft->colours[b] = colour;
        matrix->colour_count =
            colour + 1 > matrix->colour_count ? colour + 1 : matrix->colour_count;
    }
    SN_ALLOC_ZERO(matrix->colour_start, &tets->allocator, matrix->colour_count + 1, error);
    SN_ALLOC(matrix->row_blocks, &tets->allocator, blocks, error);
    for (int c = 0, filled = 0; c < matrix->colour_count; ++c) {
        for (int b = 0; b < blocks; ++b) {
            if (draft->colours[b] == c) {
                matrix->row_blocks[filled++] = b;
            }
        }
        matrix->colour_start[c + 1] = filled;
    }
done:
    sn_free(&tets->allocator, taken);
    return status;
}

// Whether a forward sweep comes to the row `other` before it comes to `row`.
static bool comes_earlier(const Draft *draft, int other, int row)
{
    int a = other / ROW_BLOCK, b = row / ROW_BLOCK;
    return a == b ? other < row : draft->colours[a] < draft->colours[b];
}

// Puts entry i of the body's pattern into the row that ends at `end`, columns ascending.
static void insert_entry(SnTetmg *body, int *sources, int begin, int end, int i)
{
    int *columns = body->matrix.columns;
    int column = 3 * body->tets.inside[body->tets.pattern.column[i]];
    int k = end;
    for (; k > begin && columns[k - 1] > column; --k) {
        columns[k] = columns[k - 1];
        sources[k] = sources[k - 1];
    }
    columns[k] = column;
    sources[k] = i;
}

static SinewStatus make_rows(SnTetmg *body, Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplit *tets = &body->tets;
    const SnNewtonPattern *pattern = &tets->pattern;
    SnTetmgMatrix *matrix = &body->matrix;
    int *sources = NULL;
    int count = 0;

    matrix->entry_count = pattern->entry_count - pattern->count;
    SN_ALLOC(sources, &tets->allocator, matrix->entry_count, error);
    SN_ALLOC(matrix->start, &tets->allocator, pattern->count + 1, error);
    SN_ALLOC(matrix->later, &tets->allocator, pattern->count, error);
    SN_ALLOC(matrix->columns, &tets->allocator, matrix->entry_count, error);
    matrix->start[0] = 0;
    for (int r = 0; r < pattern->count; ++r) {
        int v = tets->outside[r];
        for (int later = 0; later < 2; ++later) {
            int begin = count;
            for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1]; ++i) {
                int other = tets->inside[pattern->column[i]];
                if (other != r && comes_earlier(draft, other, r) == (later == 0)) {
                    insert_entry(body, sources, begin, count++, i);
                }
            }
            matrix->later[r] = later == 0 ? count : matrix->later[r];
        }
        matrix->start[r + 1] = count;
    }
    for (int e = 0; e < count; ++e) {
        draft->place[sources[e]] = e;
    }
done:
    sn_free(&tets->allocator, sources);
    return status;
}

// Corners of the six edges, in the order of SnTetBlocks.
static const int EDGE_CORNERS[SN_TET_EDGES][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};

// Edges in the order of their first vertex inside.
static SinewStatus make_edges(SnTetmg *body, Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplit *tets = &body->tets;
    const SnNewtonPattern *pattern = &tets->pattern;
    SnTetmgMatrix *matrix = &body->matrix;
    int count = 0;

    matrix->edge_count = matrix->entry_count / 2;
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
        int a = EDGE_CORNERS[k % SN_TET_EDGES][0], b = EDGE_CORNERS[k % SN_TET_EDGES][1];
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

// Slots of an edge side by side, in the order of tets inside.
static SinewStatus make_slots(SnTetmg *body, Draft *draft, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnSplit *tets = &body->tets;
    SnTetmgMatrix *matrix = &body->matrix;
    int lanes = tets->blocks.count * SN_TET_BLOCK;
    int slot_count = SN_TET_EDGES * tets->elements.count;

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
        int slot = slot_count; // nobody's
        if (tet >= 0) {
            Edge found = edge_of(draft, tet, edge);
            slot = draft->filled[draft->places[found.index]]++;
            matrix->turned[plane] |= (uint16_t)((found.turned ? 1U : 0U) << at);
        }
        matrix->slots[plane * SN_TET_BLOCK + at] = SN_TET_EDGE_SLOT * slot;
    }
    SN_ALLOC(matrix->edges, &tets->allocator, SN_TET_EDGE_SLOT * ((size_t)slot_count + 1), error);
    SN_ALLOC(matrix->lasts, &tets->allocator, (size_t)slot_count + 1, error);
done:
    return status;
}

SinewStatus sn_tetmg_matrix_create(SnTetmg *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgMatrix *matrix = &body->matrix;
    const SinewAllocator *allocator = &body->tets.allocator;
    size_t rows = (size_t)body->tets.elements.vertex_count;
    Draft draft = {0};

    SN_ALLOC(draft.colours, allocator, row_block_count(body), error);
    SN_ALLOC(draft.place, allocator, body->tets.pattern.entry_count, error);
    SN_ALLOC(draft.edge_of, allocator, body->tets.pattern.entry_count, error);
    SN_ALLOC(draft.tet_edges, allocator, SN_TET_EDGES * (size_t)body->tets.elements.count, error);
    SN_TRY(colour_blocks(body, &draft, error));
    SN_TRY(make_rows(body, &draft, error));
    SN_TRY(make_edges(body, &draft, error));
    SN_TRY(count_tets(body, &draft, error));
    SN_TRY(sort_edges(body, &draft, error));
    SN_TRY(make_slots(body, &draft, error));
    // Mode paper puts diagonal blocks behind the others.
    SN_ALLOC_ZERO(matrix->values, allocator, 9 * ((size_t)matrix->entry_count + rows) + 16, error);
    SN_ALLOC(matrix->diagonal, allocator, 12 * rows, error);
    SN_ALLOC(matrix->inverse, allocator, 12 * rows, error);
    SN_ALLOC_ZERO(matrix->added, allocator, 12 * rows, error);
    SN_ALLOC_ZERO(matrix->left, allocator, 3 * rows + 4, error);

done:
    sn_free(allocator, draft.colours);
    sn_free(allocator, draft.place);
    sn_free(allocator, draft.edge_of);
    sn_free(allocator, draft.counts);
    sn_free(allocator, draft.places);
    sn_free(allocator, draft.filled);
    sn_free(allocator, draft.tet_edges);
    return status;
}

void sn_tetmg_matrix_release(SnTetmg *body)
{
    SnTetmgMatrix *m = &body->matrix;
    void *const arrays[] = {
        m->turned,     m->start,       m->later,        m->columns,    m->slots,  m->edge_start,
        m->edge_first, m->edge_second, m->colour_start, m->row_blocks, m->values, m->diagonal,
        m->inverse,    m->added,       m->edges,        m->lasts,      m->left};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(&body->tets.allocator, arrays[i]);
    }
}

// Values and work with them ----------------------------------------------------------------------

typedef struct Job {
    const SnKernels *kernels;
    const SnTetBlocks *blocks;
    const SnEdgeSum *sum;
    const SnBlockRows *rows;
    SnBlockRowsFn *fn;
    const int *row_blocks;
    int row_count;
} Job;

static void blocks_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->kernels->tet_block->blocks(job->blocks, begin, end);
}

static void sum_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->kernels->tet_block->sum(job->sum, begin, end);
}

static void rows_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->fn(job->rows, begin, end);
}

static void sweep_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    for (int b = begin; b < end; ++b) {
        int first = job->row_blocks[b] * ROW_BLOCK;
        int last = first + ROW_BLOCK < job->row_count ? first + ROW_BLOCK : job->row_count;
        job->fn(job->rows, first, last);
    }
}

static SnTetmg *body_of(const SnSplitProblem *problem)
{
    return (SnTetmg *)(void *)problem->body; // its first member
}

SnBlockRows sn_tetmg_matrix_rows(const SnSplitProblem *problem)
{
    SnTetmg *body = body_of(problem);
    SnTetmgMatrix *matrix = &body->matrix;
    return (SnBlockRows){.start = matrix->start,
                         .later = matrix->later,
                         .columns = matrix->columns,
                         .values = matrix->values,
                         .mass = problem->mass,
                         .diagonal = matrix->diagonal,
                         .inverse = matrix->inverse,
                         .free = body->tets.room.free};
}

static SnTetTangent kind_of(const SnSplitProblem *problem)
{
    const SinewTetmgDef *options = &body_of(problem)->options;
    if (options->tangent == SINEW_TANGENT_WARPED || options->mode == SINEW_TETMG_PAPER) {
        return SN_TET_WARPED;
    }
    // Newton's method that goes on to an accuracy is the faster the more exact its tangent is.
    return options->tangent == SINEW_TANGENT_MIXED && problem->counted ? SN_TET_MIXED
                                                                       : SN_TET_EXACT;
}

void sn_tetmg_matrix_assemble(const SnSplitProblem *problem)
{
    SnTetmg *body = body_of(problem);
    const SnSplit *tets = &body->tets;
    SnTetmgMatrix *matrix = &body->matrix;
    SnTetBlocks blocks = {.law = problem->law,
                          .kind = kind_of(problem),
                          .slots = matrix->slots,
                          .turned = matrix->turned,
                          .rest = tets->blocks.rest,
                          .q = tets->state.rotations,
                          .tangent = tets->room.tangent,
                          .edges = matrix->edges,
                          .lasts = matrix->lasts};
    SnEdgeSum sum = {.start = matrix->edge_start,
                     .first = matrix->edge_first,
                     .second = matrix->edge_second,
                     .edges = matrix->edges,
                     .lasts = matrix->lasts,
                     .scale = (float)problem->h2,
                     .values = matrix->values};
    SnBlockRows rows = sn_tetmg_matrix_rows(problem);
    Job job = {.kernels = tets->kernels,
               .blocks = &blocks,
               .sum = &sum,
               .rows = &rows,
               .fn = tets->kernels->block->invert};
    sn_parallel_for(problem->workers, tets->blocks.count, TET_GRAIN, blocks_range, &job);
    sn_parallel_for(problem->workers, matrix->edge_count, EDGE_GRAIN, sum_range, &job);
    sn_parallel_for(problem->workers, tets->elements.vertex_count, ROW_GRAIN, rows_range, &job);
    if (problem->step->contacts != NULL) {
        sn_tetmg_matrix_invert_contact(problem);
    }
    matrix->is_assembled = true;
}

static void each_row(const SnSplitProblem *problem, const SnBlockRows *rows, SnBlockRowsFn *fn)
{
    Job job = {.rows = rows, .fn = fn};
    sn_parallel_for(problem->workers, problem->body->elements.vertex_count, ROW_GRAIN, rows_range,
                    &job);
}

void sn_tetmg_matrix_multiply(const SnSplitProblem *problem, const float *p, float *hp)
{
    SnBlockRows rows = sn_tetmg_matrix_rows(problem);
    rows.x = p;
    rows.out = hp;
    each_row(problem, &rows, problem->body->kernels->block->multiply);
}

static void sweep_colour(const SnSplitProblem *problem, int colour, Job *job)
{
    const SnTetmgMatrix *matrix = &body_of(problem)->matrix;
    job->row_blocks = matrix->row_blocks + matrix->colour_start[colour];
    job->row_count = problem->body->elements.vertex_count;
    sn_parallel_for(problem->workers,
                    matrix->colour_start[colour + 1] - matrix->colour_start[colour], SWEEP_GRAIN,
                    sweep_range, job);
}

void sn_tetmg_matrix_forward(const SnSplitProblem *problem, const float *r, float *z, float *left)
{
    const SnBlockKernels *kernels = problem->body->kernels->block;
    SnBlockRows rows = sn_tetmg_matrix_rows(problem);
    Job job = {.rows = &rows, .fn = kernels->forward};
    rows.right = r;
    rows.out = z;
    for (int c = 0; c < body_of(problem)->matrix.colour_count; ++c) {
        sweep_colour(problem, c, &job);
    }
    rows.x = z;
    rows.out = left;
    each_row(problem, &rows, kernels->residual);
}

void sn_tetmg_matrix_backward(const SnSplitProblem *problem, const float *r, float *z)
{
    SnBlockRows rows = sn_tetmg_matrix_rows(problem);
    Job job = {.rows = &rows, .fn = problem->body->kernels->block->backward};
    rows.right = r;
    rows.out = z;
    for (int c = body_of(problem)->matrix.colour_count; c-- > 0;) {
        sweep_colour(problem, c, &job);
    }
}
