#include "model/voxel/condense.h"

#include "model/voxel/ghosts.h"
#include "model/voxel/select.h"
#include "model/voxel/small.h"

#include <string.h>

// How much of the mean stiffness keeps the free content from floating away.
#define FLOAT_SHARE 1e-5

// The content's stiffness, put together by layers of nodes.
typedef struct Layering {
    SnVoxelShop *shop;
    const SnVoxelContent *content;
    int first_layer;
} Layering;

// Adds a voxel to the system of all its nodes.
static void add_blocks(void *context, const SnVoxel *voxel, const int corners[8])
{
    const Layering *layering = context;
    SnVoxelLayers *layers = &layering->shop->layers;
    const double *leaf = layering->content->materials[voxel->material].leaf;
    double scale = (double)voxel->stiffness / layering->shop->division;
    int side = layering->shop->division + 1;
    int low = corners[0] / side / side - layering->first_layer;
    for (int a = 0; a < SN_VOXEL_DOFS; ++a) {
        int row_layer = low + (a >= 12);
        int row = 3 * layering->shop->numbers[corners[a / 3]] + a % 3 - layers->starts[row_layer];
        for (int b = 0; b < SN_VOXEL_DOFS; ++b) {
            int column_layer = low + (b >= 12);
            int column =
                3 * layering->shop->numbers[corners[b / 3]] + b % 3 - layers->starts[column_layer];
            if (column_layer <= row_layer) {
                double *block = column_layer == row_layer ? layers->diagonal[row_layer]
                                                          : layers->below[row_layer];
                block[(ptrdiff_t)column * layers->stride + row] +=
                    scale * leaf[a * SN_VOXEL_DOFS + b];
            }
        }
    }
}

static void begin_layers(Layering *layering)
{
    SnVoxelShop *shop = layering->shop;
    int side = shop->division + 1, sizes[SN_VOXEL_LAYERS_MAX], count = 0;
    layering->first_layer = -1;
    for (int i = 0; i < side; ++i) {
        int size = 0;
        for (int n = 0; n < side * side; ++n) {
            size += shop->numbers[i * side * side + n] >= 0 ? 3 : 0;
        }
        if (size > 0) {
            layering->first_layer = layering->first_layer < 0 ? i : layering->first_layer;
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
    double product[SN_VOXEL_ROWS_MAX][SN_VOXEL_SIDES_MAX] = {{0.0}};
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

void sn_voxel_condense(SnVoxelShop *shop, const SnVoxelContent *content, double K[SN_VOXEL_MATRIX])
{
    Layering layering = {.shop = shop, .content = content};
    double lambda[SN_VOXEL_ROWS_MAX * SN_VOXEL_DOFS];
    sn_voxel_shop_shapes(shop);
    memcpy(K, shop->trilinear, sizeof shop->trilinear);
    shop->faces.node_count = shop->node_count;
    shop->faces.numbers = shop->numbers;
    sn_voxel_faces_find(content, &shop->faces);
    int row_count = sn_voxel_select(&shop->faces, shop->weights, shop->rows);
    int width = (int)sn_round_up((size_t)(row_count + SN_VOXEL_DOFS), SN_DENSE_ROWS);
    if (row_count == 0) {
        return;
    }
    begin_layers(&layering);
    sn_voxel_visit(content, add_blocks, &layering);
    double factor = hold_down(shop);
    if (!sn_voxel_layers_factor(&shop->layers)) {
        return;
    }
    fill_sides(shop, row_count, width);
    sn_voxel_layers_solve(&shop->layers, width, shop->sides);
    if (find_multipliers(shop, row_count, width, lambda)) {
        find_shapes(shop, row_count, width, lambda);
        find_condensed(shop, row_count, factor, lambda, K);
        sn_voxel_take_rigid_out(K);
        sn_voxel_hold_ghosts(shop->trilinear, K);
    }
}
