// PLY: rows of elements, each a list of values as the header says. One reader takes any row, value
// by value; two short loops take the rows that nearly all large files have: vertices without lists,
// and faces that are one list of three 32-bit indices.
#include "io/little_endian.h"
#include "io/ply_header.h"
#include "io/surface_build.h"
#include "io/surface_files.h"

#include <math.h>
#include <string.h>

typedef struct Reader {
    const SnBytes *bytes;
    SnScan scan; // of ASCII
    size_t at;   // of binary: the next byte
    SnPlyHeader header;
    SnSurfaceBuild build;
    SnArray list; // int, the corners of a row
    int64_t vertex_count;
} Reader;

bool sn_looks_like_ply(const SnBytes *bytes)
{
    return bytes->size >= 4 && memcmp(bytes->data, "ply", 3) == 0 &&
           (bytes->data[3] == '\n' || bytes->data[3] == '\r');
}

// What a row means to us: which property is what; -1: none.
typedef struct Row {
    const SnPlyElement *element;
    const SnPlyProperty *properties;
    int value[3];    // x, y, z of a vertex; vertex1 and vertex2 of an edge
    int value_count; // 3, 2 or 0
    int list;        // vertex_indices of a face or strip
} Row;

static size_t bytes_left(const Reader *reader)
{
    return reader->header.order == SN_PLY_ASCII ? (size_t)(reader->scan.end - reader->scan.at)
                                                : reader->bytes->size - reader->at;
}

// The sentence with the line or the byte, whichever the file has.
#define FAIL(reader, error, ...)                                                                   \
    ((reader)->header.order == SN_PLY_ASCII                                                        \
         ? sn_scan_fail(&(reader)->scan, error, __VA_ARGS__)                                       \
         : sn_bytes_fail((reader)->bytes, (reader)->at, error, __VA_ARGS__))

// A value of a binary file. All whole numbers are exact in double. The bytes must be there.
static double load(const unsigned char *at, SnPlyType type, SnPlyOrder order)
{
    bool big = order == SN_PLY_BIG;
    uint32_t half = (uint32_t)at[0];
    switch (type) {
    case SN_PLY_INT8:
        return (double)(int8_t)half;
    case SN_PLY_UINT8:
        return (double)half;
    case SN_PLY_INT16:
    case SN_PLY_UINT16:
        half = big ? half << 8 | at[1] : half | (uint32_t)at[1] << 8;
        return type == SN_PLY_INT16 ? (double)(int16_t)half : (double)half;
    case SN_PLY_DOUBLE: {
        uint64_t low = big ? sn_load_u32_big(at + 4) : sn_load_u32_little(at);
        uint64_t high = big ? sn_load_u32_big(at) : sn_load_u32_little(at + 4);
        return sn_double_of_bits(high << 32 | low);
    }
    default:
        half = big ? sn_load_u32_big(at) : sn_load_u32_little(at);
        return type == SN_PLY_INT32    ? (double)(int32_t)half
               : type == SN_PLY_UINT32 ? (double)half
                                       : (double)sn_float_of_bits(half);
    }
}

static SinewStatus read_value(Reader *reader, SnPlyType type, double *out_value, SinewError *error)
{
    if (reader->header.order == SN_PLY_ASCII) {
        return sn_scan_double(&reader->scan, sn_scan_word(&reader->scan), "a value", out_value,
                              error);
    }
    size_t size = sn_ply_type_size(type);
    if (size > bytes_left(reader)) {
        return FAIL(reader, error, "the file ends, expected a value of %zu bytes", size);
    }
    *out_value = load(reader->bytes->data + reader->at, type, reader->header.order);
    reader->at += size;
    return SINEW_OK;
}

// Passes over values that nobody needs. ASCII ones need not be numbers: some programs write "nan".
static SinewStatus skip_values(Reader *reader, SnPlyType type, size_t count, SinewError *error)
{
    size_t size = reader->header.order == SN_PLY_ASCII ? 1 : sn_ply_type_size(type);
    if (count > bytes_left(reader) / size) {
        return FAIL(reader, error, "%zu values are announced, but only %zu bytes are left", count,
                    bytes_left(reader));
    }
    if (reader->header.order != SN_PLY_ASCII) {
        reader->at += count * size;
        return SINEW_OK;
    }
    for (size_t i = 0; i < count; ++i) {
        if (sn_scan_word(&reader->scan).length == 0) {
            return FAIL(reader, error, "the file ends, expected a value");
        }
    }
    return SINEW_OK;
}

static SinewStatus read_list_count(Reader *reader, const SnPlyProperty *property, size_t *out_count,
                                   SinewError *error)
{
    double value = 0.0;
    SinewStatus status = read_value(reader, property->count_type, &value, error);
    if (status == SINEW_OK && !(value >= 0.0 && value <= 4294967295.0 && value == floor(value))) {
        return FAIL(reader, error, "a list of %g items, expected a whole number from 0", value);
    }
    *out_count = status == SINEW_OK ? (size_t)value : 0;
    return status;
}

static SinewStatus read_index(Reader *reader, SnPlyType type, bool is_strip, int *out_index,
                              SinewError *error)
{
    double value = 0.0;
    SinewStatus status = read_value(reader, type, &value, error);
    bool good = value >= (is_strip ? -1.0 : 0.0) && value < (double)reader->vertex_count &&
                value == floor(value);
    if (status == SINEW_OK && !good) {
        return FAIL(reader, error, "vertex index %g, but the file has %lld vertices", value,
                    (long long)reader->vertex_count);
    }
    *out_index = status == SINEW_OK ? (int)value : 0;
    return status;
}

// The corners of a face or strip.
static SinewStatus read_list(Reader *reader, const SnPlyProperty *property, bool is_strip,
                             SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = 0;
    SN_TRY(read_list_count(reader, property, &count, error));
    size_t size = reader->header.order == SN_PLY_ASCII ? 1 : sn_ply_type_size(property->type);
    if (count > bytes_left(reader) / size || count > SN_SURFACE_COUNT_MAX) {
        SN_TRY(FAIL(reader, error, "%zu corners are announced, but only %zu bytes are left", count,
                    bytes_left(reader)));
    }
    reader->list.count = 0;
    int *items = sn_array_add(&reader->list, count);
    SN_TRY(sn_expect_memory(items, count, sizeof *items, error));
    for (size_t i = 0; i < count; ++i) {
        SN_TRY(read_index(reader, property->type, is_strip, &items[i], error));
    }
done:
    return status;
}

// Corners i, i+1, i+2 of a strip, every other triangle turned; -1 begins a new strip. Corners that
// are the same make a strip turn without a triangle.
static SinewStatus add_strip(Reader *reader, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const int *list = SN_ITEMS(reader->list, int);
    size_t begin = 0;
    for (size_t i = 0; i < reader->list.count; ++i) {
        if (list[i] < 0) {
            begin = i + 1;
            continue;
        }
        if (i < begin + 2 || list[i] == list[i - 1] || list[i] == list[i - 2] ||
            list[i - 1] == list[i - 2]) {
            continue;
        }
        bool turned = (i - begin) % 2 == 1;
        int corners[3] = {list[i - (turned ? 1 : 2)], list[i - (turned ? 2 : 1)], list[i]};
        SN_TRY(sn_surface_build_face(&reader->build, corners, 3, error));
    }
done:
    return status;
}

static bool is_named(const Row *row, const char *name)
{
    return sn_word_is(row->element->name, name);
}

// Vertices and edge ends, once the row is read.
static SinewStatus add_values(Reader *reader, const Row *row, const double value[3],
                              SinewError *error)
{
    if (row->value_count == 3) {
        if (!isfinite(value[0]) || !isfinite(value[1]) || !isfinite(value[2])) {
            return FAIL(reader, error, "a vertex before this is %g %g %g, expected finite numbers",
                        value[0], value[1], value[2]);
        }
        return sn_surface_build_vertex(&reader->build, value, error);
    }
    for (int k = 0; k < 2; ++k) {
        if (!(value[k] >= 0.0 && value[k] < (double)reader->vertex_count &&
              value[k] == floor(value[k]))) {
            return FAIL(reader, error, "vertex index %g, but the file has %lld vertices", value[k],
                        (long long)reader->vertex_count);
        }
    }
    return sn_surface_build_line(&reader->build, (int)value[0], (int)value[1], error);
}

static SinewStatus read_row(Reader *reader, const Row *row, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    double value[3] = {0.0, 0.0, 0.0};
    bool is_strip = is_named(row, "tristrips");
    for (int p = 0; p < (int)row->element->property_count; ++p) {
        const SnPlyProperty *property = row->properties + p;
        int which = 0;
        while (which < row->value_count && row->value[which] != p) {
            ++which;
        }
        size_t count = 1;
        if (which < row->value_count) {
            SN_TRY(read_value(reader, property->type, &value[which], error));
        } else if (p == row->list) {
            SN_TRY(read_list(reader, property, is_strip, error));
        } else {
            if (property->is_list) {
                SN_TRY(read_list_count(reader, property, &count, error));
            }
            SN_TRY(skip_values(reader, property->type, count, error));
        }
    }
    if (row->value_count > 0) {
        SN_TRY(add_values(reader, row, value, error));
    } else if (is_strip && row->list >= 0) {
        SN_TRY(add_strip(reader, error));
    } else if (row->list >= 0) {
        SN_TRY(sn_surface_build_face(&reader->build, SN_ITEMS(reader->list, int),
                                     (int)reader->list.count, error));
    }
done:
    return status;
}

// Vertices without lists in a binary file: each coordinate is at a fixed place of each row. All of
// them are copied first and looked at while they are in the cache. False: memory is short.
static bool copy_vertices(Reader *reader, const Row *row)
{
    size_t count = (size_t)row->element->count;
    size_t stride = row->element->least_size;
    const unsigned char *at = reader->bytes->data + reader->at;
    double *out = sn_array_add(&reader->build.positions, 3 * count);
    const SnPlyProperty *x = row->properties + row->value[0];
    const SnPlyProperty *y = row->properties + row->value[1];
    const SnPlyProperty *z = row->properties + row->value[2];
    bool floats = x->type == SN_PLY_FLOAT && y->type == SN_PLY_FLOAT && z->type == SN_PLY_FLOAT &&
                  reader->header.order == SN_PLY_LITTLE;
    for (size_t i = 0; out != NULL && i < count; ++i, at += stride, out += 3) {
        if (floats) {
            out[0] = (double)sn_float_of_bits(sn_load_u32_little(at + x->offset));
            out[1] = (double)sn_float_of_bits(sn_load_u32_little(at + y->offset));
            out[2] = (double)sn_float_of_bits(sn_load_u32_little(at + z->offset));
        } else {
            out[0] = load(at + x->offset, x->type, reader->header.order);
            out[1] = load(at + y->offset, y->type, reader->header.order);
            out[2] = load(at + z->offset, z->type, reader->header.order);
        }
    }
    return out != NULL;
}

static SinewStatus read_plain_vertices(Reader *reader, const Row *row, SinewError *error)
{
    size_t count = (size_t)row->element->count;
    size_t first = reader->build.positions.count;
    if (!copy_vertices(reader, row)) {
        return sn_expect_memory(NULL, 3 * count, sizeof(double), error);
    }
    const double *position = SN_ITEMS(reader->build.positions, double) + first;
    for (size_t i = 0; i < count; ++i, position += 3) {
        // x - x is 0 for what is finite and NaN for what is not.
        double sum =
            (position[0] - position[0]) + (position[1] - position[1]) + (position[2] - position[2]);
        if (sum != 0.0) {
            return FAIL(reader, error, "vertex %zu is %g %g %g, expected finite numbers", i,
                        position[0], position[1], position[2]);
        }
        reader->at += row->element->least_size;
    }
    return SINEW_OK;
}

// Triangles, as many rows as go on being one list of three good indices. Answers how many; the next
// row, if there is one, is for the slow reader, which also knows the sentences.
static size_t copy_triangles(const Reader *reader, size_t most, int *out)
{
    enum { ROW = 13 };
    const unsigned char *at = reader->bytes->data + reader->at;
    uint32_t limit = (uint32_t)reader->vertex_count;
    for (size_t i = 0; i < most; ++i, at += ROW, out += 3) {
        uint32_t a = sn_load_u32_little(at + 1);
        uint32_t b = sn_load_u32_little(at + 5);
        uint32_t c = sn_load_u32_little(at + 9);
        if (at[0] != 3 || a >= limit || b >= limit || c >= limit) {
            return i;
        }
        out[0] = (int)a;
        out[1] = (int)b;
        out[2] = (int)c;
    }
    return most;
}

// A run of triangles straight into the build's arrays; room is made in pieces, by what the bytes
// hold, so that a false count costs nothing.
static SinewStatus read_triangles(Reader *reader, size_t rows_left, size_t *out_count,
                                  SinewError *error)
{
    enum { ROW = 13 };
    SinewStatus status = SINEW_OK;
    SnSurfaceBuild *build = &reader->build;
    size_t most = bytes_left(reader) / ROW;
    most = most < rows_left ? most : rows_left;
    most = most < ((size_t)SN_SURFACE_COUNT_MAX - build->face_sizes.count)
               ? most
               : (size_t)SN_SURFACE_COUNT_MAX - build->face_sizes.count;
    *out_count = 0;
    int *corners = sn_array_add(&build->corners, 3 * most);
    SN_TRY(sn_expect_memory(corners, 3 * most, sizeof *corners, error));
    size_t count = copy_triangles(reader, most, corners);
    build->corners.count -= 3 * (most - count);
    int *sizes = sn_array_add(&build->face_sizes, count);
    SN_TRY(sn_expect_memory(sizes, count, sizeof *sizes, error));
    int *groups = sn_array_add(&build->face_groups, count);
    SN_TRY(sn_expect_memory(groups, count, sizeof *groups, error));
    for (size_t i = 0; i < count; ++i) {
        sizes[i] = 3;
        groups[i] = build->group;
    }
    build->largest_face = count > 0 && build->largest_face < 3 ? 3 : build->largest_face;
    reader->at += ROW * count;
    *out_count = count;
done:
    return status;
}

static bool is_plain_triangles(const Reader *reader, const Row *row)
{
    const SnPlyProperty *list = row->properties + row->list;
    return reader->header.order == SN_PLY_LITTLE && row->list == 0 && is_named(row, "face") &&
           row->element->property_count == 1 && list->count_type == SN_PLY_UINT8 &&
           (list->type == SN_PLY_INT32 || list->type == SN_PLY_UINT32);
}

// Where triangles end, some rows go the slow way before they are tried again: longer and longer
// stretches, so that a file of quads does not pay for the attempts.
static SinewStatus read_rows(Reader *reader, const Row *row, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    size_t count = (size_t)row->element->count;
    bool plain = is_plain_triangles(reader, row);
    if (row->list >= 0) {
        SN_TRY(sn_surface_build_group(&reader->build, "", 0, false, error));
    }
    size_t i = 0;
    for (size_t stretch = 1; plain && i < count; stretch *= 2) {
        size_t got = 0;
        SN_TRY(read_triangles(reader, count - i, &got, error));
        i += got;
        for (size_t slow = 0; slow < stretch && i < count; ++slow, ++i) {
            SN_TRY(read_row(reader, row, error));
        }
    }
    for (; i < count; ++i) {
        SN_TRY(read_row(reader, row, error));
    }
done:
    return status;
}

static SinewStatus find_value(const Reader *reader, Row *row, const char *name, SinewError *error)
{
    int p = sn_ply_property_find(&reader->header, row->element, name);
    if (p < 0 || row->properties[p].is_list) {
        return sn_fail(error, SINEW_ERROR_FILE,
                       "%.80s: the element \"%.*s\" has no value \"%s\", expected one",
                       reader->bytes->path, (int)row->element->name.length, row->element->name.text,
                       name);
    }
    row->value[row->value_count++] = p;
    return SINEW_OK;
}

static SinewStatus find_list(const Reader *reader, Row *row, SinewError *error)
{
    int p = sn_ply_property_find(&reader->header, row->element, "vertex_indices");
    p = p >= 0 ? p : sn_ply_property_find(&reader->header, row->element, "vertex_index");
    if (p < 0 || !row->properties[p].is_list || row->properties[p].type >= SN_PLY_FLOAT) {
        return sn_fail(error, SINEW_ERROR_FILE,
                       "%.80s: the element \"%.*s\" has no list of whole numbers "
                       "\"vertex_indices\", expected one",
                       reader->bytes->path, (int)row->element->name.length,
                       row->element->name.text);
    }
    row->list = p;
    return SINEW_OK;
}

// What the element's properties mean.
static SinewStatus understand(const Reader *reader, Row *row, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (is_named(row, "vertex")) {
        SN_TRY(find_value(reader, row, "x", error));
        SN_TRY(find_value(reader, row, "y", error));
        SN_TRY(find_value(reader, row, "z", error));
    } else if (is_named(row, "face") || is_named(row, "tristrips")) {
        SN_TRY(find_list(reader, row, error));
    } else if (is_named(row, "edge") &&
               sn_ply_property_find(&reader->header, row->element, "vertex1") >= 0) {
        SN_TRY(find_value(reader, row, "vertex1", error));
        SN_TRY(find_value(reader, row, "vertex2", error));
    }
done:
    return status;
}

static SinewStatus read_element(Reader *reader, const SnPlyElement *element, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Row row = {.element = element,
               .properties =
                   SN_ITEMS(reader->header.properties, SnPlyProperty) + element->first_property,
               .list = -1};
    if (element->count == 0) {
        return SINEW_OK;
    }
    SN_TRY(understand(reader, &row, error));
    if (element->property_count == 0) {
        return SINEW_OK; // nothing stands in the file
    }
    // The last word of a text needs no blank behind it.
    if ((uint64_t)element->count > (bytes_left(reader) + 1) / element->least_size) {
        SN_TRY(FAIL(
            reader, error,
            "%lld rows \"%.*s\" of at least %zu bytes are announced, but %zu bytes are left",
            (long long)element->count, (int)(element->name.length < 32 ? element->name.length : 32),
            element->name.text, element->least_size, bytes_left(reader)));
    }
    bool fits = (uint64_t)element->count * element->least_size <= bytes_left(reader);
    if (row.value_count == 3 && !element->has_list && reader->header.order != SN_PLY_ASCII &&
        fits) {
        SN_TRY(read_plain_vertices(reader, &row, error));
    } else {
        SN_TRY(read_rows(reader, &row, error));
    }
done:
    return status;
}

// Faces may come before the vertices they speak of, so that the count is taken from the header.
static SinewStatus count_vertices(Reader *reader, SinewError *error)
{
    int found = 0;
    for (size_t e = 0; e < reader->header.elements.count; ++e) {
        const SnPlyElement *element = SN_ITEMS(reader->header.elements, SnPlyElement) + e;
        if (sn_word_is(element->name, "vertex")) {
            reader->vertex_count = element->count;
            ++found;
        }
    }
    if (found != 1 || reader->vertex_count > SN_SURFACE_COUNT_MAX) {
        return sn_scan_fail(&reader->scan, error,
                            "%d elements \"vertex\" of %lld rows, expected one of at most %d",
                            found, (long long)reader->vertex_count, SN_SURFACE_COUNT_MAX);
    }
    return SINEW_OK;
}

SinewStatus sn_read_ply(const SnBytes *bytes, const SinewAllocator *allocator,
                        SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Reader reader = {.bytes = bytes,
                     .scan = sn_scan_of(bytes, '\0'),
                     .build = sn_surface_build_of(allocator),
                     .list = sn_array_of(allocator, sizeof(int))};
    *out_surface = NULL;
    SN_TRY(sn_ply_header_read(&reader.scan, allocator, &reader.header, error));
    SN_TRY(count_vertices(&reader, error));
    reader.at = (size_t)(reader.scan.at - (const char *)bytes->data);
    for (size_t e = 0; e < reader.header.elements.count; ++e) {
        SN_TRY(read_element(&reader, SN_ITEMS(reader.header.elements, SnPlyElement) + e, error));
    }
    SN_TRY(sn_surface_build_finish(&reader.build, out_surface, error));
done:
    sn_surface_build_release(&reader.build);
    sn_array_release(&reader.list);
    sn_ply_header_release(&reader.header);
    return status;
}
