// MSH files: the format line, the names of the groups, and the walk over the sections, of which
// those that say nothing about tets are stepped over.
#include "io/msh.h"

#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>

// Elementary tags come after all physical ones, so that the two never meet.
#define ELEMENTARY ((int64_t)1 << 40)

// The next `size` bytes, or NULL when so many are not left.
static const unsigned char *take(SnMsh *msh, size_t size)
{
    const unsigned char *at = (const unsigned char *)msh->scan.at;
    if (sn_msh_left(msh) < size) {
        return NULL;
    }
    msh->scan.at += size;
    return at;
}

static SinewStatus fail_at_end(const SnMsh *msh, const char *what, SinewError *error)
{
    return sn_msh_fail(msh, error, "the file ends inside %s", what);
}

SinewStatus sn_msh_int(SnMsh *msh, const char *what, int64_t *out_value, SinewError *error)
{
    if (!msh->is_binary) {
        SnWord word = sn_scan_word(&msh->scan);
        return sn_scan_int(&msh->scan, word, what, INT32_MIN, INT32_MAX, out_value, error);
    }
    const unsigned char *at = take(msh, 4);
    if (at == NULL) {
        return fail_at_end(msh, what, error);
    }
    *out_value = (int32_t)sn_load_u32(at, msh->swap);
    return SINEW_OK;
}

SinewStatus sn_msh_size(SnMsh *msh, const char *what, int64_t *out_value, SinewError *error)
{
    if (!msh->is_binary) {
        SnWord word = sn_scan_word(&msh->scan);
        return sn_scan_int(&msh->scan, word, what, 0, INT64_MAX, out_value, error);
    }
    const unsigned char *at = take(msh, 8);
    if (at == NULL) {
        return fail_at_end(msh, what, error);
    }
    uint64_t value = sn_load_u64(at, msh->swap);
    if (value > INT64_MAX) {
        return sn_msh_fail(msh, error, "%" PRIu64 " is too large for %s", value, what);
    }
    *out_value = (int64_t)value;
    return SINEW_OK;
}

SinewStatus sn_msh_double(SnMsh *msh, const char *what, double *out_value, SinewError *error)
{
    if (!msh->is_binary) {
        SnWord word = sn_scan_word(&msh->scan);
        return sn_scan_double(&msh->scan, word, what, out_value, error);
    }
    const unsigned char *at = take(msh, 8);
    if (at == NULL) {
        return fail_at_end(msh, what, error);
    }
    *out_value = sn_load_f64(at, msh->swap);
    return SINEW_OK;
}

SinewStatus sn_msh_expect_room(const SnMsh *msh, int64_t count, size_t binary_size,
                               size_t text_size, const char *what, SinewError *error)
{
    size_t item = msh->is_binary ? binary_size : text_size;
    // The last line of a text may lack its break.
    if (count < 0 || (uint64_t)count > (sn_msh_left(msh) + 1) / item) {
        return sn_msh_fail(msh, error,
                           "claims %" PRId64 " %s, but only %zu bytes are left, expected %zu each",
                           count, what, sn_msh_left(msh), item);
    }
    return SINEW_OK;
}

SinewStatus sn_msh_count_line(SnMsh *msh, const char *what, int64_t *out_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_scan_int(&msh->scan, sn_scan_word(&msh->scan), what, 0, INT64_MAX, out_count, error));
    sn_scan_next_line(&msh->scan);
done:
    return status;
}

SinewStatus sn_msh_add_node(SnMsh *msh, int64_t tag, SinewError *error)
{
    if (sn_tag_map_find(&msh->nodes, tag) >= 0) {
        return sn_msh_fail(msh, error, "node %" PRId64 " is there twice, expected once", tag);
    }
    return sn_tag_map_add(&msh->nodes, tag, error);
}

SinewStatus sn_msh_expect_finite(const SnMsh *msh, const double *positions, size_t count,
                                 SinewError *error)
{
    int bad = 0;
    for (size_t i = 0; i < 3 * count; ++i) {
        bad |= !(fabs(positions[i]) <= DBL_MAX);
    }
    if (bad == 0) {
        return SINEW_OK;
    }
    size_t first = 0;
    while (isfinite(positions[first])) {
        ++first;
    }
    return sn_msh_fail(msh, error,
                       "coordinate %c of vertex %zu of the block before is %g, expected a finite "
                       "number",
                       "xyz"[first % 3], first / 3, positions[first]);
}

SinewStatus sn_msh_corner(const SnMsh *msh, int64_t tag, int *out_vertex, SinewError *error)
{
    *out_vertex = sn_tag_map_find(&msh->nodes, tag);
    if (*out_vertex < 0) {
        return sn_msh_fail(msh, error,
                           "an element uses node %" PRId64 ", expected one that $Nodes has", tag);
    }
    return SINEW_OK;
}

SinewStatus sn_msh_region(SnMsh *msh, int64_t physical, int64_t elementary, int *out_region,
                          SinewError *error)
{
    // The sign of a physical group is the orientation of its elements.
    int64_t tag = physical < 0 ? -physical : physical;
    if (tag == 0) {
        return sn_tet_draft_region(&msh->draft, ELEMENTARY + elementary, elementary, out_region,
                                   error);
    }
    return sn_tet_draft_region(&msh->draft, tag, tag, out_region, error);
}

int sn_msh_type_nodes(int64_t type)
{
    // Lines, triangles, quadrangles, tets, hexahedra, prisms, pyramids, points of several orders.
    static const int nodes[] = {0, 2,  3,  4,  4, 8,  6,  5,  3,  6,  9, 10, 27, 18, 14, 1,
                                8, 20, 15, 13, 9, 10, 12, 15, 15, 21, 4, 5,  6,  20, 35, 56};
    if (type == 92 || type == 93) {
        return type == 92 ? 64 : 125;
    }
    return type > 0 && type < (int64_t)(sizeof nodes / sizeof *nodes) ? nodes[type] : 0;
}

bool sn_msh_type_is_tet(int64_t type)
{
    return type == 4 || type == 11 || type == 29 || type == 30 || type == 31;
}

// --- Sections

// $PhysicalNames is text in binary files too: dimension, tag, "name".
static SinewStatus read_names(SnMsh *msh, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnScan *scan = &msh->scan;
    int64_t count;
    SN_TRY(sn_msh_count_line(msh, "the number of names", &count, error));
    for (int64_t i = 0; i < count; ++i) {
        int64_t dimension;
        int64_t tag;
        SN_TRY(sn_scan_int(scan, sn_scan_word(scan), "a dimension", 0, 3, &dimension, error));
        SN_TRY(sn_scan_int(scan, sn_scan_word_in_line(scan), "a tag", INT32_MIN, INT32_MAX, &tag,
                           error));
        const char *line_end = memchr(scan->at, '\n', sn_msh_left(msh));
        line_end = line_end != NULL ? line_end : scan->end;
        const char *open = memchr(scan->at, '"', (size_t)(line_end - scan->at));
        const char *close = line_end;
        while (open != NULL && close > open + 1 && close[-1] != '"') {
            --close;
        }
        if (open == NULL || close == open + 1) {
            SN_TRY(sn_scan_fail(scan, error, "a group has no name, expected one in quotes"));
        }
        if (dimension == 3) {
            SN_TRY(sn_tet_draft_name(&msh->draft, tag < 0 ? -tag : tag, open + 1,
                                     (size_t)(close - open - 2), error));
        }
        sn_scan_next_line(scan);
    }
done:
    return status;
}

// $MeshFormat: version, 0 or 1 for text or bytes, 8; then, for bytes, a 1 that tells their order.
static SinewStatus read_format(SnMsh *msh, bool *out_is_4, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnScan *scan = &msh->scan;
    int64_t is_binary;
    int64_t size;
    if (!sn_word_is(sn_scan_word(scan), "$MeshFormat")) {
        SN_TRY(sn_scan_fail(scan, error, "is no MSH file, expected $MeshFormat first"));
    }
    SnWord version = sn_scan_word(scan);
    *out_is_4 = sn_word_is(version, "4.1");
    if (!*out_is_4 && !sn_word_is(version, "2.2") && !sn_word_is(version, "2.1") &&
        !sn_word_is(version, "2.0") && !sn_word_is(version, "2")) {
        SN_TRY(sn_scan_fail(scan, error, "MSH version \"%.*s\" is not read, expected 2.2 or 4.1",
                            (int)(version.length < 20 ? version.length : 20), version.text));
    }
    SN_TRY(sn_scan_int(scan, sn_scan_word(scan), "the kind of file", 0, 1, &is_binary, error));
    SN_TRY(sn_scan_int(scan, sn_scan_word(scan), "the size of a number", 8, 8, &size, error));
    sn_scan_next_line(scan);
    if (is_binary != 0) {
        const unsigned char *at = take(msh, 4);
        msh->is_binary = true;
        msh->swap = at != NULL && sn_load_u32(at, false) != 1;
        if (at == NULL || sn_load_u32(at, msh->swap) != 1) {
            SN_TRY(sn_msh_fail(msh, error, "the byte order is unknown, expected the number 1"));
        }
    }
done:
    return status;
}

// Goes behind "$EndName", wherever it is. The section's own data may hold anything.
static SinewStatus skip_to_end(SnMsh *msh, SnWord name, SinewError *error)
{
    while (sn_msh_left(msh) > 0) {
        const char *dollar = memchr(msh->scan.at, '$', sn_msh_left(msh));
        if (dollar == NULL) {
            break;
        }
        for (const char *c = msh->scan.at; c < dollar; ++c) {
            msh->scan.line += *c == '\n';
        }
        msh->scan.at = dollar + 1;
        // "$" of the name stands for the "$" in front of "End".
        if (sn_msh_left(msh) >= name.length + 2 && memcmp(dollar + 1, "End", 3) == 0 &&
            memcmp(dollar + 4, name.text + 1, name.length - 1) == 0) {
            msh->scan.at = dollar + 3 + name.length;
            return SINEW_OK;
        }
    }
    msh->scan.at = msh->scan.end;
    return sn_msh_fail(msh, error, "the file ends inside %.*s",
                       (int)(name.length < 40 ? name.length : 40), name.text);
}

static SinewStatus read_section(SnMsh *msh, SnWord name, bool is_4, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool is_nodes = sn_word_is(name, "$Nodes");
    bool is_elements = sn_word_is(name, "$Elements");
    if (is_nodes && msh->has_nodes) {
        SN_TRY(sn_msh_fail(msh, error, "$Nodes is there twice, expected once"));
    }
    if (is_elements && !msh->has_nodes) {
        SN_TRY(sn_msh_fail(msh, error, "$Elements comes before $Nodes, expected it after"));
    }
    msh->has_nodes = msh->has_nodes || is_nodes;
    sn_scan_next_line(&msh->scan);
    if (sn_word_is(name, "$PhysicalNames")) {
        SN_TRY(read_names(msh, error));
    } else if (is_nodes) {
        SN_TRY(is_4 ? sn_msh4_nodes(msh, error) : sn_msh2_nodes(msh, error));
    } else if (is_elements) {
        SN_TRY(is_4 ? sn_msh4_elements(msh, error) : sn_msh2_elements(msh, error));
    } else if (is_4 && sn_word_is(name, "$Entities")) {
        SN_TRY(sn_msh4_entities(msh, error));
    } else {
        SN_TRY(skip_to_end(msh, name, error));
        goto done;
    }
    // What was read must be followed by its own end.
    SnWord end = sn_scan_word(&msh->scan);
    if (end.length != name.length + 3 || memcmp(end.text, "$End", 4) != 0 ||
        memcmp(end.text + 4, name.text + 1, name.length - 1) != 0) {
        SN_TRY(sn_msh_fail(msh, error, "expected $End%.*s",
                           (int)(name.length < 40 ? name.length - 1 : 40), name.text + 1));
    }
done:
    return status;
}

SinewStatus sn_read_msh(const SnBytes *bytes, const SinewAllocator *allocator, SnTetMesh **out_mesh,
                        SnTetReport *out_report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnMsh msh = {.bytes = *bytes,
                 .scan = sn_scan_of(bytes, '\0'),
                 .draft = sn_tet_draft_of(bytes->path, allocator),
                 .nodes = sn_tag_map_of(allocator),
                 .volumes = sn_tag_map_of(allocator),
                 .volume_physicals = sn_array_of(allocator, sizeof(int))};
    bool is_4 = false;
    *out_mesh = NULL;

    SN_TRY(read_format(&msh, &is_4, error));
    SnWord format = {"$MeshFormat", 11};
    SN_TRY(skip_to_end(&msh, format, error));
    for (;;) {
        SnWord name = sn_scan_word(&msh.scan);
        if (name.length == 0) {
            break;
        }
        if (name.text[0] != '$') {
            SN_TRY(sn_msh_fail(&msh, error, "\"%.*s\" stands between sections, expected $Name",
                               (int)(name.length < 20 ? name.length : 20), name.text));
        }
        SN_TRY(read_section(&msh, name, is_4, error));
    }
    SN_TRY(sn_tet_draft_finish(&msh.draft, out_mesh, out_report, error));

done:
    sn_tet_draft_release(&msh.draft);
    sn_tag_map_release(&msh.nodes);
    sn_tag_map_release(&msh.volumes);
    sn_array_release(&msh.volume_physicals);
    return status;
}
