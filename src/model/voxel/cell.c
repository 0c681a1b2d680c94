#include "model/voxel/cell.h"

#include "model/voxel/condense.h"

#include <string.h>

typedef struct Sums {
    SnVoxelShop *shop;
    const SnVoxelContent *content;
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
    sn_voxel_visit(sums->content, add_curl, sums);
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
    sn_voxel_shop_number(shop, content);
    sn_voxel_visit(content, add_masses, &sums);
    sn_voxel_shop_stiffness(shop, content);
    if (kind == SN_VOXEL_CONDENSED) {
        sn_voxel_condense(shop, content, out_cell->stiffness);
    } else {
        sn_voxel_shop_shapes(shop);
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
