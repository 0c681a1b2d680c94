#include "geometry/surface_report.h"

#include "geometry/surface_clean.h"
#include "geometry/surface_components.h"
#include "geometry/surface_edges.h"
#include "geometry/surface_weld.h"

#include <math.h>
#include <string.h>

static void find_bounds(const SnSurface *surface, SnSurfaceReport *report)
{
    for (int v = 0; v < surface->vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            double value = surface->positions[3 * (size_t)v + (size_t)k];
            report->low[k] = v == 0 || value < report->low[k] ? value : report->low[k];
            report->high[k] = v == 0 || value > report->high[k] ? value : report->high[k];
        }
    }
}

// Volume about the middle of the bounds, which loses the fewest digits and is the least wrong
// where the surface is open.
static void find_area_and_volume(const SnSurface *surface, SnSurfaceReport *report)
{
    double middle[3];
    for (int k = 0; k < 3; ++k) {
        middle[k] = 0.5 * report->low[k] + 0.5 * report->high[k];
    }
    for (int t = 0; t < surface->triangle_count; ++t) {
        const int *corner = surface->triangles + 3 * (size_t)t;
        const double *a = surface->positions + 3 * (size_t)corner[0];
        const double *b = surface->positions + 3 * (size_t)corner[1];
        const double *c = surface->positions + 3 * (size_t)corner[2];
        double squared = 0.0;
        double volume = 0.0;
        for (int k = 0; k < 3; ++k) {
            int u = (k + 1) % 3;
            int v = (k + 2) % 3;
            double normal = (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]);
            squared += normal * normal;
            volume += normal * (a[k] - middle[k]);
        }
        report->area += 0.5 * sqrt(squared);
        report->volume += volume / 6.0;
    }
}

static void count_edges(const int *triangles, const SnSurfaceEdges *edges, SnSurfaceReport *report)
{
    for (int edge = 0; edge < edges->count; ++edge) {
        const int *side = edges->sides + edges->starts[edge];
        int count = edges->starts[edge + 1] - edges->starts[edge];
        report->boundary_edges += count == 1;
        report->nonmanifold_edges += count > 2;
        report->inconsistent_edges += count == 2 && sn_side_is_rising(triangles, side[0]) ==
                                                        sn_side_is_rising(triangles, side[1]);
    }
}

static void count_useless(const SnSurface *surface, const int *welded, const bool *is_duplicate,
                          SnSurfaceReport *report)
{
    for (int t = 0; t < surface->triangle_count; ++t) {
        const int *corner = welded + 3 * (size_t)t;
        bool repeats = corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0];
        if (repeats ||
            sn_triangle_is_degenerate(surface->positions, surface->triangles + 3 * (size_t)t)) {
            ++report->degenerate_triangles;
        } else if (is_duplicate[t]) {
            ++report->duplicate_triangles;
        }
    }
}

SinewStatus sn_surface_report(const SnSurface *surface, const SinewAllocator *allocator,
                              SnSurfaceReport *out_report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurfaceReport report = {.vertices = surface->vertex_count,
                              .triangles = surface->triangle_count,
                              .lines = surface->line_count,
                              .groups = surface->names.count};
    size_t count = (size_t)surface->triangle_count;
    SnSurfaceEdges edges = {0};
    int *map = NULL;
    int *triangles = NULL;
    int *components = NULL;
    bool *is_duplicate = NULL;
    int duplicates = 0;
    SN_ALLOC(map, allocator, surface->vertex_count, error);
    SN_ALLOC(triangles, allocator, 3 * count, error);
    SN_ALLOC(components, allocator, count, error);
    SN_ALLOC(is_duplicate, allocator, count, error);
    find_bounds(surface, &report);
    find_area_and_volume(surface, &report);
    SN_TRY(sn_weld_map(surface->positions, surface->vertex_count, 0.0, allocator, map,
                       &report.distinct_vertices, error));
    for (size_t i = 0; i < 3 * count; ++i) {
        triangles[i] = map[surface->triangles[i]];
    }
    SN_TRY(sn_triangle_components(triangles, surface->triangle_count, report.distinct_vertices,
                                  allocator, components, &report.components, error));
    SN_TRY(sn_triangle_duplicates(triangles, surface->triangle_count, allocator, is_duplicate,
                                  &duplicates, error));
    count_useless(surface, triangles, is_duplicate, &report);
    SN_TRY(sn_surface_edges_create(triangles, surface->triangle_count, report.distinct_vertices,
                                   allocator, &edges, error));
    count_edges(triangles, &edges, &report);
    report.watertight = edges.count > 0 && report.boundary_edges == 0 &&
                        report.nonmanifold_edges == 0 && report.inconsistent_edges == 0;
    *out_report = report;
done:
    sn_surface_edges_release(&edges, allocator);
    sn_free(allocator, map);
    sn_free(allocator, triangles);
    sn_free(allocator, components);
    sn_free(allocator, is_duplicate);
    return status;
}
