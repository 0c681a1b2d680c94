// OFF: a header word, the counts, a line a vertex, a line a face.
#include "io/scan.h"
#include "io/surface_build.h"
#include "io/surface_files.h"

#include <string.h>

// "OFF" after any of the prefixes ST, C and N: the length of the keyword, or 0. `4` and `n` stand
// for other dimensions and are told apart by the caller.
static size_t keyword_length(SnWord word)
{
    size_t at = 0;
    if (word.length >= 2 && memcmp(word.text, "ST", 2) == 0) {
        at = 2;
    }
    while (at < word.length && strchr("CN4n", word.text[at]) != NULL && word.text[at] != '\0') {
        ++at;
    }
    return word.length >= at + 3 && memcmp(word.text + at, "OFF", 3) == 0 ? at + 3 : 0;
}

bool sn_looks_like_off(const SnBytes *bytes)
{
    SnScan scan = sn_scan_of(bytes, '#');
    SnWord word = sn_scan_word(&scan);
    size_t length = keyword_length(word);
    return length > 0 &&
           (length == word.length || (word.text[length] >= '0' && word.text[length] <= '9'));
}

// The keyword may be left out, and some programs write the first count right behind it.
static SinewStatus read_keyword(SnScan *scan, SinewError *error)
{
    SnScan before = *scan;
    SnWord word = sn_scan_word(scan);
    size_t length = keyword_length(word);
    if (length == 0) {
        *scan = before;
        return SINEW_OK;
    }
    if (memchr(word.text, '4', length) != NULL || memchr(word.text, 'n', length) != NULL) {
        return sn_scan_fail(scan, error, "%.*s has other than three dimensions, expected OFF",
                            (int)length, word.text);
    }
    if (length < word.length) {
        scan->at = word.text + length;
        return SINEW_OK;
    }
    before = *scan;
    if (sn_word_is(sn_scan_word_in_line(scan), "BINARY")) {
        return sn_scan_fail(scan, error, "binary OFF is not read, expected text");
    }
    *scan = before;
    return SINEW_OK;
}

typedef struct Counts {
    int64_t vertices;
    int64_t faces;
} Counts;

// A vertex takes at least six bytes, "0 0 0" and a break, a face two; the last break may be
// missing.
static SinewStatus read_counts(SnScan *scan, Counts *out, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(sn_scan_int(scan, sn_scan_word(scan), "a number of vertices", 0, SN_SURFACE_COUNT_MAX,
                       &out->vertices, error));
    SN_TRY(sn_scan_int(scan, sn_scan_word(scan), "a number of faces", 0, SN_SURFACE_COUNT_MAX,
                       &out->faces, error));
    int64_t left = scan->end - scan->at;
    if (6 * out->vertices + 2 * out->faces > left + 1) {
        SN_TRY(sn_scan_fail(scan, error,
                            "%lld vertices and %lld faces are announced, but only %lld bytes are "
                            "left",
                            (long long)out->vertices, (long long)out->faces, (long long)left));
    }
    sn_scan_next_line(scan); // the number of edges, which nobody needs
done:
    return status;
}

static SinewStatus read_vertices(SnScan *scan, int64_t count, SnSurfaceBuild *build,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int64_t vertex = 0; vertex < count; ++vertex) {
        double position[3];
        for (int k = 0; k < 3; ++k) {
            SN_TRY(sn_scan_double(scan, sn_scan_word(scan), "a coordinate", &position[k], error));
        }
        SN_TRY(sn_surface_build_vertex(build, position, error));
        sn_scan_next_line(scan); // normals and colours
    }
done:
    return status;
}

static SinewStatus read_faces(SnScan *scan, const Counts *counts, SnArray *corners,
                              SnSurfaceBuild *build, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    for (int64_t face = 0; face < counts->faces; ++face) {
        int64_t size = 0;
        SN_TRY(sn_scan_int(scan, sn_scan_word(scan), "a number of corners", 0,
                           (scan->end - scan->at) / 2 + 1, &size, error));
        corners->count = 0;
        for (int64_t i = 0; i < size; ++i) {
            int64_t vertex = 0;
            SN_TRY(sn_scan_int(scan, sn_scan_word(scan), "a vertex index", 0, counts->vertices - 1,
                               &vertex, error));
            SN_TRY(sn_array_push(corners, &(int){(int)vertex}, error));
        }
        SN_TRY(sn_surface_build_face(build, SN_ITEMS(*corners, int), (int)size, error));
        sn_scan_next_line(scan); // a colour
    }
done:
    return status;
}

SinewStatus sn_read_off(const SnBytes *bytes, const SinewAllocator *allocator,
                        SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnScan scan = sn_scan_of(bytes, '#');
    SnSurfaceBuild build = sn_surface_build_of(allocator);
    SnArray corners = sn_array_of(allocator, sizeof(int));
    Counts counts = {0};
    *out_surface = NULL;
    SN_TRY(read_keyword(&scan, error));
    SN_TRY(read_counts(&scan, &counts, error));
    SN_TRY(read_vertices(&scan, counts.vertices, &build, error));
    SN_TRY(read_faces(&scan, &counts, &corners, &build, error));
    SN_TRY(sn_surface_build_finish(&build, out_surface, error));
done:
    sn_surface_build_release(&build);
    sn_array_release(&corners);
    return status;
}
