// MSH 2.2 and 4.1, as text or bytes. Regions are volumes of their own, in physical groups of the
// same number from 1, unless there is but one without a name. Elements keep their order: a run of
// elements of one region is a block. Fields are data of elements or nodes.
#include "io/elements.h"
#include "io/whole_file.h"

#include <inttypes.h>

enum { VOLUME = 3 };

typedef struct Output {
    SnWholeFile file;
    bool is_binary;
} Output;

static void put_int(Output *out, int value)
{
    if (out->is_binary) {
        int32_t bits = value;
        sn_whole_file_write(&out->file, &bits, sizeof bits);
    } else {
        sn_whole_file_printf(&out->file, "%d ", value);
    }
}

static void put_size(Output *out, int64_t value)
{
    if (out->is_binary) {
        sn_whole_file_write(&out->file, &value, sizeof value);
    } else {
        sn_whole_file_printf(&out->file, "%" PRId64 " ", value);
    }
}

static void put_double(Output *out, double value)
{
    if (out->is_binary) {
        sn_whole_file_write(&out->file, &value, sizeof value);
    } else {
        sn_whole_file_printf(&out->file, "%.17g ", value);
    }
}

// Ends a line of text; bytes have no lines.
static void put_break(Output *out)
{
    if (!out->is_binary) {
        sn_whole_file_printf(&out->file, "\n");
    }
}

// Ends a section, with the break that text has already.
static void put_end(Output *out, const char *name)
{
    sn_whole_file_printf(&out->file, "%s$End%s\n", out->is_binary ? "\n" : "", name);
}

static void put_format(Output *out, const char *version)
{
    sn_whole_file_printf(&out->file, "$MeshFormat\n%s %d 8\n", version, out->is_binary);
    if (out->is_binary) {
        put_int(out, 1);
        sn_whole_file_printf(&out->file, "\n");
    }
    sn_whole_file_printf(&out->file, "$EndMeshFormat\n");
}

// A name between quotes, without what would end it or its line.
static void put_quoted(Output *out, const char *name)
{
    for (; *name != '\0'; ++name) {
        char shown = *name == '"' || *name == '\n' || *name == '\r' ? '_' : *name;
        sn_whole_file_write(&out->file, &shown, 1);
    }
}

static void put_names(Output *out, const SnElements *mesh)
{
    if (!sn_elements_have_regions(mesh)) {
        return;
    }
    sn_whole_file_printf(&out->file, "$PhysicalNames\n%d\n", mesh->names->count);
    for (int r = 0; r < mesh->names->count; ++r) {
        sn_whole_file_printf(&out->file, "%d %d \"", VOLUME, r + 1);
        put_quoted(out, mesh->names->text[r]);
        sn_whole_file_printf(&out->file, "\"\n");
    }
    sn_whole_file_printf(&out->file, "$EndPhysicalNames\n");
}

// --- MSH 2.2

static void put_mesh2(Output *out, const SnElements *mesh)
{
    sn_whole_file_printf(&out->file, "$Nodes\n%d\n", mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        put_int(out, v + 1);
        for (int c = 0; c < 3; ++c) {
            put_double(out, mesh->positions[3 * (size_t)v + (size_t)c]);
        }
        put_break(out);
    }
    put_end(out, "Nodes");
    size_t corners = (size_t)mesh->type->corner_count;
    sn_whole_file_printf(&out->file, "$Elements\n%d\n", mesh->element_count);
    if (out->is_binary && mesh->element_count > 0) {
        put_int(out, mesh->type->gmsh_type);
        put_int(out, mesh->element_count);
        put_int(out, 2);
    }
    for (int t = 0; t < mesh->element_count; ++t) {
        put_int(out, t + 1);
        if (!out->is_binary) {
            put_int(out, mesh->type->gmsh_type);
            put_int(out, 2);
        }
        put_int(out, sn_elements_have_regions(mesh) ? mesh->regions[t] + 1 : 0);
        put_int(out, mesh->regions[t] + 1);
        for (size_t c = 0; c < corners; ++c) {
            put_int(out, mesh->corners[corners * (size_t)t + c] + 1);
        }
        put_break(out);
    }
    put_end(out, "Elements");
}

// --- MSH 4.1

static void find_bounds(const SnElements *mesh, double bounds[6])
{
    for (int c = 0; c < 3; ++c) {
        bounds[c] = mesh->vertex_count > 0 ? mesh->positions[c] : 0.0;
        bounds[c + 3] = bounds[c];
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        for (int c = 0; c < 3; ++c) {
            double x = mesh->positions[3 * (size_t)v + (size_t)c];
            bounds[c] = x < bounds[c] ? x : bounds[c];
            bounds[c + 3] = x > bounds[c + 3] ? x : bounds[c + 3];
        }
    }
}

// One volume a region, without boundary.
static void put_entities(Output *out, const SnElements *mesh)
{
    double bounds[6];
    find_bounds(mesh, bounds);
    sn_whole_file_printf(&out->file, "$Entities\n");
    for (int d = 0; d < 4; ++d) {
        put_size(out, d == VOLUME ? mesh->names->count : 0);
    }
    put_break(out);
    for (int r = 0; r < mesh->names->count; ++r) {
        put_int(out, r + 1);
        for (int c = 0; c < 6; ++c) {
            put_double(out, bounds[c]);
        }
        put_size(out, sn_elements_have_regions(mesh) ? 1 : 0);
        if (sn_elements_have_regions(mesh)) {
            put_int(out, r + 1);
        }
        put_size(out, 0);
        put_break(out);
    }
    put_end(out, "Entities");
}

static void put_head(Output *out, const char *name, int64_t blocks, int items)
{
    sn_whole_file_printf(&out->file, "$%s\n", name);
    put_size(out, blocks);
    put_size(out, items);
    put_size(out, items > 0 ? 1 : 0);
    put_size(out, items);
    put_break(out);
}

static void put_nodes4(Output *out, const SnElements *mesh)
{
    put_head(out, "Nodes", 1, mesh->vertex_count);
    put_int(out, VOLUME);
    put_int(out, 1);
    put_int(out, 0);
    put_size(out, mesh->vertex_count);
    put_break(out);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        put_size(out, v + 1);
        put_break(out);
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        for (int c = 0; c < 3; ++c) {
            put_double(out, mesh->positions[3 * (size_t)v + (size_t)c]);
        }
        put_break(out);
    }
    put_end(out, "Nodes");
}

// One past the last element that is in the same region as `begin` and all between.
static int run_end(const SnElements *mesh, int begin)
{
    int end = begin + 1;
    while (end < mesh->element_count && mesh->regions[end] == mesh->regions[begin]) {
        ++end;
    }
    return end;
}

static void put_elements4(Output *out, const SnElements *mesh)
{
    int64_t blocks = 0;
    size_t corners = (size_t)mesh->type->corner_count;
    for (int t = 0; t < mesh->element_count; t = run_end(mesh, t)) {
        ++blocks;
    }
    put_head(out, "Elements", blocks, mesh->element_count);
    for (int begin = 0; begin < mesh->element_count;) {
        int end = run_end(mesh, begin);
        put_int(out, VOLUME);
        put_int(out, mesh->regions[begin] + 1);
        put_int(out, mesh->type->gmsh_type);
        put_size(out, end - begin);
        put_break(out);
        for (; begin < end; ++begin) {
            put_size(out, begin + 1);
            for (size_t c = 0; c < corners; ++c) {
                put_size(out, mesh->corners[corners * (size_t)begin + c] + 1);
            }
            put_break(out);
        }
    }
    put_end(out, "Elements");
}

// --- Fields, the same in both versions

// The head is text in binary files too.
static void put_field(Output *out, const SnElements *mesh, const SnVtuField *field)
{
    const char *name = field->is_on_cells ? "ElementData" : "NodeData";
    int items = field->is_on_cells ? mesh->element_count : mesh->vertex_count;
    size_t components = (size_t)field->component_count;
    sn_whole_file_printf(&out->file, "$%s\n1\n\"", name);
    put_quoted(out, field->name);
    sn_whole_file_printf(&out->file, "\"\n1\n0\n3\n0\n%d\n%d\n", field->component_count, items);
    for (int i = 0; i < items; ++i) {
        put_int(out, i + 1);
        for (size_t c = 0; c < components; ++c) {
            put_double(out, (double)field->values[components * (size_t)i + c]);
        }
        put_break(out);
    }
    put_end(out, name);
}

static SinewStatus check(const SnElements *mesh, int version, SinewError *error)
{
    if (version != 22 && version != 41) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "MSH version %d is not written, expected 22 or 41", version);
    }
    for (int f = 0; f < mesh->field_count; ++f) {
        int components = mesh->fields[f].component_count;
        if (components != 1 && components != 3 && components != 9) {
            return sn_fail(error, SINEW_ERROR_ARGUMENT,
                           "field \"%.40s\" has %d components, and MSH files hold 1, 3 or 9",
                           mesh->fields[f].name, components);
        }
    }
    return SINEW_OK;
}

SinewStatus sn_elements_write_msh(const SnElements *mesh, const SnTetWriteOptions *options,
                                  const char *path, const SinewAllocator *allocator,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Output out = {.is_binary = options->encoding != SN_TET_ASCII};
    int version = options->msh_version == 0 ? 41 : options->msh_version;
    SN_TRY(check(mesh, version, error));
    SN_TRY(sn_whole_file_begin(&out.file, path, allocator, error));
    put_format(&out, version == 22 ? "2.2" : "4.1");
    put_names(&out, mesh);
    if (version == 22) {
        put_mesh2(&out, mesh);
    } else {
        put_entities(&out, mesh);
        put_nodes4(&out, mesh);
        put_elements4(&out, mesh);
    }
    for (int f = 0; f < mesh->field_count; ++f) {
        put_field(&out, mesh, &mesh->fields[f]);
    }
    SN_TRY(sn_whole_file_commit(&out.file, error));
done:
    sn_whole_file_abandon(&out.file);
    return status;
}

SinewStatus sn_write_msh(const SnTetMesh *mesh, const SnTetWriteOptions *options, const char *path,
                         const SinewAllocator *allocator, SinewError *error)
{
    SnElements tets = sn_elements_of_tets(mesh);
    return sn_elements_write_msh(&tets, options, path, allocator, error);
}
