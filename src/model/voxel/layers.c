#include "model/voxel/layers.h"

#include <stddef.h>
#include <string.h>

SinewStatus sn_voxel_layers_create(int layers_max, int size_max, int right_sides_max,
                                   const SnKernels *kernels, const SinewAllocator *allocator,
                                   SnVoxelLayers *out_layers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t stride = sn_round_up((size_t)size_max, SN_DENSE_ROWS);
    size_t block = stride * stride;
    size_t sides = (size_t)right_sides_max * stride;

    *out_layers =
        (SnVoxelLayers){.kernels = kernels, .layers_max = layers_max, .stride = (int)stride};
    SN_ALLOC_ZERO(out_layers->block, allocator,
                  4 * (size_t)layers_max * block + (sides > block ? sides : block), error);
    for (int i = 0; i < layers_max; ++i) {
        double *first = out_layers->block + 4 * (size_t)i * block;
        out_layers->diagonal[i] = first;
        out_layers->inverse[i] = first + block;
        out_layers->below[i] = first + 2 * block;
        out_layers->above[i] = first + 3 * block;
    }
    out_layers->room = out_layers->block + 4 * (size_t)layers_max * block;

done:
    return status;
}

void sn_voxel_layers_release(SnVoxelLayers *layers, const SinewAllocator *allocator)
{
    sn_free(allocator, layers->block);
    *layers = (SnVoxelLayers){0};
}

void sn_voxel_layers_begin(SnVoxelLayers *layers, int count, const int *sizes)
{
    size_t stride = (size_t)layers->stride;
    int start = 0;
    layers->count = count;
    for (int i = 0; i < count; ++i) {
        layers->sizes[i] = sizes[i];
        layers->starts[i] = start;
        start += sizes[i];
        memset(layers->diagonal[i], 0, stride * (size_t)sizes[i] * sizeof(double));
        if (i > 0) {
            memset(layers->below[i], 0, stride * (size_t)sizes[i - 1] * sizeof(double));
        }
    }
}

static void transpose(int rows, int columns, int stride, const double *from, double *to)
{
    for (int c = 0; c < columns; ++c) {
        for (int r = 0; r < rows; ++r) {
            to[(ptrdiff_t)r * stride + c] = from[(ptrdiff_t)c * stride + r];
        }
    }
}

// below <- below L^-T of the layer before, and its share leaves this layer's own block.
static void eliminate(SnVoxelLayers *layers, int i)
{
    int rows = layers->sizes[i], before = layers->sizes[i - 1], stride = layers->stride;
    SnDenseProduct product = {.rows = rows,
                              .columns = before,
                              .depth = before,
                              .A = layers->below[i],
                              .lda = stride,
                              .B = layers->diagonal[i - 1],
                              .ldb = stride,
                              .C = layers->room,
                              .ldc = stride};
    layers->kernels->dense->multiply(&product);
    memcpy(layers->below[i], layers->room, (size_t)stride * (size_t)before * sizeof(double));
    product = (SnDenseProduct){.rows = rows,
                               .columns = rows,
                               .depth = before,
                               .A = layers->below[i],
                               .lda = stride,
                               .B = layers->below[i],
                               .ldb = stride,
                               .C = layers->diagonal[i],
                               .ldc = stride};
    layers->kernels->dense->subtract(&product);
    transpose(rows, before, stride, layers->below[i], layers->above[i]);
}

bool sn_voxel_layers_factor(SnVoxelLayers *layers)
{
    for (int i = 0; i < layers->count; ++i) {
        if (i > 0) {
            eliminate(layers, i);
        }
        if (layers->kernels->dense->cholesky(layers->sizes[i], layers->diagonal[i],
                                             layers->stride) >= 0) {
            return false;
        }
        layers->kernels->dense->invert(layers->sizes[i], layers->diagonal[i], layers->stride,
                                       layers->inverse[i], layers->stride);
        transpose(layers->sizes[i], layers->sizes[i], layers->stride, layers->inverse[i],
                  layers->diagonal[i]);
    }
    return true;
}

// X_i -= X_j B^T, with B of so many rows as X_i has unknowns.
static void take_away(const SnVoxelLayers *layers, int right_sides, int i, int j, const double *B,
                      double *X)
{
    SnDenseProduct product = {.rows = right_sides,
                              .columns = layers->sizes[i],
                              .depth = layers->sizes[j],
                              .A = X + (size_t)layers->starts[j] * (size_t)right_sides,
                              .lda = right_sides,
                              .B = B,
                              .ldb = layers->stride,
                              .C = X + (size_t)layers->starts[i] * (size_t)right_sides,
                              .ldc = right_sides};
    layers->kernels->dense->subtract(&product);
}

// X_i <- X_i B^T.
static void replace(const SnVoxelLayers *layers, int right_sides, int i, const double *B, double *X)
{
    double *here = X + (size_t)layers->starts[i] * (size_t)right_sides;
    SnDenseProduct product = {.rows = right_sides,
                              .columns = layers->sizes[i],
                              .depth = layers->sizes[i],
                              .A = here,
                              .lda = right_sides,
                              .B = B,
                              .ldb = layers->stride,
                              .C = layers->room,
                              .ldc = right_sides};
    layers->kernels->dense->multiply(&product);
    memcpy(here, layers->room, (size_t)right_sides * (size_t)layers->sizes[i] * sizeof *here);
}

void sn_voxel_layers_solve(const SnVoxelLayers *layers, int right_sides, double *X)
{
    for (int i = 0; i < layers->count; ++i) {
        if (i > 0) {
            take_away(layers, right_sides, i, i - 1, layers->below[i], X);
        }
        replace(layers, right_sides, i, layers->diagonal[i], X);
    }
    for (int i = layers->count - 1; i >= 0; --i) {
        if (i + 1 < layers->count) {
            take_away(layers, right_sides, i, i + 1, layers->above[i + 1], X);
        }
        replace(layers, right_sides, i, layers->inverse[i], X);
    }
}
