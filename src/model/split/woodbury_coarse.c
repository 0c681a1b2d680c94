// The coarse space's part of contact, see woodbury.h.
#include "model/split/woodbury.h"

#include <math.h>
#include <string.h>

enum { FRAME = SN_COARSE_FRAME, NEAR = SN_COARSE_CLUSTERS, CLUSTERS_MAX = 40 };

// Added to the diagonal of P, as a share of it: so its inverse is never too large, and the
// preconditioner stays definite.
#define REGULARISE 1e-5

SinewStatus sn_woodbury_coarse_reserve(SnSplit *body, SnWoodbury *woodbury, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    SnWoodburyCoarse *c = &woodbury->coarse;
    size_t entries = (size_t)woodbury->columns.capacity + 4 * SN_WOODBURY_TIES;
    if (body->clusters.count == 0) {
        return SINEW_OK;
    }
    c->cluster_max = body->clusters.count < CLUSTERS_MAX ? body->clusters.count : CLUSTERS_MAX;
    int rows = FRAME * c->cluster_max;
    size_t stride = sn_split_triangle_stride(rows);
    SN_ALLOC(c->clusters, allocator, c->cluster_max, error);
    SN_ALLOC(c->known, allocator, c->cluster_max, error);
    SN_ALLOC(c->place, allocator, body->clusters.count, error);
    SN_ALLOC(c->basis, allocator, 16 * entries, error);
    SN_ALLOC(c->entry_clusters, allocator, NEAR * entries, error);
    SN_ALLOC(c->turns, allocator, 9 * entries, error);
    SN_ALLOC(c->schur, allocator, stride * stride, error);
    SN_ALLOC(c->factor.values, allocator, stride * stride, error);
    SN_ALLOC(c->gathered, allocator, stride, error);
    SN_ALLOC(c->moved, allocator, stride, error);
done:
    return status;
}

void sn_woodbury_coarse_release(SnWoodbury *woodbury, const SinewAllocator *allocator)
{
    SnWoodburyCoarse *c = &woodbury->coarse;
    void *const arrays[] = {c->clusters, c->known, c->place,          c->basis,
                            c->turns,    c->schur, c->entry_clusters, c->factor.values,
                            c->gathered, c->moved};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(allocator, arrays[i]);
    }
}

// The clusters that an entry's vertex follows; new ones are added to those that are touched.
static void list_entry(const SnSplit *body, SnWoodbury *w, size_t entry)
{
    SnWoodburyCoarse *c = &w->coarse;
    const SnSplitClusters *clusters = &body->clusters;
    size_t v = (size_t)w->vertices[w->entry_vertex[entry]];
    for (size_t k = 0; k < 4 * NEAR; ++k) {
        c->basis[16 * entry + k] = w->entry_weight[entry] * clusters->basis[16 * v + k];
    }
    for (size_t k = 0; k < NEAR; ++k) {
        int cluster = clusters->clusters[NEAR * v + k];
        bool follows = clusters->basis[16 * v + 4 * k] != 0.0f;
        if (follows && c->place[cluster] < 0 && c->cluster_count < c->cluster_max) {
            c->place[cluster] = c->cluster_count;
            c->clusters[c->cluster_count++] = cluster;
        }
        c->entry_clusters[NEAR * entry + k] = follows ? c->place[cluster] : -1;
    }
}

// The rotation of vertex v, from its quaternion times the square root of two.
static void rotation_of(const SnSplit *body, size_t v, float R[9])
{
    const float *q =
        body->clusters.turns + 4 * SN_COARSE_GROUP * (v / SN_COARSE_GROUP) + v % SN_COARSE_GROUP;
    float x = q[0], y = q[SN_COARSE_GROUP], z = q[2 * SN_COARSE_GROUP];
    float s = q[3 * SN_COARSE_GROUP];
    const float turn[9] = {1.0f - y * y - z * z, x * y - s * z,        x * z + s * y,
                           x * y + s * z,        1.0f - x * x - z * z, y * z - s * x,
                           x * z - s * y,        y * z + s * x,        1.0f - x * x - y * y};
    memcpy(R, turn, sizeof turn);
}

static void list_clusters(const SnSplit *body, SnWoodbury *w)
{
    SnWoodburyCoarse *c = &w->coarse;
    c->cluster_count = 0;
    for (int k = 0; k < body->clusters.count; ++k) {
        c->place[k] = -1;
    }
    for (size_t i = 0; i < (size_t)w->entry_count; ++i) {
        list_entry(body, w, i);
        rotation_of(body, (size_t)w->vertices[w->entry_vertex[i]], c->turns + 9 * i);
    }
}

// P, scaled to a unit diagonal, in the lower triangle of `matrix`.
static void fill_compliance(const SnSplit *body, const SnWoodburyCoarse *c, double *matrix)
{
    int count = FRAME * c->cluster_count;
    size_t stride = sn_split_triangle_stride(count);
    size_t rows = (size_t)body->clusters.row_count;
    for (int j = 0; j < count; ++j) {
        size_t column = (size_t)(FRAME * c->clusters[j / FRAME] + j % FRAME);
        for (int i = j; i < count; ++i) {
            size_t row = (size_t)(FRAME * c->clusters[i / FRAME] + i % FRAME);
            size_t block = row / SN_COARSE_ROWS;
            matrix[(size_t)i + (size_t)j * stride] =
                (double)body->clusters
                    .inverse[(block * rows + column) * SN_COARSE_ROWS + row % SN_COARSE_ROWS];
        }
    }
}

// schur = P^-1. False: P is not definite.
static bool invert_compliance(SnSplit *body, SnWoodbury *w)
{
    SnWoodburyCoarse *c = &w->coarse;
    const SnDenseKernels *dense = body->kernels->dense;
    int count = FRAME * c->cluster_count;
    size_t stride = sn_split_triangle_stride(count);
    double *P = w->work[0], *W = w->work[1];
    fill_compliance(body, c, P);
    for (size_t i = 0; i < (size_t)count; ++i) {
        // Rows that nothing follows stand alone.
        double d = P[i + i * stride];
        c->moved[i] = d > 0.0 ? (float)(1.0 / sqrt(d)) : 0.0f;
    }
    for (size_t j = 0; j < (size_t)count; ++j) {
        for (size_t i = j; i < (size_t)count; ++i) {
            P[i + j * stride] *= (double)c->moved[i] * (double)c->moved[j];
        }
        P[j + j * stride] = 1.0 + REGULARISE;
    }
    if (dense->cholesky(count, P, (int)stride) >= 0) {
        return false;
    }
    dense->invert(count, P, (int)stride, W, (int)stride);
    SnDenseProduct product = {.rows = count,
                              .columns = count,
                              .depth = count,
                              .A = W,
                              .lda = (int)stride,
                              .B = W,
                              .ldb = (int)stride,
                              .C = P,
                              .ldc = (int)stride};
    dense->multiply(&product);
    for (size_t j = 0; j < (size_t)count; ++j) {
        for (size_t i = 0; i < (size_t)count; ++i) {
            c->schur[i + j * stride] =
                (float)(P[i + j * stride] * (double)c->moved[i] * (double)c->moved[j]);
        }
        c->schur[j + j * stride] = c->moved[j] > 0.0f ? c->schur[j + j * stride] : 1.0f;
    }
    return true;
}

static bool knows(const SnWoodburyCoarse *c)
{
    return c->known_count == c->cluster_count &&
           memcmp(c->known, c->clusters, (size_t)c->cluster_count * sizeof *c->known) == 0;
}

// out = R^T K S, of two entries of a node.
static void turn_stiffness(const double K[9], const float R[9], const float S[9], double out[9])
{
    double KS[9];
    for (size_t k = 0; k < 9; ++k) {
        const double *row = K + 3 * (k / 3);
        const float *column = S + k % 3;
        KS[k] =
            row[0] * (double)column[0] + row[1] * (double)column[3] + row[2] * (double)column[6];
    }
    for (size_t k = 0; k < 9; ++k) {
        const float *row = R + k / 3;
        const double *column = KS + k % 3;
        out[k] =
            (double)row[0] * column[0] + (double)row[3] * column[3] + (double)row[6] * column[6];
    }
}

// matrix += Q of two entries of a node, the lower triangle.
static void add_pair(const SnWoodburyCoarse *c, const double K[9], size_t a, size_t b,
                     size_t stride, double *matrix)
{
    double turned[9];
    turn_stiffness(K, c->turns + 9 * a, c->turns + 9 * b, turned);
    for (size_t m = 0; m < 4 * NEAR; ++m) {
        int left = c->entry_clusters[NEAR * a + m / 4];
        for (size_t n = 0; n < 4 * NEAR && left >= 0; ++n) {
            int right = c->entry_clusters[NEAR * b + n / 4];
            if (right < 0 || left < right) {
                continue;
            }
            double both = (double)c->basis[16 * a + m] * (double)c->basis[16 * b + n];
            double *block = matrix + (size_t)(FRAME * left) + m % 4 +
                            ((size_t)(FRAME * right) + n % 4) * stride;
            for (size_t k = 0; k < 9; ++k) {
                block[4 * (k / 3) + 4 * (k % 3) * stride] += both * turned[k];
            }
        }
    }
}

static void add_node(const SnWoodbury *w, const SnWoodburyNode *node, size_t stride, double *matrix)
{
    for (int a = node->begin; a < node->end; ++a) {
        for (int b = node->begin; b < node->end; ++b) {
            add_pair(&w->coarse, node->stiffness, (size_t)a, (size_t)b, stride, matrix);
        }
    }
}

void sn_woodbury_coarse_linearise(SnSplit *body, SnWoodbury *w)
{
    SnWoodburyCoarse *c = &w->coarse;
    c->cluster_count = 0;
    if (body->clusters.count == 0 || w->row_count == 0) {
        return;
    }
    list_clusters(body, w);
    int count = FRAME * c->cluster_count;
    size_t stride = sn_split_triangle_stride(count);
    bool definite = true;
    if (!knows(c)) {
        c->known_count = 0;
        definite = invert_compliance(body, w);
        memcpy(c->known, c->clusters, (size_t)c->cluster_count * sizeof *c->known);
        c->known_count = definite ? c->cluster_count : 0;
    }
    for (size_t i = 0; i < (size_t)count * stride && definite; ++i) {
        w->work[0][i] = (double)c->schur[i];
    }
    for (int i = 0; i < w->node_count && definite; ++i) {
        add_node(w, &w->nodes[i], stride, w->work[0]);
    }
    definite =
        definite && sn_split_triangle_factor(body->kernels->dense, w->work[0], count, &c->factor);
    c->cluster_count = definite ? c->cluster_count : 0;
}

// What frames move a node's entry by, times its weight.
static void entry_follow(const SnWoodburyCoarse *c, size_t entry, const float *frames, float u[3])
{
    float back[3] = {0.0f, 0.0f, 0.0f};
    const float *R = c->turns + 9 * entry;
    for (size_t k = 0; k < NEAR; ++k) {
        int cluster = c->entry_clusters[NEAR * entry + k];
        const float *basis = c->basis + 16 * entry + 4 * k;
        const float *frame = frames + FRAME * (size_t)(cluster >= 0 ? cluster : 0);
        for (size_t axis = 0; axis < 3 && cluster >= 0; ++axis) {
            back[axis] += (basis[0] * frame[4 * axis] + basis[1] * frame[4 * axis + 1]) +
                          (basis[2] * frame[4 * axis + 2] + basis[3] * frame[4 * axis + 3]);
        }
    }
    for (size_t k = 0; k < 3; ++k) {
        u[k] += (R[3 * k] * back[0] + R[3 * k + 1] * back[1]) + R[3 * k + 2] * back[2];
    }
}

// The transpose: a force at the entry to frames.
static void entry_push(const SnWoodburyCoarse *c, size_t entry, const float f[3], float *frames)
{
    const float *R = c->turns + 9 * entry;
    for (size_t k = 0; k < NEAR; ++k) {
        int cluster = c->entry_clusters[NEAR * entry + k];
        const float *basis = c->basis + 16 * entry + 4 * k;
        float *frame = frames + FRAME * (size_t)(cluster >= 0 ? cluster : 0);
        for (size_t axis = 0; axis < 3 && cluster >= 0; ++axis) {
            float back = (R[axis] * f[0] + R[3 + axis] * f[1]) + R[6 + axis] * f[2];
            for (size_t b = 0; b < 4; ++b) {
                frame[4 * axis + b] += basis[b] * back;
            }
        }
    }
}

// out = Q in, over the rows of touched clusters, by way of the nodes.
static void multiply(const SnWoodbury *w, const float *in, float *out)
{
    const SnWoodburyCoarse *c = &w->coarse;
    memset(out, 0, (size_t)(FRAME * c->cluster_count) * sizeof *out);
    for (int i = 0; i < w->node_count; ++i) {
        const SnWoodburyNode *node = &w->nodes[i];
        float u[3] = {0.0f, 0.0f, 0.0f}, f[3];
        for (int e = node->begin; e < node->end; ++e) {
            entry_follow(c, (size_t)e, in, u);
        }
        for (size_t k = 0; k < 3; ++k) {
            const double *K = node->stiffness + 3 * k;
            f[k] = (float)(K[0] * (double)u[0] + K[1] * (double)u[1] + K[2] * (double)u[2]);
        }
        for (int e = node->begin; e < node->end; ++e) {
            entry_push(c, (size_t)e, f, out);
        }
    }
}

// out = P^-1 in
static void multiply_schur(const SnWoodburyCoarse *c, const float *in, float *out)
{
    size_t count = (size_t)(FRAME * c->cluster_count);
    size_t stride = sn_split_triangle_stride((int)count);
    memset(out, 0, count * sizeof *out);
    for (size_t j = 0; j < count; ++j) {
        const float *column = c->schur + j * stride;
        for (size_t i = 0; i < count; ++i) {
            out[i] += column[i] * in[j];
        }
    }
}

// frames -= C^-1[:,T] in
static void subtract_columns(SnSplit *body, const SnWoodburyCoarse *c, const float *in)
{
    const SnSplitClusters *clusters = &body->clusters;
    size_t rows = (size_t)clusters->row_count;
    for (size_t block = 0; block < rows / SN_COARSE_ROWS; ++block) {
        float *out = clusters->frames + block * SN_COARSE_ROWS;
        for (int j = 0; j < FRAME * c->cluster_count; ++j) {
            size_t column = (size_t)(FRAME * c->clusters[j / FRAME] + j % FRAME);
            const float *from = clusters->inverse + (block * rows + column) * SN_COARSE_ROWS;
            for (size_t i = 0; i < SN_COARSE_ROWS; ++i) {
                out[i] -= from[i] * in[j];
            }
        }
    }
}

void sn_woodbury_coarse_correct(SnSplit *body)
{
    SnWoodbury *w = body->woodbury;
    if (w == NULL || w->coarse.cluster_count == 0) {
        return;
    }
    SnWoodburyCoarse *c = &w->coarse;
    for (int i = 0; i < FRAME * c->cluster_count; ++i) {
        c->moved[i] = body->clusters.frames[FRAME * c->clusters[i / FRAME] + i % FRAME];
    }
    multiply(w, c->moved, c->gathered);
    sn_split_triangle_solve(&c->factor, c->gathered);
    multiply_schur(c, c->gathered, c->moved);
    subtract_columns(body, c, c->moved);
}
