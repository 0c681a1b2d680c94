// Surfaces split at the faces of cubes: nothing reaches into another cube, closed ones stay closed,
// areas and volumes stay, and lines are split too.
#include "support/test.h"

#include "geometry/surface_split.h"
#include "support/closed.h"
#include "support/fail_allocator.h"
#include "support/surfaces.h"

#include <math.h>

static const SnSplitGrid straight = {
    {-1.0, -1.0, -1.0}, {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, 0.3};
static const SnSplitGrid turned = {
    {0.1, 0.2, -0.3}, {0.6, 0.8, 0.0, -0.8, 0.6, 0.0, 0.0, 0.0, 1.0}, 0.21};

static double coordinate(const SnSplitGrid *grid, const double *x, int axis)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += grid->axes[3 * axis + k] * (x[k] - grid->origin[k]);
    }
    return sum / grid->edge;
}

// How far into another cube a part reaches, in cubes.
static void expect_inside_cubes(const SnSurface *surface, const SnSplitGrid *grid,
                                const int *corners, int count)
{
    for (int axis = 0; axis < 3; ++axis) {
        double low = INFINITY, high = -INFINITY;
        for (int c = 0; c < count; ++c) {
            double s = coordinate(grid, surface->positions + 3 * (size_t)corners[c], axis);
            low = fmin(low, s);
            high = fmax(high, s);
        }
        // What is near enough to a plane to lie on it, and rounding.
        double cube = floor(low + 2e-9);
        assert_at_most(high - cube - 1.0, 2e-9);
    }
}

static void pieces_stay_in_their_cubes_and_close(void **state)
{
    (void)state;
    const SnSplitGrid *grids[] = {&straight, &turned};
    for (int g = 0; g < 2; ++g) {
        for (int rings = 3; rings <= 24; rings += 21) { // triangles above and below a cube's size
            SnSurface *sphere = surface_sphere(1.0, rings), *split = NULL;
            SnTestClosed before = sn_test_closed(sphere);
            assert_int_equal(sn_surface_split(sphere, grids[g], NULL, &split, NULL), SINEW_OK);
            SnTestClosed after = sn_test_closed(split);
            assert_int_equal(after.bad_edges, 0);
            assert_int_equal(after.euler, before.euler);
            // Rounding over some thousand triangles.
            assert_at_most(fabs(after.area - before.area), 1e-11);
            assert_at_most(fabs(after.volume - before.volume), 1e-11);
            assert_true(split->triangle_count > 2 * sphere->triangle_count);
            assert_memory_equal(split->positions, sphere->positions,
                                3 * (size_t)sphere->vertex_count * sizeof(double));
            for (int t = 0; t < split->triangle_count; ++t) {
                expect_inside_cubes(split, grids[g], split->triangles + 3 * (size_t)t, 3);
            }
            sn_surface_destroy(sphere, NULL);
            sn_surface_destroy(split, NULL);
        }
    }
}

// A cube whose faces and edges lie on planes: these do not count as crossed, all between do.
static void what_lies_on_planes_stays(void **state)
{
    (void)state;
    SnSplitGrid grid = straight;
    SnSurface *cube = surface_cube_soup(-1.0, 0.3), *split = NULL;
    assert_int_equal(sn_surface_split(cube, &grid, NULL, &split, NULL), SINEW_OK);
    assert_int_equal(split->triangle_count, cube->triangle_count);
    assert_int_equal(split->vertex_count, cube->vertex_count);
    sn_surface_destroy(split, NULL);
    grid.edge = 0.15; // each face in four squares, each triangle in four at least
    assert_int_equal(sn_surface_split(cube, &grid, NULL, &split, NULL), SINEW_OK);
    assert_true(split->triangle_count >= 4 * cube->triangle_count);
    assert_at_most(fabs(sn_test_closed(split).area - 6.0 * 0.3 * 0.3), 1e-12);
    sn_surface_destroy(cube, NULL);
    sn_surface_destroy(split, NULL);
}

static SnSurface *some_lines(void)
{
    const double x[12] = {-0.95, -0.5, 0.1, 0.9, 0.4, 0.1, 0.9, -0.8, 0.1, -0.95, -0.5, 0.3};
    SnSurface *lines = NULL;
    assert_int_equal(sn_surface_create(4, 0, 3, 1, NULL, &lines, NULL), SINEW_OK);
    memcpy(lines->positions, x, sizeof x);
    for (int l = 0; l < 3; ++l) {
        lines->lines[2 * l] = l;
        lines->lines[2 * l + 1] = l + 1;
    }
    return lines;
}

static double length_of(const SnSurface *surface)
{
    double sum = 0.0;
    for (int l = 0; l < surface->line_count; ++l) {
        const double *a = surface->positions + 3 * (size_t)surface->lines[2 * l];
        const double *b = surface->positions + 3 * (size_t)surface->lines[2 * l + 1];
        sum += sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                    (a[2] - b[2]) * (a[2] - b[2]));
    }
    return sum;
}

static void lines_are_split_too(void **state)
{
    (void)state;
    SnSurface *lines = some_lines(), *split = NULL;
    assert_int_equal(sn_surface_split(lines, &straight, NULL, &split, NULL), SINEW_OK);
    assert_true(split->line_count > 12);
    // A chain with two ends has one vertex more than lines.
    assert_int_equal(split->vertex_count, split->line_count + 1);
    assert_at_most(fabs(length_of(split) - length_of(lines)), 1e-12); // rounding
    for (int l = 0; l < split->line_count; ++l) {
        expect_inside_cubes(split, &straight, split->lines + 2 * (size_t)l, 2);
    }
    sn_surface_destroy(lines, NULL);
    sn_surface_destroy(split, NULL);
}

static SinewStatus split_lines_and_all(const SinewAllocator *allocator, void *context,
                                       SinewError *error)
{
    SnSurface *split = NULL;
    SinewStatus status = sn_surface_split(context, &straight, allocator, &split, error);
    sn_surface_destroy(split, allocator);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    SnSurface *sphere = surface_sphere(1.0, 3), *lines = some_lines();
    assert_true(sn_fail_each_allocation(split_lines_and_all, sphere) > 10);
    assert_true(sn_fail_each_allocation(split_lines_and_all, lines) > 10);
    sn_surface_destroy(sphere, NULL);
    sn_surface_destroy(lines, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(pieces_stay_in_their_cubes_and_close),
    cmocka_unit_test(what_lies_on_planes_stays),
    cmocka_unit_test(lines_are_split_too),
    cmocka_unit_test(every_allocation_may_fail),
};

SN_TEST_GROUP(geometry_surface_split, tests);
