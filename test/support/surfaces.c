#include "support/surfaces.h"

#include "support/fail_allocator.h"
#include "support/test.h"

#include <math.h>

SnSurface *surface_of_bytes(SnSurfaceReader *reader, const void *data, size_t size)
{
    SnBytes bytes = sn_bytes_of(data, size, "some.file");
    SnSurface *surface = NULL;
    SinewError error = {0};
    if (reader(&bytes, NULL, &surface, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return surface;
}

SnSurface *surface_of_text(SnSurfaceReader *reader, const char *text)
{
    return surface_of_bytes(reader, text, strlen(text));
}

void expect_bytes_refused(SnSurfaceReader *reader, const void *data, size_t size, const char *part)
{
    SnBytes bytes = sn_bytes_of(data, size, "some.file");
    SnSurface *surface = NULL;
    SinewError error = {0};
    assert_int_equal(reader(&bytes, NULL, &surface, &error), SINEW_ERROR_FILE);
    assert_int_equal(error.status, SINEW_ERROR_FILE);
    assert_null(surface);
    if (strstr(error.text, part) == NULL || strncmp(error.text, "some.file:", 10) != 0) {
        fail_msg("\"%s\" does not hold \"%s\"", error.text, part);
    }
}

void expect_text_refused(SnSurfaceReader *reader, const char *text, const char *part)
{
    expect_bytes_refused(reader, text, strlen(text), part);
}

typedef struct Reading {
    SnSurfaceReader *reader;
    SnBytes bytes;
} Reading;

static SinewStatus read_once(const SinewAllocator *allocator, void *context, SinewError *error)
{
    Reading *reading = context;
    SnSurface *surface = NULL;
    SinewStatus status = reading->reader(&reading->bytes, allocator, &surface, error);
    assert_true((surface != NULL) == (status == SINEW_OK));
    sn_surface_destroy(surface, allocator);
    return status;
}

void expect_reader_survives(SnSurfaceReader *reader, const void *data, size_t size)
{
    Reading reading = {reader, sn_bytes_of(data, size, "some.file")};
    assert_true(sn_fail_each_allocation(read_once, &reading) > 5);
}

void expect_triangle(const SnSurface *surface, int triangle, int a, int b, int c)
{
    const int *corner = surface->triangles + 3 * triangle;
    if (corner[0] != a || corner[1] != b || corner[2] != c) {
        fail_msg("triangle %d is %d %d %d, expected %d %d %d", triangle, corner[0], corner[1],
                 corner[2], a, b, c);
    }
}

void expect_same_surface(const SnSurface *a, const SnSurface *b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_int_equal(a->line_count, b->line_count);
    assert_memory_equal(a->positions, b->positions, 24 * (size_t)a->vertex_count);
    assert_memory_equal(a->triangles, b->triangles, 12 * (size_t)a->triangle_count);
    assert_memory_equal(a->lines, b->lines, 8 * (size_t)a->line_count);
}

static SnSurface *create(int vertex_count, int triangle_count)
{
    SnSurface *surface = NULL;
    assert_int_equal(sn_surface_create(vertex_count, triangle_count, 0, 1, NULL, &surface, NULL),
                     SINEW_OK);
    return surface;
}

SnSurface *surface_cube_soup(double origin, double size)
{
    // Corner i has its x, y, z in bits 0, 1, 2; faces counter-clockwise from outside.
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    static const int cut[6] = {0, 1, 2, 0, 2, 3};
    SnSurface *surface = create(36, 12);
    for (int i = 0; i < 36; ++i) {
        int corner = faces[i / 6][cut[i % 6]];
        surface->triangles[i] = i;
        for (int k = 0; k < 3; ++k) {
            surface->positions[3 * i + k] = origin + size * (double)(corner >> k & 1);
        }
    }
    return surface;
}

SnSurface *surface_join(SnSurface *a, SnSurface *b)
{
    SnSurface *surface =
        create(a->vertex_count + b->vertex_count, a->triangle_count + b->triangle_count);
    memcpy(surface->positions, a->positions, 24 * (size_t)a->vertex_count);
    memcpy(surface->positions + 3 * a->vertex_count, b->positions, 24 * (size_t)b->vertex_count);
    memcpy(surface->triangles, a->triangles, 12 * (size_t)a->triangle_count);
    for (int i = 0; i < 3 * b->triangle_count; ++i) {
        surface->triangles[3 * a->triangle_count + i] = b->triangles[i] + a->vertex_count;
    }
    sn_surface_destroy(a, NULL);
    sn_surface_destroy(b, NULL);
    return surface;
}

// Rows of vertices between two poles, which are the first and the last vertex.
SnSurface *surface_sphere(double radius, int rings)
{
    const double pi = 3.14159265358979323846;
    int around = 2 * rings;
    int last = (rings - 1) * around + 1;
    SnSurface *surface = create(last + 1, 2 * around * (rings - 1));
    for (int v = 0; v <= last; ++v) {
        double theta = v == 0 ? 0.0 : v == last ? pi : pi * ((v - 1) / around + 1) / rings;
        double phi = 2.0 * pi * ((v - 1 + around) % around) / around;
        surface->positions[3 * v] = radius * sin(theta) * cos(phi);
        surface->positions[3 * v + 1] = radius * sin(theta) * sin(phi);
        surface->positions[3 * v + 2] = radius * cos(theta);
    }
    int *out = surface->triangles;
    for (int ring = 0; ring < rings; ++ring) {
        for (int i = 0; i < around; ++i) {
            int next = (i + 1) % around;
            int a = ring == 0 ? 0 : 1 + (ring - 1) * around + i;
            int b = ring == 0 ? 0 : 1 + (ring - 1) * around + next;
            int c = ring == rings - 1 ? last : 1 + ring * around + i;
            int d = ring == rings - 1 ? last : 1 + ring * around + next;
            if (ring < rings - 1) {
                memcpy(out, (int[3]){a, c, d}, 12);
                out += 3;
            }
            if (ring > 0) {
                memcpy(out, (int[3]){a, d, b}, 12);
                out += 3;
            }
        }
    }
    return surface;
}

SnSurface *surface_moebius(int count)
{
    const double pi = 3.14159265358979323846;
    SnSurface *surface = create(2 * count, 2 * count);
    for (int i = 0; i < count; ++i) {
        double angle = 2.0 * pi * i / count;
        for (int side = 0; side < 2; ++side) {
            double across = 0.3 * (2 * side - 1);
            double r = 1.0 + across * cos(0.5 * angle);
            double *at = surface->positions + 3 * (2 * i + side);
            at[0] = r * cos(angle);
            at[1] = r * sin(angle);
            at[2] = across * sin(0.5 * angle);
        }
        int swap = i + 1 == count;
        int a = 2 * i;
        int b = 2 * i + 1;
        int c = 2 * ((i + 1) % count) + swap;
        int d = 2 * ((i + 1) % count) + 1 - swap;
        memcpy(surface->triangles + 6 * i, (int[6]){a, c, b, b, c, d}, 24);
    }
    return surface;
}

void surface_flip(SnSurface *surface, int triangle)
{
    int *corner = surface->triangles + 3 * triangle;
    int kept = corner[1];
    corner[1] = corner[2];
    corner[2] = kept;
}
