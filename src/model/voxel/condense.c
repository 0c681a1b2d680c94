#include "model/voxel/condense.h"

#include "model/voxel/select.h"
#include "model/voxel/small.h"

#include <math.h>
#include <string.h>

// How much of the mean stiffness keeps the free content from floating away.
#define FLOAT_SHARE 1e-5

// Motions of the corners that the content hardly resists, and what they get instead: shares of what
// the trilinear cell has.
#define GHOST_BELOW 1e-3
#define GHOST_SHARE 0.1

enum { SIDES_MAX = 64 };

// Room -------------------------------------------------------------------------------------------

SinewStatus sn_voxel_shop_create(int division, bool condenses, const SnKernels *kernels,
                                 const SinewAllocator *allocator, SnVoxelShop *out_shop,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int side = division + 1;
    size_t nodes = (size_t)side * (size_t)side * (size_t)side, dofs = 3 * nodes;

    *out_shop = (SnVoxelShop){.division = division, .nodes_max = (int)nodes};
    SN_ALLOC(out_shop->numbers, allocator, nodes, error);
    SN_ALLOC(out_shop->weights, allocator, 8 * nodes, error);
    SN_ALLOC(out_shop->masses, allocator, nodes, error);
    SN_ALLOC(out_shop->damped, allocator, nodes, error);
    SN_ALLOC(out_shop->product, allocator, dofs * SN_VOXEL_DOFS, error);
    SN_ALLOC(out_shop->shapes, allocator, dofs * SN_VOXEL_DOFS, error);
    if (condenses) {
        SN_ALLOC(out_shop->faces.rows, allocator, 6 * SN_FACE_ROWS * dofs, error);
        SN_ALLOC(out_shop->rows, allocator, SN_VOXEL_ROWS_MAX * dofs, error);
        SN_ALLOC(out_shop->sides, allocator, SIDES_MAX * dofs, error);
        SN_TRY(sn_voxel_layers_create(side, 3 * side * side, SIDES_MAX, kernels, allocator,
                                      &out_shop->layers, error));
    }

done:
    if (status < 0) {
        sn_voxel_shop_release(out_shop, allocator);
    }
    return status;
}

void sn_voxel_shop_release(SnVoxelShop *shop, const SinewAllocator *allocator)
{
    sn_voxel_layers_release(&shop->layers, allocator);
    sn_free(allocator, shop->numbers);
    sn_free(allocator, shop->weights);
    sn_free(allocator, shop->masses);
    sn_free(allocator, shop->damped);
    sn_free(allocator, shop->product);
    sn_free(allocator, shop->shapes);
    sn_free(allocator, shop->faces.rows);
    sn_free(allocator, shop->rows);
    sn_free(allocator, shop->sides);
    *shop = (SnVoxelShop){0};
}

// The content ------------------------------------------------------------------------------------

// Calls for each voxel that is there.
typedef void VisitFn(void *context, const SnVoxel *voxel, const int corners[8]);

static void visit(const SnVoxelContent *content, VisitFn *fn, void *context)
{
    int m = content->division, corners[8];
    for (int v = 0; v < m * m * m; ++v) {
        if (content->voxels[v].material >= 0) {
            sn_voxel_corners(m, v / m / m, v / m % m, v % m, corners);
            fn(context, &content->voxels[v], corners);
        }
    }
}

static void mark_corners(void *context, const SnVoxel *voxel, const int corners[8])
{
    SnVoxelShop *shop = context;
    (void)voxel;
    for (int c = 0; c < 8; ++c) {
        shop->numbers[corners[c]] = 0;
    }
}

// Numbers nodes in use, x slowest, and their trilinear weights.
static void number_nodes(SnVoxelShop *shop, const SnVoxelContent *content)
{
    int m = shop->division, side = m + 1;
    memset(shop->numbers, -1, (size_t)shop->nodes_max * sizeof *shop->numbers);
    visit(content, mark_corners, shop);
    shop->node_count = 0;
    for (int n = 0; n < shop->nodes_max; ++n) {
        if (shop->numbers[n] >= 0) {
            double u[3] = {(double)(n / side / side) / m, (double)(n / side % side) / m,
                           (double)(n % side) / m};
            sn_voxel_weights(u, shop->weights + 8 * (size_t)shop->node_count);
            shop->numbers[n] = shop->node_count++;
        }
    }
    shop->dof_count = 3 * shop->node_count;
    memset(shop->masses, 0, (size_t)shop->node_count * sizeof *shop->masses);
    memset(shop->damped, 0, (size_t)shop->node_count * sizeof *shop->damped);
}

typedef struct Sums {
    SnVoxelShop *shop;
    const SnVoxelContent *content;
    int first_layer;
    double modulus; // Pa, sum of the voxels'
    double beta;    // s Pa, sum of modulus times beta
    double mass;    // kg/m^3 times voxels
    double fill;    // voxels
    double *curl;   // 3 rows of dof_count numbers
} Sums;

static void add_masses(void *context, const SnVoxel *voxel, const int corners[8])
{
    Sums *sums = context;
    const SnVoxelMaterial *material = &sums->content->materials[voxel->material];
    double m = sums->shop->division;
    double mass = material->density * (double)voxel->mass / (m * m * m);
    double modulus = material->young * (double)voxel->stiffness;
    for (int c = 0; c < 8; ++c) {
        int n = sums->shop->numbers[corners[c]];
        sums->shop->masses[n] += mass / 8.0;
        sums->shop->damped[n] += mass / 8.0 * material->damping_mass;
    }
    sums->modulus += modulus;
    sums->beta += modulus * material->damping_stiffness;
    sums->mass += mass;
    sums->fill += (double)voxel->mass / (m * m * m);
}

// Adds the voxel's K L to the product: row 3a + i, column 3c + j is sum_b K[3a + i][3b + j]
// L[b][c].
static void add_product(const SnVoxelShop *shop, const int numbers[8], double scale,
                        const double *leaf)
{
    for (int a = 0; a < 8; ++a) {
        for (int i = 0; i < 3; ++i) {
            double *row = shop->product + (size_t)(3 * numbers[a] + i) * SN_VOXEL_DOFS;
            const double *k = leaf + (size_t)(3 * a + i) * SN_VOXEL_DOFS;
            for (int b = 0; b < 8; ++b) {
                const double *weights = shop->weights + 8 * (size_t)numbers[b];
                double x = scale * k[3 * b], y = scale * k[3 * b + 1], z = scale * k[3 * b + 2];
                for (int c = 0; c < 8; ++c) {
                    row[3 * c] += x * weights[c];
                    row[3 * c + 1] += y * weights[c];
                    row[3 * c + 2] += z * weights[c];
                }
            }
        }
    }
}

static void add_stiffness(void *context, const SnVoxel *voxel, const int corners[8])
{
    Sums *sums = context;
    const SnVoxelShop *shop = sums->shop;
    int numbers[8];
    for (int c = 0; c < 8; ++c) {
        numbers[c] = shop->numbers[corners[c]];
    }
    // A cube of the edge 1/m has 1/m of the stiffness.
    add_product(shop, numbers, (double)voxel->stiffness / shop->division,
                sums->content->materials[voxel->material].leaf);
}

// L^T (K L), made symmetric.
static void find_trilinear(SnVoxelShop *shop)
{
    double sum[SN_VOXEL_MATRIX] = {0.0};
    for (int n = 0; n < shop->node_count; ++n) {
        const double *weights = shop->weights + 8 * (size_t)n;
        for (int i = 0; i < 3; ++i) {
            const double *row = shop->product + (size_t)(3 * n + i) * SN_VOXEL_DOFS;
            for (int c = 0; c < 8; ++c) {
                double *out = sum + (size_t)(3 * c + i) * SN_VOXEL_DOFS;
                for (int j = 0; j < SN_VOXEL_DOFS && weights[c] != 0.0; ++j) {
                    out[j] += weights[c] * row[j];
                }
            }
        }
    }
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            shop->trilinear[i * SN_VOXEL_DOFS + j] =
                0.5 * (sum[i * SN_VOXEL_DOFS + j] + sum[j * SN_VOXEL_DOFS + i]);
        }
    }
}

// N = L.
static void shape_trilinear(SnVoxelShop *shop)
{
    memset(shop->shapes, 0, (size_t)shop->dof_count * SN_VOXEL_DOFS * sizeof *shop->shapes);
    for (int i = 0; i < shop->dof_count; ++i) {
        for (int c = 0; c < 8; ++c) {
            shop->shapes[(size_t)i * SN_VOXEL_DOFS + (size_t)(3 * c + i % 3)] =
                shop->weights[8 * (i / 3) + c];
        }
    }
}

// Condensation -----------------------------------------------------------------------------------

// Adds a voxel to the system of all its nodes.
static void add_blocks(void *context, const SnVoxel *voxel, const int corners[8])
{
    Sums *sums = context;
    SnVoxelLayers *layers = &sums->shop->layers;
    const double *leaf = sums->content->materials[voxel->material].leaf;
    double scale = (double)voxel->stiffness / sums->shop->division;
    int side = sums->shop->division + 1;
    int low = corners[0] / side / side - sums->first_layer;
    for (int a = 0; a < SN_VOXEL_DOFS; ++a) {
        int row_layer = low + (a >= 12);
        int row = 3 * sums->shop->numbers[corners[a / 3]] + a % 3 - layers->starts[row_layer];
        for (int b = 0; b < SN_VOXEL_DOFS; ++b) {
            int column_layer = low + (b >= 12);
            int column =
                3 * sums->shop->numbers[corners[b / 3]] + b % 3 - layers->starts[column_layer];
            if (column_layer <= row_layer) {
                double *block = column_layer == row_layer ? layers->diagonal[row_layer]
                                                          : layers->below[row_layer];
                block[(ptrdiff_t)column * layers->stride + row] +=
                    scale * leaf[a * SN_VOXEL_DOFS + b];
            }
        }
    }
}

static void begin_layers(Sums *sums)
{
    SnVoxelShop *shop = sums->shop;
    int side = shop->division + 1, sizes[SN_VOXEL_LAYERS_MAX], count = 0;
    sums->first_layer = -1;
    for (int i = 0; i < side; ++i) {
        int size = 0;
        for (int n = 0; n < side * side; ++n) {
            size += shop->numbers[i * side * side + n] >= 0 ? 3 : 0;
        }
        if (size > 0) {
            sums->first_layer = sums->first_layer < 0 ? i : sums->first_layer;
            sizes[count++] = size;
        }
    }
    sn_voxel_layers_begin(&shop->layers, count, sizes);
}

// K + eps M / mean(M), with eps a share of the mean diagonal. Answers eps / mean(M).
static double hold_down(SnVoxelShop *shop)
{
    const SnVoxelLayers *layers = &shop->layers;
    size_t step = (size_t)layers->stride + 1;
    double sum = 0.0, mass = 0.0;
    for (int l = 0; l < layers->count; ++l) {
        for (int i = 0; i < layers->sizes[l]; ++i) {
            sum += layers->diagonal[l][(size_t)i * step];
        }
    }
    for (int n = 0; n < shop->node_count; ++n) {
        mass += shop->masses[n];
    }
    double factor = FLOAT_SHARE * sum / shop->dof_count / (mass / shop->node_count);
    for (int l = 0; l < layers->count; ++l) {
        for (int i = 0; i < layers->sizes[l]; ++i) {
            layers->diagonal[l][(size_t)i * step] +=
                factor * shop->masses[(layers->starts[l] + i) / 3];
        }
    }
    return factor;
}

// Right-hand sides: B^T in the first columns, -K L in the next 24, zero beyond.
static void fill_sides(const SnVoxelShop *shop, int row_count, int width)
{
    for (int i = 0; i < shop->dof_count; ++i) {
        double *side = shop->sides + (size_t)i * (size_t)width;
        memset(side, 0, (size_t)width * sizeof *side);
        for (int r = 0; r < row_count; ++r) {
            side[r] = shop->rows[(size_t)r * (size_t)shop->dof_count + (size_t)i];
        }
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            side[row_count + j] = -shop->product[(size_t)i * SN_VOXEL_DOFS + (size_t)j];
        }
    }
}

// lambda = (B Y)^-1 (B Z), row_count x 24. False where B Y is not definite.
static bool find_multipliers(const SnVoxelShop *shop, int row_count, int width, double *lambda)
{
    double product[SN_VOXEL_ROWS_MAX][SIDES_MAX] = {{0.0}};
    double gram[SN_VOXEL_ROWS_MAX * SN_VOXEL_ROWS_MAX];
    for (int r = 0; r < row_count; ++r) {
        const double *row = shop->rows + (size_t)r * (size_t)shop->dof_count;
        for (int i = 0; i < shop->dof_count; ++i) {
            const double *side = shop->sides + (size_t)i * (size_t)width;
            double value = row[i];
            for (int j = 0; j < width && value != 0.0; ++j) {
                product[r][j] += value * side[j];
            }
        }
    }
    for (int r = 0; r < row_count; ++r) {
        for (int c = 0; c < row_count; ++c) {
            gram[r * row_count + c] = 0.5 * (product[r][c] + product[c][r]);
        }
        memcpy(lambda + r * SN_VOXEL_DOFS, product[r] + row_count, SN_VOXEL_DOFS * sizeof *lambda);
    }
    if (!sn_small_cholesky(row_count, gram)) {
        return false;
    }
    sn_small_forward(row_count, gram, SN_VOXEL_DOFS, lambda);
    sn_small_backward(row_count, gram, SN_VOXEL_DOFS, lambda);
    return true;
}

// N = L + Z - Y lambda, on top of L.
static void find_shapes(const SnVoxelShop *shop, int row_count, int width, const double *lambda)
{
    for (int i = 0; i < shop->dof_count; ++i) {
        const double *side = shop->sides + (size_t)i * (size_t)width;
        double *shape = shop->shapes + (size_t)i * SN_VOXEL_DOFS;
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            shape[j] += side[row_count + j];
        }
        for (int r = 0; r < row_count; ++r) {
            const double *l = lambda + r * SN_VOXEL_DOFS;
            for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
                shape[j] -= side[r] * l[j];
            }
        }
    }
}

// N^T K N, where K N = factor M (L - N) - B^T lambda and B N = B L: a pass over the nodes instead
// of one over the voxels.
static void find_condensed(const SnVoxelShop *shop, int row_count, double factor,
                           const double *lambda, double K[SN_VOXEL_MATRIX])
{
    double sum[SN_VOXEL_MATRIX] = {0.0};
    for (int i = 0; i < shop->dof_count; ++i) {
        const double *shape = shop->shapes + (size_t)i * SN_VOXEL_DOFS;
        const double *weights = shop->weights + 8 * (size_t)(i / 3);
        double force[SN_VOXEL_DOFS], scale = factor * shop->masses[i / 3];
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            force[j] = -scale * shape[j];
        }
        for (int c = 0; c < 8; ++c) {
            force[3 * c + i % 3] += scale * weights[c];
        }
        for (int r = 0; r < row_count; ++r) {
            double b = shop->rows[(size_t)r * (size_t)shop->dof_count + (size_t)i];
            for (int j = 0; j < SN_VOXEL_DOFS && b != 0.0; ++j) {
                force[j] -= b * lambda[r * SN_VOXEL_DOFS + j];
            }
        }
        for (int a = 0; a < SN_VOXEL_DOFS; ++a) {
            for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
                sum[a * SN_VOXEL_DOFS + j] += shape[a] * force[j];
            }
        }
    }
    for (int a = 0; a < SN_VOXEL_DOFS; ++a) {
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            K[a * SN_VOXEL_DOFS + j] =
                0.5 * (sum[a * SN_VOXEL_DOFS + j] + sum[j * SN_VOXEL_DOFS + a]);
        }
    }
}

// Six rigid motions of the corners, orthonormal: translations, and turns about the middle.
static void find_rigid(double out[6][SN_VOXEL_DOFS])
{
    memset(out, 0, 6 * sizeof *out);
    for (int c = 0; c < 8; ++c) {
        double x[3] = {(c >> 2 & 1) - 0.5, (c >> 1 & 1) - 0.5, (c & 1) - 0.5};
        for (int k = 0; k < 3; ++k) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            out[k][3 * c + k] = 1.0 / sqrt(8.0);
            out[3 + k][3 * c + a] = -0.5 * x[b]; // |turn|^2 = 8 (1/4 + 1/4) = 4
            out[3 + k][3 * c + b] = 0.5 * x[a];
        }
    }
}

// K <- P K P, P without rigid motions.
static void take_rigid_out(double K[SN_VOXEL_MATRIX])
{
    double rigid[6][SN_VOXEL_DOFS];
    find_rigid(rigid);
    for (int side = 0; side < 2; ++side) {
        int by_row = side == 0 ? SN_VOXEL_DOFS : 1, by_column = side == 0 ? 1 : SN_VOXEL_DOFS;
        for (int r = 0; r < 6; ++r) {
            for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
                double along = 0.0;
                for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
                    along += rigid[r][j] * K[i * by_row + j * by_column];
                }
                for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
                    K[i * by_row + j * by_column] -= along * rigid[r][j];
                }
            }
        }
    }
}

static void add_rigid(double scale, double K[SN_VOXEL_MATRIX])
{
    double rigid[6][SN_VOXEL_DOFS];
    find_rigid(rigid);
    for (int r = 0; r < 6; ++r) {
        for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
            for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
                K[i * SN_VOXEL_DOFS + j] += scale * rigid[r][i] * rigid[r][j];
            }
        }
    }
}

static void transpose(double K[SN_VOXEL_MATRIX])
{
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int j = 0; j < i; ++j) {
            double kept = K[i * SN_VOXEL_DOFS + j];
            K[i * SN_VOXEL_DOFS + j] = K[j * SN_VOXEL_DOFS + i];
            K[j * SN_VOXEL_DOFS + i] = kept;
        }
    }
}

// Rebuilds K from the shares mu of the trilinear matrix C C^T that its motions have, with those
// that are too small lifted.
static void lift_ghosts(const double *C, double K[SN_VOXEL_MATRIX])
{
    double mu[SN_VOXEL_DOFS], U[SN_VOXEL_MATRIX], V[SN_VOXEL_MATRIX];
    sn_small_forward(SN_VOXEL_DOFS, C, SN_VOXEL_DOFS, K);
    transpose(K);
    sn_small_forward(SN_VOXEL_DOFS, C, SN_VOXEL_DOFS, K);
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int j = 0; j < i; ++j) {
            double mean = 0.5 * (K[i * SN_VOXEL_DOFS + j] + K[j * SN_VOXEL_DOFS + i]);
            K[i * SN_VOXEL_DOFS + j] = K[j * SN_VOXEL_DOFS + i] = mean;
        }
    }
    sn_small_eigen(SN_VOXEL_DOFS, K, mu, U);
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            double sum = 0.0;
            for (int k = 0; k <= i; ++k) {
                sum += C[i * SN_VOXEL_DOFS + k] * U[k * SN_VOXEL_DOFS + j];
            }
            V[i * SN_VOXEL_DOFS + j] = sum;
        }
    }
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (int k = 0; k < SN_VOXEL_DOFS; ++k) {
                double share = mu[k] < GHOST_BELOW ? GHOST_SHARE : mu[k];
                sum += share * V[i * SN_VOXEL_DOFS + k] * V[j * SN_VOXEL_DOFS + k];
            }
            K[i * SN_VOXEL_DOFS + j] = K[j * SN_VOXEL_DOFS + i] = sum;
        }
    }
}

// Corners that the content does not see would move freely. Rigid motions are given a stiffness
// meanwhile, so that both matrices are definite.
static void hold_ghosts(const double trilinear[SN_VOXEL_MATRIX], double K[SN_VOXEL_MATRIX])
{
    double full[SN_VOXEL_MATRIX], test[SN_VOXEL_MATRIX], scale = 0.0;
    memcpy(full, trilinear, sizeof full);
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        scale += full[i * (SN_VOXEL_DOFS + 1)] / SN_VOXEL_DOFS;
    }
    add_rigid(scale, full);
    add_rigid(scale, K);
    for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
        test[i] = K[i] - GHOST_BELOW * full[i];
    }
    // Mostly there are none, and a factor shows that sooner than eigenvalues do.
    if (!sn_small_cholesky(SN_VOXEL_DOFS, test)) {
        if (sn_small_cholesky(SN_VOXEL_DOFS, full)) {
            lift_ghosts(full, K);
        } else {
            for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
                K[i] += GHOST_SHARE * trilinear[i];
            }
        }
    }
    take_rigid_out(K);
}

// N, and K for a cell of 1 m. Where nothing of it can be done, the trilinear ones.
static void condense(Sums *sums, double K[SN_VOXEL_MATRIX])
{
    SnVoxelShop *shop = sums->shop;
    double lambda[SN_VOXEL_ROWS_MAX * SN_VOXEL_DOFS];
    shape_trilinear(shop);
    memcpy(K, shop->trilinear, sizeof shop->trilinear);
    shop->faces.node_count = shop->node_count;
    shop->faces.numbers = shop->numbers;
    sn_voxel_faces_find(sums->content, &shop->faces);
    int row_count = sn_voxel_select(&shop->faces, shop->weights, shop->rows);
    int width = (int)sn_round_up((size_t)(row_count + SN_VOXEL_DOFS), SN_DENSE_ROWS);
    if (row_count == 0) {
        return;
    }
    begin_layers(sums);
    visit(sums->content, add_blocks, sums);
    double factor = hold_down(shop);
    if (!sn_voxel_layers_factor(&shop->layers)) {
        return;
    }
    fill_sides(shop, row_count, width);
    sn_voxel_layers_solve(&shop->layers, width, shop->sides);
    if (find_multipliers(shop, row_count, width, lambda)) {
        find_shapes(shop, row_count, width, lambda);
        find_condensed(shop, row_count, factor, lambda, K);
        take_rigid_out(K);
        hold_ghosts(shop->trilinear, K);
    }
}

// The cell ---------------------------------------------------------------------------------------

// N^T diag(masses) N.
static void find_mass(const SnVoxelShop *shop, const double *masses, double scale,
                      double out[SN_VOXEL_MATRIX])
{
    memset(out, 0, SN_VOXEL_MATRIX * sizeof *out);
    for (int i = 0; i < shop->dof_count; ++i) {
        const double *shape = shop->shapes + (size_t)i * SN_VOXEL_DOFS;
        double mass = scale * masses[i / 3];
        for (int a = 0; a < SN_VOXEL_DOFS && mass != 0.0; ++a) {
            double along = mass * shape[a];
            for (int b = 0; b < SN_VOXEL_DOFS; ++b) {
                out[a * SN_VOXEL_DOFS + b] += along * shape[b];
            }
        }
    }
}

// All of a row on the diagonal, as [E] does at the mechanical level; shapes are trilinear.
static void lump(double mass[SN_VOXEL_MATRIX])
{
    for (int a = 0; a < SN_VOXEL_DOFS; ++a) {
        double sum = 0.0;
        for (int b = a % 3; b < SN_VOXEL_DOFS; b += 3) {
            sum += mass[a * SN_VOXEL_DOFS + b];
            mass[a * SN_VOXEL_DOFS + b] = 0.0;
        }
        mass[a * SN_VOXEL_DOFS + a] = sum;
    }
}

static void find_weight(const SnVoxelShop *shop, double scale, double out[3 * SN_VOXEL_DOFS])
{
    memset(out, 0, 3 * SN_VOXEL_DOFS * sizeof *out);
    for (int i = 0; i < shop->dof_count; ++i) {
        for (int a = 0; a < SN_VOXEL_DOFS; ++a) {
            out[3 * a + i % 3] +=
                scale * shop->masses[i / 3] * shop->shapes[(size_t)i * SN_VOXEL_DOFS + (size_t)a];
        }
    }
}

// Sum of mass times place, from the middle of the cell; a node's place is that of its weights.
static void find_moment(const SnVoxelShop *shop, double scale, double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int n = 0; n < shop->node_count; ++n) {
        const double *weights = shop->weights + 8 * (size_t)n;
        for (int c = 0; c < 8; ++c) {
            double share = scale * shop->masses[n] * weights[c];
            out[0] += share * ((c >> 2 & 1) - 0.5);
            out[1] += share * ((c >> 1 & 1) - 0.5);
            out[2] += share * ((c & 1) - 0.5);
        }
    }
}

// Half the curl at the voxel's centre, by modulus.
static void add_curl(void *context, const SnVoxel *voxel, const int corners[8])
{
    Sums *sums = context;
    double modulus = sums->content->materials[voxel->material].young * (double)voxel->stiffness;
    double slope = 0.25 * sums->shop->division * 0.5 * modulus / sums->modulus;
    for (int c = 0; c < 8; ++c) {
        size_t at = 3 * (size_t)sums->shop->numbers[corners[c]];
        double g[3] = {c >> 2 & 1 ? slope : -slope, c >> 1 & 1 ? slope : -slope,
                       c & 1 ? slope : -slope};
        for (int k = 0; k < 3; ++k) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            double *row = sums->curl + (size_t)k * (size_t)sums->shop->dof_count;
            row[at + (size_t)b] += g[a];
            row[at + (size_t)a] -= g[b];
        }
    }
}

static void find_omega(Sums *sums, double edge, double out[3 * SN_VOXEL_DOFS])
{
    const SnVoxelShop *shop = sums->shop;
    sums->curl = shop->product; // no longer needed
    memset(sums->curl, 0, 3 * (size_t)shop->dof_count * sizeof *sums->curl);
    visit(sums->content, add_curl, sums);
    memset(out, 0, 3 * SN_VOXEL_DOFS * sizeof *out);
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < shop->dof_count; ++i) {
            double value = sums->curl[(size_t)k * (size_t)shop->dof_count + (size_t)i] / edge;
            for (int a = 0; a < SN_VOXEL_DOFS; ++a) {
                out[k * SN_VOXEL_DOFS + a] +=
                    value * shop->shapes[(size_t)i * SN_VOXEL_DOFS + (size_t)a];
            }
        }
    }
}

// A full cell of the content's mean moduli, times how full it is: [E] 5.1.
static void find_uniform(const SnVoxelContent *content, double K[SN_VOXEL_MATRIX])
{
    int m = content->division, count = m * m * m;
    memset(K, 0, SN_VOXEL_MATRIX * sizeof *K);
    for (int v = 0; v < count; ++v) {
        const SnVoxel *voxel = &content->voxels[v];
        for (int i = 0; i < SN_VOXEL_MATRIX && voxel->material >= 0; ++i) {
            K[i] += (double)voxel->stiffness / count * content->materials[voxel->material].leaf[i];
        }
    }
}

// A mass to its corners in equal shares, wherever it is in the cell.
static void share_evenly(double total, SnVoxelCell *cell)
{
    memset(cell->mass, 0, sizeof cell->mass);
    memset(cell->weight, 0, sizeof cell->weight);
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        cell->mass[i * (SN_VOXEL_DOFS + 1)] = total / 8.0;
        cell->weight[3 * i + i % 3] = total / 8.0;
    }
}

static SinewStatus keep_shapes(const SnVoxelShop *shop, const SinewAllocator *allocator,
                               SnVoxelCell *cell, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = (size_t)shop->dof_count * SN_VOXEL_DOFS;
    cell->node_count = shop->node_count;
    SN_ALLOC(cell->numbers, allocator, shop->nodes_max, error);
    SN_ALLOC(cell->shapes, allocator, count, error);
    for (int n = 0; n < shop->nodes_max; ++n) {
        cell->numbers[n] = (short)shop->numbers[n];
    }
    for (size_t i = 0; i < count; ++i) {
        cell->shapes[i] = (float)shop->shapes[i];
    }

done:
    return status;
}

// A trilinear cell has one voxel inside, itself.
static SinewStatus keep_corners(const SinewAllocator *allocator, SnVoxelCell *cell,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    cell->node_count = 8;
    SN_ALLOC(cell->numbers, allocator, 8, error);
    SN_ALLOC_ZERO(cell->shapes, allocator, SN_VOXEL_MATRIX, error);
    for (int c = 0; c < 8; ++c) {
        cell->numbers[c] = (short)c;
    }
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        cell->shapes[i * (SN_VOXEL_DOFS + 1)] = 1.0f;
    }

done:
    return status;
}

static SinewStatus find_damping(const Sums *sums, double edge, const SinewAllocator *allocator,
                                SnVoxelCell *cell, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVoxelShop *shop = sums->shop;
    double alpha = 0.0, beta = sums->beta / sums->modulus;
    for (int n = 0; n < shop->node_count; ++n) {
        alpha += shop->damped[n];
    }
    if (alpha > 0.0 || beta > 0.0) {
        SN_ALLOC(cell->damping, allocator, SN_VOXEL_MATRIX, error);
        find_mass(shop, shop->damped, edge * edge * edge, cell->damping);
        for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
            cell->damping[i] += beta * cell->stiffness[i];
        }
    }

done:
    return status;
}

SinewStatus sn_voxel_cell_make(SnVoxelShop *shop, const SnVoxelContent *content, SnVoxelKind kind,
                               const SinewAllocator *allocator, SnVoxelCell *out_cell,
                               SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Sums sums = {.shop = shop, .content = content};
    double edge = content->edge, cube = edge * edge * edge;

    *out_cell = (SnVoxelCell){0};
    number_nodes(shop, content);
    memset(shop->product, 0, (size_t)shop->dof_count * SN_VOXEL_DOFS * sizeof *shop->product);
    visit(content, add_masses, &sums);
    visit(content, add_stiffness, &sums);
    find_trilinear(shop);
    if (kind == SN_VOXEL_CONDENSED) {
        condense(&sums, out_cell->stiffness);
    } else {
        shape_trilinear(shop);
        memcpy(out_cell->stiffness, shop->trilinear, sizeof out_cell->stiffness);
        if (kind == SN_VOXEL_UNIFORM) {
            find_uniform(content, out_cell->stiffness);
        }
    }
    for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
        out_cell->stiffness[i] *= edge;
    }
    find_mass(shop, shop->masses, cube, out_cell->mass);
    if (kind != SN_VOXEL_CONDENSED) {
        lump(out_cell->mass);
    }
    find_weight(shop, cube, out_cell->weight);
    find_moment(shop, cube * edge, out_cell->moment);
    if (kind == SN_VOXEL_UNIFORM) {
        share_evenly(sums.mass * cube, out_cell);
        memset(out_cell->moment, 0, sizeof out_cell->moment);
    }
    find_omega(&sums, edge, out_cell->omega);
    out_cell->total = sums.mass * cube;
    out_cell->volume = sums.fill * cube;
    SN_TRY(find_damping(&sums, edge, allocator, out_cell, error));
    SN_TRY(kind == SN_VOXEL_CONDENSED ? keep_shapes(shop, allocator, out_cell, error)
                                      : keep_corners(allocator, out_cell, error));

done:
    if (status < 0) {
        sn_voxel_cell_release(out_cell, allocator);
    }
    return status;
}

void sn_voxel_cell_release(SnVoxelCell *cell, const SinewAllocator *allocator)
{
    sn_free(allocator, cell->damping);
    sn_free(allocator, cell->numbers);
    sn_free(allocator, cell->shapes);
    *cell = (SnVoxelCell){0};
}
