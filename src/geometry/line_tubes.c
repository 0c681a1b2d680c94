#include "geometry/line_tubes.h"

#include "geometry/point.h"

#include <limits.h>
#include <math.h>

enum { SIDES = 6, CAPS = 2 * (SIDES - 2) };

// Pieces beyond this in one line are made longer: no body has more cells along a side.
enum { PIECES_MAX = 1 << 16 };

static double length_of(const SnSurface *lines, int l)
{
    double along[3];
    sn_point_minus(lines->positions + 3 * (size_t)lines->lines[2 * (size_t)l + 1],
                   lines->positions + 3 * (size_t)lines->lines[2 * (size_t)l], along);
    return sn_point_length(along);
}

static int count_pieces(double length, double piece)
{
    double pieces = ceil(length / piece);
    return pieces > 1.0 ? (int)fmin(pieces, PIECES_MAX) : 1;
}

// Two unit vectors across t, right-handed with it.
static void find_across(const double t[3], double u[3], double v[3])
{
    double axis[3] = {0.0, 0.0, 0.0};
    int least = 0;
    for (int k = 1; k < 3; ++k) {
        least = fabs(t[k]) < fabs(t[least]) ? k : least;
    }
    axis[least] = 1.0;
    sn_point_cross(t, axis, u);
    double length = sn_point_length(u);
    for (int k = 0; k < 3; ++k) {
        u[k] /= length;
    }
    sn_point_cross(t, u, v);
}

// Rings of a tube from a to b, counter-clockwise seen from its end.
static void add_rings(const double *a, const double *b, double radius, int pieces, double *out)
{
    static const double turns[SIDES][2] = {
        {1.0, 0.0},  {0.5, 0.86602540378443865},   {-0.5, 0.86602540378443865},
        {-1.0, 0.0}, {-0.5, -0.86602540378443865}, {0.5, -0.86602540378443865}};
    double t[3], u[3], v[3];
    sn_point_minus(b, a, t);
    double length = sn_point_length(t);
    for (int k = 0; k < 3; ++k) {
        t[k] /= length;
    }
    find_across(t, u, v);
    for (int i = 0; i < SIDES * (pieces + 1); ++i) {
        const double *turn = turns[i % SIDES];
        double s = (double)(i / SIDES) / pieces;
        for (int k = 0; k < 3; ++k) {
            out[3 * (size_t)i + (size_t)k] =
                a[k] + s * (b[k] - a[k]) + radius * (turn[0] * u[k] + turn[1] * v[k]);
        }
    }
}

static void put(int a, int b, int c, int **at)
{
    (*at)[0] = a;
    (*at)[1] = b;
    (*at)[2] = c;
    *at += 3;
}

// Triangles of a tube whose first vertex is `first`.
static void add_triangles(int first, int pieces, int **at)
{
    for (int p = 0; p < pieces; ++p) {
        int low = first + SIDES * p, high = low + SIDES;
        for (int i = 0; i < SIDES; ++i) {
            int next = (i + 1) % SIDES;
            put(low + i, low + next, high + next, at);
            put(low + i, high + next, high + i, at);
        }
    }
    int last = first + SIDES * pieces;
    for (int i = 1; i + 1 < SIDES; ++i) {
        put(first, first + i + 1, first + i, at);
        put(last, last + i, last + i + 1, at);
    }
}

SinewStatus sn_line_tubes_create(const SnSurface *lines, double radius, double piece,
                                 const SinewAllocator *allocator, SnSurface **out_surface,
                                 SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnSurface *tubes = NULL;
    int64_t vertices = 0, triangles = 0;

    *out_surface = NULL;
    for (int l = 0; l < lines->line_count; ++l) {
        double length = length_of(lines, l);
        int pieces = count_pieces(length, piece);
        vertices += length > 0.0 ? SIDES * (pieces + 1) : 0;
        triangles += length > 0.0 ? 2 * SIDES * pieces + CAPS : 0;
    }
    if (vertices == 0 || triangles > INT_MAX / 3) {
        SN_TRY(sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%d lines make tubes of %lld triangles, expected 1 to %d: lines with a "
                       "length, and not too many",
                       lines->line_count, (long long)triangles, INT_MAX / 3));
    }
    SN_TRY(sn_surface_create((int)vertices, (int)triangles, 0, 1, allocator, &tubes, error));
    int first = 0, *at = tubes->triangles;
    for (int l = 0; l < lines->line_count; ++l) {
        double length = length_of(lines, l);
        if (length > 0.0) {
            int pieces = count_pieces(length, piece);
            add_rings(lines->positions + 3 * (size_t)lines->lines[2 * (size_t)l],
                      lines->positions + 3 * (size_t)lines->lines[2 * (size_t)l + 1], radius,
                      pieces, tubes->positions + 3 * (size_t)first);
            add_triangles(first, pieces, &at);
            first += SIDES * (pieces + 1);
        }
    }
    *out_surface = tubes;
    tubes = NULL;

done:
    sn_surface_destroy(tubes, allocator);
    return status;
}
