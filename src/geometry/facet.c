#include "geometry/facet.h"

#include <math.h>

void sn_facet_corners(const SnSurface *surface, int facet, double out_corners[9])
{
    int line = facet - surface->triangle_count;
    for (int k = 0; k < 3; ++k) {
        int vertex = line < 0 ? surface->triangles[3 * (size_t)facet + (size_t)k]
                              : surface->lines[2 * (size_t)line + (size_t)(k > 0)];
        for (int c = 0; c < 3; ++c) {
            out_corners[3 * k + c] = surface->positions[3 * (size_t)vertex + (size_t)c];
        }
    }
}

SnBox sn_facets_box(const SnSurface *surface)
{
    SnBox box = sn_box_empty();
    for (int f = 0; f < sn_facet_count(surface); ++f) {
        double corners[9];
        sn_facet_corners(surface, f, corners);
        for (int k = 0; k < 3; ++k) {
            sn_box_add_point(&box, corners + 3 * k);
        }
    }
    return box;
}

static SinewStatus check_positions(const SnSurface *surface, SinewError *error)
{
    for (int v = 0; v < surface->vertex_count; ++v) {
        for (int c = 0; c < 3; ++c) {
            double x = surface->positions[3 * (size_t)v + (size_t)c];
            if (!(fabs(x) <= 1e30)) {
                return sn_fail_at(error, SINEW_ERROR_ARGUMENT, v,
                                  "vertex %d of the surface is at %g along %c, expected -1e30 to "
                                  "1e30",
                                  v, x, "xyz"[c]);
            }
        }
    }
    return SINEW_OK;
}

SinewStatus sn_facets_check(const SnSurface *surface, int most, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (surface == NULL) {
        return SINEW_OK;
    }
    if (surface->triangle_count > most - surface->line_count) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "the surface has %d triangles and %d lines, expected at most %d in all",
                       surface->triangle_count, surface->line_count, most);
    }
    SN_TRY(check_positions(surface, error));
    for (int f = 0; f < sn_facet_count(surface); ++f) {
        int line = f - surface->triangle_count;
        const int *v =
            line < 0 ? surface->triangles + 3 * (size_t)f : surface->lines + 2 * (size_t)line;
        for (int k = 0; k < (line < 0 ? 3 : 2); ++k) {
            if (v[k] < 0 || v[k] >= surface->vertex_count) {
                return sn_fail_at(error, SINEW_ERROR_ARGUMENT, f,
                                  "%s %d names vertex %d, expected 0 to %d",
                                  line < 0 ? "triangle" : "line", line < 0 ? f : line, v[k],
                                  surface->vertex_count - 1);
            }
        }
    }
done:
    return status;
}
