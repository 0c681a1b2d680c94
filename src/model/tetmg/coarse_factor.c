// The coarse matrix at rest and its factor.
#include "model/tetmg/coarse.h"

#include "model/split/damping.h"

#include <stddef.h>
#include <string.h>

enum { NODE_GRAIN = 16 };

// Added to the diagonal, as a share of it, so that there is a factor.
#define REGULARISE 1e-6

// Springs that hold nodes which carry little of the body to their neighbours, as a share of their
// own stiffness: what they could do for almost no energy at rest is then left to the sweeps. With
// rotations that differ from node to node it costs energy after all: without springs 25 iterations
// in place of 12 (armadillo 16k, swinging, to 1e-3). Springs to the ground would do for that, and
// hold up the whole body: a stiff one then follows its swing to 10 % and not to 1 %.
#define WEAK_SHARE 0.1

// h2 K0 and the masses over the body's pattern ----------------------------------------------------
//
// Linear elasticity at rest has K_ij = V (mu (a.b) I + mu b a^T + lambda a b^T); tets add it to one
// entry of an edge, the other is the transposed, and the diagonal is minus the others, since moving
// all of a body takes no force.

// Rows of the vertices that are wanted, one after the other.
typedef struct Rest {
    unsigned char *wanted; // a vertex outside
    int *offset;           // a wanted vertex: from its entries in the body's pattern to those here
    int *next;             // a vertex: room
    double *blocks;        // 9 an entry
    bool is_lent;          // those are in room that assembling a step's matrix has
} Rest;

static void release_rest(const SnTetmg *body, Rest *rest)
{
    sn_free(&body->tets.allocator, rest->wanted);
    sn_free(&body->tets.allocator, rest->offset);
    sn_free(&body->tets.allocator, rest->next);
    sn_free(&body->tets.allocator, rest->is_lent ? NULL : rest->blocks);
}

// Rows near a cut fit into room that steps have touched; all rows of a body do not.
static SinewStatus make_blocks(const SnTetmg *body, size_t count, Rest *rest, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t slots = SN_TET_EDGES * (size_t)body->tets.elements.count + 1;
    rest->is_lent = count * sizeof(double) <= slots * SN_TET_EDGE_SLOT * sizeof(float);
    if (rest->is_lent) {
        rest->blocks = (double *)(void *)body->matrix.edges;
    } else {
        SN_ALLOC(rest->blocks, &body->tets.allocator, count, error);
    }
    memset(rest->blocks, 0, count * sizeof *rest->blocks);
done:
    return status;
}

// Vertices of the nodes whose rows are made.
static SinewStatus make_rest(const SnTetmg *body, Rest *rest, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnTetmgCoarse *c = &body->coarse;
    const SnNewtonPattern *pattern = &body->tets.pattern;
    const SinewAllocator *allocator = &body->tets.allocator;
    int count = 0;
    SN_ALLOC_ZERO(rest->wanted, allocator, pattern->count, error);
    SN_ALLOC(rest->offset, allocator, pattern->count, error);
    SN_ALLOC(rest->next, allocator, pattern->count, error);
    for (int n = 0; n < c->count; ++n) {
        bool is_made = !c->is_carried || c->carried[n] == 0;
        for (int m = c->start[n]; m < c->start[n + 1] && is_made; ++m) {
            rest->wanted[body->tets.outside[c->members[m] / 8]] = 1;
        }
    }
    for (int v = 0; v < pattern->count; ++v) {
        rest->offset[v] = count - pattern->row_start[v];
        count += rest->wanted[v] != 0 ? pattern->row_start[v + 1] - pattern->row_start[v] : 0;
    }
    SN_TRY(make_blocks(body, 9 * (size_t)count, rest, error));
done:
    return status;
}

static const int EDGES[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

// Adds to the entry in the row of the lower vertex, or to the other where that row is not wanted:
// the same numbers, so that a row never depends on which others are made.
static void add_rest_tet(const SnSplit *tets, const Rest *rest, const SnSplitScales *scales,
                         int tet)
{
    const SnNewtonElements *elements = &tets->elements;
    const SnMaterial *material = &tets->materials[elements->materials[tet]];
    const SnLaw *law = &material->law;
    double h2 = scales->h2 * sn_split_stiffening(material, scales->h);
    const int *vertices = elements->vertices + 4 * (size_t)tet;
    const int *slots = tets->pattern.slots + 16 * (size_t)tet;
    double gradients[12];
    sn_newton_elements_tet_gradients(elements, tet, gradients);
    double mu = h2 * law->mu * elements->weights[tet];
    double lambda = h2 * law->lambda * elements->weights[tet];
    for (int e = 0; e < 6; ++e) {
        bool turned = vertices[EDGES[e][0]] > vertices[EDGES[e][1]];
        int i = EDGES[e][turned ? 1 : 0], j = EDGES[e][turned ? 0 : 1];
        const double *a = gradients + 3 * i, *b = gradients + 3 * j;
        double dot = mu * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
        double K[9];
        for (int k = 0; k < 9; ++k) {
            K[k] =
                mu * b[k / 3] * a[k % 3] + lambda * a[k / 3] * b[k % 3] + (k % 4 == 0 ? dot : 0.0);
        }
        if (rest->wanted[vertices[i]] != 0) {
            double *block =
                rest->blocks + 9 * (ptrdiff_t)(slots[4 * i + j] + rest->offset[vertices[i]]);
            for (int k = 0; k < 9; ++k) {
                block[k] += K[k];
            }
        } else if (rest->wanted[vertices[j]] != 0) {
            double *block =
                rest->blocks + 9 * (ptrdiff_t)(slots[4 * j + i] + rest->offset[vertices[j]]);
            for (int k = 0; k < 9; ++k) {
                block[k] += K[3 * (k % 3) + k / 3];
            }
        }
    }
}

// Entries below the diagonal, from the row of the lower vertex. They come in the order of their
// columns, so `next` says where in each row.
static void mirror_row(const SnNewtonPattern *pattern, const Rest *rest, int v)
{
    for (int i = pattern->diagonal[v] + 1; i < pattern->row_start[v + 1]; ++i) {
        int other = pattern->column[i], at = rest->next[other]++;
        if (rest->wanted[v] != 0 && rest->wanted[other] != 0) {
            const double *from = rest->blocks + 9 * (ptrdiff_t)(i + rest->offset[v]);
            double *to = rest->blocks + 9 * (ptrdiff_t)(at + rest->offset[other]);
            for (int k = 0; k < 9; ++k) {
                to[k] = from[3 * (k % 3) + k / 3];
            }
        }
    }
}

static void finish_row(const SnNewtonPattern *pattern, const Rest *rest, int v, double mass)
{
    double own[9] = {mass, 0.0, 0.0, 0.0, mass, 0.0, 0.0, 0.0, mass};
    double *blocks = rest->blocks + 9 * (ptrdiff_t)(pattern->row_start[v] + rest->offset[v]);
    int diagonal = pattern->diagonal[v] - pattern->row_start[v];
    for (int i = 0; i < pattern->row_start[v + 1] - pattern->row_start[v]; ++i) {
        for (int k = 0; k < 9 && i != diagonal; ++k) {
            own[k] -= blocks[9 * i + k];
        }
    }
    memcpy(blocks + 9 * diagonal, own, sizeof own);
}

static void assemble_rest(const SnSplit *tets, const Rest *rest, const SnSplitScales *scales)
{
    const SnNewtonPattern *pattern = &tets->pattern;
    const unsigned char *wanted = rest->wanted;
    for (int e = 0; e < tets->elements.count; ++e) {
        const int *v = tets->elements.vertices + 4 * (size_t)e;
        if ((wanted[v[0]] | wanted[v[1]] | wanted[v[2]] | wanted[v[3]]) != 0) {
            add_rest_tet(tets, rest, scales, e);
        }
    }
    memcpy(rest->next, pattern->row_start, (size_t)pattern->count * sizeof *rest->next);
    for (int v = 0; v < pattern->count; ++v) {
        mirror_row(pattern, rest, v);
        if (wanted[v] != 0) {
            double mass = scales->mass_scale * (tets->masses[v] + scales->h * tets->damp[v]);
            finish_row(pattern, rest, v, mass);
        }
    }
}

// A worker's room: one row of P^T A, over vertices inside, and one of P^T A P, over nodes.
typedef struct Row {
    double *blocks; // 9 a vertex of the list
    int *place;     // a vertex: its place in the list
    int *stamps;    // a vertex: the node + 1 it was last seen for
    int *list;      //
    int count;      //
    int *entry;     // a node: its entry in the row
} Row;

typedef struct Job {
    SnTetmg *body;
    const Rest *rest;
    Row *rows; // a worker
} Job;

static bool is_held(const SnTetmg *body, int inside)
{
    return body->tets.pins.set.held[body->tets.outside[inside]] == 7;
}

// Rows and columns of held components go, so that products need not ask.
static void filter_held(const SnSplit *tets, const Rest *rest)
{
    const unsigned char *held = tets->pins.set.held;
    const SnNewtonPattern *pattern = &tets->pattern;
    for (int v = 0; v < pattern->count && tets->pins.set.held_count > 0; ++v) {
        for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1] && rest->wanted[v] != 0;
             ++i) {
            double *block = rest->blocks + 9 * (ptrdiff_t)(i + rest->offset[v]);
            int other = held[pattern->column[i]];
            for (int k = 0; k < 9 && (held[v] | other) != 0; ++k) {
                if ((held[v] >> (k / 3) & 1) != 0 || (other >> (k % 3) & 1) != 0) {
                    block[k] = 0.0;
                }
            }
        }
    }
}

// Row n of P^T A.
static void fill_row(const Job *job, int n, Row *row)
{
    const SnTetmg *body = job->body;
    const SnTetmgCoarse *c = &body->coarse;
    const SnNewtonPattern *pattern = &body->tets.pattern;
    row->count = 0;
    for (int m = c->start[n]; m < c->start[n + 1]; ++m) {
        int v = body->tets.outside[c->members[m] / 8];
        double weight = is_held(body, c->members[m] / 8) ? 0.0 : c->full[c->members[m]];
        for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1] && weight != 0.0; ++i) {
            int other = body->tets.inside[pattern->column[i]];
            const double *block = job->rest->blocks + 9 * (ptrdiff_t)(i + job->rest->offset[v]);
            if (row->stamps[other] != n + 1) {
                row->stamps[other] = n + 1;
                row->place[other] = row->count;
                row->list[row->count] = other;
                memset(row->blocks + 9 * (size_t)row->count++, 0, 9 * sizeof *row->blocks);
            }
            double *out = row->blocks + 9 * (size_t)row->place[other];
            for (int k = 0; k < 9; ++k) {
                out[k] += weight * block[k];
            }
        }
    }
}

// Whether the entry that two nodes share is made in the row of n: by the nodes that they were
// before all cuts, so that a cut never turns an entry round.
static bool is_made_in(const SnTetmgCoarse *c, int n, int other)
{
    return c->root[n] == c->root[other] ? n <= other : c->root[n] < c->root[other];
}

// Row n of C out of row n of P^T A: the entries that are made in it.
static void multiply_row(const Job *job, int n, Row *row)
{
    const SnTetmg *body = job->body;
    const SnTetmgCoarse *c = &body->coarse;
    for (int e = c->row_start[n]; e < c->row_start[n + 1]; ++e) {
        row->entry[c->column[e]] = e;
        memset(c->plain + 9 * (size_t)e, 0, 9 * sizeof *c->plain);
    }
    for (int i = 0; i < row->count; ++i) {
        const double *block = row->blocks + 9 * (size_t)i;
        int v = row->list[i];
        int end = is_held(body, v) ? 8 * v : 8 * v + 8;
        for (int m = 8 * v; m < end; ++m) {
            int node = c->nodes[m] / 4;
            double weight = c->full[m];
            double *out = c->plain + 9 * (size_t)row->entry[node];
            if (is_made_in(c, n, node)) {
                for (int k = 0; k < 9; ++k) {
                    out[k] += weight * block[k];
                }
            }
        }
    }
}

static void rows_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    const SnTetmgCoarse *c = &job->body->coarse;
    for (int n = begin; n < end; ++n) {
        if (!c->is_carried || c->carried[n] == 0) {
            fill_row(job, n, &job->rows[worker]);
            multiply_row(job, n, &job->rows[worker]);
        }
    }
}

// Entries of C that were made in the other row.
static SinewStatus mirror(SnTetmg *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgCoarse *c = &body->coarse;
    int *next = NULL; // a row: its next entry, since columns come in order
    SN_ALLOC(next, &body->tets.allocator, c->count, error);
    memcpy(next, c->row_start, (size_t)c->count * sizeof *next);
    for (int n = 0; n < c->count; ++n) {
        for (int e = c->row_start[n]; e < c->row_start[n + 1]; ++e) {
            const double *from = c->plain + 9 * (size_t)e;
            double *to = c->plain + 9 * (size_t)next[c->column[e]]++;
            for (int k = 0; k < 9 && from != to && is_made_in(c, n, c->column[e]); ++k) {
                to[k] = from[3 * (k % 3) + k / 3];
            }
        }
    }
done:
    sn_free(&body->tets.allocator, next);
    return status;
}

// How little of the body follows a node, relative to what follows a mean one: 0 to 1.
static double weakness(const SnTetmgCoarse *c, int n)
{
    double mean = (double)c->start[c->count] / 8.0 / c->count; // weights of a vertex sum to 1
    double sum = 0.0;
    for (int m = c->start[n]; m < c->start[n + 1]; ++m) {
        sum += c->full[c->members[m]];
    }
    return sum < mean ? 1.0 - sum / mean : 0.0;
}

static double *block_of(SnTetmgCoarse *c, int row, int column)
{
    int low = c->row_start[row], high = c->row_start[row + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (c->column[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return c->value + 9 * (size_t)low;
}

// Springs between a weak node and all it shares entries with: they hold it to those and let all
// move together.
static void tie_weak_nodes(SnTetmgCoarse *c, double *stiffness)
{
    for (int n = 0; n < c->count; ++n) {
        const double *own = block_of(c, n, n);
        stiffness[n] = WEAK_SHARE * weakness(c, n) * (own[0] + own[4] + own[8]) / 3.0 /
                       (c->row_start[n + 1] - c->row_start[n]);
    }
    for (int n = 0; n < c->count; ++n) {
        double *own = block_of(c, n, n);
        for (int e = c->row_start[n]; e < c->row_start[n + 1]; ++e) {
            double spring = stiffness[n] + stiffness[c->column[e]];
            for (size_t k = 0; k < 9 && c->column[e] != n; k += 4) {
                own[k] += spring;
                c->value[9 * (size_t)e + k] -= spring;
            }
        }
    }
}

// Unknowns that nothing follows stand alone.
static void regularise(SnTetmgCoarse *c, double share)
{
    for (int n = 0; n < c->count; ++n) {
        double *own = block_of(c, n, n);
        for (size_t k = 0; k < 9; k += 4) {
            own[k] = own[k] > 0.0 ? own[k] * (1.0 + share) : 1.0;
        }
    }
}

static void release_rows(const SnTetmg *body, Row *rows, int count)
{
    for (int w = 0; w < count && rows != NULL; ++w) {
        sn_free(&body->tets.allocator, rows[w].blocks);
        sn_free(&body->tets.allocator, rows[w].place);
        sn_free(&body->tets.allocator, rows[w].stamps);
        sn_free(&body->tets.allocator, rows[w].list);
        sn_free(&body->tets.allocator, rows[w].entry);
    }
    sn_free(&body->tets.allocator, rows);
}

// C over its pattern.
static SinewStatus assemble(SnTetmg *body, SnWorkers *workers, const Rest *rest, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->tets.allocator;
    size_t vertices = (size_t)body->tets.elements.vertex_count;
    int count = sn_workers_count(workers);
    Row *rows = NULL;

    SN_ALLOC_ZERO(rows, allocator, count, error);
    for (int w = 0; w < count; ++w) {
        SN_ALLOC(rows[w].blocks, allocator, 9 * vertices, error);
        SN_ALLOC(rows[w].place, allocator, vertices, error);
        SN_ALLOC_ZERO(rows[w].stamps, allocator, vertices, error);
        SN_ALLOC(rows[w].list, allocator, vertices, error);
        SN_ALLOC(rows[w].entry, allocator, body->coarse.count, error);
    }
    Job job = {body, rest, rows};
    sn_parallel_for(workers, body->coarse.count, NODE_GRAIN, rows_range, &job);
done:
    release_rows(body, rows, count);
    return status;
}

SinewStatus sn_tetmg_coarse_factor(SnTetmg *body, SnWorkers *workers, const SnSplitScales *scales,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgCoarse *c = &body->coarse;
    const SnSplitScales *carried = &body->carried_scales;
    const SinewAllocator *allocator = &body->tets.allocator;
    Rest rest = {0};
    double *stiffness = NULL;
    SnSparse C = {.count = c->count,
                  .block = 3,
                  .row_start = c->row_start,
                  .column = c->column,
                  .value = c->value};

    if (c->count == 0) {
        return SINEW_OK;
    }
    c->is_carried = c->is_carried && carried->h2 == scales->h2 && carried->h == scales->h &&
                    carried->mass_scale == scales->mass_scale;
    SN_TRY(make_rest(body, &rest, error));
    assemble_rest(&body->tets, &rest, scales);
    filter_held(&body->tets, &rest);
    SN_ALLOC(stiffness, allocator, c->count, error);
    SN_TRY(assemble(body, workers, &rest, error));
    SN_TRY(mirror(body, error));
    c->is_carried = false;
    memcpy(c->value, c->plain, 9 * (size_t)c->row_start[c->count] * sizeof *c->value);
    tie_weak_nodes(c, stiffness);
    for (double share = REGULARISE;; share *= 100.0) {
        regularise(c, share);
        status = sn_cholesky_factor(c->cholesky, &C, workers, error);
        if (status != SINEW_ERROR_NOT_DEFINITE || share > 1e3) {
            break; // definite long before, unless it holds no numbers
        }
    }
done:
    release_rest(body, &rest);
    sn_free(allocator, stiffness);
    return status;
}
