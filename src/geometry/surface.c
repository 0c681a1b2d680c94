#include "geometry/surface.h"

#include <string.h>

SinewStatus sn_surface_create(int vertex_count, int triangle_count, int line_count, int group_count,
                              const SinewAllocator *allocator, SnSurface **out_surface,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurface *surface = NULL;
    *out_surface = NULL;
    SN_ALLOC_ZERO(surface, allocator, 1, error);
    surface->vertex_count = vertex_count;
    surface->triangle_count = triangle_count;
    surface->line_count = line_count;
    SN_ALLOC(surface->positions, allocator, 3 * (size_t)vertex_count, error);
    SN_ALLOC(surface->triangles, allocator, 3 * (size_t)triangle_count, error);
    SN_ALLOC_ZERO(surface->groups, allocator, triangle_count, error);
    SN_ALLOC(surface->lines, allocator, 2 * (size_t)line_count, error);
    SN_TRY(sn_names_reset(&surface->names, group_count, allocator, error));
    *out_surface = surface;
    surface = NULL;
done:
    sn_surface_destroy(surface, allocator);
    return status;
}

SinewStatus sn_surface_copy(const SnSurface *from, const SinewAllocator *allocator,
                            SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurface *to = NULL;
    *out_surface = NULL;
    SN_TRY(sn_surface_create(from->vertex_count, from->triangle_count, from->line_count, 1,
                             allocator, &to, error));
    size_t triangles = (size_t)from->triangle_count;
    memcpy(to->positions, from->positions, 3 * (size_t)from->vertex_count * sizeof(double));
    memcpy(to->triangles, from->triangles, 3 * triangles * sizeof(int));
    memcpy(to->groups, from->groups, triangles * sizeof(int));
    memcpy(to->lines, from->lines, 2 * (size_t)from->line_count * sizeof(int));
    SN_TRY(sn_names_copy(&from->names, allocator, &to->names, error));
    *out_surface = to;
    to = NULL;
done:
    sn_surface_destroy(to, allocator);
    return status;
}

void sn_surface_destroy(SnSurface *surface, const SinewAllocator *allocator)
{
    if (surface == NULL) {
        return;
    }
    sn_names_release(&surface->names, allocator);
    sn_free(allocator, surface->lines);
    sn_free(allocator, surface->groups);
    sn_free(allocator, surface->triangles);
    sn_free(allocator, surface->positions);
    sn_free(allocator, surface);
}
