// Surfaces for tests: read from texts in the test's source, or made from closed forms.
#ifndef SN_TEST_SUPPORT_SURFACES_H
#define SN_TEST_SUPPORT_SURFACES_H

#include "io/surface_files.h"

// Reads `size` bytes; fails the test, with the reader's sentence, if they are refused.
SnSurface *surface_of_bytes(SnSurfaceReader *reader, const void *data, size_t size);
SnSurface *surface_of_text(SnSurfaceReader *reader, const char *text);

// The bytes must be refused as a bad file, with a sentence that holds `part`, and no surface given.
void expect_bytes_refused(SnSurfaceReader *reader, const void *data, size_t size, const char *part);
void expect_text_refused(SnSurfaceReader *reader, const char *text, const char *part);

// Every allocation of the reader fails once.
void expect_reader_survives(SnSurfaceReader *reader, const void *data, size_t size);

void expect_triangle(const SnSurface *surface, int triangle, int a, int b, int c);
void expect_same_surface(const SnSurface *a, const SnSurface *b);

// Twelve triangles with 36 vertices of their own, outward, edges of length `size`, corner at
// `origin`.
SnSurface *surface_cube_soup(double origin, double size);

// Both in one surface; takes them.
SnSurface *surface_join(SnSurface *a, SnSurface *b);

// A sphere around the origin of `rings` by 2 * `rings` quads, closed and outward.
SnSurface *surface_sphere(double radius, int rings);

// A strip of `count` quads in a ring, closed with half a turn.
SnSurface *surface_moebius(int count);

void surface_flip(SnSurface *surface, int triangle);

#endif
