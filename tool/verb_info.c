// sinew info: what a file holds, what is wrong with it, and what will be done about that.
#include "io/surface_files.h"
#include "io/tet_files.h"
#include "tool/info_scene.h"
#include "tool/info_surface.h"
#include "tool/info_tets.h"
#include "tool/options.h"
#include "tool/tool.h"

typedef struct Settings {
    bool json;
} Settings;

static const SnOption options[] = {
    SN_OPTION_JSON(Settings),
};

enum { OPTION_COUNT = sizeof options / sizeof *options };

static void help(FILE *file)
{
    fprintf(
        file,
        "usage: sinew info FILE [options]\n\n"
        "Tells what a mesh holds (vertices, triangles, groups, bounds, components, area,\n"
        "volume), whether it is watertight, what is wrong with it, and what will be done\n"
        "about that when a body is made of it. Corners at the same place count as one.\n"
        "Of a scene (YAML), tells its bodies, colliders and probes, and the files it needs.\n"
        "Surfaces: OBJ, PLY, STL, OFF, 3DS, glTF and GLB. Tet meshes: MSH, NODE/ELE, VEG, VTK,\n"
        "VTU. The format is told by the content, then by the extension.\n\n");
    sn_options_help(options, OPTION_COUNT, file);
}

static SinewStatus show_surface(const SnBytes *bytes, const SnSurfaceFormat *format,
                                const Settings *settings, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurface *surface = NULL;
    SN_TRY(format->read(bytes, NULL, &surface, error));
    SnInfoSurface info = {.path = bytes->path, .format = format->name, .surface = surface};
    SN_TRY(sn_surface_report(surface, NULL, &info.report, error));
    if (!settings->json) {
        sn_info_surface_print(&info, stdout);
    } else if (!sn_info_surface_print_json(&info, stdout)) {
        SN_TRY(sn_fail(error, SINEW_ERROR_MEMORY, "the JSON document could not be written"));
    }
done:
    sn_surface_destroy(surface, NULL);
    return status;
}

// Each kind of file knows its own by the bytes and the extension; the first that does shows it.
static SinewStatus show(const char *path, const Settings *settings, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBytes bytes = {0};
    if (sn_info_scene_is(path)) {
        return sn_info_scene_show(path, settings->json, stdout, error);
    }
    SN_TRY(sn_bytes_open(path, NULL, &bytes, error));
    const SnSurfaceFormat *format = sn_surface_format_of(&bytes);
    if (format != NULL) {
        SN_TRY(show_surface(&bytes, format, settings, error));
    } else if (sn_tet_file_is_known(&bytes)) {
        SN_TRY(sn_info_tets_show(path, settings->json, stdout, error));
    } else {
        SN_TRY(sn_fail(
            error, SINEW_ERROR_FILE,
            "%.80s: is no mesh that can be read, expected a surface (OBJ, PLY, STL, OFF, 3DS, "
            "glTF) or tets (MSH, NODE/ELE, VEG, VTK, VTU)",
            path));
    }
done:
    sn_bytes_close(&bytes);
    return status;
}

static SnExit run(int argument_count, char **arguments)
{
    SinewStatus status = SINEW_OK;
    SinewError error = {0};
    SnExit code = SN_EXIT_USAGE; // until the command line is understood
    Settings settings = {0};
    int word_count = 0;
    SN_TRY(sn_options_read(options, OPTION_COUNT, argument_count, arguments, &settings, &word_count,
                           &error));
    if (word_count != 1) {
        SN_TRY(sn_fail(&error, SINEW_ERROR_ARGUMENT, "got %d files, expected one", word_count));
    }
    status = show(arguments[0], &settings, &error);
    code = sn_exit_of(status);
done:
    if (status < 0) {
        sn_complain("info", "%s", error.text);
    }
    return code;
}

const SnVerb sn_verb_info = {
    .name = "info",
    .summary = "what a mesh or scene holds, what is wrong with it and what will be done about it",
    .run = run,
    .help = help,
};
