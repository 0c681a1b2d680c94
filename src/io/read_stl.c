// STL. Binary: 80 bytes of anything, a count, 50 bytes a triangle. ASCII: solids, facets, loops.
#include "io/little_endian.h"
#include "io/scan.h"
#include "io/surface_build.h"
#include "io/surface_files.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { HEADER_SIZE = 84, TRIANGLE_SIZE = 50 };

static bool word_is_nocase(SnWord word, const char *text)
{
    return strlen(text) == word.length && strncasecmp(word.text, text, word.length) == 0;
}

static bool starts_with_solid(const SnBytes *bytes)
{
    SnScan scan = sn_scan_of(bytes, '\0');
    return word_is_nocase(sn_scan_word(&scan), "solid");
}

static bool has_binary_size(const SnBytes *bytes)
{
    return bytes->size >= HEADER_SIZE &&
           HEADER_SIZE + (uint64_t)sn_load_u32_little(bytes->data + 80) * TRIANGLE_SIZE ==
               bytes->size;
}

// Binary files that start with "solid" are common. Their size gives them away, or, where the file
// is cut short, a zero byte, which no text has.
static bool is_text(const SnBytes *bytes)
{
    size_t looked = bytes->size < 512 ? bytes->size : 512;
    return !has_binary_size(bytes) && starts_with_solid(bytes) &&
           memchr(bytes->data, '\0', looked) == NULL;
}

bool sn_looks_like_stl(const SnBytes *bytes)
{
    return has_binary_size(bytes) || starts_with_solid(bytes);
}

static SinewStatus read_binary(const SnBytes *bytes, const SinewAllocator *allocator,
                               SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurface *surface = NULL;
    if (bytes->size < HEADER_SIZE) {
        return sn_bytes_fail(bytes, bytes->size, error,
                             "the file ends, expected \"solid\" or a binary header of 84 bytes");
    }
    uint32_t count = sn_load_u32_little(bytes->data + 80);
    size_t left = bytes->size - HEADER_SIZE;
    if (count > left / TRIANGLE_SIZE || count > SN_SURFACE_COUNT_MAX / 3) {
        return sn_bytes_fail(bytes, 80, error,
                             "%u triangles of 50 bytes are announced, but %zu bytes are left",
                             (unsigned)count, left);
    }
    int triangle_count = (int)count;
    SN_TRY(sn_surface_create(3 * triangle_count, triangle_count, 0, 1, allocator, &surface, error));
    for (int i = 0; i < 3 * triangle_count; ++i) {
        surface->triangles[i] = i;
    }
    for (int t = 0; t < triangle_count; ++t) {
        const unsigned char *at = bytes->data + HEADER_SIZE + (size_t)t * TRIANGLE_SIZE + 12;
        for (int k = 0; k < 9; ++k) {
            double value = (double)sn_float_of_bits(sn_load_u32_little(at + 4 * k));
            if (!isfinite(value)) {
                SN_TRY(sn_bytes_fail(bytes, (size_t)(at - bytes->data) + 4 * (size_t)k, error,
                                     "a coordinate of triangle %d is %g, expected a finite number",
                                     t, value));
            }
            surface->positions[9 * (size_t)t + (size_t)k] = value;
        }
    }
    *out_surface = surface;
    surface = NULL;
done:
    sn_surface_destroy(surface, allocator);
    return status;
}

static SinewStatus expect(SnScan *scan, const char *text, SinewError *error)
{
    SnWord word = sn_scan_word(scan);
    if (!word_is_nocase(word, text)) {
        return sn_scan_fail(scan, error, "\"%.*s\", expected \"%s\"",
                            (int)(word.length < 40 ? word.length : 40), word.text, text);
    }
    return SINEW_OK;
}

// After "facet": the normal, which is often wrong and never needed, is passed over. Loops with more
// than three vertices exist and are cut.
static SinewStatus read_facet(SnScan *scan, SnArray *corners, SnSurfaceBuild *build,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(expect(scan, "normal", error));
    for (int k = 0; k < 3; ++k) {
        sn_scan_word(scan);
    }
    SN_TRY(expect(scan, "outer", error));
    SN_TRY(expect(scan, "loop", error));
    corners->count = 0;
    for (;;) {
        SnWord word = sn_scan_word(scan);
        if (word_is_nocase(word, "endloop")) {
            break;
        }
        if (!word_is_nocase(word, "vertex")) {
            SN_TRY(sn_scan_fail(scan, error, "\"%.*s\", expected \"vertex\" or \"endloop\"",
                                (int)(word.length < 40 ? word.length : 40), word.text));
        }
        double position[3];
        for (int k = 0; k < 3; ++k) {
            SN_TRY(sn_scan_double(scan, sn_scan_word(scan), "a coordinate", &position[k], error));
        }
        int vertex = sn_surface_build_vertex_count(build);
        SN_TRY(sn_surface_build_vertex(build, position, error));
        SN_TRY(sn_array_push(corners, &vertex, error));
    }
    if (corners->count < 3) {
        SN_TRY(sn_scan_fail(scan, error, "a loop with %zu vertices, expected at least 3",
                            corners->count));
    }
    SN_TRY(sn_surface_build_face(build, SN_ITEMS(*corners, int), (int)corners->count, error));
    SN_TRY(expect(scan, "endfacet", error));
done:
    return status;
}

static SinewStatus begin_solid(SnScan *scan, SnSurfaceBuild *build, SinewError *error)
{
    SnWord name = sn_scan_word_in_line(scan);
    for (SnWord word = name; word.length > 0; word = sn_scan_word_in_line(scan)) {
        name.length = (size_t)(word.text + word.length - name.text);
    }
    return sn_surface_build_group(build, name.text, name.length, true, error);
}

static SinewStatus read_text(const SnBytes *bytes, const SinewAllocator *allocator,
                             SnSurface **out_surface, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnScan scan = sn_scan_of(bytes, '\0');
    SnSurfaceBuild build = sn_surface_build_of(allocator);
    SnArray corners = sn_array_of(allocator, sizeof(int));
    bool in_solid = false;
    for (SnWord word = sn_scan_word(&scan); word.length > 0; word = sn_scan_word(&scan)) {
        if (!in_solid && word_is_nocase(word, "solid")) {
            SN_TRY(begin_solid(&scan, &build, error));
            in_solid = true;
        } else if (in_solid && word_is_nocase(word, "facet")) {
            SN_TRY(read_facet(&scan, &corners, &build, error));
        } else if (in_solid && word_is_nocase(word, "endsolid")) {
            sn_scan_next_line(&scan);
            in_solid = false;
        } else {
            SN_TRY(sn_scan_fail(&scan, error, "\"%.*s\", expected %s",
                                (int)(word.length < 40 ? word.length : 40), word.text,
                                in_solid ? "\"facet\" or \"endsolid\"" : "\"solid\""));
        }
    }
    if (in_solid) {
        SN_TRY(sn_scan_fail(&scan, error, "the file ends, expected \"facet\" or \"endsolid\""));
    }
    SN_TRY(sn_surface_build_finish(&build, out_surface, error));
done:
    sn_surface_build_release(&build);
    sn_array_release(&corners);
    return status;
}

SinewStatus sn_read_stl(const SnBytes *bytes, const SinewAllocator *allocator,
                        SnSurface **out_surface, SinewError *error)
{
    *out_surface = NULL;
    return is_text(bytes) ? read_text(bytes, allocator, out_surface, error)
                          : read_binary(bytes, allocator, out_surface, error);
}
