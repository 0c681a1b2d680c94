#include "geometry/hex_mesh.h"

SinewStatus sn_hex_mesh_create(int vertex_count, int hex_count, const SinewAllocator *allocator,
                               SnHexMesh **out_mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnHexMesh *mesh = NULL;
    *out_mesh = NULL;
    SN_ASSERT(vertex_count >= 0 && hex_count >= 0);

    SN_ALLOC_ZERO(mesh, allocator, 1, error);
    mesh->vertex_count = vertex_count;
    mesh->hex_count = hex_count;
    SN_ALLOC(mesh->positions, allocator, 3 * (size_t)vertex_count, error);
    SN_ALLOC(mesh->hexes, allocator, 8 * (size_t)hex_count, error);
    *out_mesh = mesh;
    mesh = NULL;

done:
    sn_hex_mesh_destroy(mesh, allocator);
    return status;
}

void sn_hex_mesh_destroy(SnHexMesh *mesh, const SinewAllocator *allocator)
{
    if (mesh == NULL) {
        return;
    }
    sn_free(allocator, mesh->hexes);
    sn_free(allocator, mesh->positions);
    sn_free(allocator, mesh);
}
