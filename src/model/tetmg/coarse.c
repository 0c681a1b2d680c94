#include "model/tetmg/coarse.h"

#include "model/tetmg/coarse_contact.h"

#include <math.h>
#include <string.h>

enum {
    VERTICES_LEAST = 40, // below that sweeps alone do
    SAMPLES_MAX = 12,    // tets a node whose rotations are looked at
    NODE_GRAIN = 64,
    VERTEX_GRAIN = 1024
};

// The lattice ------------------------------------------------------------------------------------

typedef struct Lattice {
    double origin[3]; // m
    double spacing;   // m
    int cells[3];
} Lattice;

// By Newton's method, since the library's own differs from machine to machine.
static double cube_root(double a)
{
    double y = a > 1.0 ? a : 1.0;
    for (int k = 0; k < 200; ++k) {
        double next = y - (y * y * y - a) / (3.0 * y * y);
        if (!(next < y)) {
            break;
        }
        y = next;
    }
    return y;
}

static void find_bounds(const SnNewtonElements *elements, double low[3], double high[3])
{
    for (int k = 0; k < 3; ++k) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (int v = 0; v < elements->vertex_count; ++v) {
            low[k] = fmin(low[k], elements->rest[3 * (size_t)v + (size_t)k]);
            high[k] = fmax(high[k], elements->rest[3 * (size_t)v + (size_t)k]);
        }
    }
}

// Cubes of `options.spacing` mean edges, larger where a slanting thin body would need too many.
static Lattice find_lattice(const SnTetmg *body)
{
    const SnNewtonElements *elements = &body->tets.elements;
    double low[3], high[3], volume = 0.0;
    double limit = 1000.0 + 8.0 * elements->vertex_count;
    Lattice lattice = {.spacing = 0.0};
    for (int e = 0; e < elements->count; ++e) {
        volume += elements->weights[e];
    }
    find_bounds(elements, low, high);
    // A cube of the mean edge has six tets.
    lattice.spacing = body->options.spacing * cube_root(6.0 * volume / elements->count);
    for (;; lattice.spacing *= 1.25) {
        double nodes = 1.0;
        for (int k = 0; k < 3; ++k) {
            nodes *= floor((high[k] - low[k]) / lattice.spacing) + 2.0;
        }
        if (nodes <= limit) {
            break;
        }
    }
    for (int k = 0; k < 3; ++k) {
        double length = high[k] - low[k];
        lattice.cells[k] = (int)floor(length / lattice.spacing) + 1;
        lattice.origin[k] = low[k] - 0.5 * (lattice.cells[k] * lattice.spacing - length);
    }
    return lattice;
}

// Nodes of the cell around a rest position, as places in the whole lattice, and their weights.
static void weigh(const Lattice *lattice, const double *X, int nodes[8], double weights[8])
{
    int cell[3];
    double t[3];
    for (int k = 0; k < 3; ++k) {
        double u = (X[k] - lattice->origin[k]) / lattice->spacing;
        double c = floor(u);
        c = c < 0.0 ? 0.0 : (c > lattice->cells[k] - 1 ? lattice->cells[k] - 1 : c);
        cell[k] = (int)c;
        t[k] = u - c;
    }
    for (int i = 0; i < 8; ++i) {
        int d[3] = {i & 1, i >> 1 & 1, i >> 2};
        nodes[i] = ((cell[2] + d[2]) * (lattice->cells[1] + 1) + cell[1] + d[1]) *
                       (lattice->cells[0] + 1) +
                   cell[0] + d[0];
        weights[i] = 1.0;
        for (int k = 0; k < 3; ++k) {
            weights[i] *= d[k] ? t[k] : 1.0 - t[k];
        }
    }
}

// Nodes that a vertex follows get numbers, in the order of the lattice.
static SinewStatus number_nodes(SnTetmg *body, const Lattice *lattice, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgCoarse *c = &body->coarse;
    const SnSplit *tets = &body->tets;
    size_t vertices = (size_t)tets->elements.vertex_count;
    size_t places = (size_t)(lattice->cells[0] + 1) * (size_t)(lattice->cells[1] + 1) *
                    (size_t)(lattice->cells[2] + 1);
    int *number = NULL;

    SN_ALLOC_ZERO(number, &tets->allocator, places, error);
    SN_ALLOC(c->nodes, &tets->allocator, 8 * vertices, error);
    SN_ALLOC(c->full, &tets->allocator, 8 * vertices, error);
    SN_ALLOC_ZERO(c->weights, &tets->allocator, 8 * vertices, error);
    for (size_t i = 0; i < vertices; ++i) {
        const double *X = tets->elements.rest + 3 * (size_t)tets->outside[i];
        weigh(lattice, X, c->nodes + 8 * i, c->full + 8 * i);
        for (size_t k = 0; k < 8; ++k) {
            number[c->nodes[8 * i + k]] = 1;
        }
    }
    for (size_t n = 0; n < places; ++n) {
        number[n] = number[n] != 0 ? c->count++ : 0;
    }
    for (size_t i = 0; i < 8 * vertices; ++i) {
        c->nodes[i] = 4 * number[c->nodes[i]];
    }
done:
    sn_free(&tets->allocator, number);
    return status;
}

SinewStatus sn_tetmg_coarse_list_members(SnTetmg *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgCoarse *c = &body->coarse;
    int count = 8 * body->tets.elements.vertex_count;
    sn_free(&body->tets.allocator, c->start);
    sn_free(&body->tets.allocator, c->members);
    c->start = c->members = NULL;
    SN_ALLOC_ZERO(c->start, &body->tets.allocator, c->count + 1, error);
    SN_ALLOC_FILLED(c->members, &body->tets.allocator, count, error);
    for (int i = 0; i < count; ++i) {
        c->start[c->nodes[i] / 4 + 1] += 1;
    }
    for (int n = 0; n < c->count; ++n) {
        c->start[n + 1] += c->start[n];
    }
    for (int i = 0; i < count; ++i) {
        c->members[c->start[c->nodes[i] / 4]++] = i;
    }
    // Filling moved each start to its end.
    memmove(c->start + 1, c->start, (size_t)c->count * sizeof *c->start);
    c->start[0] = 0;
done:
    return status;
}

SinewStatus sn_tetmg_parts_create(const SnTetmg *body, SnTetmgParts *parts, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t vertices = (size_t)body->tets.elements.vertex_count;
    SN_ALLOC(parts->member, &body->tets.allocator, vertices, error);
    SN_ALLOC(parts->queue, &body->tets.allocator, vertices, error);
    memset(parts->member, 0xff, vertices * sizeof *parts->member);
done:
    return status;
}

void sn_tetmg_parts_release(const SnTetmg *body, SnTetmgParts *parts)
{
    sn_free(&body->tets.allocator, parts->member);
    sn_free(&body->tets.allocator, parts->queue);
}

// Of the part of a node's members that `first` is in: joined by edges between members. Takes them
// out of `parts->member`; returns how many.
static int find_part(const SnTetmg *body, SnTetmgParts *parts, int first)
{
    const SnSplit *tets = &body->tets;
    int count = 1;
    parts->queue[0] = first;
    parts->member[first / 8] = -1;
    for (int i = 0; i < count; ++i) {
        int v = tets->outside[parts->queue[i] / 8];
        for (int e = tets->pattern.row_start[v]; e < tets->pattern.row_start[v + 1]; ++e) {
            int other = tets->inside[tets->pattern.column[e]];
            if (parts->member[other] >= 0) {
                parts->queue[count++] = parts->member[other];
                parts->member[other] = -1;
            }
        }
    }
    return count;
}

int sn_tetmg_coarse_part_node(SnTetmg *body, SnTetmgParts *parts, int node, int first, int next)
{
    SnTetmgCoarse *c = &body->coarse;
    int number = first;
    for (int m = c->start[node]; m < c->start[node + 1]; ++m) {
        parts->member[c->members[m] / 8] = c->members[m];
    }
    for (int m = c->start[node]; m < c->start[node + 1]; ++m) {
        if (parts->member[c->members[m] / 8] >= 0) {
            int size = find_part(body, parts, c->members[m]);
            for (int i = 0; i < size; ++i) {
                c->nodes[parts->queue[i]] = 4 * number;
            }
            number = next++;
        }
    }
    return next - 1;
}

// A node for each part of its members.
static SinewStatus part_nodes(SnTetmg *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgParts parts = {0};
    int count = 0;
    SN_TRY(sn_tetmg_parts_create(body, &parts, error));
    for (int n = 0; n < body->coarse.count; ++n) {
        count = sn_tetmg_coarse_part_node(body, &parts, n, count, count + 1);
    }
    body->coarse.count = count;
done:
    sn_tetmg_parts_release(body, &parts);
    return status;
}

// Some members of each node, evenly out of their list, and a tet of each.
static SinewStatus list_samples(SnTetmg *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgCoarse *c = &body->coarse;
    const SnSplit *tets = &body->tets;
    int *lane_of = NULL; // a vertex inside: the last of its tets
    int filled = 0;

    SN_ALLOC_ZERO(lane_of, &tets->allocator, tets->elements.vertex_count, error);
    SN_ALLOC(c->sample_start, &tets->allocator, c->count + 1, error);
    SN_ALLOC(c->samples, &tets->allocator, (size_t)c->count * SAMPLES_MAX, error);
    SN_ALLOC(c->sample_size, &tets->allocator, (size_t)c->count * SAMPLES_MAX, error);
    for (int lane = 0; lane < tets->blocks.count * SN_TET_BLOCK; ++lane) {
        int tet = tets->blocks.tets[lane];
        for (int a = 0; a < 4 && tet >= 0; ++a) {
            lane_of[tets->inside[tets->elements.vertices[4 * tet + a]]] = lane;
        }
    }
    for (int n = 0; n < c->count; ++n) {
        int members = c->start[n + 1] - c->start[n];
        int stride = (members + SAMPLES_MAX - 1) / SAMPLES_MAX;
        c->sample_start[n] = filled;
        for (int m = c->start[n]; m < c->start[n + 1]; m += stride) {
            int lane = lane_of[c->members[m] / 8];
            c->samples[filled] = (lane / SN_TET_BLOCK) * 4 * SN_TET_BLOCK + lane % SN_TET_BLOCK;
            c->sample_size[filled++] = (float)c->full[c->members[m]] + 1e-3f;
        }
    }
    c->sample_start[c->count] = filled;
done:
    sn_free(&tets->allocator, lane_of);
    return status;
}

// Making -----------------------------------------------------------------------------------------

SinewStatus sn_tetmg_coarse_create(SnTetmg *body, const SnTetmgCutFrom *from, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmgCoarse *c = &body->coarse;
    const SinewAllocator *allocator = &body->tets.allocator;

    if (body->tets.elements.vertex_count < VERTICES_LEAST) {
        return SINEW_OK;
    }
    if (from != NULL && from->body->coarse.count > 0) {
        SN_TRY(sn_tetmg_coarse_carry(body, from, error));
    } else {
        Lattice lattice = find_lattice(body);
        SN_TRY(number_nodes(body, &lattice, error));
        SN_TRY(sn_tetmg_coarse_list_members(body, error));
        SN_TRY(part_nodes(body, error));
        SN_TRY(sn_tetmg_coarse_list_members(body, error));
        SN_ALLOC(c->root, allocator, c->count, error);
        for (int n = 0; n < c->count; ++n) {
            c->root[n] = n;
        }
        SN_TRY(sn_tetmg_coarse_find_pattern(body, NULL, error));
        SN_TRY(sn_tetmg_coarse_analyse(body, NULL, error));
    }
    SN_TRY(list_samples(body, error));
    SN_ALLOC(c->turns, allocator, 12 * (size_t)c->count, error);
    SN_ALLOC(c->right, allocator, 3 * (size_t)c->count, error);
    SN_ALLOC(c->moves, allocator, 4 * (size_t)c->count, error);
done:
    return status;
}

void sn_tetmg_coarse_release(SnTetmg *body)
{
    SnTetmgCoarse *c = &body->coarse;
    void *const arrays[] = {c->nodes,   c->full,         c->weights,     c->start, c->members,
                            c->samples, c->sample_start, c->sample_size, c->turns, c->right,
                            c->moves,   c->row_start,    c->column,      c->value, c->plain,
                            c->carried, c->root};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(&body->tets.allocator, arrays[i]);
    }
    sn_cholesky_work_destroy(c->work);
    sn_cholesky_destroy(c->cholesky);
}

void sn_tetmg_coarse_hold(SnTetmg *body)
{
    SnTetmgCoarse *c = &body->coarse;
    for (int i = 0; i < body->tets.elements.vertex_count && c->count > 0; ++i) {
        bool held = body->tets.pins.set.held[body->tets.outside[i]] == 7;
        for (size_t k = 8 * (size_t)i; k < 8 * (size_t)i + 8; ++k) {
            c->weights[k] = held ? 0.0f : (float)c->full[k];
        }
    }
}

// In a step --------------------------------------------------------------------------------------

// The mean of a node's samples, each on the side of the first, as a matrix.
static void turn_node(SnTetmg *body, int node)
{
    SnTetmgCoarse *c = &body->coarse;
    const float *rotations = body->tets.state.rotations;
    const float *first = rotations + c->samples[c->sample_start[node]];
    float q[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    for (int s = c->sample_start[node]; s < c->sample_start[node + 1]; ++s) {
        const float *other = rotations + c->samples[s];
        float side = (first[0] * other[0] + first[16] * other[16]) +
                     (first[32] * other[32] + first[48] * other[48]);
        float weight = side < 0.0f ? -c->sample_size[s] : c->sample_size[s];
        for (int k = 0; k < 4; ++k) {
            q[k] += weight * other[16 * k];
        }
    }
    float norm2 = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
    float two = norm2 > 0.0f ? 2.0f / norm2 : 0.0f; // no mean: no turn
    float x2 = q[0] * two, y2 = q[1] * two, z2 = q[2] * two;
    const float R[12] = {1.0f - (q[1] * y2 + q[2] * z2), q[0] * y2 - q[3] * z2,
                         q[0] * z2 + q[3] * y2,          0.0f,
                         q[0] * y2 + q[3] * z2,          1.0f - (q[0] * x2 + q[2] * z2),
                         q[1] * z2 - q[3] * x2,          0.0f,
                         q[0] * z2 - q[3] * y2,          q[1] * z2 + q[3] * x2,
                         1.0f - (q[0] * x2 + q[1] * y2), 0.0f};
    memcpy(c->turns + 12 * (size_t)node, R, sizeof R);
}

typedef struct Job {
    SnTetmg *body;
    const SnNodeBlend *blend;
    SnNodeBlendFn *fn;
} Job;

static void turn_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    for (int n = begin; n < end; ++n) {
        turn_node(job->body, n);
    }
}

static void blend_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->fn(job->blend, begin, end);
}

static SnTetmg *body_of(const SnSplitProblem *problem)
{
    return (SnTetmg *)(void *)problem->body; // its first member
}

void sn_tetmg_coarse_turn(const SnSplitProblem *problem)
{
    Job job = {.body = body_of(problem)};
    sn_parallel_for(problem->workers, job.body->coarse.count, NODE_GRAIN, turn_range, &job);
}

SinewStatus sn_tetmg_coarse_correct(const SnSplitProblem *problem, const float *residual, float *z,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetmg *body = body_of(problem);
    SnTetmgCoarse *c = &body->coarse;
    const SnNodeKernels *kernels = body->tets.kernels->node;
    SnNodeBlend blend = {.nodes = c->nodes,
                         .weights = c->weights,
                         .start = c->start,
                         .members = c->members,
                         .turns = c->turns,
                         .residual = residual,
                         .right = c->right,
                         .moves = c->moves,
                         .free = body->tets.room.free,
                         .z = z};
    Job job = {.blend = &blend, .fn = kernels->gather};
    if (c->count == 0) {
        return SINEW_OK;
    }
    sn_parallel_for(problem->workers, c->count, NODE_GRAIN, blend_range, &job);
    SN_TRY(sn_cholesky_solve_float(c->cholesky, c->work, problem->workers, c->right, error));
    if (problem->step->contacts != NULL) {
        sn_tetmg_coarse_contact_correct(body, c->right);
    }
    job.fn = kernels->turn;
    sn_parallel_for(problem->workers, c->count, NODE_GRAIN, blend_range, &job);
    job.fn = kernels->spread;
    sn_parallel_for(problem->workers, body->tets.elements.vertex_count, VERTEX_GRAIN, blend_range,
                    &job);
done:
    return status;
}
