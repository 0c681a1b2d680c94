#include "geometry/surface_repair.h"

#include "geometry/surface_clean.h"
#include "geometry/surface_weld.h"

SinewStatus sn_surface_repair(SnSurface *surface, double tolerance, const SinewAllocator *allocator,
                              SnSurfaceRepair *out_repair, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurfaceRepair repair = {.welded_vertices = surface->vertex_count};
    *out_repair = (SnSurfaceRepair){0};
    SN_TRY(sn_surface_weld(surface, tolerance, allocator, error));
    repair.welded_vertices -= surface->vertex_count;
    SN_TRY(sn_surface_clean(surface, allocator, &repair.degenerate_triangles,
                            &repair.duplicate_triangles, error));
    SN_TRY(sn_surface_orient(surface, allocator, &repair.orientation, error));
    *out_repair = repair;
done:
    return status;
}
