#include "geometry/surface.h"

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
