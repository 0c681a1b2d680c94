#include "support/matrices.h"

#include "base/random.h"

#include <stdlib.h>

typedef struct Edge {
    int a;
    int b;
} Edge;

static int compare_edges(const void *left, const void *right)
{
    const Edge *l = left;
    const Edge *r = right;
    return l->a != r->a ? (l->a > r->a) - (l->a < r->a) : (l->b > r->b) - (l->b < r->b);
}

// A random symmetric positive semi-definite block, or a positive number.
static void random_stiffness(SnRandom *random, int block, double *k)
{
    double g[3][3];
    for (int i = 0; i < block; ++i) {
        for (int j = 0; j < block; ++j) {
            g[i][j] = sn_random_between(random, -1.0, 1.0);
        }
    }
    for (int i = 0; i < block; ++i) {
        for (int j = 0; j < block; ++j) {
            k[i * block + j] = i == j ? 0.1 : 0.0;
            for (int l = 0; l < block; ++l) {
                k[i * block + j] += g[i][l] * g[j][l];
            }
        }
    }
}

static double *entry(SnTestMatrix *m, int row, int column)
{
    for (int e = m->row_start[row]; e < m->row_start[row + 1]; ++e) {
        if (m->column[e] == column) {
            return m->value + (size_t)e * (size_t)(m->sparse.block * m->sparse.block);
        }
    }
    abort(); // the pattern was made from the same edges
}

static void add_block(double *to, double sign, const double *k, int numbers)
{
    for (int i = 0; i < numbers; ++i) {
        to[i] += sign * k[i];
    }
}

// `edges` holds both directions and the diagonal, `count` of them, possibly repeated.
static SnTestMatrix from_edges(int rows, Edge *edges, int count, int block, double shift,
                               uint64_t seed)
{
    SnTestMatrix m = {0};
    int numbers = block * block;
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    m.row_start = calloc((size_t)rows + 1, sizeof *m.row_start);
    m.column = malloc((size_t)count * sizeof *m.column);
    int used = 0;
    for (int i = 0; i < count; ++i) {
        if (i > 0 && compare_edges(&edges[i], &edges[i - 1]) == 0) {
            continue;
        }
        m.column[used++] = edges[i].b;
        m.row_start[edges[i].a + 1] = used;
    }
    m.value = calloc((size_t)used * (size_t)numbers, sizeof *m.value);
    m.sparse = (SnSparse){.count = rows,
                          .block = block,
                          .row_start = m.row_start,
                          .column = m.column,
                          .value = m.value};
    SnRandom random = {seed};
    for (int a = 0; a < rows; ++a) {
        for (int i = 0; i < block; ++i) {
            entry(&m, a, a)[i * block + i] += shift;
        }
        for (int e = m.row_start[a]; e < m.row_start[a + 1]; ++e) {
            int b = m.column[e];
            if (b > a) {
                double k[9];
                random_stiffness(&random, block, k);
                add_block(entry(&m, a, a), 1.0, k, numbers);
                add_block(entry(&m, b, b), 1.0, k, numbers);
                add_block(entry(&m, a, b), -1.0, k, numbers);
                add_block(entry(&m, b, a), -1.0, k, numbers);
            }
        }
    }
    return m;
}

static void push(Edge *edges, int *count, int a, int b)
{
    edges[(*count)++] = (Edge){a, b};
    if (a != b) {
        edges[(*count)++] = (Edge){b, a};
    }
}

SnTestMatrix sn_test_grid(int nx, int ny, int nz, int block, double shift, uint64_t seed)
{
    int rows = nx * ny * nz;
    Edge *edges = malloc((size_t)rows * 7 * sizeof *edges);
    int count = 0;
    for (int i = 0; i < rows; ++i) {
        int x = i % nx;
        int y = i / nx % ny;
        int z = i / nx / ny;
        push(edges, &count, i, i);
        if (x + 1 < nx) {
            push(edges, &count, i, i + 1);
        }
        if (y + 1 < ny) {
            push(edges, &count, i, i + nx);
        }
        if (z + 1 < nz) {
            push(edges, &count, i, i + nx * ny);
        }
    }
    SnTestMatrix m = from_edges(rows, edges, count, block, shift, seed);
    free(edges);
    return m;
}

SnTestMatrix sn_test_random_graph(int rows, int edge_count, int block, double shift, uint64_t seed)
{
    Edge *edges = malloc(((size_t)rows + 2 * (size_t)edge_count) * sizeof *edges);
    int count = 0;
    SnRandom random = {seed};
    for (int i = 0; i < rows; ++i) {
        push(edges, &count, i, i);
    }
    for (int i = 0; i < edge_count; ++i) {
        int a = (int)(sn_random_bits(&random) % (uint64_t)rows);
        int b = (int)(sn_random_bits(&random) % (uint64_t)rows);
        push(edges, &count, a, b);
    }
    SnTestMatrix m = from_edges(rows, edges, count, block, shift, seed + 1);
    free(edges);
    return m;
}

void sn_test_matrix_free(SnTestMatrix *matrix)
{
    free(matrix->row_start);
    free(matrix->column);
    free(matrix->value);
    *matrix = (SnTestMatrix){0};
}
