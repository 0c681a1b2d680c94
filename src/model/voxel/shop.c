#include "model/voxel/shop.h"

#include "model/voxel/select.h"

#include <string.h>

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
        SN_ALLOC(out_shop->sides, allocator, SN_VOXEL_SIDES_MAX * dofs, error);
        SN_TRY(sn_voxel_layers_create(side, 3 * side * side, SN_VOXEL_SIDES_MAX, kernels, allocator,
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

void sn_voxel_visit(const SnVoxelContent *content, SnVoxelVisitFn *fn, void *context)
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

void sn_voxel_shop_number(SnVoxelShop *shop, const SnVoxelContent *content)
{
    int m = shop->division, side = m + 1;
    memset(shop->numbers, -1, (size_t)shop->nodes_max * sizeof *shop->numbers);
    sn_voxel_visit(content, mark_corners, shop);
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

typedef struct Stiffening {
    const SnVoxelShop *shop;
    const SnVoxelContent *content;
} Stiffening;

static void add_stiffness(void *context, const SnVoxel *voxel, const int corners[8])
{
    const Stiffening *job = context;
    const SnVoxelShop *shop = job->shop;
    int numbers[8];
    for (int c = 0; c < 8; ++c) {
        numbers[c] = shop->numbers[corners[c]];
    }
    // A cube of the edge 1/m has 1/m of the stiffness.
    add_product(shop, numbers, (double)voxel->stiffness / shop->division,
                job->content->materials[voxel->material].leaf);
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

void sn_voxel_shop_stiffness(SnVoxelShop *shop, const SnVoxelContent *content)
{
    Stiffening job = {shop, content};
    memset(shop->product, 0, (size_t)shop->dof_count * SN_VOXEL_DOFS * sizeof *shop->product);
    sn_voxel_visit(content, add_stiffness, &job);
    find_trilinear(shop);
}

void sn_voxel_shop_shapes(SnVoxelShop *shop)
{
    memset(shop->shapes, 0, (size_t)shop->dof_count * SN_VOXEL_DOFS * sizeof *shop->shapes);
    for (int i = 0; i < shop->dof_count; ++i) {
        for (int c = 0; c < 8; ++c) {
            shop->shapes[(size_t)i * SN_VOXEL_DOFS + (size_t)(3 * c + i % 3)] =
                shop->weights[8 * (i / 3) + c];
        }
    }
}
