#include "support/fail_allocator.h"
#include "support/surfaces.h"
#include "support/test.h"

#include "base/random.h"
#include "geometry/surface_clean.h"
#include "geometry/surface_repair.h"
#include "geometry/surface_report.h"
#include "geometry/surface_weld.h"

#include <math.h>

static SnSurfaceReport report_of(const SnSurface *surface)
{
    SnSurfaceReport report;
    assert_int_equal(sn_surface_report(surface, NULL, &report, NULL), SINEW_OK);
    return report;
}

static SnSurfaceRepair repair(SnSurface *surface)
{
    SnSurfaceRepair done;
    assert_int_equal(sn_surface_repair(surface, 0.0, NULL, &done, NULL), SINEW_OK);
    return done;
}

static void a_soup_of_a_cube_becomes_a_cube(void **state)
{
    (void)state;
    SnSurface *surface = surface_cube_soup(0.0, 1.0);
    for (int repaired = 0; repaired < 2; ++repaired) {
        SnSurfaceReport report = report_of(surface);
        assert_int_equal(report.vertices, repaired ? 8 : 36);
        assert_int_equal(report.distinct_vertices, 8);
        assert_int_equal(report.triangles, 12);
        assert_int_equal(report.components, 1);
        assert_int_equal(report.boundary_edges, 0);
        assert_int_equal(report.nonmanifold_edges, 0);
        assert_int_equal(report.inconsistent_edges, 0);
        assert_int_equal(report.degenerate_triangles, 0);
        assert_int_equal(report.duplicate_triangles, 0);
        assert_true(report.watertight);
        assert_true(report.area == 6.0);
        assert_at_most(fabs(report.volume - 1.0), 1e-15); // twelve sixths of rounded sums
        assert_true(report.low[0] == 0.0 && report.high[2] == 1.0);
        SnSurfaceRepair done = repair(surface);
        assert_int_equal(done.welded_vertices, repaired ? 0 : 28);
        assert_int_equal(done.orientation.flipped_triangles, 0);
        assert_int_equal(done.orientation.patches, 1);
        assert_int_equal(done.orientation.closed_patches, 1);
    }
    sn_surface_destroy(surface, NULL);
}

static void a_sphere_has_its_area_and_volume(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    SnSurface *surface = surface_sphere(2.0, 100);
    SnSurfaceReport report = report_of(surface);
    assert_true(report.watertight);
    // Facets cut off about (pi / rings)^2 / 4 of either.
    assert_at_most(fabs(report.area / (16.0 * pi) - 1.0), 5e-4);
    assert_at_most(fabs(report.volume / (32.0 / 3.0 * pi) - 1.0), 5e-4);
    sn_surface_destroy(surface, NULL);
}

static void random_flips_are_undone(void **state)
{
    (void)state;
    SnRandom random = {3};
    for (int share = 1; share <= 10; share += 3) {
        SnSurface *surface = surface_sphere(1.0, 20);
        double volume = report_of(surface).volume;
        for (int t = 0; t < surface->triangle_count; ++t) {
            if (sn_random_between(&random, 0.0, 10.0) < share) {
                surface_flip(surface, t);
            }
        }
        assert_true(share == 10 || report_of(surface).inconsistent_edges > 0);
        assert_true(share == 10 || !report_of(surface).watertight);
        repair(surface);
        assert_true(report_of(surface).watertight);
        // The corners of a triangle may start elsewhere, which rounds differently.
        assert_at_most(fabs(report_of(surface).volume - volume), 1e-13);
        sn_surface_destroy(surface, NULL);
    }
}

static void flip_all(SnSurface *surface)
{
    for (int t = 0; t < surface->triangle_count; ++t) {
        surface_flip(surface, t);
    }
}

static void cubes_side_by_side_and_inside_each_other(void **state)
{
    (void)state;
    // Beside each other, one inside out.
    SnSurface *other = surface_cube_soup(5.0, 1.0);
    flip_all(other);
    SnSurface *surface = surface_join(surface_cube_soup(0.0, 1.0), other);
    assert_int_equal(report_of(surface).components, 2);
    assert_int_equal(repair(surface).orientation.flipped_triangles, 12);
    assert_at_most(fabs(report_of(surface).volume - 2.0), 1e-14);
    sn_surface_destroy(surface, NULL);

    // A cavity stays one; also where all of it is inside out, and with a core in the cavity.
    for (int inside_out = 0; inside_out < 2; ++inside_out) {
        SnSurface *cavity = surface_cube_soup(1.0, 2.0);
        flip_all(cavity);
        surface = surface_join(cavity, surface_cube_soup(0.0, 4.0));
        surface = surface_join(surface, surface_cube_soup(1.5, 1.0));
        if (inside_out) {
            flip_all(surface);
        }
        assert_int_equal(repair(surface).orientation.flipped_triangles, inside_out ? 36 : 0);
        assert_at_most(fabs(report_of(surface).volume - (64.0 - 8.0 + 1.0)), 1e-12);
        sn_surface_destroy(surface, NULL);
    }

    // In the corner of the other's box but not inside it: two spheres.
    SnSurface *small = surface_sphere(0.1, 10);
    for (int i = 0; i < 3 * small->vertex_count; ++i) {
        small->positions[i] += 0.85;
    }
    flip_all(small);
    surface = surface_join(surface_sphere(1.0, 20), small);
    SnSurfaceRepair done = repair(surface);
    assert_int_equal(done.orientation.closed_patches, 2);
    assert_int_equal(done.orientation.flipped_triangles, 2 * 20 * 9); // all of the small one
    sn_surface_destroy(surface, NULL);
}

static void cubes_that_touch_in_an_edge_are_both_closed(void **state)
{
    (void)state;
    SnSurface *other = surface_cube_soup(0.0, 1.0);
    for (int v = 0; v < other->vertex_count; ++v) {
        other->positions[3 * v] += 1.0;
        other->positions[3 * v + 1] += 1.0;
    }
    flip_all(other);
    SnSurface *surface = surface_join(surface_cube_soup(0.0, 1.0), other);
    SnSurfaceReport report = report_of(surface);
    assert_int_equal(report.nonmanifold_edges, 1);
    assert_int_equal(report.components, 1);
    assert_false(report.watertight);
    SnSurfaceRepair done = repair(surface);
    assert_int_equal(done.orientation.closed_patches, 2);
    assert_int_equal(done.orientation.flipped_triangles, 12);
    sn_surface_destroy(surface, NULL);
}

static void a_moebius_strip_has_no_direction(void **state)
{
    (void)state;
    SnSurface *surface = surface_moebius(30);
    SnSurfaceReport report = report_of(surface);
    assert_int_equal(report.boundary_edges, 60);
    assert_int_equal(report.inconsistent_edges, 1);
    SnSurfaceRepair done = repair(surface);
    assert_int_equal(done.orientation.unorientable, 1);
    assert_int_equal(done.orientation.patches, 1);
    assert_int_equal(done.orientation.closed_patches, 0);
    assert_true(report_of(surface).inconsistent_edges >= 1);
    sn_surface_destroy(surface, NULL);
}

static void an_open_sheet_keeps_its_side(void **state)
{
    (void)state;
    // Two triangles up, a small one down.
    const char *text = "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 5 0 0\n"
                       "f 2 3 5\nf 1 2 3\nf 1 3 4\n";
    SnSurface *surface = surface_of_text(sn_read_obj, text);
    assert_int_equal(report_of(surface).inconsistent_edges, 1);
    SnSurfaceRepair done = repair(surface);
    assert_int_equal(done.orientation.flipped_triangles, 1);
    expect_triangle(surface, 0, 1, 4, 2);
    expect_triangle(surface, 1, 0, 1, 2);
    sn_surface_destroy(surface, NULL);
}

static void useless_triangles_are_found_and_go(void **state)
{
    (void)state;
    const char *text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.1 0 0\nv 0.3 0 0\nv 0 0 0\nv 0 0 1\n"
                       "f 1 2 3\n" // good
                       "f 2 3 6\n" // the same, since 6 is at the place of 1
                       "f 3 2 1\n" // the same from behind
                       "f 1 1 2\n" // repeats a corner
                       "f 1 6 2\n" // repeats a place
                       "f 1 4 5\n" // three in a line
                       "g kept\nf 1 2 7\nf 2 1 7\n";
    SnSurface *surface = surface_of_text(sn_read_obj, text);
    SnSurfaceReport report = report_of(surface);
    assert_int_equal(report.degenerate_triangles, 3);
    assert_int_equal(report.duplicate_triangles, 3);
    int degenerate = 0;
    int duplicate = 0;
    assert_int_equal(sn_surface_weld(surface, 0.0, NULL, NULL), SINEW_OK);
    assert_int_equal(sn_surface_clean(surface, NULL, &degenerate, &duplicate, NULL), SINEW_OK);
    assert_int_equal(degenerate, 3);
    assert_int_equal(duplicate, 3);
    assert_int_equal(surface->triangle_count, 2);
    expect_triangle(surface, 0, 0, 1, 2);
    expect_triangle(surface, 1, 0, 1, 5);
    assert_int_equal(surface->groups[0], 0);
    assert_int_equal(surface->groups[1], 1);
    sn_surface_destroy(surface, NULL);
}

static void small_and_thin_triangles_are_not_degenerate(void **state)
{
    (void)state;
    static const int corner[3] = {0, 1, 2};
    static const double scales[] = {1e-200, 1e-20, 1.0, 1e20, 1e200};
    for (int i = 0; i < SN_COUNT(scales); ++i) {
        double s = scales[i];
        double thin[9] = {0, 0, 0, s, 0, 0, 0.5 * s, 1e-9 * s, 0};
        double line[9] = {0, 0, 0, s, 2 * s, 3 * s, 0.1 * s, 0.2 * s, 0.3 * s};
        assert_false(sn_triangle_is_degenerate(thin, corner));
        assert_true(sn_triangle_is_degenerate(line, corner));
    }
}

static void three_triangles_at_an_edge_are_reported(void **state)
{
    (void)state;
    SnSurface *surface = surface_of_text(sn_read_obj, "v 0 0 0\nv 0 0 1\nv 1 0 0\nv 0 1 0\n"
                                                      "v -1 0 0\nf 1 2 3\nf 1 2 4\nf 2 1 5\n");
    SnSurfaceReport report = report_of(surface);
    assert_int_equal(report.nonmanifold_edges, 1);
    assert_int_equal(report.boundary_edges, 6);
    assert_int_equal(report.inconsistent_edges, 0);
    assert_false(report.watertight);
    assert_int_equal(repair(surface).orientation.patches, 3);
    sn_surface_destroy(surface, NULL);
}

static void welding_within_a_distance_moves_nothing_further(void **state)
{
    (void)state;
    enum { COUNT = 4000 };
    SnRandom random = {5};
    static double positions[3 * COUNT];
    static int map[COUNT];
    static int kept[COUNT];
    for (int i = 0; i < 3 * COUNT; ++i) {
        positions[i] = sn_random_between(&random, -1.0, 1.0);
    }
    double tolerance = 0.2;
    int count = 0;
    assert_int_equal(sn_weld_map(positions, COUNT, tolerance, NULL, map, &count, NULL), SINEW_OK);
    assert_true(count > 100 && count < COUNT / 2);
    int next = 0;
    for (int v = 0; v < COUNT; ++v) {
        if (map[v] == next) {
            kept[next++] = v;
        }
        double nearest = INFINITY;
        int winner = -1;
        for (int k = 0; k < next; ++k) {
            const double *a = positions + 3 * v;
            const double *b = positions + 3 * kept[k];
            double d = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                            (a[2] - b[2]) * (a[2] - b[2]));
            if (d < nearest && kept[k] != v) {
                nearest = d;
                winner = k;
            }
        }
        if (kept[map[v]] == v) {
            assert_true(nearest > tolerance);
        } else {
            assert_int_equal(map[v], winner);
            assert_at_most(nearest, tolerance);
        }
    }
    assert_int_equal(next, count);
}

static void welding_copes_with_any_numbers(void **state)
{
    (void)state;
    double positions[] = {0.0,   0.0,    0.0, -0.0,  0.0,    -0.0,
                          1e300, -1e300, 0.0, 1e300, -1e300, 1e-300};
    int map[4];
    int count = 0;
    assert_int_equal(sn_weld_map(positions, 4, 0.0, NULL, map, &count, NULL), SINEW_OK);
    assert_int_equal(count, 3);
    assert_int_equal(sn_weld_map(positions, 4, 1e-300, NULL, map, &count, NULL), SINEW_OK);
    assert_int_equal(count, 2);
    assert_int_equal(sn_weld_map(positions, 0, 1.0, NULL, map, &count, NULL), SINEW_OK);
    assert_int_equal(count, 0);
    SinewError error;
    assert_int_equal(sn_weld_map(positions, 4, -1.0, NULL, map, &count, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "tolerance of welding is -1"));
    assert_int_equal(sn_weld_map(positions, 4, (double)NAN, NULL, map, &count, &error),
                     SINEW_ERROR_ARGUMENT);
}

static void nothing_is_fine_too(void **state)
{
    (void)state;
    SnSurface *surface = NULL;
    assert_int_equal(sn_surface_create(0, 0, 0, 1, NULL, &surface, NULL), SINEW_OK);
    assert_int_equal(repair(surface).orientation.patches, 0);
    SnSurfaceReport report = report_of(surface);
    assert_false(report.watertight);
    assert_int_equal(report.components, 0);
    assert_true(report.area == 0.0 && report.high[0] == 0.0);
    sn_surface_destroy(surface, NULL);
}

static SinewStatus report_and_repair(const SinewAllocator *allocator, void *context,
                                     SinewError *error)
{
    (void)context;
    SinewStatus status = SINEW_OK;
    SnSurfaceReport report;
    SnSurfaceRepair done;
    SnSurface *surface = surface_cube_soup(0.0, 1.0);
    SN_TRY(sn_surface_report(surface, allocator, &report, error));
    SN_TRY(sn_surface_repair(surface, 0.01, allocator, &done, error));
    assert_int_equal(surface->vertex_count, 8);
done:
    sn_surface_destroy(surface, NULL);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(sn_fail_each_allocation(report_and_repair, NULL) > 20);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_soup_of_a_cube_becomes_a_cube),
    cmocka_unit_test(a_sphere_has_its_area_and_volume),
    cmocka_unit_test(random_flips_are_undone),
    cmocka_unit_test(cubes_side_by_side_and_inside_each_other),
    cmocka_unit_test(cubes_that_touch_in_an_edge_are_both_closed),
    cmocka_unit_test(a_moebius_strip_has_no_direction),
    cmocka_unit_test(an_open_sheet_keeps_its_side),
    cmocka_unit_test(useless_triangles_are_found_and_go),
    cmocka_unit_test(small_and_thin_triangles_are_not_degenerate),
    cmocka_unit_test(three_triangles_at_an_edge_are_reported),
    cmocka_unit_test(welding_within_a_distance_moves_nothing_further),
    cmocka_unit_test(welding_copes_with_any_numbers),
    cmocka_unit_test(nothing_is_fine_too),
    cmocka_unit_test(each_allocation_may_fail),
};

SN_TEST_GROUP(geometry_surface_repair, tests);
