#include "support/voxel_blocks.h"

#include "model/voxel/small.h"
#include "support/test.h"

SnVoxelMaterial voxel_material(double young, double poisson, double density, bool wilson)
{
    SnVoxelMaterial material = {.young = young, .density = density};
    sn_voxel_leaf(young / (2.0 * (1.0 + poisson)),
                  young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), wilson,
                  material.leaf);
    return material;
}

SnVoxel *voxel_fill(int division, const double place[3], VoxelRule *rule)
{
    int m = division;
    SnVoxel *voxels = malloc((size_t)(m * m * m) * sizeof *voxels);
    for (int v = 0; v < m * m * m; ++v) {
        double centre[3] = {place[0] + (v / m / m + 0.5) / m, place[1] + (v / m % m + 0.5) / m,
                            place[2] + (v % m + 0.5) / m};
        bool full = rule(centre);
        voxels[v] = (SnVoxel){full ? 0 : -1, full ? 1.0f : 0.0f, full ? 1.0f : 0.0f};
    }
    return voxels;
}

void voxel_cell(const SnVoxel *voxels, int division, const SnVoxelMaterial *material,
                SnVoxelKind kind, SnVoxelCell *out_cell)
{
    const SnKernels *kernels;
    SnVoxelShop shop;
    SnVoxelContent content = {division, 1.0, voxels, material};
    assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &kernels, NULL), SINEW_OK);
    assert_int_equal(sn_voxel_shop_create(division, true, kernels, NULL, &shop, NULL), SINEW_OK);
    assert_int_equal(sn_voxel_cell_make(&shop, &content, kind, NULL, out_cell, NULL), SINEW_OK);
    sn_voxel_shop_release(&shop, NULL);
}

void voxel_solve(int n, double *A, double *b)
{
    assert_true(sn_small_cholesky(n, A));
    sn_small_forward(n, A, 1, b);
    sn_small_backward(n, A, 1, b);
}
