// VTK legacy, version 3.0, which every reader knows: an unstructured grid as text or as big-endian
// bytes. Regions are a cell array; their names are bytes in a field, each ended by a zero. Other
// fields of points and cells are arrays of a FIELD, which readers take all of.
#include "io/elements.h"
#include "io/load.h"
#include "io/vtk_piece.h"
#include "io/whole_file.h"

#include <limits.h>

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

static void put_float(Output *out, float value)
{
    if (out->is_binary) {
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        bits = sn_is_little_endian() ? __builtin_bswap32(bits) : bits;
        sn_whole_file_write(&out->file, &bits, sizeof bits);
    } else {
        sn_whole_file_printf(&out->file, "%.9g ", (double)value);
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

static void put_names(Output *out, const SnElements *mesh)
{
    size_t size = 0;
    for (int r = 0; r < mesh->names->count; ++r) {
        size += strlen(mesh->names->text[r]) + 1;
    }
    sn_whole_file_printf(&out->file, "FIELD FieldData 1\n" SN_VTK_NAMES " 1 %zu unsigned_char\n",
                         size);
    for (int r = 0; r < mesh->names->count; ++r) {
        const char *name = mesh->names->text[r];
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

static void put_mesh(Output *out, const SnElements *mesh)
{
    sn_whole_file_printf(&out->file, "POINTS %d double\n", mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        for (int c = 0; c < 3; ++c) {
            put_double(out, mesh->positions[3 * (size_t)v + (size_t)c]);
        }
        put_break(out);
    }
    int corners = mesh->type->corner_count;
    sn_whole_file_printf(&out->file, "\nCELLS %d %d\n", mesh->element_count,
                         (corners + 1) * mesh->element_count);
    for (int t = 0; t < mesh->element_count; ++t) {
        put_int(out, corners);
        for (int c = 0; c < corners; ++c) {
            put_int(out, mesh->corners[(size_t)corners * (size_t)t + (size_t)c]);
        }
        put_break(out);
    }
    sn_whole_file_printf(&out->file, "\nCELL_TYPES %d\n", mesh->element_count);
    for (int t = 0; t < mesh->element_count; ++t) {
        put_int(out, mesh->type->vtk_type);
        put_break(out);
    }
    sn_whole_file_printf(&out->file, "\n");
}

static void put_regions(Output *out, const SnElements *mesh)
{
    sn_whole_file_printf(&out->file, "SCALARS " SN_VTK_REGION " int 1\nLOOKUP_TABLE default\n");
    for (int t = 0; t < mesh->element_count; ++t) {
        put_int(out, mesh->regions[t]);
        put_break(out);
    }
    sn_whole_file_printf(&out->file, "\n");
}

// Names have no blanks in this format.
static void put_field(Output *out, const SnVtuField *field, int items)
{
    for (const char *c = field->name; *c != '\0'; ++c) {
        sn_whole_file_write(&out->file, (unsigned char)*c <= ' ' ? "_" : c, 1);
    }
    sn_whole_file_printf(&out->file, " %d %d float\n", field->component_count, items);
    for (size_t i = 0; i < (size_t)items * (size_t)field->component_count; ++i) {
        put_float(out, field->values[i]);
        put_break(out);
    }
    sn_whole_file_printf(&out->file, "\n");
}

// What points or cells have: their regions, then fields.
static void put_data(Output *out, const SnElements *mesh, bool on_cells)
{
    int items = on_cells ? mesh->element_count : mesh->vertex_count;
    bool has_regions = on_cells && sn_elements_have_regions(mesh);
    int count = 0;
    for (int f = 0; f < mesh->field_count; ++f) {
        count += mesh->fields[f].is_on_cells == on_cells;
    }
    if (!has_regions && count == 0) {
        return;
    }
    sn_whole_file_printf(&out->file, "%s %d\n", on_cells ? "CELL_DATA" : "POINT_DATA", items);
    if (has_regions) {
        put_regions(out, mesh);
    }
    if (count > 0) {
        sn_whole_file_printf(&out->file, "FIELD FieldData %d\n", count);
    }
    for (int f = 0; f < mesh->field_count; ++f) {
        if (mesh->fields[f].is_on_cells == on_cells) {
            put_field(out, &mesh->fields[f], items);
        }
    }
}

SinewStatus sn_elements_write_vtk(const SnElements *mesh, const SnTetWriteOptions *options,
                                  const char *path, const SinewAllocator *allocator,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Output out = {.is_binary = options->encoding != SN_TET_ASCII};
    int most = INT_MAX / (mesh->type->corner_count + 1);
    if (mesh->element_count > most) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%d %s do not fit into a legacy VTK file, expected at most %d",
                       mesh->element_count, mesh->type->plural, most));
    }
    SN_TRY(sn_whole_file_begin(&out.file, path, allocator, error));
    sn_whole_file_printf(&out.file,
                         "# vtk DataFile Version 3.0\n%s by sinew\n%s\n"
                         "DATASET UNSTRUCTURED_GRID\n",
                         mesh->type->plural, out.is_binary ? "BINARY" : "ASCII");
    if (sn_elements_have_regions(mesh)) {
        put_names(&out, mesh);
    }
    put_mesh(&out, mesh);
    put_data(&out, mesh, false);
    put_data(&out, mesh, true);
    SN_TRY(sn_whole_file_commit(&out.file, error));
done:
    sn_whole_file_abandon(&out.file);
    return status;
}

SinewStatus sn_write_vtk(const SnTetMesh *mesh, const SnTetWriteOptions *options, const char *path,
                         const SinewAllocator *allocator, SinewError *error)
{
    SnElements tets = sn_elements_of_tets(mesh);
    return sn_elements_write_vtk(&tets, options, path, allocator, error);
}
