#include "geometry/tet_boundary.h"

#include "geometry/tet_surface.h"

#include <string.h>

SinewStatus sn_tet_boundary_create(const SnTetMesh *mesh, const SinewAllocator *allocator,
                                   SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetSurface *boundary = NULL;
    int *index_of = NULL; // first whether a vertex is used, then its index in the surface
    int vertex_count = 0;
    *out_surface = NULL;

    SN_TRY(sn_tet_surface_create(mesh->tets, mesh->tet_count, mesh->vertex_count, allocator,
                                 &boundary, error));
    SN_ALLOC_ZERO(index_of, allocator, mesh->vertex_count, error);
    for (int i = 0; i < 3 * boundary->triangle_count; ++i) {
        index_of[boundary->triangles[i]] = 1;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        index_of[v] = index_of[v] != 0 ? vertex_count++ : -1;
    }
    SN_TRY(sn_surface_create(vertex_count, boundary->triangle_count, 0, 1, allocator, out_surface,
                             error));
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (index_of[v] >= 0) {
            memcpy((*out_surface)->positions + 3 * (size_t)index_of[v],
                   mesh->positions + 3 * (size_t)v, 3 * sizeof *mesh->positions);
        }
    }
    for (int i = 0; i < 3 * boundary->triangle_count; ++i) {
        (*out_surface)->triangles[i] = index_of[boundary->triangles[i]];
    }

done:
    sn_free(allocator, index_of);
    sn_tet_surface_destroy(boundary, allocator);
    return status;
}
