#include "geometry/tet_mesh.h"

SinewStatus sn_tet_mesh_create(int vertex_count, int tet_count, const SinewAllocator *allocator,
                               SnTetMesh **out_mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetMesh *mesh = NULL;
    *out_mesh = NULL;
    SN_ASSERT(vertex_count >= 0 && tet_count >= 0);

    SN_ALLOC_ZERO(mesh, allocator, 1, error);
    mesh->vertex_count = vertex_count;
    mesh->tet_count = tet_count;
    SN_ALLOC(mesh->positions, allocator, 3 * (size_t)vertex_count, error);
    SN_ALLOC(mesh->tets, allocator, 4 * (size_t)tet_count, error);
    SN_ALLOC_ZERO(mesh->regions, allocator, tet_count, error);
    SN_TRY(sn_names_reset(&mesh->names, 1, allocator, error));
    *out_mesh = mesh;
    mesh = NULL;

done:
    sn_tet_mesh_destroy(mesh, allocator);
    return status;
}

void sn_tet_mesh_destroy(SnTetMesh *mesh, const SinewAllocator *allocator)
{
    if (mesh == NULL) {
        return;
    }
    sn_free(allocator, mesh->positions);
    sn_free(allocator, mesh->tets);
    sn_free(allocator, mesh->regions);
    sn_names_release(&mesh->names, allocator);
    sn_free(allocator, mesh);
}

double sn_tet_mesh_volume(const SnTetMesh *mesh, int tet)
{
    const int *corner = mesh->tets + 4 * (size_t)tet;
    const double *x0 = mesh->positions + 3 * (size_t)corner[0];
    double d[3][3];
    for (int i = 0; i < 3; ++i) {
        const double *x = mesh->positions + 3 * (size_t)corner[i + 1];
        for (int c = 0; c < 3; ++c) {
            d[i][c] = x[c] - x0[c];
        }
    }
    return (d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) +
            d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
            d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0])) /
           6.0;
}
