// What `sinew info` says of a surface: the counts, and in plain sentences what is wrong and what
// will be done about it.
#ifndef SN_TOOL_INFO_SURFACE_H
#define SN_TOOL_INFO_SURFACE_H

#include "geometry/surface_report.h"

#include <stdio.h>

typedef struct SnInfoSurface {
    const char *path;
    const char *format; // "PLY"
    const SnSurface *surface;
    SnSurfaceReport report;
} SnInfoSurface;

// One remark at a time: writes remark `index` and answers true, or false when there is none.
bool sn_info_surface_remark(const SnSurfaceReport *report, int index, char *out, size_t size);

// A table for people.
void sn_info_surface_print(const SnInfoSurface *info, FILE *file);

// One JSON document. False: memory ran out.
bool sn_info_surface_print_json(const SnInfoSurface *info, FILE *file);

#endif
