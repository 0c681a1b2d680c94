// sinew mesh: a surface in, tets or hexahedra out, with a report of their quality; or a mesh from
// one format to another, as the extensions of the two files say.
#include "base/clock.h"
#include "geometry/distance.h"
#include "geometry/stuffing.h"
#include "geometry/surface_repair.h"
#include "geometry/surface_report.h"
#include "geometry/tet_boundary.h"
#include "io/elements.h"
#include "io/surface_files.h"
#include "tool/hex_report.h"
#include "tool/mesh_estimate.h"
#include "tool/mesh_report.h"
#include "tool/options.h"
#include "tool/progress.h"
#include "tool/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef struct Settings {
    const char *output;
    int cells;
    const char *size_text;
    double size; // m, from size_text
    const char *kind;
    const char *msh_text;
    SnTetWriteOptions write; // from msh_text and ascii
    const char *svg;
    const char *png;
    int threads;
    bool graded;
    bool apart;
    bool ascii;
    bool json;
} Settings;

static const SnOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = SN_OPTION_TEXT,
     .offset = offsetof(Settings, output),
     .value_name = "OUT",
     .help = "the file to write; its extension says the format"},
    {.name = "cells",
     .kind = SN_OPTION_INT,
     .offset = offsetof(Settings, cells),
     .least = 1,
     .most = 500000,
     .value_name = "N",
     .help = "cells along the longest side of the body; default 32, or more where those miss it"},
    {.name = "size",
     .kind = SN_OPTION_TEXT,
     .offset = offsetof(Settings, size_text),
     .value_name = "H",
     .help = "side of a cell in metres, instead of --cells"},
    {.name = "graded",
     .kind = SN_OPTION_FLAG,
     .offset = offsetof(Settings, graded),
     .help = "larger tets away from the surface; not for hexes"},
    {.name = "kind",
     .kind = SN_OPTION_TEXT,
     .offset = offsetof(Settings, kind),
     .value_name = "KIND",
     .help = "tets, the default, or hexes: the cubic cells that the body fills or crosses"},
    {.name = "apart",
     .kind = SN_OPTION_FLAG,
     .offset = offsetof(Settings, apart),
     .help = "parts that meet in one hex without being connected get hexes of their own"},
    {.name = "ascii",
     .kind = SN_OPTION_FLAG,
     .offset = offsetof(Settings, ascii),
     .help = "MSH, VTK and VTU as text instead of bytes"},
    {.name = "msh",
     .kind = SN_OPTION_TEXT,
     .offset = offsetof(Settings, msh_text),
     .value_name = "VERSION",
     .help = "version of an MSH file, 2.2 or 4.1; default 4.1"},
    {.name = "svg",
     .kind = SN_OPTION_TEXT,
     .offset = offsetof(Settings, svg),
     .value_name = "FILE",
     .help = "also draw a histogram: of dihedral angles, or of how full boundary hexes are"},
    {.name = "png",
     .kind = SN_OPTION_TEXT,
     .offset = offsetof(Settings, png),
     .value_name = "FILE",
     .help = "also draw the tets or hexes, cut open"},
    SN_OPTION_THREADS(Settings),
    SN_OPTION_JSON(Settings),
};

// Cells along the longest side where neither --cells nor --size is given. A body that has an inside
// which they miss gets twice as many, again and again, as long as the surface crosses no more than
// about REFINED_CROSSED of them.
enum { DEFAULT_CELLS = 32, REFINED_CELLS = 1 << 16, REFINED_CROSSED = 1000000 };

enum { OPTION_COUNT = sizeof options / sizeof *options };

static void help(FILE *file)
{
    fprintf(file,
            "usage: sinew mesh IN -o OUT [options]\n\n"
            "Fills a surface (OBJ, PLY, STL, OFF, 3DS, glTF) with tets (MSH, NODE/ELE, VEG,\n"
            "VTK, VTU) and tells how good they are. The surface may have holes, doubled or\n"
            "flipped parts and self-intersections. Surface to surface and tets to tets converts\n"
            "the format; tets to surface writes their boundary.\n\n"
            "Without --cells and --size, tets of a body with an inside that 32 cells miss (tiny\n"
            "scattered parts, thin plates) are made with 64, 128 and so on, which is said, as\n"
            "long as the surface crosses no more than about a million cells.\n\n"
            "--kind hexes writes cubic cells instead (MSH, VTK, VTU): those inside are the\n"
            "region \"interior\", those that the surface crosses \"boundary\", and two fields,\n"
            "label (1 interior, 2 boundary) and fill (0 to 1), say it cell by cell. Open\n"
            "surfaces and lines get boundary cells.\n\n");
    sn_options_help(options, OPTION_COUNT, file);
}

static bool is_tet_path(const char *path)
{
    static const char *const extensions[] = {".msh", ".node", ".ele", ".veg", ".vtk", ".vtu"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof extensions / sizeof *extensions; ++i) {
        if (strcasecmp(dot, extensions[i]) == 0) {
            return true;
        }
    }
    return false;
}

static bool makes_hexes(const Settings *settings)
{
    return settings->kind != NULL && strcmp(settings->kind, "hexes") == 0;
}

static SinewStatus check_kind(const Settings *settings, SinewError *error)
{
    if (settings->kind != NULL && !makes_hexes(settings) && strcmp(settings->kind, "tets") != 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "--kind is \"%.32s\", expected tets or hexes",
                       settings->kind);
    }
    if (makes_hexes(settings) && settings->graded) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "--graded is for tets, expected --kind hexes without it");
    }
    if (makes_hexes(settings) && !sn_elements_can_write(settings->output)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%.120s: its ending is of no format that holds hexes, expected .msh, .vtk "
                       "or .vtu",
                       settings->output);
    }
    if (!makes_hexes(settings) && settings->apart) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "--apart is for hexes, expected --kind hexes with it");
    }
    return SINEW_OK;
}

// How files are written.
static SinewStatus check_writing(Settings *settings, SinewError *error)
{
    if (settings->ascii && !sn_elements_can_write(settings->output)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "--ascii is for .msh, .vtk and .vtu, and the output is %.120s",
                       settings->output);
    }
    settings->write.encoding = settings->ascii ? SN_TET_ASCII : SN_TET_DEFAULT;
    if (settings->msh_text == NULL) {
        return SINEW_OK;
    }
    settings->write.msh_version = strcmp(settings->msh_text, "2.2") == 0   ? 22
                                  : strcmp(settings->msh_text, "4.1") == 0 ? 41
                                                                           : 0;
    const char *dot = strrchr(settings->output, '.');
    if (settings->write.msh_version == 0 || dot == NULL || strcasecmp(dot, ".msh") != 0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "--msh is \"%.32s\" for %.120s, expected 2.2 or 4.1 for an .msh file",
                       settings->msh_text, settings->output);
    }
    return SINEW_OK;
}

static SinewStatus check_settings(Settings *settings, int word_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (word_count != 1 || settings->output == NULL) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "got %d input files and %s, expected IN -o OUT",
                       word_count, settings->output == NULL ? "no -o OUT" : "-o OUT");
    }
    SN_TRY(check_kind(settings, error));
    SN_TRY(check_writing(settings, error));
    if (settings->size_text != NULL) {
        char *end = NULL;
        settings->size = strtod(settings->size_text, &end);
        if (*end != '\0' || !(settings->size > 0.0) || !isfinite(settings->size)) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "--size is \"%.32s\", expected a positive number of metres",
                           settings->size_text);
        }
        if (settings->cells > 0) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "--size and --cells are both given, expected one of them");
        }
    }
    if ((settings->cells > 0 || settings->size_text != NULL) && !is_tet_path(settings->output)) {
        return sn_fail(
            error, SINEW_ERROR_ARGUMENT,
            "--%s is for meshes, and OUT is \"%.80s\", expected .msh, .node, .ele, .veg, "
            ".vtk or .vtu",
            settings->cells > 0 ? "cells" : "size", settings->output);
    }
done:
    return status;
}

static SinewStatus make_workers(const Settings *settings, SnWorkers **out_workers,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int count = 1;
    SN_TRY(sn_choose_threads(settings->threads, &count, error));
    SN_TRY(sn_workers_create(NULL, NULL, count, out_workers, error));
done:
    return status;
}

// Pictures and figures of a mesh that has been written.
static SinewStatus tell(const Settings *settings, const SnMeshReport *report, SnWorkers *workers,
                        SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (settings->svg != NULL) {
        SN_TRY(sn_mesh_report_chart(report, settings->svg, error));
    }
    if (settings->png != NULL) {
        SN_TRY(sn_mesh_report_picture(report, workers, settings->png, error));
    }
    if (!settings->json) {
        sn_mesh_report_print(report, stdout);
    } else if (!sn_mesh_report_print_json(report, stdout)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_MEMORY, "the JSON document could not be written"));
    }
done:
    return status;
}

static SinewStatus write_boundary(const SnTetMesh *mesh, const char *path, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurface *surface = NULL;
    SN_TRY(sn_tet_boundary_create(mesh, NULL, &surface, error));
    SN_TRY(sn_surface_write(surface, path, NULL, error));
done:
    sn_surface_destroy(surface, NULL);
    return status;
}

// Tets in: converted, or their boundary written.
static SinewStatus convert_tets(const char *input, const Settings *settings, SnWorkers *workers,
                                SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnTetMesh *mesh = NULL;
    SnMeshReport report = {.input = input, .output = settings->output};

    if (makes_hexes(settings)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%.120s: is a tet mesh, and hexes are made of a surface; write its boundary "
                       "first, such as sinew mesh %.60s -o boundary.ply",
                       input, input));
    }
    SN_TRY(sn_tet_mesh_read(input, NULL, &mesh, error));
    if (is_tet_path(settings->output)) {
        SN_TRY(sn_tet_mesh_write_as(mesh, &settings->write, settings->output, NULL, error));
    } else {
        SN_TRY(write_boundary(mesh, settings->output, error));
    }
    report.mesh = mesh;
    SN_TRY(sn_tet_quality_measure(mesh, (double)NAN, NULL, NULL, NULL, &report.quality, error));
    SN_TRY(tell(settings, &report, workers, error));
done:
    sn_tet_mesh_destroy(mesh, NULL);
    return status;
}

// Whether twice as many cells are still within the cap.
static bool may_refine(const SnStuffingDef *def, const SnSurfaceReport *shape)
{
    double size = 0.5 * sn_stuffing_cell_size(def);
    return def->cells <= REFINED_CELLS / 2 && shape->area <= REFINED_CROSSED * (size * size);
}

// Whether tets are missing: all of them, or so many that a tenth of the surface's volume is, where
// that is known. The first cells that find anything find but the thickest part.
static bool lacks_tets(const SnTetMesh *mesh, const SnSurfaceReport *shape)
{
    double volume = 0.0;
    for (int t = 0; mesh != NULL && t < mesh->tet_count; ++t) {
        volume += sn_tet_mesh_volume(mesh, t);
    }
    return mesh == NULL || (shape->watertight && volume < 0.9 * fabs(shape->volume));
}

// Makes the tets of a body whose inside the default cells missed. Where even the smallest cells do,
// the last refusal is told.
static SinewStatus refine(SnStuffingDef *def, const SnSurfaceReport *shape, SnWorkers *workers,
                          SnTetMesh **out_mesh, SinewError *error)
{
    SinewStatus status = SINEW_ERROR_ARGUMENT;
    SinewError refusal = {0};
    while (lacks_tets(*out_mesh, shape) && may_refine(def, shape)) {
        SnStuffingDef finer = *def;
        SnTetMesh *mesh = NULL;
        finer.cells *= 2;
        status = sn_stuffing_create(&finer, workers, NULL, &mesh, &refusal);
        if (status == SINEW_ERROR_ARGUMENT && *out_mesh != NULL) {
            status = SINEW_OK; // too many cells: what was found stays
            break;
        }
        if (status < 0 && status != SINEW_ERROR_ARGUMENT) {
            break;
        }
        sn_tet_mesh_destroy(*out_mesh, NULL);
        *out_mesh = mesh;
        *def = finer;
    }
    if (status < 0 && refusal.text[0] != '\0') {
        *error = refusal;
    }
    return status;
}

// Makes the tets, with smaller cells than the default where that misses an inside and no other size
// was asked for.
static SinewStatus stuff(SnStuffingDef *def, const SnSoup *soup, const SnSurfaceReport *shape,
                         bool is_default, SnWorkers *workers, SnTetMesh **out_mesh,
                         SinewError *error)
{
    SinewStatus status = sn_stuffing_create(def, workers, NULL, out_mesh, error);
    if (status == SINEW_ERROR_ARGUMENT && is_default &&
        sn_distance_has_inside(def->context, soup)) {
        status = refine(def, shape, workers, out_mesh, error);
        if (status == SINEW_OK) {
            sn_complain("mesh", "%d cells along the longest side miss the body's inside; took %d",
                        DEFAULT_CELLS, def->cells);
        }
    }
    return status;
}

static void show_share(void *bar, double share)
{
    sn_bar_show(bar, share, 1.0);
}

// Fills the surface. The volume to compare with is that of a surface without holes.
static SinewStatus fill_surface(const char *input, const SnSurface *surface,
                                const SnSurfaceReport *shape, const Settings *settings,
                                SnWorkers *workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnDistance *distance = NULL;
    SnTetMesh *mesh = NULL;
    SnStuffingDef def = sn_stuffing_def_default();
    SnMeshReport report = {
        .input = input, .output = settings->output, .is_graded = settings->graded};
    SnSoup soup = sn_soup_of(surface);

    double start = sn_clock_seconds();
    SN_TRY(sn_distance_create(&soup, NULL, &distance, error));
    def.function = sn_distance_fn;
    def.context = distance;
    def.is_graded = settings->graded;
    memcpy(def.min, shape->low, sizeof def.min);
    memcpy(def.max, shape->high, sizeof def.max);
    def.cell_size = settings->size;
    def.cells = settings->size > 0.0 ? 0 : settings->cells > 0 ? settings->cells : DEFAULT_CELLS;
    bool is_default = settings->size_text == NULL && settings->cells == 0;
    SN_TRY(sn_mesh_estimate_check(shape, sn_stuffing_cell_size(&def), settings->graded,
                                  sn_machine_memory(), error));
    SnBar bar = sn_bar_begin(settings->json, "making tets");
    def.tell = show_share;
    def.teller = &bar;
    SN_TRY(stuff(&def, &soup, shape, is_default, workers, &mesh, error));
    sn_progress_end(bar.quiet);
    report.refined_cells = is_default && def.cells > DEFAULT_CELLS ? def.cells : 0;
    report.seconds = sn_clock_seconds() - start;
    report.cell_size = sn_stuffing_cell_size(&def);
    SN_TRY(sn_tet_mesh_write_as(mesh, &settings->write, settings->output, NULL, error));
    report.mesh = mesh;
    SN_TRY(sn_tet_quality_measure(mesh, shape->watertight ? fabs(shape->volume) : (double)NAN,
                                  sn_distance_fn, distance, NULL, &report.quality, error));
    SN_TRY(tell(settings, &report, workers, error));
done:
    sn_tet_mesh_destroy(mesh, NULL);
    sn_distance_destroy(distance);
    return status;
}

static SinewStatus tell_hexes(const Settings *settings, const SnHexReport *report,
                              SnWorkers *workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (settings->svg != NULL) {
        SN_TRY(sn_hex_report_chart(report, settings->svg, error));
    }
    if (settings->png != NULL) {
        SN_TRY(sn_hex_report_picture(report, workers, settings->png, error));
    }
    if (!settings->json) {
        sn_hex_report_print(report, stdout);
    } else if (!sn_hex_report_print_json(report, stdout)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_MEMORY, "the JSON document could not be written"));
    }
done:
    return status;
}

// The cells of the body, by the same distance as tets. Lines have no inside to ask for.
static SinewStatus fill_hexes(const char *input, const SnSurface *surface,
                              const SnSurfaceReport *shape, const Settings *settings,
                              SnWorkers *workers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnDistance *distance = NULL;
    SnCellLattice *lattice = NULL;
    SnCellMesh *mesh = NULL;
    SnCellBody body = {.surface = surface};
    SnCellLatticeDef def = sn_cell_lattice_def_default();
    SnHexReport report = {.input = input, .output = settings->output};
    SnSoup soup = sn_soup_of(surface);

    double start = sn_clock_seconds();
    if (surface->triangle_count > 0) {
        SN_TRY(sn_distance_create(&soup, NULL, &distance, error));
        body.fn = sn_distance_sign_fn;
        body.context = distance;
    }
    def.cell_size = settings->size;
    def.longest_cells = settings->cells > 0 ? settings->cells : def.longest_cells;
    def.keep_apart = settings->apart;
    SN_TRY(sn_cell_lattice_create(&body, &def, workers, NULL, &lattice, error));
    report.seconds = sn_clock_seconds() - start;
    report.lattice = lattice;
    SN_TRY(sn_cell_mesh_of_lattice(lattice, NULL, &mesh, error));
    SN_TRY(sn_cell_mesh_write(mesh, &settings->write, settings->output, NULL, error));
    SN_TRY(sn_hex_report_measure(mesh, shape->watertight ? fabs(shape->volume) : (double)NAN,
                                 &report, error));
    SN_TRY(tell_hexes(settings, &report, workers, error));
done:
    sn_cell_mesh_destroy(mesh, NULL);
    sn_cell_lattice_destroy(lattice, NULL);
    sn_distance_destroy(distance);
    return status;
}

// A surface in: filled with tets or hexes, or converted as it is.
static SinewStatus convert_surface(const char *input, const Settings *settings, SnWorkers *workers,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurface *surface = NULL;
    SnSurfaceRepair repair;
    SnSurfaceReport shape;

    SN_TRY(sn_surface_read(input, NULL, &surface, error));
    if (!is_tet_path(settings->output)) {
        SN_TRY(sn_surface_write(surface, settings->output, NULL, error));
        goto done;
    }
    SN_TRY(sn_surface_repair(surface, 0.0, NULL, &repair, error));
    SN_TRY(sn_surface_report(surface, NULL, &shape, error));
    if (makes_hexes(settings)) {
        SN_TRY(fill_hexes(input, surface, &shape, settings, workers, error));
    } else {
        SN_TRY(fill_surface(input, surface, &shape, settings, workers, error));
    }
done:
    sn_surface_destroy(surface, NULL);
    return status;
}

static SnExit run(int argument_count, char **arguments)
{
    SinewStatus status = SINEW_OK;
    SinewError error = {0};
    SnExit code = SN_EXIT_USAGE; // until the command line is understood
    Settings settings = {0};
    SnWorkers *workers = NULL;
    int word_count = 0;

    SN_TRY(sn_options_read(options, OPTION_COUNT, argument_count, arguments, &settings, &word_count,
                           &error));
    SN_TRY(check_settings(&settings, word_count, &error));
    SN_TRY(make_workers(&settings, &workers, &error));
    status = is_tet_path(arguments[0]) ? convert_tets(arguments[0], &settings, workers, &error)
                                       : convert_surface(arguments[0], &settings, workers, &error);
    // A body that cannot be meshed is a bad input, not a wrong option.
    code = status == SINEW_ERROR_ARGUMENT ? SN_EXIT_INPUT : sn_exit_of(status);
done:
    if (status < 0) {
        sn_complain("mesh", "%s", error.text);
    }
    sn_workers_destroy(workers);
    return code;
}

const SnVerb sn_verb_mesh = {
    .name = "mesh",
    .summary = "tets or hexes inside a surface, or a mesh in another format",
    .run = run,
    .help = help,
};
