// VTK legacy files with an unstructured grid, versions 2.0 to 5.1, as text or as bytes (which are
// big-endian). Arrays are seen where they lie; those that say nothing about tets are stepped over.
#include "io/vtk_piece.h"

#include <inttypes.h>

typedef struct Vtk {
    SnBytes bytes;
    SnScan scan;
    const SinewAllocator *allocator;
    bool is_binary;
    bool is_5;          // offsets and connectivity apart
    int64_t item_count; // of the current POINT_DATA or CELL_DATA
    bool is_cell_data;  // arrays now belong to cells
    int region_rank;    // of the array that gave the regions, -1: none yet
    SnVtkPiece piece;
    SnNumbers names;
} Vtk;

static SnNumberType type_of(SnWord word)
{
    static const struct {
        const char *name;
        SnNumberType type;
    } known[] = {{"double", SN_NUMBER_F64},       {"float", SN_NUMBER_F32},
                 {"int", SN_NUMBER_I32},          {"unsigned_int", SN_NUMBER_U32},
                 {"vtktypeint64", SN_NUMBER_I64}, {"vtktypeuint64", SN_NUMBER_U64},
                 {"long", SN_NUMBER_I64},         {"unsigned_long", SN_NUMBER_U64},
                 {"long_long", SN_NUMBER_I64},    {"unsigned_long_long", SN_NUMBER_U64},
                 {"vtkIdType", SN_NUMBER_I32},    {"vtkidtype", SN_NUMBER_I32},
                 {"short", SN_NUMBER_I16},        {"unsigned_short", SN_NUMBER_U16},
                 {"char", SN_NUMBER_I8},          {"signed_char", SN_NUMBER_I8},
                 {"unsigned_char", SN_NUMBER_U8}};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (sn_word_is(word, known[i].name)) {
            return known[i].type;
        }
    }
    return SN_NUMBER_NONE;
}

static SinewStatus read_type(Vtk *vtk, SnNumberType *out_type, SinewError *error)
{
    SnWord word = sn_scan_word_in_line(&vtk->scan);
    *out_type = type_of(word);
    if (*out_type == SN_NUMBER_NONE) {
        return sn_scan_fail(&vtk->scan, error,
                            "the type \"%.*s\" is not read, expected float, double, int, long or "
                            "the like",
                            (int)(word.length < 20 ? word.length : 20), word.text);
    }
    return SINEW_OK;
}

static SinewStatus read_count(Vtk *vtk, const char *what, int64_t *out_count, SinewError *error)
{
    return sn_scan_int(&vtk->scan, sn_scan_word_in_line(&vtk->scan), what, 0, INT64_MAX / 64,
                       out_count, error);
}

// The product of two counts out of the file.
static SinewStatus multiply(Vtk *vtk, int64_t a, int64_t b, int64_t *out_product, SinewError *error)
{
    if (__builtin_mul_overflow(a, b, out_product)) {
        return sn_scan_fail(&vtk->scan, error,
                            "an array of %" PRId64 " x %" PRId64 " numbers fits into no file", a,
                            b);
    }
    return SINEW_OK;
}

// The numbers after the end of this line; kept in `out_numbers`, or stepped over for NULL.
static SinewStatus read_array(Vtk *vtk, SnNumberType type, int64_t count, const char *what,
                              SnNumbers *out_numbers, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    sn_scan_next_line(&vtk->scan);
    size_t left = (size_t)(vtk->scan.end - vtk->scan.at);
    size_t least = vtk->is_binary ? sn_number_size(type) : 2;
    if ((uint64_t)count > (vtk->is_binary ? left : left + 1) / least) {
        SN_TRY(sn_scan_fail(&vtk->scan, error,
                            "claims %" PRId64 " numbers of %s, but only %zu bytes are left", count,
                            what, left));
    }
    if (vtk->is_binary) {
        if (out_numbers != NULL) {
            sn_numbers_release(out_numbers, vtk->allocator);
            *out_numbers = (SnNumbers){.type = type,
                                       .swap = sn_is_little_endian(),
                                       .count = (size_t)count,
                                       .data = (const unsigned char *)vtk->scan.at};
        }
        vtk->scan.at += (size_t)count * least;
    } else if (out_numbers != NULL) {
        sn_numbers_release(out_numbers, vtk->allocator);
        SN_TRY(sn_numbers_parse(&vtk->scan, type, count, what, vtk->allocator, out_numbers, error));
    } else {
        for (int64_t i = 0; i < count; ++i) {
            if (sn_scan_word(&vtk->scan).length == 0) {
                SN_TRY(sn_scan_fail(&vtk->scan, error, "the file ends inside %s", what));
            }
        }
    }
done:
    return status;
}

// --- Header and mesh

static SinewStatus read_header(Vtk *vtk, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnScan *scan = &vtk->scan;
    static const char magic[] = "# vtk DataFile Version ";
    size_t length = sizeof magic - 1;
    if (vtk->bytes.size < length + 1 || memcmp(scan->at, magic, length) != 0) {
        SN_TRY(sn_scan_fail(scan, error, "is no VTK file, expected \"%s\" first", magic));
    }
    scan->at += length;
    vtk->is_5 = *scan->at == '5';
    sn_scan_next_line(scan);
    sn_scan_next_line(scan); // the title
    SnWord kind = sn_scan_word(scan);
    vtk->is_binary = sn_word_is(kind, "BINARY");
    if (!vtk->is_binary && !sn_word_is(kind, "ASCII")) {
        SN_TRY(sn_scan_fail(scan, error, "expected ASCII or BINARY"));
    }
    SnWord dataset = sn_scan_word(scan);
    SnWord grid = sn_scan_word(scan);
    if (!sn_word_is(dataset, "DATASET") || !sn_word_is(grid, "UNSTRUCTURED_GRID")) {
        SN_TRY(sn_scan_fail(scan, error, "\"%.*s\" is not read, expected DATASET UNSTRUCTURED_GRID",
                            (int)(grid.length < 20 ? grid.length : 20), grid.text));
    }
done:
    return status;
}

static SinewStatus read_points(Vtk *vtk, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t count;
    SnNumberType type;
    SN_TRY(read_count(vtk, "the number of points", &count, error));
    SN_TRY(read_type(vtk, &type, error));
    SN_TRY(read_array(vtk, type, 3 * count, "the points", &vtk->piece.points, error));
done:
    return status;
}

// One of the two arrays of CELLS since version 5: its name and type on a line, then the numbers.
static SinewStatus read_cells_part(Vtk *vtk, const char *name, int64_t count, SnNumbers *out,
                                   SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNumberType type;
    if (!sn_word_is(sn_scan_word(&vtk->scan), name)) {
        SN_TRY(sn_scan_fail(&vtk->scan, error, "expected %s", name));
    }
    SN_TRY(read_type(vtk, &type, error));
    SN_TRY(read_array(vtk, type, count, name, out, error));
done:
    return status;
}

static SinewStatus read_cells(Vtk *vtk, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t count;
    int64_t size;
    SN_TRY(read_count(vtk, "the number of cells", &count, error));
    SN_TRY(read_count(vtk, "the size of the cells", &size, error));
    if (!vtk->is_5) {
        SN_TRY(read_array(vtk, SN_NUMBER_I32, size, "the cells", &vtk->piece.connectivity, error));
        goto done;
    }
    SnNumbers *ends = &vtk->piece.ends;
    SN_TRY(read_cells_part(vtk, "OFFSETS", count, ends, error));
    SN_TRY(read_cells_part(vtk, "CONNECTIVITY", size, &vtk->piece.connectivity, error));
    // The first offset is 0; the others are where cells end.
    if (ends->count > 0) {
        if (!sn_number_is_whole(ends->type) || sn_numbers_int(ends, 0) != 0) {
            SN_TRY(sn_scan_fail(&vtk->scan, error, "expected whole OFFSETS, the first of them 0"));
        }
        ends->data += sn_number_size(ends->type);
        ends->count--;
    }
done:
    return status;
}

// --- Attributes

// An array of the current kind of data: kept if it tells regions, or their names.
static SinewStatus read_attribute(Vtk *vtk, SnWord name, SnNumberType type, int64_t components,
                                  int64_t tuples, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t count;
    SnNumbers *out = NULL;
    SN_TRY(multiply(vtk, components, tuples, &count, error));
    int rank = sn_vtk_region_rank(name.text, name.length);
    bool is_better = vtk->region_rank < 0 || rank < vtk->region_rank;
    if (vtk->is_cell_data && rank >= 0 && is_better && components == 1) {
        out = &vtk->piece.regions;
        vtk->region_rank = rank;
    } else if (sn_word_is(name, SN_VTK_NAMES) && sn_number_is_whole(type)) {
        out = &vtk->names;
    }
    SN_TRY(read_array(vtk, type, count, "an attribute", out, error));
done:
    return status;
}

// Free text up to an empty line.
static void skip_metadata(Vtk *vtk)
{
    while (sn_scan_next_line(&vtk->scan) && sn_scan_word_in_line(&vtk->scan).length > 0) {
    }
}

static SinewStatus read_field(Vtk *vtk, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t array_count;
    (void)sn_scan_word_in_line(&vtk->scan); // the name of the field
    SN_TRY(read_count(vtk, "the number of arrays", &array_count, error));
    for (int64_t i = 0; i < array_count;) {
        int64_t components;
        int64_t tuples;
        SnNumberType type;
        SnWord name = sn_scan_word(&vtk->scan);
        if (sn_word_is(name, "METADATA")) {
            skip_metadata(vtk);
            continue;
        }
        SN_TRY(read_count(vtk, "the number of components", &components, error));
        SN_TRY(read_count(vtk, "the number of tuples", &tuples, error));
        SN_TRY(read_type(vtk, &type, error));
        SN_TRY(read_attribute(vtk, name, type, components, tuples, error));
        ++i;
    }
done:
    return status;
}

static SinewStatus read_scalars(Vtk *vtk, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNumberType type;
    int64_t components = 1;
    SnWord name = sn_scan_word_in_line(&vtk->scan);
    SN_TRY(read_type(vtk, &type, error));
    SnWord word = sn_scan_word_in_line(&vtk->scan);
    if (word.length > 0) {
        SN_TRY(sn_scan_int(&vtk->scan, word, "the number of components", 1, 4, &components, error));
    }
    // The line that names a table of colours may be missing.
    SnScan before = vtk->scan;
    sn_scan_next_line(&vtk->scan);
    if (!sn_word_is(sn_scan_word_in_line(&vtk->scan), "LOOKUP_TABLE")) {
        vtk->scan = before;
    }
    SN_TRY(read_attribute(vtk, name, type, components, vtk->item_count, error));
done:
    return status;
}

// Colours: bytes in a binary file, words in text.
static SinewStatus read_colours(Vtk *vtk, bool is_table, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t number;
    int64_t count;
    (void)sn_scan_word_in_line(&vtk->scan); // the name
    SN_TRY(read_count(vtk, "a number of colours", &number, error));
    SN_TRY(multiply(vtk, number, is_table ? 4 : vtk->item_count, &count, error));
    SN_TRY(read_array(vtk, SN_NUMBER_U8, count, "colours", NULL, error));
done:
    return status;
}

// "NAME type", with so many components.
static SinewStatus read_plain(Vtk *vtk, int64_t components, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnNumberType type;
    SnWord name = sn_scan_word_in_line(&vtk->scan);
    if (components == 0) {
        SN_TRY(read_count(vtk, "the number of components", &components, error));
    }
    SN_TRY(read_type(vtk, &type, error));
    SN_TRY(read_attribute(vtk, name, type, components, vtk->item_count, error));
done:
    return status;
}

static SinewStatus read_section(Vtk *vtk, SnWord name, SinewError *error)
{
    static const struct {
        const char *name;
        int64_t components;
    } plain[] = {
        {"VECTORS", 3},    {"NORMALS", 3},      {"TENSORS", 9},    {"TENSORS6", 6},
        {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}, {"EDGE_FLAGS", 1}, {"TEXTURE_COORDINATES", 0}};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; ++i) {
        if (sn_word_is(name, plain[i].name)) {
            return read_plain(vtk, plain[i].components, error);
        }
    }
    if (sn_word_is(name, "POINTS")) {
        return read_points(vtk, error);
    }
    if (sn_word_is(name, "CELLS")) {
        return read_cells(vtk, error);
    }
    if (sn_word_is(name, "FIELD")) {
        return read_field(vtk, error);
    }
    if (sn_word_is(name, "SCALARS")) {
        return read_scalars(vtk, error);
    }
    if (sn_word_is(name, "LOOKUP_TABLE") || sn_word_is(name, "COLOR_SCALARS")) {
        return read_colours(vtk, name.text[0] == 'L', error);
    }
    if (sn_word_is(name, "METADATA")) {
        skip_metadata(vtk);
        return SINEW_OK;
    }
    if (sn_word_is(name, "CELL_DATA") || sn_word_is(name, "POINT_DATA")) {
        vtk->is_cell_data = name.text[0] == 'C';
        return read_count(vtk, "the number of values", &vtk->item_count, error);
    }
    return sn_scan_fail(&vtk->scan, error, "\"%.*s\" is no part of an unstructured grid",
                        (int)(name.length < 20 ? name.length : 20), name.text);
}

static SinewStatus read_sections(Vtk *vtk, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (;;) {
        SnWord name = sn_scan_word(&vtk->scan);
        if (name.length == 0) {
            break;
        }
        if (sn_word_is(name, "CELL_TYPES")) {
            int64_t count;
            SN_TRY(read_count(vtk, "the number of cells", &count, error));
            SN_TRY(
                read_array(vtk, SN_NUMBER_I32, count, "the cell types", &vtk->piece.types, error));
        } else {
            SN_TRY(read_section(vtk, name, error));
        }
    }
done:
    return status;
}

SinewStatus sn_read_vtk(const SnBytes *bytes, const SinewAllocator *allocator, SnTetMesh **out_mesh,
                        SnTetReport *out_report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Vtk vtk = {.bytes = *bytes,
               .scan = sn_scan_of(bytes, '\0'),
               .allocator = allocator,
               .region_rank = -1};
    SnTetDraft draft = sn_tet_draft_of(bytes->path, allocator);
    *out_mesh = NULL;
    SN_TRY(read_header(&vtk, error));
    SN_TRY(read_sections(&vtk, error));
    SN_TRY(sn_vtk_name_regions(&vtk.names, &draft, error));
    SN_TRY(sn_vtk_piece_take(&vtk.piece, &draft, error));
    SN_TRY(sn_tet_draft_finish(&draft, out_mesh, out_report, error));
done:
    sn_vtk_piece_release(&vtk.piece, allocator);
    sn_numbers_release(&vtk.names, allocator);
    sn_tet_draft_release(&draft);
    return status;
}
