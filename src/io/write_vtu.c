// VTU: an unstructured grid with its regions and any fields beside it. Text goes straight to the
// file; appended data gathers in memory until its offsets are known.
#include "io/base64.h"
#include "io/deflate.h"
#include "io/elements.h"
#include "io/load.h"
#include "io/vtk_piece.h"
#include "io/whole_file.h"

enum { BLOCK_SIZE = 1 << 18 };

typedef struct Output {
    SnWholeFile file;
    const SinewAllocator *allocator;
    SnTetEncoding encoding;
    bool is_compressed;
    SnArray appended; // char
    SnArray scratch;  // char: one array, encoded
} Output;

// An array as it is written.
typedef struct Array {
    const char *name;
    SnNumberType type;
    int component_count;
    const void *data;
    size_t count; // numbers
} Array;

static const char *const type_names[] = {"",       "Int8",  "UInt8",  "Int16",   "UInt16", "Int32",
                                         "UInt32", "Int64", "UInt64", "Float32", "Float64"};

// --- Encoding

static SinewStatus append(SnArray *bytes, const void *data, size_t size, SinewError *error)
{
    void *place = sn_array_add(bytes, size);
    if (place == NULL) {
        return sn_expect_memory(NULL, size, 1, error);
    }
    if (size > 0) {
        memcpy(place, data, size);
    }
    return SINEW_OK;
}

// Header and data, either as they are or in base64, each padded by itself where VTK wants it so.
static SinewStatus add_encoded(Output *out, const void *header, size_t header_size,
                               const SnArray *body, SnArray *target, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (out->encoding == SN_TET_BINARY) {
        SN_TRY(append(target, header, header_size, error));
        SN_TRY(append(target, body->items, body->count, error));
    } else if (out->is_compressed) {
        SN_TRY(sn_base64_append(target, header, header_size, error));
        SN_TRY(sn_base64_append(target, body->items, body->count, error));
    } else {
        // Plain data is one text together with its size.
        SnArray both = sn_array_of(out->allocator, 1);
        status = append(&both, header, header_size, error);
        status = status < 0 ? status : append(&both, body->items, body->count, error);
        status = status < 0 ? status : sn_base64_append(target, both.items, both.count, error);
        sn_array_release(&both);
    }
done:
    return status;
}

static SinewStatus add_packed(Output *out, const unsigned char *data, size_t size, SnArray *target,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    uint64_t *header = NULL;
    SnArray body = sn_array_of(out->allocator, 1);
    size_t blocks = size / BLOCK_SIZE + (size % BLOCK_SIZE != 0);
    SN_ALLOC(header, out->allocator, 3 + blocks, error);
    header[0] = blocks;
    header[1] = BLOCK_SIZE;
    header[2] = size % BLOCK_SIZE;
    for (size_t b = 0; b < blocks; ++b) {
        size_t begin = b * BLOCK_SIZE;
        size_t before = body.count;
        size_t length = size - begin < BLOCK_SIZE ? size - begin : BLOCK_SIZE;
        SN_TRY(sn_deflate(data + begin, length, &body, error));
        header[3 + b] = body.count - before;
    }
    SN_TRY(add_encoded(out, header, 8 * (3 + blocks), &body, target, error));
done:
    sn_array_release(&body);
    sn_free(out->allocator, header);
    return status;
}

static SinewStatus add_data(Output *out, const void *data, size_t size, SnArray *target,
                            SinewError *error)
{
    if (out->is_compressed) {
        return add_packed(out, data, size, target, error);
    }
    uint64_t header = size;
    SnArray body = {.item_size = 1, .count = size, .items = (void *)(uintptr_t)data};
    return add_encoded(out, &header, sizeof header, &body, target, error);
}

// --- Arrays

static void put_words(Output *out, const Array *array)
{
    SnNumbers numbers = {.type = array->type, .count = array->count, .data = array->data};
    size_t a_line = array->component_count > 1 ? (size_t)array->component_count : 12;
    for (size_t i = 0; i < array->count; ++i) {
        if (sn_number_is_whole(array->type)) {
            sn_whole_file_printf(&out->file, "%lld", (long long)sn_numbers_int(&numbers, i));
        } else {
            sn_whole_file_printf(&out->file, array->type == SN_NUMBER_F32 ? "%.9g" : "%.17g",
                                 sn_numbers_double(&numbers, i));
        }
        sn_whole_file_printf(&out->file, (i + 1) % a_line == 0 ? "\n" : " ");
    }
}

// A name between quotes: what XML minds is replaced.
static void put_name(Output *out, const char *name)
{
    for (; *name != '\0'; ++name) {
        bool is_bad = strchr("\"'<>&", *name) != NULL || (unsigned char)*name < ' ';
        sn_whole_file_write(&out->file, is_bad ? "_" : name, 1);
    }
}

static SinewStatus put_array(Output *out, const Array *array, bool has_tuples, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool is_appended = out->encoding == SN_TET_BINARY || out->encoding == SN_TET_APPENDED_BASE64;
    size_t size = array->count * sn_number_size(array->type);
    sn_whole_file_printf(&out->file, "<DataArray type=\"%s\" Name=\"", type_names[array->type]);
    put_name(out, array->name);
    sn_whole_file_printf(&out->file, "\" NumberOfComponents=\"%d\"", array->component_count);
    if (has_tuples) {
        sn_whole_file_printf(&out->file, " NumberOfTuples=\"%zu\"", array->count);
    }
    if (is_appended) {
        sn_whole_file_printf(&out->file, " format=\"appended\" offset=\"%zu\"/>\n",
                             out->appended.count);
        SN_TRY(add_data(out, array->data, size, &out->appended, error));
        goto done;
    }
    bool is_text = out->encoding == SN_TET_ASCII;
    sn_whole_file_printf(&out->file, " format=\"%s\">\n", is_text ? "ascii" : "binary");
    if (is_text) {
        put_words(out, array);
    } else {
        out->scratch.count = 0;
        SN_TRY(add_data(out, array->data, size, &out->scratch, error));
        sn_whole_file_write(&out->file, out->scratch.items, out->scratch.count);
    }
    sn_whole_file_printf(&out->file, "\n</DataArray>\n");
done:
    return status;
}

static SinewStatus put_names(Output *out, const SnElements *mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnArray text = sn_array_of(out->allocator, 1);
    for (int r = 0; r < mesh->names->count; ++r) {
        SN_TRY(append(&text, mesh->names->text[r], strlen(mesh->names->text[r]) + 1, error));
    }
    sn_whole_file_printf(&out->file, "<FieldData>\n");
    Array names = {SN_VTK_NAMES, SN_NUMBER_U8, 1, text.items, text.count};
    SN_TRY(put_array(out, &names, true, error));
    sn_whole_file_printf(&out->file, "</FieldData>\n");
done:
    sn_array_release(&text);
    return status;
}

static SinewStatus put_cells(Output *out, const SnElements *mesh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t *ends = NULL;
    unsigned char *types = NULL;
    size_t count = (size_t)mesh->element_count;
    size_t corners = (size_t)mesh->type->corner_count;
    SN_ALLOC(ends, out->allocator, count, error);
    SN_ALLOC(types, out->allocator, count, error);
    for (size_t t = 0; t < count; ++t) {
        ends[t] = (int64_t)(corners * (t + 1));
        types[t] = (unsigned char)mesh->type->vtk_type;
    }
    Array arrays[] = {{"connectivity", SN_NUMBER_I32, 1, mesh->corners, corners * count},
                      {"offsets", SN_NUMBER_I64, 1, ends, count},
                      {"types", SN_NUMBER_U8, 1, types, count}};
    sn_whole_file_printf(&out->file, "<Cells>\n");
    for (int i = 0; i < 3; ++i) {
        SN_TRY(put_array(out, &arrays[i], false, error));
    }
    sn_whole_file_printf(&out->file, "</Cells>\n");
done:
    sn_free(out->allocator, ends);
    sn_free(out->allocator, types);
    return status;
}

static SinewStatus put_fields(Output *out, const SnElements *mesh, bool on_cells, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t items = (size_t)(on_cells ? mesh->element_count : mesh->vertex_count);
    sn_whole_file_printf(&out->file, on_cells ? "<CellData>\n" : "<PointData>\n");
    if (on_cells && sn_elements_have_regions(mesh)) {
        Array regions = {SN_VTK_REGION, SN_NUMBER_I32, 1, mesh->regions, items};
        SN_TRY(put_array(out, &regions, false, error));
    }
    for (int f = 0; f < mesh->field_count; ++f) {
        const SnVtuField *field = &mesh->fields[f];
        if (field->is_on_cells == on_cells) {
            Array array = {field->name, SN_NUMBER_F32, field->component_count, field->values,
                           items * (size_t)field->component_count};
            SN_TRY(put_array(out, &array, false, error));
        }
    }
    sn_whole_file_printf(&out->file, on_cells ? "</CellData>\n" : "</PointData>\n");
done:
    return status;
}

// --- The file

static void put_head(Output *out)
{
    sn_whole_file_printf(&out->file,
                         "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" "
                         "version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\"%s>\n"
                         "<UnstructuredGrid>\n",
                         sn_is_little_endian() ? "LittleEndian" : "BigEndian",
                         out->is_compressed ? " compressor=\"vtkZLibDataCompressor\"" : "");
}

static void put_tail(Output *out)
{
    sn_whole_file_printf(&out->file, "</Piece>\n</UnstructuredGrid>\n");
    if (out->appended.count > 0) {
        sn_whole_file_printf(&out->file, "<AppendedData encoding=\"%s\">\n_",
                             out->encoding == SN_TET_BINARY ? "raw" : "base64");
        sn_whole_file_write(&out->file, out->appended.items, out->appended.count);
        sn_whole_file_printf(&out->file, "\n</AppendedData>\n");
    }
    sn_whole_file_printf(&out->file, "</VTKFile>\n");
}

SinewStatus sn_elements_write_vtu(const SnElements *mesh, const SnTetWriteOptions *options,
                                  const char *path, const SinewAllocator *allocator,
                                  SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool is_default = options->encoding == SN_TET_DEFAULT;
    Output out = {.allocator = allocator,
                  .encoding = is_default ? SN_TET_BINARY : options->encoding,
                  .is_compressed = is_default ? sn_has_deflate() : options->is_compressed,
                  .appended = sn_array_of(allocator, 1),
                  .scratch = sn_array_of(allocator, 1)};
    out.is_compressed = out.is_compressed && out.encoding != SN_TET_ASCII;
    SN_TRY(sn_whole_file_begin(&out.file, path, allocator, error));
    put_head(&out);
    if (sn_elements_have_regions(mesh)) {
        SN_TRY(put_names(&out, mesh, error));
    }
    sn_whole_file_printf(&out.file, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n",
                         mesh->vertex_count, mesh->element_count);
    SN_TRY(put_fields(&out, mesh, false, error));
    SN_TRY(put_fields(&out, mesh, true, error));
    sn_whole_file_printf(&out.file, "<Points>\n");
    Array points = {"Points", SN_NUMBER_F64, 3, mesh->positions, 3 * (size_t)mesh->vertex_count};
    SN_TRY(put_array(&out, &points, false, error));
    sn_whole_file_printf(&out.file, "</Points>\n");
    SN_TRY(put_cells(&out, mesh, error));
    put_tail(&out);
    SN_TRY(sn_whole_file_commit(&out.file, error));
done:
    sn_whole_file_abandon(&out.file);
    sn_array_release(&out.appended);
    sn_array_release(&out.scratch);
    return status;
}

SinewStatus sn_write_vtu(const SnTetMesh *mesh, const SnVtuField *fields, int field_count,
                         const SnTetWriteOptions *options, const char *path,
                         const SinewAllocator *allocator, SinewError *error)
{
    SnElements tets = sn_elements_of_tets(mesh);
    tets.fields = fields;
    tets.field_count = field_count;
    return sn_elements_write_vtu(&tets, options, path, allocator, error);
}
