// VTK legacy, version 3.0, which every reader knows: an unstructured grid as text or as big-endian
// bytes. Regions are a cell array; their names are bytes in a field, each ended by a zero.
#include "io/load.h"
#include "io/tet_files.h"
#include "io/vtk_piece.h"
#include "io/whole_file.h"

#include <limits.h>

enum { VTK_TETRA = 10 };

typedef struct Output {
    SnWholeFile file;
    bool is_binary;
} Output;

static void put_int(Output *out, int value)
{
    if (out->is_binary) {
        uint32_t bits = (uint32_t)value;
        bits = sn_is_little_endian() ? __builtin_bswap32(bits) : bits;
        sn_whole_file_write(&out->file, &bits, sizeof bits);
    } else {
        sn_whole_file_printf(&out->file, "%d ", value);
    }
}

static void put_double(Output *out, double value)
{
    if (out->is_binary) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        bits = sn_is_little_endian() ? __builtin_bswap64(bits) : bits;
        sn_whole_file_write(&out->file, &bits, sizeof bits);
    } else {
        sn_whole_file_printf(&out->file, "%.17g ", value);
    }
}

static void put_break(Output *out)
{
    if (!out->is_binary) {
        sn_whole_file_printf(&out->file, "\n");
    }
}

static void put_names(Output *out, const SnTetMesh *mesh)
{
    size_t size = 0;
    for (int r = 0; r < mesh->names.count; ++r) {
        size += strlen(mesh->names.text[r]) + 1;
    }
    sn_whole_file_printf(&out->file, "FIELD FieldData 1\n" SN_VTK_NAMES " 1 %zu unsigned_char\n",
                         size);
    for (int r = 0; r < mesh->names.count; ++r) {
        const char *name = mesh->names.text[r];
        for (size_t i = 0; i <= strlen(name); ++i) {
            if (out->is_binary) {
                sn_whole_file_write(&out->file, name + i, 1);
            } else {
                sn_whole_file_printf(&out->file, "%d ", (unsigned char)name[i]);
            }
        }
    }
    sn_whole_file_printf(&out->file, "\n");
}

static void put_mesh(Output *out, const SnTetMesh *mesh)
{
    sn_whole_file_printf(&out->file, "POINTS %d double\n", mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        for (int c = 0; c < 3; ++c) {
            put_double(out, mesh->positions[3 * (size_t)v + (size_t)c]);
        }
        put_break(out);
    }
    sn_whole_file_printf(&out->file, "\nCELLS %d %d\n", mesh->tet_count, 5 * mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; ++t) {
        put_int(out, 4);
        for (int c = 0; c < 4; ++c) {
            put_int(out, mesh->tets[4 * (size_t)t + (size_t)c]);
        }
        put_break(out);
    }
    sn_whole_file_printf(&out->file, "\nCELL_TYPES %d\n", mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; ++t) {
        put_int(out, VTK_TETRA);
        put_break(out);
    }
    sn_whole_file_printf(&out->file, "\n");
}

static void put_regions(Output *out, const SnTetMesh *mesh)
{
    sn_whole_file_printf(&out->file,
                         "CELL_DATA %d\nSCALARS " SN_VTK_REGION " int 1\nLOOKUP_TABLE default\n",
                         mesh->tet_count);
    for (int t = 0; t < mesh->tet_count; ++t) {
        put_int(out, mesh->regions[t]);
        put_break(out);
    }
    sn_whole_file_printf(&out->file, "\n");
}

SinewStatus sn_write_vtk(const SnTetMesh *mesh, const SnTetWriteOptions *options, const char *path,
                         const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Output out = {.is_binary = options->encoding != SN_TET_ASCII};
    bool has_regions = mesh->names.count > 1 || mesh->names.text[0][0] != '\0';
    if (mesh->tet_count > INT_MAX / 5) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%d tets do not fit into a legacy VTK file, expected at most %d",
                       mesh->tet_count, INT_MAX / 5));
    }
    SN_TRY(sn_whole_file_begin(&out.file, path, allocator, error));
    sn_whole_file_printf(&out.file,
                         "# vtk DataFile Version 3.0\ntet mesh by sinew\n%s\n"
                         "DATASET UNSTRUCTURED_GRID\n",
                         out.is_binary ? "BINARY" : "ASCII");
    if (has_regions) {
        put_names(&out, mesh);
    }
    put_mesh(&out, mesh);
    if (has_regions) {
        put_regions(&out, mesh);
    }
    SN_TRY(sn_whole_file_commit(&out.file, error));
done:
    sn_whole_file_abandon(&out.file);
    return status;
}
