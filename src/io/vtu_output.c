#include "io/vtu_output.h"

#include "io/base64.h"
#include "io/deflate.h"
#include "io/load.h"

#include <string.h>

enum { BLOCK_SIZE = 1 << 18 };

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
static SinewStatus add_encoded(SnVtuOutput *out, const void *header, size_t header_size,
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

static SinewStatus add_packed(SnVtuOutput *out, const unsigned char *data, size_t size,
                              SnArray *target, SinewError *error)
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

static SinewStatus add_data(SnVtuOutput *out, const void *data, size_t size, SnArray *target,
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

static void put_words(SnVtuOutput *out, const SnVtuArray *array)
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
static void put_name(SnVtuOutput *out, const char *name)
{
    for (; *name != '\0'; ++name) {
        bool is_bad = strchr("\"'<>&", *name) != NULL || (unsigned char)*name < ' ';
        sn_whole_file_write(&out->file, is_bad ? "_" : name, 1);
    }
}

static SinewStatus put_array(SnVtuOutput *out, const SnVtuArray *array, bool has_tuples,
                             SinewError *error)
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

SinewStatus sn_vtu_put_array(SnVtuOutput *out, const SnVtuArray *array, SinewError *error)
{
    return put_array(out, array, false, error);
}

SinewStatus sn_vtu_put_field(SnVtuOutput *out, const SnVtuArray *array, SinewError *error)
{
    return put_array(out, array, true, error);
}

SinewStatus sn_vtu_put_points(SnVtuOutput *out, const double *positions, int count,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnVtuArray points = {"Points", SN_NUMBER_F64, 3, positions, 3 * (size_t)count};
    sn_whole_file_printf(&out->file, "<Points>\n");
    SN_TRY(sn_vtu_put_array(out, &points, error));
    sn_whole_file_printf(&out->file, "</Points>\n");
done:
    return status;
}

SinewStatus sn_vtu_put_cells(SnVtuOutput *out, const int *connectivity, int count, int corners,
                             int type, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t *ends = NULL;
    unsigned char *types = NULL;
    size_t cells = (size_t)count;
    SN_ALLOC(ends, out->allocator, cells, error);
    SN_ALLOC(types, out->allocator, cells, error);
    for (size_t c = 0; c < cells; ++c) {
        ends[c] = corners * (int64_t)(c + 1);
        types[c] = (unsigned char)type;
    }
    SnVtuArray arrays[] = {
        {"connectivity", SN_NUMBER_I32, 1, connectivity, (size_t)corners * cells},
        {"offsets", SN_NUMBER_I64, 1, ends, cells},
        {"types", SN_NUMBER_U8, 1, types, cells}};
    sn_whole_file_printf(&out->file, "<Cells>\n");
    for (int i = 0; i < 3; ++i) {
        SN_TRY(sn_vtu_put_array(out, &arrays[i], error));
    }
    sn_whole_file_printf(&out->file, "</Cells>\n");
done:
    sn_free(out->allocator, ends);
    sn_free(out->allocator, types);
    return status;
}

// --- The file

SinewStatus sn_vtu_begin(SnVtuOutput *out, const SnTetWriteOptions *options, const char *path,
                         const SinewAllocator *allocator, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool is_default = options->encoding == SN_TET_DEFAULT;
    *out = (SnVtuOutput){.allocator = allocator,
                         .encoding = is_default ? SN_TET_BINARY : options->encoding,
                         .is_compressed = is_default ? sn_has_deflate() : options->is_compressed,
                         .appended = sn_array_of(allocator, 1),
                         .scratch = sn_array_of(allocator, 1)};
    out->is_compressed = out->is_compressed && out->encoding != SN_TET_ASCII;
    SN_TRY(sn_whole_file_begin(&out->file, path, allocator, error));
    sn_whole_file_printf(&out->file,
                         "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" "
                         "version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\"%s>\n"
                         "<UnstructuredGrid>\n",
                         sn_is_little_endian() ? "LittleEndian" : "BigEndian",
                         out->is_compressed ? " compressor=\"vtkZLibDataCompressor\"" : "");
done:
    return status;
}

SinewStatus sn_vtu_commit(SnVtuOutput *out, SinewError *error)
{
    sn_whole_file_printf(&out->file, "</Piece>\n</UnstructuredGrid>\n");
    if (out->appended.count > 0) {
        sn_whole_file_printf(&out->file, "<AppendedData encoding=\"%s\">\n_",
                             out->encoding == SN_TET_BINARY ? "raw" : "base64");
        sn_whole_file_write(&out->file, out->appended.items, out->appended.count);
        sn_whole_file_printf(&out->file, "\n</AppendedData>\n");
    }
    sn_whole_file_printf(&out->file, "</VTKFile>\n");
    return sn_whole_file_commit(&out->file, error);
}

void sn_vtu_release(SnVtuOutput *out)
{
    sn_whole_file_abandon(&out->file);
    sn_array_release(&out->appended);
    sn_array_release(&out->scratch);
}
