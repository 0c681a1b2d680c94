// Vega veg: *VERTICES, *ELEMENTS, then *MATERIAL, *SET and *REGION, which gives a set a material. A
// region here is a *REGION there, named after its set (or its material, for the set of all
// elements); where none is, each *SET is one. Where they overlap the later one holds, as in Vega.
#include "io/scan.h"
#include "io/tet_draft.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

// The last bounds the work of matching regions with sets.
enum { VERTEX_TEXT = 8, ELEMENT_TEXT = 10, SETS_MAX = SN_VEG_REGIONS_MAX };

typedef struct Set {
    SnWord name;
    size_t begin; // in `members`
    size_t end;
} Set;

typedef struct Region {
    SnWord name;
    int set; // -1: all elements
} Region;

typedef struct Veg {
    SnScan scan;
    SnTetDraft draft;
    int64_t vertex_first; // 0 or 1
    int64_t tet_first;
    bool has_vertices;
    bool has_elements;
    SnArray sets;    // Set
    SnArray members; // int: the tets of all sets
    SnArray regions; // Region
} Veg;

static bool same_words(SnWord a, SnWord b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

// Words are parted by commas too.
static SnWord next_word(SnScan *scan, bool in_line)
{
    for (;;) {
        SnWord word = in_line ? sn_scan_word_in_line(scan) : sn_scan_word(scan);
        size_t start = 0;
        while (start < word.length && word.text[start] == ',') {
            ++start;
        }
        const char *comma = memchr(word.text + start, ',', word.length - start);
        SnWord part = {word.text + start,
                       comma != NULL ? (size_t)(comma - word.text) - start : word.length - start};
        if (comma != NULL) {
            scan->at = comma;
        }
        if (part.length > 0 || word.length == 0) {
            return part;
        }
    }
}

static bool is_keyword(SnWord word)
{
    return word.length > 0 && word.text[0] == '*';
}

// "*Vertices" is as good as "*VERTICES".
static bool is_word(SnWord word, const char *text)
{
    size_t i = 0;
    while (i < word.length && text[i] != '\0' && toupper((unsigned char)word.text[i]) == text[i]) {
        ++i;
    }
    return i == word.length && text[i] == '\0';
}

// A count and the number of columns after the first, which must be `columns`.
static SinewStatus read_head(Veg *veg, const char *what, int64_t columns, size_t item_size,
                             int64_t *out_count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnScan *scan = &veg->scan;
    int64_t given;
    SN_TRY(sn_scan_int(scan, next_word(scan, false), what, 0, INT64_MAX, out_count, error));
    SN_TRY(sn_scan_int(scan, next_word(scan, true), "the number of columns", columns, columns,
                       &given, error));
    SN_TRY(sn_scan_expect_room(scan, what, *out_count, item_size, error));
    sn_scan_next_line(scan);
done:
    return status;
}

static SinewStatus read_vertices(Veg *veg, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t count;
    double *x;
    if (veg->has_vertices) {
        SN_TRY(sn_scan_fail(&veg->scan, error, "*VERTICES is there twice, expected once"));
    }
    veg->has_vertices = true;
    SN_TRY(read_head(veg, "the number of vertices", 3, VERTEX_TEXT, &count, error));
    SN_TRY(sn_tet_draft_add_vertices(&veg->draft, count, &x, error));
    for (int64_t i = 0; i < count; ++i) {
        SN_TRY(sn_scan_item_number(&veg->scan, next_word(&veg->scan, false), i, &veg->vertex_first,
                                   error));
        for (int c = 0; c < 3; ++c) {
            SN_TRY(sn_scan_double(&veg->scan, next_word(&veg->scan, true), "a coordinate",
                                  &x[3 * i + c], error));
        }
        sn_scan_next_line(&veg->scan);
    }
done:
    return status;
}

static SinewStatus read_tets(Veg *veg, int64_t count, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int *tets;
    int *regions;
    int64_t first = veg->vertex_first;
    int64_t last = first + sn_tet_draft_vertex_count(&veg->draft) - 1;
    SN_TRY(sn_tet_draft_add_tets(&veg->draft, count, &tets, &regions, error));
    for (int64_t i = 0; i < count; ++i) {
        SN_TRY(sn_scan_item_number(&veg->scan, next_word(&veg->scan, false), i, &veg->tet_first,
                                   error));
        for (int c = 0; c < 4; ++c) {
            int64_t corner;
            SN_TRY(sn_scan_int(&veg->scan, next_word(&veg->scan, true), "a vertex", first, last,
                               &corner, error));
            tets[4 * i + c] = (int)(corner - first);
        }
        regions[i] = -1;
        sn_scan_next_line(&veg->scan);
    }
done:
    return status;
}

static SinewStatus read_elements(Veg *veg, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int64_t count;
    if (!veg->has_vertices || veg->has_elements) {
        SN_TRY(sn_scan_fail(&veg->scan, error, "expected *ELEMENTS once, after *VERTICES"));
    }
    veg->has_elements = true;
    SnWord kind = next_word(&veg->scan, false);
    if (!is_word(kind, "TET") && !is_word(kind, "TETS")) {
        SN_TRY(sn_scan_fail(&veg->scan, error, "elements are \"%.*s\", expected TET",
                            (int)(kind.length < 20 ? kind.length : 20), kind.text));
    }
    SN_TRY(read_head(veg, "the number of elements", 4, ELEMENT_TEXT, &count, error));
    SN_TRY(read_tets(veg, count, error));
done:
    return status;
}

// *SET name, then numbers of elements until something else comes.
static SinewStatus read_set(Veg *veg, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnScan *scan = &veg->scan;
    Set set = {.name = next_word(scan, true), .begin = veg->members.count};
    int64_t first = veg->tet_first;
    int64_t last = first + (int64_t)veg->draft.tet_regions.count - 1;
    if (set.name.length == 0 || !veg->has_elements) {
        SN_TRY(sn_scan_fail(scan, error, "expected *SET with a name, after *ELEMENTS"));
    }
    for (;;) {
        SnScan before = *scan;
        SnWord word = next_word(scan, false);
        if (word.length == 0 || is_keyword(word)) {
            *scan = before;
            break;
        }
        int64_t element;
        SN_TRY(sn_scan_int(scan, word, "an element of a set", first, last, &element, error));
        int member = (int)(element - first);
        SN_TRY(sn_array_push(&veg->members, &member, error));
    }
    set.end = veg->members.count;
    if (veg->sets.count == SETS_MAX) {
        SN_TRY(sn_scan_fail(scan, error, "has more than %d sets", SETS_MAX));
    }
    SN_TRY(sn_array_push(&veg->sets, &set, error));
done:
    return status;
}

// The last set of that name so far; the number of it, or -1.
static int find_set(const Veg *veg, SnWord name)
{
    const Set *sets = SN_ITEMS(veg->sets, const Set);
    int s = (int)veg->sets.count - 1;
    while (s >= 0 && !same_words(sets[s].name, name)) {
        --s;
    }
    return s;
}

static SinewStatus read_region(Veg *veg, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnWord set = next_word(&veg->scan, false);
    SnWord material = next_word(&veg->scan, true);
    if (material.length == 0 || is_keyword(set)) {
        SN_TRY(sn_scan_fail(&veg->scan, error, "expected a set and a material after *REGION"));
    }
    Region region = {.name = set, .set = find_set(veg, set)};
    if (region.set < 0 && !sn_word_is(set, "allElements")) {
        SN_TRY(sn_scan_fail(&veg->scan, error,
                            "a region is of the set \"%.*s\", which is not there",
                            (int)(set.length < 40 ? set.length : 40), set.text));
    }
    if (region.set < 0) {
        // Vega's own name for what has none.
        region.name = material;
        region.name.length = sn_word_is(material, "defaultMaterial") ? 0 : material.length;
    }
    if (veg->regions.count == SETS_MAX) {
        SN_TRY(sn_scan_fail(&veg->scan, error, "has more than %d regions", SETS_MAX));
    }
    SN_TRY(sn_array_push(&veg->regions, &region, error));
done:
    return status;
}

static SinewStatus read_section(Veg *veg, SnWord name, SinewError *error)
{
    if (is_word(name, "*VERTICES")) {
        return read_vertices(veg, error);
    }
    if (is_word(name, "*ELEMENTS")) {
        return read_elements(veg, error);
    }
    if (is_word(name, "*SET")) {
        return read_set(veg, error);
    }
    if (is_word(name, "*REGION")) {
        return read_region(veg, error);
    }
    if (is_word(name, "*MATERIAL")) {
        sn_scan_next_line(&veg->scan); // the line after it, of numbers, is stepped over too
        sn_scan_next_line(&veg->scan);
        return SINEW_OK;
    }
    return sn_scan_fail(&veg->scan, error,
                        "\"%.*s\" is not read, expected *VERTICES, *ELEMENTS, *MATERIAL, *SET or "
                        "*REGION",
                        (int)(name.length < 20 ? name.length : 20), name.text);
}

// --- Regions

// The tets of `set`, or all for NULL, go to the region `tag`.
static SinewStatus assign(Veg *veg, const Set *set, int64_t tag, SnWord name, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    int region;
    int *regions = SN_ITEMS(veg->draft.tet_regions, int);
    SN_TRY(sn_tet_draft_name(&veg->draft, tag, name.text, name.length, error));
    SN_TRY(sn_tet_draft_region(&veg->draft, tag, tag, &region, error));
    size_t begin = set != NULL ? set->begin : 0;
    size_t end = set != NULL ? set->end : veg->draft.tet_regions.count;
    for (size_t i = begin; i < end; ++i) {
        regions[set != NULL ? (size_t)SN_ITEMS(veg->members, int)[i] : i] = region;
    }
done:
    return status;
}

// Every tet gets a region; those that no set holds share one without a name.
static SinewStatus assign_regions(Veg *veg, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (size_t r = 0; r < veg->regions.count; ++r) {
        const Region *region = &SN_ITEMS(veg->regions, Region)[r];
        const Set *set = region->set >= 0 ? &SN_ITEMS(veg->sets, Set)[region->set] : NULL;
        SN_TRY(assign(veg, set, (int64_t)r, region->name, error));
    }
    for (size_t s = 0; s < veg->sets.count && veg->regions.count == 0; ++s) {
        const Set *set = &SN_ITEMS(veg->sets, Set)[s];
        SN_TRY(assign(veg, set, (int64_t)s, set->name, error));
    }
    int *regions = SN_ITEMS(veg->draft.tet_regions, int);
    for (size_t t = 0; t < veg->draft.tet_regions.count; ++t) {
        if (regions[t] < 0) {
            SN_TRY(sn_tet_draft_name(&veg->draft, INT_MAX, "", 0, error));
            SN_TRY(sn_tet_draft_region(&veg->draft, INT_MAX, 0, &regions[t], error));
        }
    }
done:
    return status;
}

SinewStatus sn_read_veg(const SnBytes *bytes, const SinewAllocator *allocator, SnTetMesh **out_mesh,
                        SnTetReport *out_report, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Veg veg = {.scan = sn_scan_of(bytes, '#'),
               .draft = sn_tet_draft_of(bytes->path, allocator),
               .sets = sn_array_of(allocator, sizeof(Set)),
               .members = sn_array_of(allocator, sizeof(int)),
               .regions = sn_array_of(allocator, sizeof(Region))};
    *out_mesh = NULL;
    for (;;) {
        SnWord name = next_word(&veg.scan, false);
        if (name.length == 0) {
            break;
        }
        SN_TRY(read_section(&veg, name, error));
    }
    SN_TRY(assign_regions(&veg, error));
    SN_TRY(sn_tet_draft_finish(&veg.draft, out_mesh, out_report, error));
done:
    sn_tet_draft_release(&veg.draft);
    sn_array_release(&veg.sets);
    sn_array_release(&veg.members);
    sn_array_release(&veg.regions);
    return status;
}
