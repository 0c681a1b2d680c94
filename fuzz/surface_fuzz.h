// What the fuzzers of surface readers share: read, check what must hold, report and repair.
#ifndef SN_FUZZ_SURFACE_FUZZ_H
#define SN_FUZZ_SURFACE_FUZZ_H

#include "geometry/surface_repair.h"
#include "geometry/surface_report.h"
#include "io/surface_files.h"

#include <math.h>
#include <string.h>

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            __builtin_trap();                                                                      \
        }                                                                                          \
    } while (0)

static void expect_good_surface(const SnSurface *surface)
{
    EXPECT(surface->names.count >= 1);
    for (int i = 0; i < 3 * surface->vertex_count; ++i) {
        EXPECT(isfinite(surface->positions[i]));
    }
    for (int i = 0; i < 3 * surface->triangle_count; ++i) {
        EXPECT(surface->triangles[i] >= 0 && surface->triangles[i] < surface->vertex_count);
    }
    for (int t = 0; t < surface->triangle_count; ++t) {
        EXPECT(surface->groups[t] >= 0 && surface->groups[t] < surface->names.count);
    }
    for (int i = 0; i < 2 * surface->line_count; ++i) {
        EXPECT(surface->lines[i] >= 0 && surface->lines[i] < surface->vertex_count);
    }
}

static void fuzz_surface(SnSurfaceReader *reader, const uint8_t *data, size_t size)
{
    SnBytes bytes = sn_bytes_of(data, size, "fuzz");
    SnSurface *surface = NULL;
    SinewError error = {0};
    sn_surface_format_of(&bytes);
    SinewStatus status = reader(&bytes, NULL, &surface, &error);
    EXPECT((status == SINEW_OK) == (surface != NULL));
    if (status != SINEW_OK) {
        EXPECT(status == SINEW_ERROR_FILE && error.status == status);
        EXPECT(strncmp(error.text, "fuzz:", 5) == 0);
        return;
    }
    expect_good_surface(surface);
    SnSurfaceReport report;
    SnSurfaceRepair repair;
    EXPECT(sn_surface_report(surface, NULL, &report, &error) == SINEW_OK);
    EXPECT(sn_surface_repair(surface, size % 2 == 0 ? 0.0 : 0.01, NULL, &repair, &error) ==
           SINEW_OK);
    expect_good_surface(surface);
    sn_surface_destroy(surface, NULL);
}

#endif
