// The dense matrix of the coarse space and its inverse.
#include "model/split/clusters.h"

#include "model/split/damping.h"

#include <math.h>
#include <string.h>

enum { FRAME = SN_COARSE_FRAME, BASIS = 4 };

// Added to the diagonal, as a share of it: frames whose vertices do not tell them apart.
#define REGULARISE 1e-6

// h2 K0 and the masses as 3x3 blocks over the body's pattern: V (mu (a.b) I + mu b a^T + lambda a
// b^T) of linear elasticity at rest.
static void assemble_blocks(const SnSplit *body, double h2, double h, double mass_scale,
                            double *blocks)
{
    const SnNewtonElements *elements = &body->elements;
    for (int e = 0; e < elements->count; ++e) {
        const SnMaterial *material = &body->materials[elements->materials[e]];
        const SnLaw *law = &material->law;
        double scale = h2 * sn_split_stiffening(material, h) * elements->weights[e];
        double gradients[12];
        sn_newton_elements_tet_gradients(elements, e, gradients);
        double mu = scale * law->mu;
        double lambda = scale * law->lambda;
        for (int i = 0; i < 16; ++i) {
            const double *a = gradients + 3 * (i / 4);
            const double *b = gradients + 3 * (i % 4);
            double *block = blocks + 9 * (size_t)body->pattern.slots[16 * (size_t)e + (size_t)i];
            double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            for (int k = 0; k < 9; ++k) {
                block[k] += mu * b[k / 3] * a[k % 3] + lambda * a[k / 3] * b[k % 3] +
                            (k % 4 == 0 ? mu * dot : 0.0);
            }
        }
    }
    for (int v = 0; v < body->pattern.count; ++v) {
        double *block = blocks + 9 * (size_t)body->pattern.diagonal[v];
        double mass = mass_scale * (body->masses[v] + h * body->damp[v]);
        for (int k = 0; k < 3; ++k) {
            block[4 * k] += mass;
        }
    }
}

// One row of K Phi: `row` has BASIS blocks a cluster, `touched` the clusters in use.
typedef struct Row {
    double *blocks; // 9 x BASIS a cluster
    int *touched;
    int count;
    bool *marks; // a cluster
} Row;

static void fill_row(const SnSplit *body, int vertex, const double *blocks, Row *row)
{
    const SnSplitClusters *c = &body->clusters;
    const SnNewtonPattern *pattern = &body->pattern;
    row->count = 0;
    for (int i = pattern->row_start[vertex]; i < pattern->row_start[vertex + 1]; ++i) {
        size_t other = (size_t)body->inside[pattern->column[i]];
        for (size_t k = 0; k < SN_COARSE_CLUSTERS; ++k) {
            int cluster = c->clusters[SN_COARSE_CLUSTERS * other + k];
            const float *basis = c->basis + 16 * other + 4 * k;
            double *out = row->blocks + (size_t)cluster * BASIS * 9;
            if (!row->marks[cluster]) {
                row->marks[cluster] = true;
                row->touched[row->count++] = cluster;
                memset(out, 0, BASIS * 9 * sizeof *out);
            }
            for (int m = 0; m < BASIS * 9; ++m) {
                out[m] += (double)basis[m / 9] * blocks[9 * (size_t)i + (size_t)(m % 9)];
            }
        }
    }
    for (int t = 0; t < row->count; ++t) {
        row->marks[row->touched[t]] = false;
    }
}

// C += phi_i^T row, where unknown (cluster, axis, basis) is 12 cluster + 4 axis + basis.
static void add_row(const SnSplit *body, int vertex, const Row *row, double *C)
{
    const SnSplitClusters *c = &body->clusters;
    size_t inside = (size_t)body->inside[vertex];
    size_t rows = (size_t)c->row_count;
    for (size_t m = 0; m < 16; ++m) {
        double phi = (double)c->basis[16 * inside + m];
        size_t first = FRAME * (size_t)c->clusters[SN_COARSE_CLUSTERS * inside + m / 4] + m % 4;
        if (phi == 0.0) {
            continue;
        }
        for (int t = 0; t < row->count; ++t) {
            size_t cluster = (size_t)row->touched[t];
            const double *blocks = row->blocks + cluster * BASIS * 9;
            for (size_t n = 0; n < BASIS * 9; ++n) {
                size_t r = first + 4 * (n % 9 / 3);
                size_t column = FRAME * cluster + 4 * (n % 3) + n / 9;
                C[r + column * rows] += phi * blocks[n];
            }
        }
    }
}

static SinewStatus assemble(SnSplit *body, double h2, double h, double mass_scale, double *C,
                            SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SinewAllocator *allocator = &body->allocator;
    size_t clusters = (size_t)body->clusters.count;
    double *blocks = NULL;
    Row row = {0};

    SN_ALLOC_ZERO(blocks, allocator, 9 * (size_t)body->pattern.entry_count, error);
    SN_ALLOC(row.blocks, allocator, clusters * BASIS * 9, error);
    SN_ALLOC(row.touched, allocator, clusters, error);
    SN_ALLOC_ZERO(row.marks, allocator, clusters, error);
    assemble_blocks(body, h2, h, mass_scale, blocks);
    for (int v = 0; v < body->pattern.count; ++v) {
        if (body->pins.set.held[v] != 7) {
            fill_row(body, v, blocks, &row);
            add_row(body, v, &row, C);
        }
    }

done:
    sn_free(allocator, blocks);
    sn_free(allocator, row.blocks);
    sn_free(allocator, row.touched);
    sn_free(allocator, row.marks);
    return status;
}

// Scales to a unit diagonal, so that moves and turns weigh alike. Unknowns that nothing follows
// stand alone.
static void scale_matrix(double *C, double *scales, size_t rows, double shift)
{
    for (size_t i = 0; i < rows; ++i) {
        double d = C[i + i * rows];
        scales[i] = d > 0.0 ? 1.0 / sqrt(d) : 0.0;
    }
    for (size_t j = 0; j < rows; ++j) {
        for (size_t i = 0; i < rows; ++i) {
            C[i + j * rows] *= scales[i] * scales[j];
        }
        C[j + j * rows] = 1.0 + shift;
    }
}

SinewStatus sn_split_clusters_factor(SnSplit *body, double h2, double h, double mass_scale,
                                     SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSplitClusters *c = &body->clusters;
    const SnDenseKernels *dense = body->kernels->dense;
    size_t rows = (size_t)c->row_count;
    double *C = NULL; // and W after it
    double *W = NULL;
    double *scales = NULL;
    double shift = REGULARISE;

    if (c->count == 0) {
        return SINEW_OK;
    }
    SN_ALLOC(C, &body->allocator, 2 * rows * rows, error);
    W = C + rows * rows;
    SN_ALLOC(scales, &body->allocator, rows, error);
    for (;;) {
        memset(C, 0, rows * rows * sizeof *C);
        SN_TRY(assemble(body, h2, h, mass_scale, C, error));
        scale_matrix(C, scales, rows, shift);
        if (dense->cholesky((int)rows, C, (int)rows) < 0) {
            break;
        }
        shift *= 100.0;
        if (shift > 1e6) { // definite long before, unless it holds no numbers
            SN_TRY(sn_fail(error, SINEW_ERROR_NOT_DEFINITE,
                           "body \"%s\": the matrix of its clusters is not definite, expected "
                           "finite stiffness and time step",
                           body->name));
        }
    }
    dense->invert((int)rows, C, (int)rows, W, (int)rows);
    SnDenseProduct product = {.rows = (int)rows,
                              .columns = (int)rows,
                              .depth = (int)rows,
                              .A = W,
                              .lda = (int)rows,
                              .B = W,
                              .ldb = (int)rows,
                              .C = C,
                              .ldc = (int)rows};
    dense->multiply(&product);
    // As the kernel reads it; C is symmetric.
    for (size_t i = 0; i < rows * rows; ++i) {
        size_t row = i % rows, column = i / rows;
        size_t block = row / SN_COARSE_ROWS;
        c->inverse[(block * rows + column) * SN_COARSE_ROWS + row % SN_COARSE_ROWS] =
            (float)(C[i] * scales[column] * scales[row]);
    }

done:
    sn_free(&body->allocator, scales);
    sn_free(&body->allocator, C);
    return status;
}
