#include "io/tet_files.h"

#include "io/elements.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef enum Format { UNKNOWN, MSH, TETGEN, VEG, VTK, VTU } Format;

// How names end and what files start with.
static const struct {
    const char *ending;
    Format format;
} endings[] = {{".msh", MSH}, {".node", TETGEN}, {".ele", TETGEN},
               {".veg", VEG}, {".vtk", VTK},     {".vtu", VTU}};

static const struct {
    const char *sign;
    size_t within; // bytes from the start
    Format format;
} signs[] = {{"$MeshFormat", 64, MSH},
             {"# vtk DataFile", 14, VTK},
             {"<VTKFile", 1024, VTU},
             {"*VERTICES", 4096, VEG}};

static Format format_of_name(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof endings / sizeof *endings; ++i) {
        if (strcasecmp(dot, endings[i].ending) == 0) {
            return endings[i].format;
        }
    }
    return UNKNOWN;
}

static Format format_of_bytes(const SnBytes *bytes)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; ++i) {
        size_t length = strlen(signs[i].sign);
        size_t size = bytes->size < signs[i].within ? bytes->size : signs[i].within;
        for (size_t at = 0; at + length <= size; ++at) {
            if (memcmp(bytes->data + at, signs[i].sign, length) == 0) {
                return signs[i].format;
            }
        }
    }
    return UNKNOWN;
}

// Either of the two names stands for both.
static SinewStatus read_tetgen(const char *path, const SinewAllocator *allocator,
                               SnTetMesh **out_mesh, SnTetReport *out_report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBytes nodes = {0};
    SnBytes tets = {0};
    char *node_path = NULL;
    char *ele_path = NULL;
    size_t room = strlen(path) + 8;
    int stem = (int)(strrchr(path, '.') - path);
    SN_ALLOC(node_path, allocator, room, error);
    SN_ALLOC(ele_path, allocator, room, error);
    snprintf(node_path, room, "%.*s.node", stem, path);
    snprintf(ele_path, room, "%.*s.ele", stem, path);
    SN_TRY(sn_bytes_open(node_path, allocator, &nodes, error));
    SN_TRY(sn_bytes_open(ele_path, allocator, &tets, error));
    SN_TRY(sn_read_tetgen(&nodes, &tets, allocator, out_mesh, out_report, error));
done:
    sn_bytes_close(&nodes);
    sn_bytes_close(&tets);
    sn_free(allocator, node_path);
    sn_free(allocator, ele_path);
    return status;
}

// What a file holds says more than its name.
static Format format_of(const SnBytes *bytes)
{
    Format held = format_of_bytes(bytes);
    return held != UNKNOWN ? held : format_of_name(bytes->path);
}

bool sn_tet_file_is_known(const SnBytes *bytes)
{
    return format_of(bytes) != UNKNOWN;
}

static SinewStatus read_format(Format format, const SnBytes *bytes, const SinewAllocator *allocator,
                               SnTetMesh **out_mesh, SnTetReport *out_report, SinewError *error)
{
    switch (format) {
    case MSH:
        return sn_read_msh(bytes, allocator, out_mesh, out_report, error);
    case VEG:
        return sn_read_veg(bytes, allocator, out_mesh, out_report, error);
    case VTK:
        return sn_read_vtk(bytes, allocator, out_mesh, out_report, error);
    case VTU:
        return sn_read_vtu(bytes, allocator, out_mesh, out_report, error);
    default:
        return sn_fail(error, SINEW_ERROR_FILE,
                       "%.120s: is no tet mesh, expected Gmsh .msh, TetGen .node/.ele, .veg, .vtk "
                       "or .vtu",
                       bytes->path);
    }
}

SinewStatus sn_tet_mesh_read_report(const char *path, const SinewAllocator *allocator,
                                    SnTetMesh **out_mesh, SnTetReport *out_report,
                                    SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnBytes bytes = {0};
    *out_mesh = NULL;
    if (format_of_name(path) == TETGEN) {
        return read_tetgen(path, allocator, out_mesh, out_report, error);
    }
    SN_TRY(sn_bytes_open(path, allocator, &bytes, error));
    SN_TRY(read_format(format_of(&bytes), &bytes, allocator, out_mesh, out_report, error));
done:
    sn_bytes_close(&bytes);
    return status;
}

SinewStatus sn_tet_mesh_read(const char *path, const SinewAllocator *allocator,
                             SnTetMesh **out_mesh, SinewError *error)
{
    return sn_tet_mesh_read_report(path, allocator, out_mesh, NULL, error);
}

SinewStatus sn_tet_mesh_write_as(const SnTetMesh *mesh, const SnTetWriteOptions *options,
                                 const char *path, const SinewAllocator *allocator,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Format format = format_of_name(path);
    SN_TRY(sn_write_options_check(options, path, error));
    switch (format) {
    case MSH:
        return sn_write_msh(mesh, options, path, allocator, error);
    case TETGEN:
        return sn_write_tetgen(mesh, options, path, allocator, error);
    case VEG:
        return sn_write_veg(mesh, path, allocator, error);
    case VTK:
        return sn_write_vtk(mesh, options, path, allocator, error);
    case VTU:
        return sn_write_vtu(mesh, NULL, 0, options, path, allocator, error);
    default:
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%.120s: its ending is of no tet format, expected .msh, .node, .ele, .veg, "
                       ".vtk or .vtu",
                       path));
    }
done:
    return status;
}

SinewStatus sn_tet_mesh_write(const SnTetMesh *mesh, const char *path,
                              const SinewAllocator *allocator, SinewError *error)
{
    return sn_tet_mesh_write_as(mesh, &(SnTetWriteOptions){0}, path, allocator, error);
}
