#include "support/closed.h"
#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/random.h"
#include "geometry/isosurface.h"
#include "geometry/point.h"
#include "math/angle.h"

#include <math.h>

static SnSurface *make_surface(SnSignedFn *fn, double half, double cell)
{
    SnIsosurfaceDef def = {
        .fn = fn, .bounds = {{-half, -half, -half}, {half, half, half}}, .cell = cell};
    SnSurface *surface = NULL;
    SinewError error;
    if (sn_isosurface_create(&def, NULL, NULL, &surface, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return surface;
}

static double ball(void *context, const double p[3])
{
    (void)context;
    return sn_point_length(p) - 1.0;
}

// Inside or outside by a coin at every point: everything that cells can be cut into.
static double noise(void *context, const double p[3])
{
    (void)context;
    SnRandom random = {(uint64_t)(int64_t)floor(p[0] * 1000.0) * 7919u +
                       (uint64_t)(int64_t)floor(p[1] * 1000.0) * 104729u +
                       (uint64_t)(int64_t)floor(p[2] * 1000.0)};
    return sn_random_between(&random, -0.01, 0.01);
}

static double nowhere(void *context, const double p[3])
{
    (void)context;
    (void)p;
    return 1.0;
}

static double everywhere(void *context, const double p[3])
{
    (void)context;
    (void)p;
    return -0.01;
}

static double not_a_number(void *context, const double p[3])
{
    (void)context;
    return p[0] > 0.3 ? NAN : ball(NULL, p);
}

static void balls_converge(void **state)
{
    (void)state;
    double before = 1.0;
    for (double cell = 0.5; cell > 0.05; cell /= 2.0) {
        SnSurface *surface = make_surface(ball, 1.0, cell);
        SnTestClosed closed = sn_test_closed(surface);
        assert_int_equal(closed.bad_edges, 0);
        assert_int_equal(closed.euler, 2);
        double error = fabs(closed.volume / (4.0 / 3.0 * SN_PI) - 1.0);
        // Second order: a quarter for each half, and some room at the coarse end.
        assert_at_most(error, 0.35 * before);
        assert_true(closed.least_angle > 25.0);
        before = error;
        sn_surface_destroy(surface, NULL);
    }
    assert_at_most(before, 1e-3);
}

static void surfaces_are_closed_whatever_the_function_does(void **state)
{
    (void)state;
    SnSignedFn *const functions[] = {noise, everywhere, not_a_number};
    for (int f = 0; f < SN_COUNT(functions); ++f) {
        SnSurface *surface = make_surface(functions[f], 1.0, 0.2);
        SnTestClosed closed = sn_test_closed(surface);
        assert_int_equal(closed.bad_edges, 0);
        assert_true(surface->triangle_count > 100);
        for (int i = 0; i < 3 * surface->vertex_count; ++i) {
            assert_at_most(fabs(surface->positions[i]), 2.0);
        }
        sn_surface_destroy(surface, NULL);
    }
}

static void no_inside_gives_no_triangles(void **state)
{
    (void)state;
    SnSurface *surface = make_surface(nowhere, 1.0, 0.3);
    assert_int_equal(surface->triangle_count, 0);
    assert_int_equal(surface->vertex_count, 0);
    sn_surface_destroy(surface, NULL);
}

static void absurd_lattices_are_refused(void **state)
{
    (void)state;
    const double cells[] = {1e-9, 0.0, -1.0, NAN};
    for (int c = 0; c < SN_COUNT(cells); ++c) {
        SnIsosurfaceDef def = {.fn = ball, .bounds = {{-1, -1, -1}, {1, 1, 1}}, .cell = cells[c]};
        SnSurface *surface = NULL;
        SinewError error;
        assert_int_equal(sn_isosurface_create(&def, NULL, NULL, &surface, &error),
                         SINEW_ERROR_ARGUMENT);
        assert_null(surface);
        assert_non_null(strstr(error.text, "cells of"));
    }
}

static SinewStatus create_and_destroy(const SinewAllocator *allocator, void *context,
                                      SinewError *error)
{
    SnSurface *surface = NULL;
    SinewStatus status = sn_isosurface_create(context, NULL, allocator, &surface, error);
    assert_true((status == SINEW_OK) == (surface != NULL));
    sn_surface_destroy(surface, allocator);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnIsosurfaceDef def = {.fn = ball, .bounds = {{-1, -1, -1}, {1, 1, 1}}, .cell = 0.5};
    assert_true(sn_fail_each_allocation(create_and_destroy, &def) >= 12);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(balls_converge),
    cmocka_unit_test(surfaces_are_closed_whatever_the_function_does),
    cmocka_unit_test(no_inside_gives_no_triangles),
    cmocka_unit_test(absurd_lattices_are_refused),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(geometry_isosurface, tests);
