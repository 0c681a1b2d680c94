// Tubes around lines: closed, outward, of the area and volume of hexagonal prisms.
#include "support/test.h"

#include "geometry/line_tubes.h"
#include "support/closed.h"
#include "support/fail_allocator.h"

#include <math.h>

// A chain of two lines of 5 m and one line of no length.
static SnSurface *make_lines(void)
{
    const double x[9] = {0.0, 0.0, 0.0, 3.0, 0.0, 4.0, 3.0, -5.0, 4.0};
    const int lines[6] = {0, 1, 1, 1, 1, 2};
    SnSurface *surface = NULL;
    assert_int_equal(sn_surface_create(3, 0, 3, 1, NULL, &surface, NULL), SINEW_OK);
    memcpy(surface->positions, x, sizeof x);
    memcpy(surface->lines, lines, sizeof lines);
    return surface;
}

static void tubes_are_closed_prisms(void **state)
{
    (void)state;
    SnSurface *lines = make_lines(), *tubes = NULL;
    double r = 0.1, hexagon = 1.5 * sqrt(3.0) * r * r;
    assert_int_equal(sn_line_tubes_create(lines, r, 1.1, NULL, &tubes, NULL), SINEW_OK);
    SnTestClosed closed = sn_test_closed(tubes);
    assert_int_equal(closed.bad_edges, 0);
    assert_int_equal(closed.euler, 4);                                // two spheres
    assert_int_equal(tubes->vertex_count, 2 * 6 * 6);                 // five pieces each
    assert_at_most(fabs(closed.volume - 2.0 * 5.0 * hexagon), 1e-12); // rounding
    assert_at_most(fabs(closed.area - 2.0 * (5.0 * 6.0 * r + 2.0 * hexagon)), 1e-12);
    sn_surface_destroy(tubes, NULL);
    sn_surface_destroy(lines, NULL);
}

static void lines_without_length_are_refused(void **state)
{
    (void)state;
    SnSurface *lines = make_lines(), *tubes = NULL;
    SinewError error;
    memset(lines->positions, 0, 9 * sizeof(double));
    assert_int_equal(sn_line_tubes_create(lines, 0.1, 1.0, NULL, &tubes, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "3 lines make tubes of 0 triangles"));
    assert_null(tubes);
    sn_surface_destroy(lines, NULL);
}

static SinewStatus make(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SnSurface *tubes = NULL;
    SinewStatus status = sn_line_tubes_create(context, 0.1, 1.0, allocator, &tubes, error);
    sn_surface_destroy(tubes, allocator);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    SnSurface *lines = make_lines();
    assert_true(sn_fail_each_allocation(make, lines) >= 4);
    sn_surface_destroy(lines, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(tubes_are_closed_prisms),
    cmocka_unit_test(lines_without_length_are_refused),
    cmocka_unit_test(every_allocation_may_fail),
};

SN_TEST_GROUP(geometry_line_tubes, tests);
