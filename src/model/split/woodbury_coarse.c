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
    size_t vertices = (size_t)woodbury->columns.capacity;
    if (body->clusters.count == 0) {
        return SINEW_OK;
    }
    c->cluster_max = body->clusters.count < CLUSTERS_MAX ? body->clusters.count : CLUSTERS_MAX;
    int rows = FRAME * c->cluster_max;
    size_t stride = sn_split_triangle_stride(rows);
    SN_ALLOC(c->clusters, allocator, c->cluster_max, error);
    SN_ALLOC(c->known, allocator, c->cluster_max, error);
    SN_ALLOC(c->place, allocator, body->clusters.count, error);
    SN_ALLOC(c->basis, allocator, 16 * vertices, error);
    SN_ALLOC(c->vertex_clusters, allocator, NEAR * vertices, error);
    SN_ALLOC(c->stiffness, allocator, 9 * vertices, error);
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
    void *const arrays[] = {c->clusters,  c->known, c->place,           c->basis,
                            c->stiffness, c->schur, c->vertex_clusters, c->factor.values,
                            c->gathered,  c->moved};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        sn_free(allocator, arrays[i]);
    }
}

// Clusters that touched vertices follow, and where each vertex has its own among them.
static void list_clusters(const SnSplit *body, SnWoodbury *w)
{
    SnWoodburyCoarse *c = &w->coarse;
    const SnSplitClusters *clusters = &body->clusters;
    c->cluster_count = 0;
    for (int k = 0; k < clusters->count; ++k) {
        c->place[k] = -1;
    }
    for (int i = 0; i < w->vertex_count; ++i) {
        size_t v = (size_t)w->vertices[i];
        memcpy(c->basis + 16 * (size_t)i, clusters->basis + 16 * v, 16 * sizeof *c->basis);
        for (size_t k = 0; k < NEAR; ++k) {
            int cluster = clusters->clusters[NEAR * v + k];
            bool follows = c->basis[16 * (size_t)i + 4 * k] != 0.0f;
            if (follows && c->place[cluster] < 0 && c->cluster_count < c->cluster_max) {
                c->place[cluster] = c->cluster_count;
                c->clusters[c->cluster_count++] = cluster;
            }
            c->vertex_clusters[NEAR * (size_t)i + k] = follows ? c->place[cluster] : -1;
        }
    }
}

// The columns of the rotation of vertex v, from its quaternion times the square root of two.
static void rotation_of(const SnSplit *body, size_t v, double R[9])
{
    const float *q =
        body->clusters.turns + 4 * SN_COARSE_GROUP * (v / SN_COARSE_GROUP) + v % SN_COARSE_GROUP;
    double x = (double)q[0], y = (double)q[SN_COARSE_GROUP], z = (double)q[2 * SN_COARSE_GROUP];
    double s = (double)q[3 * SN_COARSE_GROUP];
    const double turn[9] = {1.0 - y * y - z * z, x * y - s * z,       x * z + s * y,
                            x * y + s * z,       1.0 - x * x - z * z, y * z - s * x,
                            x * z - s * y,       y * z + s * x,       1.0 - x * x - y * y};
    memcpy(R, turn, sizeof turn);
}

// R^T K R of each touched vertex.
static void turn_stiffness(const SnSplit *body, SnWoodbury *w)
{
    for (size_t i = 0; i < (size_t)w->vertex_count; ++i) {
        const double *K = w->stiffness + 9 * i;
        double R[9], KR[9];
        rotation_of(body, (size_t)w->vertices[i], R);
        for (size_t k = 0; k < 9; ++k) {
            const double *row = K + 3 * (k / 3), *column = R + k % 3;
            KR[k] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
        }
        for (size_t k = 0; k < 9; ++k) {
            const double *row = R + k / 3, *column = KR + k % 3;
            w->coarse.stiffness[9 * i + k] =
                (float)(row[0] * column[0] + row[3] * column[3] + row[6] * column[6]);
        }
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

// matrix += Q, the lower triangle.
static void add_vertex(const SnWoodburyCoarse *c, size_t vertex, size_t stride, double *matrix)
{
    const float *basis = c->basis + 16 * vertex;
    const int *clusters = c->vertex_clusters + NEAR * vertex;
    const float *K = c->stiffness + 9 * vertex;
    for (size_t m = 0; m < 4 * NEAR; ++m) {
        for (size_t n = 0; n < 4 * NEAR; ++n) {
            int left = clusters[m / 4], right = clusters[n / 4];
            if (left < 0 || right < 0 || left < right) {
                continue;
            }
            double both = (double)basis[m] * (double)basis[n];
            double *block = matrix + (size_t)(FRAME * left) + m % 4 +
                            ((size_t)(FRAME * right) + n % 4) * stride;
            for (size_t k = 0; k < 9; ++k) {
                block[4 * (k / 3) + 4 * (k % 3) * stride] += both * (double)K[k];
            }
        }
    }
}

void sn_woodbury_coarse_linearise(SnSplit *body, SnWoodbury *w)
{
    SnWoodburyCoarse *c = &w->coarse;
    c->cluster_count = 0;
    if (body->clusters.count == 0 || w->vertex_count == 0) {
        return;
    }
    list_clusters(body, w);
    turn_stiffness(body, w);
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
    for (int i = 0; i < w->vertex_count && definite; ++i) {
        add_vertex(c, (size_t)i, stride, w->work[0]);
    }
    definite =
        definite && sn_split_triangle_factor(body->kernels->dense, w->work[0], count, &c->factor);
    c->cluster_count = definite ? c->cluster_count : 0;
}

// out = Q in, over the rows of touched clusters, by way of the vertices.
static void multiply(const SnWoodbury *w, const float *in, float *out)
{
    const SnWoodburyCoarse *c = &w->coarse;
    memset(out, 0, (size_t)(FRAME * c->cluster_count) * sizeof *out);
    for (size_t i = 0; i < (size_t)w->vertex_count; ++i) {
        const float *basis = c->basis + 16 * i, *K = c->stiffness + 9 * i;
        const int *clusters = c->vertex_clusters + NEAR * i;
        float u[3] = {0.0f, 0.0f, 0.0f}, f[3];
        for (size_t m = 0; m < 12 * NEAR; ++m) {
            size_t k = m / 12, axis = m % 12 / 4, b = m % 4;
            if (clusters[k] >= 0) {
                u[axis] += basis[4 * k + b] * in[FRAME * (size_t)clusters[k] + 4 * axis + b];
            }
        }
        for (size_t k = 0; k < 3; ++k) {
            f[k] = (K[3 * k] * u[0] + K[3 * k + 1] * u[1]) + K[3 * k + 2] * u[2];
        }
        for (size_t m = 0; m < 12 * NEAR; ++m) {
            size_t k = m / 12, axis = m % 12 / 4, b = m % 4;
            if (clusters[k] >= 0) {
                out[FRAME * (size_t)clusters[k] + 4 * axis + b] += basis[4 * k + b] * f[axis];
            }
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
