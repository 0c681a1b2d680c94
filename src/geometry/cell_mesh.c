#include "geometry/cell_mesh.h"

#include "base/union_find.h"

#include <string.h>

// Which corner of a cell, numbered 4 i + 2 j + k, is which of a hexahedron.
static const int corner_of[8] = {0, 4, 6, 2, 1, 5, 7, 3};

static SinewStatus create(int vertex_count, int hex_count, const SinewAllocator *allocator,
                          SnCellMesh **out_mesh, SinewError *error)
{
    static const char *const names[SN_HEX_REGIONS] = {"interior", "boundary"};
    SinewStatus status = SINEW_OK;
    SnCellMesh *mesh = NULL;
    SN_ALLOC_ZERO(mesh, allocator, 1, error);
    mesh->vertex_count = vertex_count;
    mesh->hex_count = hex_count;
    SN_ALLOC(mesh->positions, allocator, 3 * (size_t)vertex_count, error);
    SN_ALLOC(mesh->hexes, allocator, 8 * (size_t)hex_count, error);
    SN_ALLOC(mesh->regions, allocator, hex_count, error);
    SN_ALLOC(mesh->fills, allocator, hex_count, error);
    SN_TRY(sn_names_reset(&mesh->names, SN_HEX_REGIONS, allocator, error));
    for (int r = 0; r < SN_HEX_REGIONS; ++r) {
        SN_TRY(sn_names_set(&mesh->names, r, names[r], strlen(names[r]), allocator, error));
    }
    *out_mesh = mesh;
    mesh = NULL;
done:
    sn_cell_mesh_destroy(mesh, allocator);
    return status;
}

SinewStatus sn_cell_mesh_of_lattice(const SnCellLattice *lattice, const SinewAllocator *allocator,
                                    SnCellMesh **out_mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    *out_mesh = NULL;
    SN_TRY(create(lattice->node_count, lattice->cell_count, allocator, out_mesh, error));
    SnCellMesh *mesh = *out_mesh;
    memcpy(mesh->positions, lattice->positions,
           3 * (size_t)lattice->node_count * sizeof *mesh->positions);
    size_t next[SN_HEX_REGIONS] = {0, (size_t)(lattice->cell_count - lattice->boundary_count)};
    for (size_t cell = 0; cell < (size_t)lattice->cell_count; ++cell) {
        int region = lattice->labels[cell] == SN_CELL_BOUNDARY ? SN_HEX_BOUNDARY : SN_HEX_INTERIOR;
        size_t hex = next[region]++;
        mesh->regions[hex] = region;
        mesh->fills[hex] = lattice->fills[cell];
        for (size_t c = 0; c < 8; ++c) {
            mesh->hexes[8 * hex + c] = lattice->nodes[8 * cell + (size_t)corner_of[c]];
        }
    }
done:
    return status;
}

void sn_cell_mesh_destroy(SnCellMesh *mesh, const SinewAllocator *allocator)
{
    if (mesh == NULL) {
        return;
    }
    sn_free(allocator, mesh->positions);
    sn_free(allocator, mesh->hexes);
    sn_free(allocator, mesh->regions);
    sn_free(allocator, mesh->fills);
    sn_names_release(&mesh->names, allocator);
    sn_free(allocator, mesh);
}

double sn_cell_mesh_volume(const SnCellMesh *mesh, int hex)
{
    // Signs of the corners along the three axes of the unit cube.
    static const int sides[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                    {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
    const int *corners = mesh->hexes + 8 * (size_t)hex;
    double d[3][3] = {{0.0}};
    for (int k = 0; k < 8; ++k) {
        const double *x = mesh->positions + 3 * (size_t)corners[k];
        for (int axis = 0; axis < 3; ++axis) {
            for (int c = 0; c < 3; ++c) {
                d[axis][c] += 0.25 * sides[k][axis] * x[c];
            }
        }
    }
    return d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) +
           d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
           d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
}

SinewStatus sn_cell_mesh_count_parts(const SnCellMesh *mesh, const SinewAllocator *allocator,
                                     int *out_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *parents = NULL;
    int count = mesh->vertex_count; // every vertex is used; each joining leaves one part less
    SN_ALLOC(parents, allocator, mesh->vertex_count, error);
    sn_union_find_reset(parents, mesh->vertex_count);
    for (size_t i = 0; i < 8 * (size_t)mesh->hex_count; ++i) {
        count -= sn_union_find_join(parents, mesh->hexes[i & ~(size_t)7], mesh->hexes[i]);
    }
    *out_count = count;
done:
    sn_free(allocator, parents);
    return status;
}
