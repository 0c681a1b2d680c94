#include "model/split/clusters.h"

#include "model/split/woodbury.h"

#include <math.h>
#include <string.h>

enum {
    VERTICES_LEAST = 12, // per cluster: fewer cannot hold an affine frame apart from its neighbours
    VERTICES_MEAN = 48, // per cluster of small bodies: smaller ones save no iteration and cost much
    CLUSTERS_FEW = 8,   // of bodies however small: a slender one then bends as it should
    SAMPLES_MAX = 64,   // tets whose rotations make that of a cluster
    GROUP_GRAIN = 64,   // groups of vertices a range
    CLUSTER_GRAIN = 4
};

// Distances ---------------------------------------------------------------------------------------

// A heap of vertices by distance, for Dijkstra's search along edges.
typedef struct Search {
    const SnSplit *body;
    double *distance; // m, a vertex outside
    int *heap;        // vertices
    int *place;       // a vertex: where in the heap, -1 outside it
    int count;
} Search;

static bool before(const Search *s, int a, int b)
{
    double to_a = s->distance[a], to_b = s->distance[b];
    return to_a < to_b || (to_a == to_b && a < b);
}

static void put(Search *s, int at, int vertex)
{
    s->heap[at] = vertex;
    s->place[vertex] = at;
}

static void rise(Search *s, int vertex)
{
    int at = s->place[vertex];
    while (at > 0 && before(s, vertex, s->heap[(at - 1) / 2])) {
        put(s, at, s->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(s, at, vertex);
}

static int take_first(Search *s)
{
    int first = s->heap[0];
    int moved = s->heap[--s->count];
    int at = 0;
    s->place[first] = -1;
    while (s->count > 0) {
        int child = 2 * at + 1;
        if (child + 1 < s->count && before(s, s->heap[child + 1], s->heap[child])) {
            child += 1;
        }
        if (child >= s->count || !before(s, s->heap[child], moved)) {
            put(s, at, moved);
            break;
        }
        put(s, at, s->heap[child]);
        at = child;
    }
    return first;
}

static double edge_length(const SnSplit *body, int a, int b)
{
    const double *p = body->elements.rest + 3 * (size_t)a;
    const double *q = body->elements.rest + 3 * (size_t)b;
    double d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

// Distances of all vertices from `seed` along edges; INFINITY where there is no way.
static void measure_from(Search *s, int seed)
{
    const SnNewtonPattern *pattern = &s->body->pattern;
    for (int v = 0; v < pattern->count; ++v) {
        s->distance[v] = INFINITY;
        s->place[v] = -1;
    }
    s->distance[seed] = 0.0;
    s->count = 1;
    put(s, 0, seed);
    while (s->count > 0) {
        int v = take_first(s);
        for (int i = pattern->row_start[v]; i < pattern->row_start[v + 1]; ++i) {
            int other = pattern->column[i];
            double way = s->distance[v] + edge_length(s->body, v, other);
            if (way < s->distance[other]) {
                s->distance[other] = way;
                if (s->place[other] < 0) {
                    put(s, s->count++, other);
                }
                rise(s, other);
            }
        }
    }
}

// Clusters ----------------------------------------------------------------------------------------

enum { NEAREST = SN_COARSE_CLUSTERS + 1 };

// The five nearest seeds of a vertex so far, nearest first.
typedef struct Near {
    int seeds[NEAREST];
    double distances[NEAREST];
} Near;

static void add_seed(Near *near, int seed, double distance)
{
    int k = NEAREST;
    while (k > 0 && distance < near->distances[k - 1]) {
        k -= 1;
        if (k + 1 < NEAREST) {
            near->seeds[k + 1] = near->seeds[k];
            near->distances[k + 1] = near->distances[k];
        }
        near->seeds[k] = seed;
        near->distances[k] = distance;
    }
}

// Each seed is the vertex farthest from those before; the first is outermost along x.
static void find_seeds(SnSplit *body, Search *search, Near *near, double *closest, int *seeds)
{
    int vertex_count = body->elements.vertex_count;
    int next = 0;
    for (int v = 0; v < vertex_count; ++v) {
        closest[v] = INFINITY;
        next =
            body->elements.rest[3 * (size_t)v] < body->elements.rest[3 * (size_t)next] ? v : next;
        for (int k = 0; k < NEAREST; ++k) {
            near[v].seeds[k] = -1;
            near[v].distances[k] = INFINITY;
        }
    }
    for (int c = 0; c < body->clusters.count; ++c) {
        seeds[c] = next;
        measure_from(search, next);
        for (int v = 0; v < vertex_count; ++v) {
            add_seed(&near[v], c, search->distance[v]);
            closest[v] = fmin(closest[v], search->distance[v]);
        }
        next = 0;
        for (int v = 1; v < vertex_count; ++v) {
            next = closest[v] > closest[next] ? v : next;
        }
    }
}

// w ~ (1 - d / d_5)^2, their sum one; basis w (1, X - X_c).
static void weigh_vertex(SnSplit *body, int outside, const Near *near, const int *seeds)
{
    size_t v = (size_t)body->inside[outside];
    int *clusters = body->clusters.clusters + SN_COARSE_CLUSTERS * v;
    float *basis = body->clusters.weights + 16 * v;
    double reach = near->distances[SN_COARSE_CLUSTERS];
    double w[SN_COARSE_CLUSTERS];
    double sum = 0.0;
    for (int k = 0; k < SN_COARSE_CLUSTERS; ++k) {
        double share = isfinite(reach) ? 1.0 - near->distances[k] / reach : 1.0;
        w[k] = near->seeds[k] >= 0 && isfinite(near->distances[k]) ? share * share : 0.0;
        clusters[k] = near->seeds[k] >= 0 ? near->seeds[k] : 0;
        sum += w[k];
    }
    for (int k = 0; k < SN_COARSE_CLUSTERS; ++k) {
        const double *X = body->elements.rest + 3 * (size_t)outside;
        const double *seed = body->elements.rest + 3 * (size_t)seeds[clusters[k]];
        double weight = sum > 0.0 ? w[k] / sum : 0.0;
        basis[4 * k] = (float)weight;
        for (int i = 0; i < 3; ++i) {
            basis[4 * k + 1 + i] = (float)(weight * (X[i] - seed[i]));
        }
    }
}

// Vertices and clusters from the middle of all vertices, and clusters by lane. Held vertices keep
// their shares: their residual is zero, and what they are given is taken away again.
static void place_all(SnSplit *body, const int *seeds)
{
    SnSplitClusters *c = &body->clusters;
    const double *rest = body->elements.rest;
    size_t count = (size_t)body->elements.vertex_count;
    double middle[3] = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < 3 * count; ++i) {
        middle[i % 3] += rest[i] / (double)count;
    }
    for (size_t i = 0; i < count; ++i) {
        const double *X = rest + 3 * (size_t)body->outside[i];
        size_t at = 4 * SN_COARSE_GROUP * (i / SN_COARSE_GROUP) + i % SN_COARSE_GROUP;
        c->place[4 * i] = 1.0f;
        for (size_t k = 0; k < 3; ++k) {
            c->place[4 * i + 1 + k] = (float)(X[k] - middle[k]);
        }
        for (size_t k = 0; k < SN_COARSE_CLUSTERS; ++k) {
            c->lane_clusters[at + k * SN_COARSE_GROUP] =
                4 * c->clusters[SN_COARSE_CLUSTERS * i + k];
            c->shares[at + k * SN_COARSE_GROUP] = c->weights[16 * i + 4 * k];
        }
    }
    for (size_t i = 0; i < 3 * (size_t)c->count; ++i) {
        c->center[i] = (float)(rest[3 * (size_t)seeds[i / 3] + i % 3] - middle[i % 3]);
    }
}

static void list_members(SnSplit *body)
{
    SnSplitClusters *c = &body->clusters;
    int count = SN_COARSE_CLUSTERS * body->elements.vertex_count;
    memset(c->start, 0, ((size_t)c->count + 1) * sizeof *c->start);
    for (int i = 0; i < count; ++i) {
        c->start[c->clusters[i] + 1] += 1;
    }
    for (int k = 0; k < c->count; ++k) {
        c->start[k + 1] += c->start[k];
    }
    for (int i = 0; i < count; ++i) {
        int m = c->start[c->clusters[i]]++;
        c->members[m] = i;
        c->member_shares[m] = c->weights[4 * (size_t)i];
    }
    memmove(c->start + 1, c->start, (size_t)c->count * sizeof *c->start);
    c->start[0] = 0;
}

// The cluster nearest to a tet's first corner.
static int cluster_of(const SnSplit *body, int tet)
{
    int corner = body->inside[body->elements.vertices[4 * (size_t)tet]];
    return body->clusters.clusters[SN_COARSE_CLUSTERS * corner];
}

// Tets nearest to a cluster's seed, thinned to SAMPLES_MAX of them: the mean of so many rotations
// hardly differs from that of all, and costs a tenth.
static void list_samples(SnSplit *body, int *counts)
{
    SnSplitClusters *c = &body->clusters;
    int lanes = body->blocks.count * SN_TET_BLOCK;
    int filled = 0;
    memset(counts, 0, (size_t)c->count * sizeof *counts);
    for (int lane = 0; lane < lanes; ++lane) {
        if (body->blocks.tets[lane] >= 0) {
            counts[cluster_of(body, body->blocks.tets[lane])] += 1;
        }
    }
    for (int k = 0; k < c->count; ++k) {
        int stride = counts[k] / SAMPLES_MAX + 1;
        int seen = 0;
        c->sample_start[k] = filled;
        for (int lane = 0; lane < lanes && seen < counts[k]; ++lane) {
            int tet = body->blocks.tets[lane];
            if (tet >= 0 && cluster_of(body, tet) == k && seen++ % stride == 0) {
                c->sample_size[filled] = (float)body->elements.weights[tet];
                c->samples[filled++] = (lane / 16) * 64 + lane % 16;
            }
        }
    }
    c->sample_start[c->count] = filled;
}

static SinewStatus allocate(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitClusters *c = &body->clusters;
    const SinewAllocator *allocator = &body->allocator;
    size_t vertices = (size_t)body->elements.vertex_count;
    size_t count = (size_t)c->count;
    size_t lanes = sn_round_up(vertices, SN_COARSE_GROUP); // with those beyond the last vertex
    SN_ALLOC(c->clusters, allocator, SN_COARSE_CLUSTERS * vertices, error);
    SN_ALLOC(c->weights, allocator, 16 * vertices, error);
    SN_ALLOC(c->members, allocator, SN_COARSE_CLUSTERS * vertices, error);
    SN_ALLOC(c->start, allocator, count + 1, error);
    SN_ALLOC(c->sample_start, allocator, count + 1, error);
    SN_ALLOC(c->samples, allocator, count * (SAMPLES_MAX + 1), error);
    SN_ALLOC(c->sample_size, allocator, count * (SAMPLES_MAX + 1), error);
    SN_ALLOC(c->center, allocator, 3 * count, error);
    SN_ALLOC(c->member_shares, allocator, SN_COARSE_CLUSTERS * vertices, error);
    SN_ALLOC_ZERO(c->lane_clusters, allocator, SN_COARSE_CLUSTERS * lanes, error);
    SN_ALLOC_ZERO(c->shares, allocator, SN_COARSE_CLUSTERS * lanes, error);
    SN_ALLOC_ZERO(c->place, allocator, 4 * lanes, error);
done:
    return status;
}

// How many clusters a body has, of those asked for.
static int count_clusters(int vertices, int asked)
{
    int mean = vertices / VERTICES_MEAN, most = vertices / VERTICES_LEAST;
    int count = mean > CLUSTERS_FEW ? mean : CLUSTERS_FEW;
    count = count < most ? count : most;
    return count < asked ? count : asked;
}

SinewStatus sn_split_clusters_create(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    SnSplitClusters *c = &body->clusters;
    int vertices = body->elements.vertex_count;
    Search search = {.body = body};
    Near *near = NULL;
    double *closest = NULL;
    int *seeds = NULL;

    c->count = count_clusters(vertices, body->options.clusters);
    if (c->count == 0) {
        return SINEW_OK;
    }
    c->row_count = (int)sn_round_up((size_t)c->count * SN_COARSE_FRAME, SN_COARSE_ROWS);
    SN_TRY(allocate(body, error));
    SN_ALLOC(search.distance, allocator, vertices, error);
    SN_ALLOC(search.heap, allocator, vertices, error);
    SN_ALLOC(search.place, allocator, vertices, error);
    SN_ALLOC(near, allocator, vertices, error);
    SN_ALLOC(closest, allocator, vertices, error);
    SN_ALLOC(seeds, allocator, c->count, error);
    find_seeds(body, &search, near, closest, seeds);
    for (int v = 0; v < vertices; ++v) {
        weigh_vertex(body, v, &near[v], seeds);
    }
    place_all(body, seeds);
    list_members(body);
    list_samples(body, seeds);

done:
    sn_free(allocator, search.distance);
    sn_free(allocator, search.heap);
    sn_free(allocator, search.place);
    sn_free(allocator, near);
    sn_free(allocator, closest);
    sn_free(allocator, seeds);
    return status;
}

void sn_split_clusters_release(SnSplit *body)
{
    SnSplitClusters *c = &body->clusters;
    void *const arrays[] = {c->clusters,      c->weights,       c->start,   c->members,
                            c->center,        c->sample_start,  c->samples, c->sample_size,
                            c->member_shares, c->lane_clusters, c->shares,  c->place};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(&body->allocator, arrays[i]);
    }
}

SinewStatus sn_split_clusters_room_create(SnSplit *body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitClusters *c = &body->clusters;
    const SinewAllocator *allocator = &body->allocator;
    size_t lanes = sn_round_up((size_t)body->elements.vertex_count, SN_COARSE_GROUP);
    size_t rows = (size_t)c->row_count;
    if (c->count == 0) {
        return SINEW_OK;
    }
    SN_ALLOC(c->rotations, allocator, 4 * (size_t)c->count, error);
    SN_ALLOC_ZERO(c->turns, allocator, 4 * lanes, error);
    SN_ALLOC(c->turned, allocator, SN_COARSE_COLUMNS * lanes, error);
    SN_ALLOC(c->sums, allocator, SN_COARSE_COLUMNS * (size_t)c->count, error);
    SN_ALLOC(c->columns, allocator, SN_COARSE_COLUMNS * (size_t)c->count, error);
    SN_ALLOC_ZERO(c->right, allocator, rows, error);
    SN_ALLOC(c->frames, allocator, rows, error);
done:
    return status;
}

void sn_split_clusters_room_release(SnSplit *body)
{
    SnSplitClusters *c = &body->clusters;
    void *const arrays[] = {c->rotations, c->turns, c->turned, c->sums,
                            c->columns,   c->right, c->frames};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(&body->allocator, arrays[i]);
    }
}

void sn_split_clusters_hold(const SnSplit *body, const unsigned char *whole, float *out_basis)
{
    const SnSplitClusters *c = &body->clusters;
    for (int i = 0; i < body->elements.vertex_count && c->count > 0; ++i) {
        size_t at = 16 * (size_t)i;
        bool held = whole[body->outside[i]] != 0;
        for (size_t k = 0; k < 16; ++k) {
            out_basis[at + k] = held ? 0.0f : c->weights[at + k];
        }
    }
}

// In a step --------------------------------------------------------------------------------------

// The mean of a cluster's samples, each on the side of the first.
static void turn_cluster(SnSplit *body, int cluster)
{
    SnSplitClusters *c = &body->clusters;
    const float *rotations = body->state.rotations;
    float *out = c->rotations + 4 * (size_t)cluster;
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    float first[4] = {0.0f, 0.0f, 0.0f, 1.0f};
    for (int s = c->sample_start[cluster]; s < c->sample_start[cluster + 1]; ++s) {
        const float *q = rotations + c->samples[s];
        float side = 0.0f;
        for (int k = 0; k < 4; ++k) {
            first[k] = s == c->sample_start[cluster] ? q[16 * k] : first[k];
            side += first[k] * q[16 * k];
        }
        float weight = side < 0.0f ? -c->sample_size[s] : c->sample_size[s];
        for (int k = 0; k < 4; ++k) {
            sum[k] += weight * q[16 * k];
        }
    }
    float norm2 = (sum[0] * sum[0] + sum[1] * sum[1]) + (sum[2] * sum[2] + sum[3] * sum[3]);
    bool any = norm2 > 1e-30f;
    float scale = any ? 1.0f / sqrtf(norm2) : 0.0f;
    for (int k = 0; k < 4; ++k) {
        out[k] = any ? sum[k] * scale : first[k];
    }
}

static SnCoarse coarse_of(SnSplit *body, const float *residual, float *z)
{
    SnSplitClusters *c = &body->clusters;
    return (SnCoarse){.vertex_count = body->elements.vertex_count,
                      .row_count = c->row_count,
                      .clusters = c->lane_clusters,
                      .shares = c->shares,
                      .place = c->place,
                      .start = c->start,
                      .members = c->members,
                      .member_shares = c->member_shares,
                      .inverse = c->inverse,
                      .rotations = c->rotations,
                      .turns = c->turns,
                      .residual = residual,
                      .turned = c->turned,
                      .sums = c->sums,
                      .right = c->right,
                      .frames = c->frames,
                      .columns = c->columns,
                      .free = body->room.free,
                      .z = z};
}

// The right side of the matrix, about the clusters' middles, from sums about the body's.
static void fold(SnSplitClusters *c)
{
    for (int i = 0; i < c->count; ++i) {
        const float *sums = c->sums + SN_COARSE_COLUMNS * i;
        for (int k = 0; k < SN_COARSE_FRAME; ++k) {
            int axis = k / 4, b = k % 4;
            float sum = sums[4 * b + axis];
            c->right[SN_COARSE_FRAME * i + k] =
                b > 0 ? sum - c->center[3 * i + b - 1] * sums[axis] : sum;
        }
    }
}

// Frames about the body's middle from those about the clusters': the transpose.
static void unfold(SnSplitClusters *c)
{
    for (int i = 0; i < c->count; ++i) {
        float *columns = c->columns + SN_COARSE_COLUMNS * i;
        memset(columns, 0, SN_COARSE_COLUMNS * sizeof *columns);
        for (int axis = 0; axis < 3; ++axis) {
            const float *row = c->frames + SN_COARSE_FRAME * i + 4 * axis;
            columns[axis] = row[0];
            for (int b = 1; b < 4; ++b) {
                columns[4 * b + axis] = row[b];
                columns[axis] -= c->center[3 * i + b - 1] * row[b];
            }
        }
    }
}

typedef struct Job {
    SnSplit *body;
    const SnCoarse *coarse;
    SnCoarseFn *fn;
} Job;

static void coarse_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    job->fn(job->coarse, begin, end);
}

static void turn_range(void *context, int begin, int end, int worker)
{
    const Job *job = context;
    (void)worker;
    for (int c = begin; c < end; ++c) {
        turn_cluster(job->body, c);
    }
}

static int group_count(const SnSplit *body)
{
    return (body->elements.vertex_count + SN_COARSE_GROUP - 1) / SN_COARSE_GROUP;
}

void sn_split_clusters_turn(SnSplit *body, SnWorkers *workers)
{
    if (body->clusters.count == 0) {
        return;
    }
    SnCoarse coarse = coarse_of(body, NULL, NULL);
    Job job = {body, &coarse, body->kernels->coarse->blend};
    sn_parallel_for(workers, body->clusters.count, CLUSTER_GRAIN, turn_range, &job);
    sn_parallel_for(workers, group_count(body), GROUP_GRAIN, coarse_range, &job);
}

void sn_split_clusters_correct(SnSplit *body, SnWorkers *workers, const float *residual, float *z)
{
    if (body->clusters.count == 0) {
        return;
    }
    const SnCoarseKernels *kernels = body->kernels->coarse;
    SnCoarse coarse = coarse_of(body, residual, z);
    int groups = group_count(body);
    Job turn = {body, &coarse, kernels->turn};
    Job gather = {body, &coarse, kernels->gather};
    Job solve = {body, &coarse, kernels->solve};
    Job spread = {body, &coarse, kernels->spread};
    sn_parallel_for(workers, groups, GROUP_GRAIN, coarse_range, &turn);
    sn_parallel_for(workers, body->clusters.count, CLUSTER_GRAIN, coarse_range, &gather);
    fold(&body->clusters);
    sn_parallel_for(workers, coarse.row_count / SN_COARSE_ROWS, 1, coarse_range, &solve);
    sn_woodbury_coarse_correct(body);
    unfold(&body->clusters);
    sn_parallel_for(workers, groups, GROUP_GRAIN, coarse_range, &spread);
}
