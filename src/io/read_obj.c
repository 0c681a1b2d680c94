// Wavefront OBJ: a line is a statement, a backslash at its end goes on with the next line.
#include "io/scan.h"
#include "io/surface_build.h"
#include "io/surface_files.h"

#include <string.h>

typedef struct Reader {
    SnScan scan;
    SnSurfaceBuild build;
    SnArray corners; // int, of the face or line that is being read
    SnWord part;     // of the last g or o
    SnWord material; // of the last usemtl
    bool new_group;  // part or material changed since the last face
    SnArray name;    // char, part/material
    int largest;     // vertex index used so far, from 0, and the line that did
    int64_t largest_line;
} Reader;

static bool is_line_end(const SnScan *scan)
{
    const char *at = scan->at;
    while (at < scan->end && (*at == '\r' || *at == ' ' || *at == '\t')) {
        ++at;
    }
    return at < scan->end && *at == '\n';
}

// The next word of the statement, over continued lines.
static SnWord next_word(SnScan *scan)
{
    for (;;) {
        SnWord word = sn_scan_word_in_line(scan);
        if (word.length == 0 || word.text[word.length - 1] != '\\' || !is_line_end(scan)) {
            return word;
        }
        sn_scan_next_line(scan);
        if (--word.length > 0) {
            return word;
        }
    }
}

// A name is the rest of its line, without blanks around it and without a remark after a blank.
static SnWord rest_of_line(SnScan *scan)
{
    const char *end = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
    end = end != NULL ? end : scan->end;
    const char *text = scan->at;
    scan->at = end;
    for (const char *c = text; c < end; ++c) {
        if (*c == '#' && (c[-1] == ' ' || c[-1] == '\t')) {
            end = c;
        }
    }
    while (text < end && (*text == ' ' || *text == '\t')) {
        ++text;
    }
    while (end > text && (unsigned char)end[-1] <= ' ') {
        --end;
    }
    return (SnWord){text, (size_t)(end - text)};
}

// x y z, then a weight or a colour or both, which must be numbers and are passed over.
static SinewStatus read_vertex(Reader *reader, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnScan *scan = &reader->scan;
    double position[3];
    double more;
    for (int k = 0; k < 3; ++k) {
        SN_TRY(sn_scan_double(scan, next_word(scan), "a coordinate", &position[k], error));
    }
    for (SnWord word = next_word(scan); word.length > 0; word = next_word(scan)) {
        SN_TRY(sn_scan_double(scan, word, "a weight or colour", &more, error));
    }
    SN_TRY(sn_surface_build_vertex(&reader->build, position, error));
done:
    return status;
}

// The vertex of "7", "7/1", "7//3" or "7/1/3". What follows the first slash must be whole numbers.
static SinewStatus read_corner(Reader *reader, SnWord word, int *out_vertex, SinewError *error)
{
    const SnScan *scan = &reader->scan;
    int vertex_count = sn_surface_build_vertex_count(&reader->build);
    const char *slash = memchr(word.text, '/', word.length);
    SnWord first = {word.text, slash != NULL ? (size_t)(slash - word.text) : word.length};
    int slashes = 0;
    for (size_t i = first.length; i < word.length; ++i) {
        char c = word.text[i];
        slashes += c == '/';
        if (slashes > 2 || !(c == '/' || c == '-' || (c >= '0' && c <= '9'))) {
            return sn_scan_fail(scan, error, "\"%.*s\" is not a corner, expected such as 7/1/3",
                                (int)(word.length < 40 ? word.length : 40), word.text);
        }
    }
    int64_t index = 0;
    SinewStatus status = sn_scan_int(scan, first, "a vertex index", -(int64_t)vertex_count,
                                     SN_SURFACE_COUNT_MAX, &index, error);
    if (status == SINEW_OK && index == 0) {
        status = sn_scan_fail(scan, error,
                              "vertex index 0, expected one from 1, or a negative one that counts "
                              "back from the last of %d vertices",
                              vertex_count);
    }
    *out_vertex = (int)(index < 0 ? vertex_count + index : index - 1);
    if (status == SINEW_OK && *out_vertex > reader->largest) {
        reader->largest = *out_vertex;
        reader->largest_line = scan->line;
    }
    return status;
}

static SinewStatus read_corners(Reader *reader, const char *what, int least, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    reader->corners.count = 0;
    for (SnWord word = next_word(&reader->scan); word.length > 0; word = next_word(&reader->scan)) {
        int vertex = 0;
        SN_TRY(read_corner(reader, word, &vertex, error));
        SN_TRY(sn_array_push(&reader->corners, &vertex, error));
    }
    if (reader->corners.count < (size_t)least || reader->corners.count > SN_SURFACE_COUNT_MAX) {
        SN_TRY(sn_scan_fail(&reader->scan, error, "%s with %zu corners, expected at least %d", what,
                            reader->corners.count, least));
    }
done:
    return status;
}

// Makes the group that the faces to come belong to. Groups without faces are never made.
static SinewStatus begin_group(Reader *reader, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    bool both = reader->part.length > 0 && reader->material.length > 0;
    size_t length = reader->part.length + reader->material.length + both;
    reader->name.count = 0;
    char *name = sn_array_add(&reader->name, length);
    SN_TRY(sn_expect_memory(name, length, 1, error));
    if (reader->part.length > 0) {
        memcpy(name, reader->part.text, reader->part.length);
    }
    if (both) {
        name[reader->part.length] = '/';
    }
    if (reader->material.length > 0) {
        memcpy(name + length - reader->material.length, reader->material.text,
               reader->material.length);
    }
    SN_TRY(sn_surface_build_group(&reader->build, name, length, false, error));
    reader->new_group = false;
done:
    return status;
}

static SinewStatus read_face(Reader *reader, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(read_corners(reader, "a face", 1, error));
    if (reader->new_group) {
        SN_TRY(begin_group(reader, error));
    }
    SN_TRY(sn_surface_build_face(&reader->build, SN_ITEMS(reader->corners, int),
                                 (int)reader->corners.count, error));
done:
    return status;
}

static SinewStatus read_polyline(Reader *reader, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(read_corners(reader, "a line", 2, error));
    const int *corners = SN_ITEMS(reader->corners, int);
    for (size_t i = 0; i + 1 < reader->corners.count; ++i) {
        SN_TRY(sn_surface_build_line(&reader->build, corners[i], corners[i + 1], error));
    }
done:
    return status;
}

static SinewStatus read_statement(Reader *reader, SnWord keyword, SinewError *error)
{
    if (sn_word_is(keyword, "v")) {
        return read_vertex(reader, error);
    }
    if (sn_word_is(keyword, "f") || sn_word_is(keyword, "fo")) {
        return read_face(reader, error);
    }
    if (sn_word_is(keyword, "l")) {
        return read_polyline(reader, error);
    }
    if (sn_word_is(keyword, "g") || sn_word_is(keyword, "o")) {
        reader->part = rest_of_line(&reader->scan);
        reader->new_group = true;
        return SINEW_OK;
    }
    if (sn_word_is(keyword, "usemtl")) {
        reader->material = rest_of_line(&reader->scan);
        reader->new_group = true;
        return SINEW_OK;
    }
    // There are dozens of other statements (vt, vn, s, mtllib, curves...), all of them words.
    char first = keyword.text[0];
    if (!((first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z'))) {
        return sn_scan_fail(&reader->scan, error,
                            "\"%.*s\" starts no statement, expected such as v or f",
                            (int)(keyword.length < 40 ? keyword.length : 40), keyword.text);
    }
    while (next_word(&reader->scan).length > 0) {
    }
    return SINEW_OK;
}

static SinewStatus read_statements(Reader *reader, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnScan *scan = &reader->scan;
    do {
        SnWord keyword = next_word(scan);
        if (keyword.length > 0) {
            SN_TRY(read_statement(reader, keyword, error));
        }
    } while (sn_scan_next_line(scan));

    int vertex_count = sn_surface_build_vertex_count(&reader->build);
    if (vertex_count == 0) {
        SN_TRY(sn_scan_fail(scan, error, "the file ends without any vertex, expected OBJ"));
    }
    // Faces may come before their vertices, so that indices are only known to be good here.
    if (reader->largest >= vertex_count) {
        scan->line = reader->largest_line;
        SN_TRY(sn_scan_fail(scan, error, "vertex index %d, but the file has %d vertices",
                            reader->largest + 1, vertex_count));
    }
done:
    return status;
}

SinewStatus sn_read_obj(const SnBytes *bytes, const SinewAllocator *allocator,
                        SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    Reader reader = {
        .scan = sn_scan_of(bytes, '#'),
        .build = sn_surface_build_of(allocator),
        .corners = sn_array_of(allocator, sizeof(int)),
        .name = sn_array_of(allocator, 1),
        .largest = -1,
    };
    *out_surface = NULL;
    SN_TRY(read_statements(&reader, error));
    SN_TRY(sn_surface_build_finish(&reader.build, out_surface, error));
done:
    sn_surface_build_release(&reader.build);
    sn_array_release(&reader.corners);
    sn_array_release(&reader.name);
    return status;
}
