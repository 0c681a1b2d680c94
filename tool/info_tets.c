#include "tool/info_tets.h"

#include "geometry/tet_quality.h"
#include "io/tet_files.h"
#include "world/warning.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>

typedef struct Info {
    const char *path;
    const SnTetMesh *mesh;
    SnTetReport report;
    SnTetQuality quality;
    double low[3], high[3]; // bounds, m
} Info;

static void find_bounds(Info *info)
{
    for (int c = 0; c < 3; ++c) {
        info->low[c] = (double)INFINITY;
        info->high[c] = -(double)INFINITY;
    }
    for (int i = 0; i < 3 * info->mesh->vertex_count; ++i) {
        double x = info->mesh->positions[i];
        info->low[i % 3] = x < info->low[i % 3] ? x : info->low[i % 3];
        info->high[i % 3] = x > info->high[i % 3] ? x : info->high[i % 3];
    }
}

static int64_t tets_in(const SnTetMesh *mesh, int region)
{
    int64_t count = 0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        count += mesh->regions[t] == region;
    }
    return count;
}

// What a size suggests, with the density of water. False: nothing.
static bool remark_size(const Info *info, char *out, size_t size)
{
    double longest = 0.0;
    for (int c = 0; c < 3; ++c) {
        longest = fmax(longest, info->high[c] - info->low[c]);
    }
    return sn_unusual_size(longest, 1000.0 * info->quality.volume, out, size);
}

static void print(const Info *info, FILE *file)
{
    const SnTetMesh *mesh = info->mesh;
    const SnTetQuality *q = &info->quality;
    fprintf(file, "%s: tet mesh\n", info->path);
    fprintf(file, "  vertices              %d\n", mesh->vertex_count);
    fprintf(file, "  tets                  %d\n", mesh->tet_count);
    for (int r = 0; r < mesh->names.count; ++r) {
        fprintf(file, "  region %-3d            %" PRId64 " tets%s%s\n", r, tets_in(mesh, r),
                mesh->names.text[r][0] != '\0' ? ", " : "", mesh->names.text[r]);
    }
    fprintf(file, "  bounds                %g %g %g to %g %g %g\n", info->low[0], info->low[1],
            info->low[2], info->high[0], info->high[1], info->high[2]);
    fprintf(file, "  volume                %g\n", q->volume);
    fprintf(file, "  boundary triangles    %d\n", q->boundary_triangle_count);
    fprintf(file, "  dihedral angles       %.2f to %.2f degrees\n", q->smallest_dihedral,
            q->largest_dihedral);
    char unusual[200];
    if (remark_size(info, unusual, sizeof unusual)) {
        fprintf(file, "  with 1000 kg/m^3 it %s\n", unusual);
    }
    const struct {
        int64_t count;
        const char *sentence;
    } remarks[] = {
        {info->report.skipped_elements, "elements are no tets: left out"},
        {info->report.flipped_tets, "tets were inside out: turned"},
        {info->report.flat_tets, "tets have no volume: kept, but no model will like them"},
        {info->report.unused_vertices, "vertices belong to no tet: dropped"},
    };
    for (size_t i = 0; i < sizeof remarks / sizeof *remarks; ++i) {
        if (remarks[i].count > 0) {
            fprintf(file, "  %" PRId64 " %s\n", remarks[i].count, remarks[i].sentence);
        }
    }
}

static bool print_json(const Info *info, FILE *file)
{
    const SnTetMesh *mesh = info->mesh;
    const SnTetQuality *q = &info->quality;
    json_t *regions = json_array();
    for (int r = 0; r < mesh->names.count; ++r) {
        // A name that is no UTF-8 is no JSON either: it is shown as empty.
        json_t *name = json_string(mesh->names.text[r]);
        json_array_append_new(regions,
                              json_pack("{s:o, s:I}", "name", name != NULL ? name : json_string(""),
                                        "tets", (json_int_t)tets_in(mesh, r)));
    }
    json_t *path = json_string(info->path);
    json_t *remarks = json_array();
    char unusual[200];
    if (remark_size(info, unusual, sizeof unusual)) {
        json_array_append_new(remarks, json_sprintf("with 1000 kg/m^3 it %s", unusual));
    }
    json_t *document = json_pack(
        "{s:o, s:s, s:i, s:i, s:o, s:{s:[fff], s:[fff]}, s:f, s:i, s:f, s:f, s:I, s:I, s:I, s:I, "
        "s:o}",
        "file", path != NULL ? path : json_string(""), "format", "tets", "vertices",
        mesh->vertex_count, "tets", mesh->tet_count, "regions", regions, "bounds", "min",
        info->low[0], info->low[1], info->low[2], "max", info->high[0], info->high[1],
        info->high[2], "volume", q->volume, "boundary_triangles", q->boundary_triangle_count,
        "smallest_dihedral", q->smallest_dihedral, "largest_dihedral", q->largest_dihedral,
        "skipped_elements", (json_int_t)info->report.skipped_elements, "flipped_tets",
        (json_int_t)info->report.flipped_tets, "flat_tets", (json_int_t)info->report.flat_tets,
        "unused_vertices", (json_int_t)info->report.unused_vertices, "remarks", remarks);
    bool written = document != NULL && json_dumpf(document, file, JSON_INDENT(2)) == 0;
    fputc('\n', file);
    json_decref(document);
    return written;
}

SinewStatus sn_info_tets_show(const char *path, bool json, FILE *file, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetMesh *mesh = NULL;
    Info info = {.path = path};
    SN_TRY(sn_tet_mesh_read_report(path, NULL, &mesh, &info.report, error));
    info.mesh = mesh;
    SN_TRY(sn_tet_quality_measure(mesh, (double)NAN, NULL, NULL, NULL, &info.quality, error));
    find_bounds(&info);
    if (!json) {
        print(&info, file);
    } else if (!print_json(&info, file)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_MEMORY, "the JSON document could not be written"));
    }
done:
    sn_tet_mesh_destroy(mesh, NULL);
    return status;
}
