#include "io/ply_header.h"

#include <string.h>

static const struct {
    const char *name;
    const char *other_name;
    size_t size;
} types[SN_PLY_TYPE_COUNT] = {
    [SN_PLY_INT8] = {"char", "int8", 1},      [SN_PLY_UINT8] = {"uchar", "uint8", 1},
    [SN_PLY_INT16] = {"short", "int16", 2},   [SN_PLY_UINT16] = {"ushort", "uint16", 2},
    [SN_PLY_INT32] = {"int", "int32", 4},     [SN_PLY_UINT32] = {"uint", "uint32", 4},
    [SN_PLY_FLOAT] = {"float", "float32", 4}, [SN_PLY_DOUBLE] = {"double", "float64", 8},
};

size_t sn_ply_type_size(SnPlyType type)
{
    return types[type].size;
}

static int shown(SnWord word)
{
    return (int)(word.length < 40 ? word.length : 40);
}

static SinewStatus read_type(SnScan *scan, SnPlyType *out_type, SinewError *error)
{
    SnWord word = sn_scan_word_in_line(scan);
    for (int type = 0; type < SN_PLY_TYPE_COUNT; ++type) {
        if (sn_word_is(word, types[type].name) || sn_word_is(word, types[type].other_name)) {
            *out_type = (SnPlyType)type;
            return SINEW_OK;
        }
    }
    return sn_scan_fail(scan, error, "\"%.*s\" is no type, expected such as uchar, int or float",
                        shown(word), word.text);
}

static SinewStatus read_format(SnScan *scan, SnPlyOrder *out_order, SinewError *error)
{
    SnWord word = sn_scan_word_in_line(scan);
    if (sn_word_is(word, "ascii")) {
        *out_order = SN_PLY_ASCII;
    } else if (sn_word_is(word, "binary_little_endian")) {
        *out_order = SN_PLY_LITTLE;
    } else if (sn_word_is(word, "binary_big_endian")) {
        *out_order = SN_PLY_BIG;
    } else {
        return sn_scan_fail(scan, error,
                            "format \"%.*s\", expected ascii, binary_little_endian or "
                            "binary_big_endian",
                            shown(word), word.text);
    }
    return SINEW_OK;
}

static SinewStatus read_element(SnScan *scan, SnPlyHeader *header, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPlyElement element = {.name = sn_scan_word_in_line(scan),
                            .first_property = header->properties.count};
    // Nothing has more than 2^53 items; what fits the file is checked where the items begin.
    SN_TRY(sn_scan_int(scan, sn_scan_word_in_line(scan), "a number of elements", 0,
                       (int64_t)1 << 53, &element.count, error));
    SN_TRY(sn_array_push(&header->elements, &element, error));
done:
    return status;
}

static SinewStatus read_property(SnScan *scan, SnPlyHeader *header, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnPlyProperty property = {0};
    if (header->elements.count == 0) {
        return sn_scan_fail(scan, error, "a property before any element");
    }
    SnPlyElement *element = SN_ITEMS(header->elements, SnPlyElement) + header->elements.count - 1;
    SnScan before = *scan;
    property.is_list = sn_word_is(sn_scan_word_in_line(scan), "list");
    if (property.is_list) {
        SN_TRY(read_type(scan, &property.count_type, error));
        if (property.count_type >= SN_PLY_FLOAT) {
            SN_TRY(sn_scan_fail(scan, error, "a list whose length is a %s, expected such as uchar",
                                types[property.count_type].name));
        }
    } else {
        *scan = before;
    }
    SN_TRY(read_type(scan, &property.type, error));
    property.name = sn_scan_word_in_line(scan);
    if (property.name.length == 0) {
        SN_TRY(sn_scan_fail(scan, error, "expected the name of a property, but the line ends"));
    }
    property.offset = element->least_size;
    element->least_size += types[property.is_list ? property.count_type : property.type].size;
    element->has_list = element->has_list || property.is_list;
    element->property_count += 1;
    SN_TRY(sn_array_push(&header->properties, &property, error));
done:
    return status;
}

// ASCII rows are words: one character and one blank each, at least.
static void count_text(SnPlyHeader *header)
{
    for (size_t e = 0; header->order == SN_PLY_ASCII && e < header->elements.count; ++e) {
        SnPlyElement *element = SN_ITEMS(header->elements, SnPlyElement) + e;
        element->least_size = 2 * element->property_count;
    }
}

static SinewStatus read_lines(SnScan *scan, SnPlyHeader *header, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool has_format = false;
    for (;;) {
        SnWord word = sn_scan_word(scan);
        if (word.length == 0) {
            SN_TRY(sn_scan_fail(scan, error, "the file ends in the header, expected end_header"));
        } else if (sn_word_is(word, "end_header")) {
            break;
        } else if (sn_word_is(word, "format")) {
            SN_TRY(read_format(scan, &header->order, error));
            has_format = true;
        } else if (sn_word_is(word, "element")) {
            SN_TRY(read_element(scan, header, error));
        } else if (sn_word_is(word, "property")) {
            SN_TRY(read_property(scan, header, error));
        } else if (!sn_word_is(word, "comment") && !sn_word_is(word, "obj_info")) {
            SN_TRY(sn_scan_fail(scan, error, "\"%.*s\", expected such as element or property",
                                shown(word), word.text));
        }
        sn_scan_next_line(scan);
    }
    sn_scan_next_line(scan);
    if (!has_format) {
        SN_TRY(sn_scan_fail(scan, error, "the header has no format, expected such as ascii"));
    }
    count_text(header);
done:
    return status;
}

SinewStatus sn_ply_header_read(SnScan *scan, const SinewAllocator *allocator,
                               SnPlyHeader *out_header, SinewError *error)
{
    *out_header = (SnPlyHeader){.elements = sn_array_of(allocator, sizeof(SnPlyElement)),
                                .properties = sn_array_of(allocator, sizeof(SnPlyProperty))};
    SnWord word = sn_scan_word_in_line(scan);
    if (!sn_word_is(word, "ply")) {
        return sn_scan_fail(scan, error, "\"%.*s\", expected \"ply\"", shown(word), word.text);
    }
    sn_scan_next_line(scan);
    return read_lines(scan, out_header, error);
}

void sn_ply_header_release(SnPlyHeader *header)
{
    sn_array_release(&header->elements);
    sn_array_release(&header->properties);
}

int sn_ply_property_find(const SnPlyHeader *header, const SnPlyElement *element, const char *name)
{
    for (size_t p = 0; p < element->property_count; ++p) {
        const SnPlyProperty *property =
            SN_ITEMS(header->properties, SnPlyProperty) + element->first_property + p;
        if (sn_word_is(property->name, name)) {
            return (int)p;
        }
    }
    return -1;
}
