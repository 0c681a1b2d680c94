#include "tool/info_surface.h"

#include "world/warning.h"

#include <jansson.h>
#include <math.h>

// kg/m^3, of what a surface may be full of: its file does not tell.
#define WATER 1000.0

typedef struct Remark {
    int count;            // how many there are; 0: nothing to say
    const char *singular; //
    const char *plural;   //
    const char *advice;   // what it means and what will be done
} Remark;

enum { REMARK_COUNT = 7 };

static void list_remarks(const SnSurfaceReport *report, Remark out[REMARK_COUNT])
{
    bool is_empty = report->triangles == 0;
    const Remark remarks[REMARK_COUNT] = {
        {is_empty && report->lines == 0 ? report->vertices : 0, "vertex and no triangles",
         "vertices and no triangles",
         "a point cloud has no inside, so that no body can be made of it"},
        {is_empty ? report->lines : 0, "line and no triangles", "lines and no triangles",
         "lines have no inside; they become cells along their way"},
        {report->boundary_edges, "boundary edge", "boundary edges",
         "the surface has holes; inside is decided by winding number"},
        {report->nonmanifold_edges, "non-manifold edge", "non-manifold edges",
         "more than two triangles meet there; inside is decided by winding number"},
        {report->inconsistent_edges, "inconsistently oriented edge",
         "inconsistently oriented edges",
         "neighbours face different ways; triangles will be turned until they agree"},
        {report->degenerate_triangles, "degenerate triangle", "degenerate triangles",
         "without an area they say nothing and will be left out"},
        {report->duplicate_triangles, "duplicate triangle", "duplicate triangles",
         "of each set of equal ones the first will be kept"},
    };
    for (int i = 0; i < REMARK_COUNT; ++i) {
        out[i] = remarks[i];
    }
}

bool sn_info_surface_remark(const SnSurfaceReport *report, int index, char *out, size_t size)
{
    Remark remarks[REMARK_COUNT];
    list_remarks(report, remarks);
    for (int i = 0; i < REMARK_COUNT; ++i) {
        if (remarks[i].count > 0 && index-- == 0) {
            snprintf(out, size, "%d %s: %s", remarks[i].count,
                     remarks[i].count == 1 ? remarks[i].singular : remarks[i].plural,
                     remarks[i].advice);
            return true;
        }
    }
    if (report->watertight && report->volume < 0.0 && index-- == 0) {
        snprintf(out, size, "volume is negative: the surface is inside out and will be turned");
        return true;
    }
    double longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        longest = fmax(longest, report->high[k] - report->low[k]);
    }
    char unusual[180];
    double mass = report->watertight ? WATER * fabs(report->volume) : 0.0;
    if (sn_unusual_size(longest, mass, unusual, sizeof unusual) && index-- == 0) {
        snprintf(out, size, "with %g kg/m^3 it %s", WATER, unusual);
        return true;
    }
    if (report->distinct_vertices < report->vertices && index-- == 0) {
        snprintf(out, size, "%d vertices are at the place of another: they will be welded",
                 report->vertices - report->distinct_vertices);
        return true;
    }
    return false;
}

static void print_groups(const SnNames *names, FILE *file)
{
    enum { SHOWN = 8 };
    if (names->count == 1 && names->text[0][0] == '\0') {
        return;
    }
    fprintf(file, "  groups                %d:", names->count);
    for (int g = 0; g < names->count && g < SHOWN; ++g) {
        fprintf(file, "%s %.40s", g > 0 ? "," : "",
                names->text[g][0] != '\0' ? names->text[g] : "(no name)");
    }
    fprintf(file, "%s\n", names->count > SHOWN ? ", ..." : "");
}

void sn_info_surface_print(const SnInfoSurface *info, FILE *file)
{
    const SnSurfaceReport *r = &info->report;
    fprintf(file, "%s: %s surface\n", info->path, info->format);
    fprintf(file, "  vertices              %d", r->vertices);
    if (r->distinct_vertices != r->vertices) {
        fprintf(file, " (%d places)", r->distinct_vertices);
    }
    fprintf(file, "\n  triangles             %d\n", r->triangles);
    if (r->lines > 0) {
        fprintf(file, "  lines                 %d\n", r->lines);
    }
    print_groups(&info->surface->names, file);
    fprintf(file, "  bounds                %g %g %g to %g %g %g\n", r->low[0], r->low[1], r->low[2],
            r->high[0], r->high[1], r->high[2]);
    fprintf(file, "  components            %d\n", r->components);
    fprintf(file, "  boundary edges        %d\n", r->boundary_edges);
    fprintf(file, "  non-manifold edges    %d\n", r->nonmanifold_edges);
    fprintf(file, "  inconsistent edges    %d\n", r->inconsistent_edges);
    fprintf(file, "  degenerate triangles  %d\n", r->degenerate_triangles);
    fprintf(file, "  duplicate triangles   %d\n", r->duplicate_triangles);
    fprintf(file, "  area                  %.6g\n", r->area);
    fprintf(file, "  volume                %.6g%s\n", r->volume,
            r->watertight ? "" : " (not closed: about the middle of the bounds)");
    fprintf(file, "  watertight            %s\n", r->watertight ? "yes" : "no");
    char remark[240];
    for (int i = 0; sn_info_surface_remark(r, i, remark, sizeof remark); ++i) {
        fprintf(file, "%s- %s\n", i == 0 ? "\n" : "", remark);
    }
}

// JSON knows no infinity: a sum that overflowed is null.
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *point(const double position[3])
{
    return json_pack("[o,o,o]", number(position[0]), number(position[1]), number(position[2]));
}

// Names come from files and need not be UTF-8; bytes that JSON cannot hold become "?".
static json_t *text(const char *name)
{
    json_t *string = json_string(name);
    if (string != NULL) {
        return string;
    }
    char copy[200];
    size_t length = 0;
    for (; name[length] != '\0' && length + 1 < sizeof copy; ++length) {
        copy[length] = (signed char)name[length] < 0 ? '?' : name[length];
    }
    copy[length] = '\0';
    return json_string(copy);
}

static json_t *list_groups(const SnNames *names)
{
    json_t *list = json_array();
    for (int g = 0; g < names->count; ++g) {
        json_array_append_new(list, text(names->text[g]));
    }
    return list;
}

static json_t *remarks_of(const SnSurfaceReport *report)
{
    json_t *list = json_array();
    char remark[240];
    for (int i = 0; sn_info_surface_remark(report, i, remark, sizeof remark); ++i) {
        json_array_append_new(list, json_string(remark));
    }
    return list;
}

bool sn_info_surface_print_json(const SnInfoSurface *info, FILE *file)
{
    const SnSurfaceReport *r = &info->report;
    json_t *root = json_pack(
        "{s:o,s:s,s:i,s:i,s:i,s:i,s:o,s:{s:o,s:o},s:i,s:i,s:i,s:i,s:i,s:i,s:o,s:o,s:b,s:o}", "file",
        text(info->path), "format", info->format, "vertices", r->vertices, "distinct_vertices",
        r->distinct_vertices, "triangles", r->triangles, "lines", r->lines, "groups",
        list_groups(&info->surface->names), "bounds", "min", point(r->low), "max", point(r->high),
        "components", r->components, "boundary_edges", r->boundary_edges, "nonmanifold_edges",
        r->nonmanifold_edges, "degenerate_triangles", r->degenerate_triangles,
        "duplicate_triangles", r->duplicate_triangles, "inconsistent_edges", r->inconsistent_edges,
        "area", number(r->area), "volume", number(r->volume), "watertight", (int)r->watertight,
        "remarks", remarks_of(r));
    bool good = root != NULL && json_dumpf(root, file, JSON_INDENT(2)) == 0;
    json_decref(root);
    fputc('\n', file);
    return good;
}
