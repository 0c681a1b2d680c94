// VTU files: the tags are walked once, which tells where each array is; then those that make a tet
// mesh are decoded, piece by piece.
#include "io/deflate.h"
#include "io/vtk_piece.h"
#include "io/vtu_data.h"
#include "io/xml.h"

#include <inttypes.h>

enum { DEPTH_MAX = 16 };

typedef struct Piece {
    int64_t point_count;
    int64_t cell_count;
    SnVtuArray points; // those that are missing have no name and the type NONE
    SnVtuArray connectivity;
    SnVtuArray offsets;
    SnVtuArray types;
    SnVtuArray regions;
    int region_rank; // -1: there are none
} Piece;

typedef struct Vtu {
    SnScan scan;
    SnVtuFormat format;
    SnWord path[DEPTH_MAX]; // the open tags
    int depth;
    SnArray pieces; // Piece
    SnVtuArray names;
} Vtu;

static SnNumberType type_of(SnWord word)
{
    static const char *const names[] = {"",       "Int8",  "UInt8",  "Int16",   "UInt16", "Int32",
                                        "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    for (int i = 1; i < (int)(sizeof names / sizeof *names); ++i) {
        if (sn_word_is(word, names[i])) {
            return (SnNumberType)i;
        }
    }
    return SN_NUMBER_NONE;
}

// A whole number in an attribute; `fallback` where it is missing.
static SinewStatus read_count(const Vtu *vtu, const SnXmlTag *tag, const char *key,
                              int64_t fallback, int64_t *out_count, SinewError *error)
{
    SnWord word = sn_xml_value(tag, key);
    *out_count = fallback;
    if (word.length == 0 && fallback >= 0) {
        return SINEW_OK;
    }
    return sn_scan_int(&vtu->scan, word, key, 0, INT64_MAX / 64, out_count, error);
}

static SinewStatus read_file_tag(Vtu *vtu, const SnXmlTag *tag, SinewError *error)
{
    SnWord type = sn_xml_value(tag, "type");
    SnWord order = sn_xml_value(tag, "byte_order");
    SnWord header = sn_xml_value(tag, "header_type");
    SnWord packer = sn_xml_value(tag, "compressor");
    if (!sn_word_is(type, "UnstructuredGrid")) {
        return sn_scan_fail(&vtu->scan, error, "holds \"%.*s\", expected an UnstructuredGrid",
                            (int)(type.length < 30 ? type.length : 30), type.text);
    }
    if (packer.length > 0 && !sn_word_is(packer, "vtkZLibDataCompressor")) {
        return sn_scan_fail(&vtu->scan, error,
                            "is packed by \"%.*s\", expected vtkZLibDataCompressor or none",
                            (int)(packer.length < 30 ? packer.length : 30), packer.text);
    }
    bool is_big = sn_word_is(order, "BigEndian");
    vtu->format.swap = is_big == sn_is_little_endian();
    if (order.length == 0) {
        vtu->format.swap = false;
    }
    vtu->format.header_size = sn_word_is(header, "UInt64") ? 8 : 4;
    vtu->format.is_compressed = packer.length > 0;
    return SINEW_OK;
}

static SinewStatus add_piece(Vtu *vtu, const SnXmlTag *tag, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Piece piece = {.region_rank = -1};
    SN_TRY(read_count(vtu, tag, "NumberOfPoints", -1, &piece.point_count, error));
    SN_TRY(read_count(vtu, tag, "NumberOfCells", -1, &piece.cell_count, error));
    SN_TRY(sn_array_push(&vtu->pieces, &piece, error));
done:
    return status;
}

static SinewStatus read_array_tag(Vtu *vtu, const SnXmlTag *tag, SnVtuArray *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWord place = sn_xml_value(tag, "format");
    *out = (SnVtuArray){.name = sn_xml_value(tag, "Name"),
                        .type = type_of(sn_xml_value(tag, "type")),
                        .text = vtu->scan};
    out->place = sn_word_is(place, "appended") ? SN_VTU_APPENDED
                 : sn_word_is(place, "binary") ? SN_VTU_INLINE
                                               : SN_VTU_ASCII;
    if (place.length > 0 && out->place == SN_VTU_ASCII && !sn_word_is(place, "ascii")) {
        SN_TRY(sn_scan_fail(&vtu->scan, error,
                            "format \"%.*s\" is not read, expected ascii, binary or appended",
                            (int)(place.length < 20 ? place.length : 20), place.text));
    }
    SN_TRY(read_count(vtu, tag, "offset", out->place == SN_VTU_APPENDED ? -1 : 0, &out->offset,
                      error));
    SN_TRY(read_count(vtu, tag, "NumberOfTuples", 0, &out->tuple_count, error));
    SN_TRY(read_count(vtu, tag, "NumberOfComponents", 1, &out->component_count, error));
    if (tag->is_empty) {
        out->text.end = out->text.at;
    } else {
        const char *end = memchr(out->text.at, '<', (size_t)(out->text.end - out->text.at));
        out->text.end = end != NULL ? end : out->text.end;
    }
done:
    return status;
}

// Keeps an array that makes a mesh, by where it stands and what it is called.
static void keep_array(Vtu *vtu, const SnVtuArray *array)
{
    SnWord parent = vtu->depth > 0 ? vtu->path[vtu->depth - 1] : (SnWord){"", 0};
    if (sn_word_is(parent, "FieldData") && sn_word_is(array->name, SN_VTK_NAMES)) {
        vtu->names = *array;
    }
    if (vtu->pieces.count == 0) {
        return;
    }
    Piece *piece = &SN_ITEMS(vtu->pieces, Piece)[vtu->pieces.count - 1];
    if (sn_word_is(parent, "Points")) {
        piece->points = *array;
    } else if (sn_word_is(parent, "Cells")) {
        if (sn_word_is(array->name, "connectivity")) {
            piece->connectivity = *array;
        } else if (sn_word_is(array->name, "offsets")) {
            piece->offsets = *array;
        } else if (sn_word_is(array->name, "types")) {
            piece->types = *array;
        }
    } else if (sn_word_is(parent, "CellData") && array->component_count <= 1) {
        int rank = sn_vtk_region_rank(array->name.text, array->name.length);
        if (rank >= 0 && (piece->region_rank < 0 || rank < piece->region_rank)) {
            piece->regions = *array;
            piece->region_rank = rank;
        }
    }
}

// What follows the '_' is data; nothing after it is looked at.
static SinewStatus open_appended(Vtu *vtu, const SnXmlTag *tag, SinewError *error)
{
    SnWord encoding = sn_xml_value(tag, "encoding");
    vtu->format.is_appended_base64 = sn_word_is(encoding, "base64");
    if (!vtu->format.is_appended_base64 && !sn_word_is(encoding, "raw")) {
        return sn_scan_fail(&vtu->scan, error,
                            "data is appended as \"%.*s\", expected raw or base64",
                            (int)(encoding.length < 20 ? encoding.length : 20), encoding.text);
    }
    const char *start = memchr(vtu->scan.at, '_', (size_t)(vtu->scan.end - vtu->scan.at));
    if (start == NULL) {
        return sn_scan_fail(&vtu->scan, error, "expected '_' in front of the appended data");
    }
    vtu->format.appended = start + 1;
    vtu->format.appended_end = vtu->scan.end;
    return SINEW_OK;
}

static SinewStatus read_tag(Vtu *vtu, const SnXmlTag *tag, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    if (tag->is_close) {
        if (vtu->depth == 0 || vtu->path[vtu->depth - 1].length != tag->name.length ||
            memcmp(vtu->path[vtu->depth - 1].text, tag->name.text, tag->name.length) != 0) {
            SN_TRY(sn_scan_fail(&vtu->scan, error, "</%.*s> closes what is not open",
                                (int)(tag->name.length < 30 ? tag->name.length : 30),
                                tag->name.text));
        }
        vtu->depth--;
        goto done;
    }
    if (vtu->depth == 0 && !sn_word_is(tag->name, "VTKFile")) {
        SN_TRY(sn_scan_fail(&vtu->scan, error, "is no VTU file, expected <VTKFile ...> first"));
    }
    if (vtu->depth == 0) {
        SN_TRY(read_file_tag(vtu, tag, error));
    } else if (sn_word_is(tag->name, "Piece")) {
        SN_TRY(add_piece(vtu, tag, error));
    } else if (sn_word_is(tag->name, "DataArray")) {
        SnVtuArray array;
        SN_TRY(read_array_tag(vtu, tag, &array, error));
        keep_array(vtu, &array);
    } else if (sn_word_is(tag->name, "AppendedData")) {
        SN_TRY(open_appended(vtu, tag, error));
    }
    if (!tag->is_empty) {
        if (vtu->depth == DEPTH_MAX) {
            SN_TRY(sn_scan_fail(&vtu->scan, error, "tags are nested deeper than %d", DEPTH_MAX));
        }
        vtu->path[vtu->depth++] = tag->name;
    }
done:
    return status;
}

static SinewStatus read_tags(Vtu *vtu, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnXmlTag tag;
    while (vtu->format.appended == NULL) {
        SN_TRY(sn_xml_next(&vtu->scan, &tag, error));
        if (tag.name.length == 0) {
            break;
        }
        SN_TRY(read_tag(vtu, &tag, error));
    }
    if (vtu->format.appended == NULL && (vtu->depth > 0 || vtu->pieces.count == 0)) {
        SN_TRY(
            sn_scan_fail(&vtu->scan, error, "the file ends before its mesh, expected </VTKFile>"));
    }
done:
    return status;
}

static SinewStatus take_piece(const Vtu *vtu, const Piece *piece, SnTetDraft *draft,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    const SnVtuFormat *format = &vtu->format;
    SnVtkPiece arrays = {0};
    int64_t cells = piece->cell_count;
    if (piece->point_count > 0 || cells > 0) {
        SN_TRY(
            sn_vtu_decode(format, &piece->points, 3 * piece->point_count, &arrays.points, error));
    }
    if (cells > 0) {
        SN_TRY(sn_vtu_decode(format, &piece->types, cells, &arrays.types, error));
        SN_TRY(sn_vtu_decode(format, &piece->offsets, cells, &arrays.ends, error));
        int64_t size = sn_numbers_int(&arrays.ends, (size_t)cells - 1);
        SN_TRY(sn_vtu_decode(format, &piece->connectivity, size, &arrays.connectivity, error));
        if (piece->region_rank >= 0) {
            SN_TRY(sn_vtu_decode(format, &piece->regions, cells, &arrays.regions, error));
        }
    }
    SN_TRY(sn_vtk_piece_take(&arrays, draft, error));
done:
    sn_vtk_piece_release(&arrays, format->allocator);
    return status;
}

SinewStatus sn_read_vtu(const SnBytes *bytes, const SinewAllocator *allocator, SnTetMesh **out_mesh,
                        SnTetReport *out_report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Vtu vtu = {.scan = sn_scan_of(bytes, '\0'),
               .format = {.allocator = allocator},
               .pieces = sn_array_of(allocator, sizeof(Piece))};
    SnTetDraft draft = sn_tet_draft_of(bytes->path, allocator);
    SnNumbers names = {0};
    *out_mesh = NULL;
    SN_TRY(read_tags(&vtu, error));
    if (sn_number_is_whole(vtu.names.type)) {
        SN_TRY(sn_vtu_decode(&vtu.format, &vtu.names, vtu.names.tuple_count, &names, error));
        SN_TRY(sn_vtk_name_regions(&names, &draft, error));
    }
    for (size_t p = 0; p < vtu.pieces.count; ++p) {
        SN_TRY(take_piece(&vtu, &SN_ITEMS(vtu.pieces, Piece)[p], &draft, error));
    }
    SN_TRY(sn_tet_draft_finish(&draft, out_mesh, out_report, error));
done:
    sn_array_release(&vtu.pieces);
    sn_numbers_release(&names, allocator);
    sn_tet_draft_release(&draft);
    return status;
}
