#include "support/fail_allocator.h"
#include "support/soups.h"
#include "support/test.h"

#include "base/random.h"
#include "geometry/distance_grid.h"
#include "geometry/point.h"

#include <math.h>

static const double origin[3] = {0.0, 0.0, 0.0};

static SnDistance *make_distance(const SnTestSoup *soup)
{
    SnDistance *distance = NULL;
    assert_int_equal(sn_distance_create(&soup->soup, NULL, &distance, NULL), SINEW_OK);
    return distance;
}

static SnDistanceGrid *make_grid(const SnDistance *distance, const SnDistanceGridDef *def,
                                 SnWorkers *workers)
{
    SnDistanceGrid *grid = NULL;
    SinewError error;
    if (sn_distance_grid_create(distance, def, workers, NULL, &grid, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return grid;
}

static int node_count(const SnDistanceGrid *grid)
{
    return grid->size[0] * grid->size[1] * grid->size[2];
}

static void node_point(const SnDistanceGrid *grid, int node, double out[3])
{
    int n[3] = {node / grid->size[2] / grid->size[1], node / grid->size[2] % grid->size[1],
                node % grid->size[2]};
    for (int k = 0; k < 3; ++k) {
        out[k] = grid->origin[k] + grid->spacing * n[k];
    }
}

// Every node against the exact query: sign everywhere, values as the header states.
static void check_grid(const SnDistance *distance, const SnDistanceGrid *grid, double band)
{
    double excess = 0.0;
    for (int node = 0; node < node_count(grid); ++node) {
        double p[3];
        node_point(grid, node, p);
        double exact = sn_distance_signed(distance, p);
        double value = (double)grid->values[node];
        assert_true(value * exact >= 0.0);
        // Rounding to float, relative to the value.
        double rounding = 1e-7 * fabs(exact);
        if (fabs(exact) < band * grid->spacing) {
            assert_at_most(fabs(value - exact), rounding);
        } else {
            assert_true(fabs(value) >= fabs(exact) - rounding);
            excess = fmax(excess, fabs(value) - fabs(exact));
        }
    }
    assert_at_most(excess / grid->spacing, 5.2);
}

static void grids_agree_with_exact_queries(void **state)
{
    (void)state;
    SnTestSoup sphere = sn_test_sphere(12, origin);
    SnTestSoup soup = sn_test_random_soup(60, 0.4, 3);
    SnTestSoup cube = sn_test_cube();
    SnTestSoup mixed = sn_test_soup_join(&sphere, &cube, 1);
    const SnTestSoup *soups[] = {&sphere, &soup, &mixed};
    for (int s = 0; s < SN_COUNT(soups); ++s) {
        SnDistance *distance = make_distance(soups[s]);
        SnDistanceGridDef def = sn_distance_grid_def_default();
        def.cells = 21 + s;
        def.padding = 3;
        def.band = s == 1 ? 1.5 : 3.0;
        SnDistanceGrid *grid = make_grid(distance, &def, NULL);
        check_grid(distance, grid, def.band);
        sn_distance_grid_destroy(grid, NULL);
        sn_distance_destroy(distance);
    }
    sn_test_soup_free(&mixed);
    sn_test_soup_free(&cube);
    sn_test_soup_free(&soup);
    sn_test_soup_free(&sphere);
}

// With a wide hole the sign changes where no triangle is; blocks there must not share one.
static void signs_hold_across_holes(void **state)
{
    (void)state;
    for (double height = -0.5; height < 0.9; height += 0.35) {
        SnTestSoup open = sn_test_sphere(16, origin);
        int kept = 0;
        for (int t = 0; t < open.soup.triangle_count; ++t) {
            const double *x = open.positions + 9 * t;
            if (x[2] < height && x[5] < height && x[8] < height) {
                memmove(open.positions + 9 * kept++, x, 9 * sizeof(double));
            }
        }
        open.soup.triangle_count = kept;
        SnDistance *distance = make_distance(&open);
        SnDistanceGridDef def = {.cells = 48, .padding = 12, .band = 2.0};
        SnDistanceGrid *grid = make_grid(distance, &def, NULL);
        int negative = 0;
        for (int node = 0; node < node_count(grid); ++node) {
            double p[3];
            node_point(grid, node, p);
            bool is_inside = fabs(sn_distance_winding(distance, p)) > 0.5;
            assert_true((grid->values[node] < 0.0f) == is_inside);
            negative += is_inside;
        }
        assert_true(negative > 0);
        sn_distance_grid_destroy(grid, NULL);
        sn_distance_destroy(distance);
        sn_test_soup_free(&open);
    }
}

static void grids_are_where_they_should_be(void **state)
{
    (void)state;
    SnTestSoup cube = sn_test_cube();
    SnDistance *distance = make_distance(&cube);
    SnDistanceGridDef def = {.cells = 10, .padding = 1, .band = 3.0};
    SnDistanceGrid *grid = make_grid(distance, &def, NULL);
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(grid->size[k], 13);
        assert_at_most(fabs(grid->origin[k] + 1.2), 1e-15);
    }
    assert_at_most(fabs(grid->spacing - 0.2), 1e-16);
    sn_distance_grid_destroy(grid, NULL);
    def = (SnDistanceGridDef){.cell_size = 0.3, .padding = 0, .band = 1.0};
    grid = make_grid(distance, &def, NULL);
    // Two metres are six cells and two thirds: seven.
    assert_int_equal(grid->size[0], 8);
    assert_at_most(fabs(grid->origin[0] + 1.05), 1e-15);
    sn_distance_grid_destroy(grid, NULL);
    sn_distance_destroy(distance);
    sn_test_soup_free(&cube);
}

static void samples_are_trilinear(void **state)
{
    (void)state;
    float values[24];
    SnDistanceGrid grid = {{1.0, 2.0, 3.0}, 0.5, {2, 3, 4}, values};
    for (int node = 0; node < 24; ++node) {
        double p[3];
        node_point(&grid, node, p);
        values[node] = (float)(2.0 * p[0] - 3.0 * p[1] + 0.5 * p[2]);
    }
    SnRandom random = {4};
    for (int i = 0; i < 1000; ++i) {
        double p[3] = {sn_random_between(&random, 1.0, 1.5), sn_random_between(&random, 2.0, 3.0),
                       sn_random_between(&random, 3.0, 4.5)};
        double gradient[3];
        double value = sn_distance_grid_sample(&grid, p, gradient);
        // A linear function is met exactly but for the floats, of size 8, that hold it.
        assert_at_most(fabs(value - (2.0 * p[0] - 3.0 * p[1] + 0.5 * p[2])), 1e-6);
        assert_at_most(fabs(gradient[0] - 2.0) + fabs(gradient[1] + 3.0) + fabs(gradient[2] - 0.5),
                       1e-5);
        assert_true(sn_distance_grid_fn(&grid, p) == value);
        // From outside, by central differences.
        double far[3], numeric[3];
        for (int k = 0; k < 3; ++k) {
            far[k] = sn_random_between(&random, -2.0, 8.0);
        }
        sn_distance_grid_sample(&grid, far, gradient);
        for (int k = 0; k < 3; ++k) {
            double at = far[k];
            far[k] = at + 1e-6;
            double above = sn_distance_grid_sample(&grid, far, NULL);
            far[k] = at - 1e-6;
            double below = sn_distance_grid_sample(&grid, far, NULL);
            far[k] = at;
            numeric[k] = (above - below) / 2e-6;
        }
        // Differences of numbers of size 10 over 2e-6, and the curvature of the distance.
        assert_at_most(sqrt(sn_point_distance_squared(numeric, gradient)), 1e-5);
    }
    const double corner[3] = {-2.0, -2.0, 3.0};
    double at_corner = 2.0 - 6.0 + 1.5;
    assert_at_most(fabs(sn_distance_grid_sample(&grid, corner, NULL) - (at_corner + 5.0)), 1e-6);
}

static void the_same_bits_for_any_number_of_workers(void **state)
{
    (void)state;
    SnTestSoup sphere = sn_test_sphere(20, origin);
    SnDistance *distance = make_distance(&sphere);
    SnDistanceGridDef def = {.cells = 40, .padding = 2, .band = 3.0};
    SnDistanceGrid *alone = make_grid(distance, &def, NULL);
    const int counts[] = {1, 2, 3, 8};
    for (int c = 0; c < SN_COUNT(counts); ++c) {
        SnWorkers *workers = NULL;
        assert_int_equal(sn_workers_create(NULL, NULL, counts[c], &workers, NULL), SINEW_OK);
        SnDistanceGrid *grid = make_grid(distance, &def, workers);
        assert_memory_equal(grid->values, alone->values, (size_t)node_count(grid) * sizeof(float));
        sn_distance_grid_destroy(grid, NULL);
        sn_workers_destroy(workers);
    }
    sn_distance_grid_destroy(alone, NULL);
    sn_distance_destroy(distance);
    sn_test_soup_free(&sphere);
}

static void wrong_grids_are_refused(void **state)
{
    (void)state;
    SnTestSoup cube = sn_test_cube();
    SnDistance *distance = make_distance(&cube);
    const struct {
        SnDistanceGridDef def;
        const char *text;
    } cases[] = {
        {{.cells = 0, .band = 1.0}, "0 cells along"},
        {{.cells = 5000, .band = 1.0}, "5000 cells along"},
        {{.cells = 8, .cell_size = -1.0, .band = 1.0}, "cell size is -1"},
        {{.cells = 8, .cell_size = NAN, .band = 1.0}, "cell size is"},
        {{.cell_size = INFINITY, .band = 1.0}, "cell size is inf"},
        {{.cell_size = 1e-9, .band = 1.0}, "nodes, expected at most"},
        {{.cells = 8, .padding = -1, .band = 1.0}, "padding of -1"},
        {{.cells = 8, .band = NAN}, "band of"},
    };
    for (int c = 0; c < SN_COUNT(cases); ++c) {
        SnDistanceGrid *grid = NULL;
        SinewError error;
        assert_int_equal(
            sn_distance_grid_create(distance, &cases[c].def, NULL, NULL, &grid, &error),
            SINEW_ERROR_ARGUMENT);
        assert_null(grid);
        assert_non_null(strstr(error.text, cases[c].text));
    }
    sn_distance_destroy(distance);
    // All triangles in one point: cells along nothing.
    memset(cube.positions, 0, 36 * 3 * sizeof(double));
    distance = make_distance(&cube);
    SnDistanceGrid *grid = NULL;
    SnDistanceGridDef def = sn_distance_grid_def_default();
    assert_int_equal(sn_distance_grid_create(distance, &def, NULL, NULL, &grid, NULL),
                     SINEW_ERROR_ARGUMENT);
    def.cell_size = 0.1;
    grid = make_grid(distance, &def, NULL);
    assert_int_equal(grid->size[0], 5);
    assert_at_most(fabs((double)grid->values[0] - 0.2 * sqrt(3.0)), 1e-7);
    sn_distance_grid_destroy(grid, NULL);
    sn_distance_destroy(distance);
    sn_test_soup_free(&cube);
}

static SinewStatus create_and_destroy(const SinewAllocator *allocator, void *context,
                                      SinewError *error)
{
    SnDistanceGridDef def = {.cells = 5, .padding = 1, .band = 1.0};
    SnDistanceGrid *grid = NULL;
    SinewStatus status = sn_distance_grid_create(context, &def, NULL, allocator, &grid, error);
    assert_true((status == SINEW_OK) == (grid != NULL));
    sn_distance_grid_destroy(grid, allocator);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnTestSoup cube = sn_test_cube();
    SnDistance *distance = make_distance(&cube);
    assert_int_equal(sn_fail_each_allocation(create_and_destroy, distance), 2);
    sn_distance_destroy(distance);
    sn_test_soup_free(&cube);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(grids_agree_with_exact_queries),
    cmocka_unit_test(signs_hold_across_holes),
    cmocka_unit_test(grids_are_where_they_should_be),
    cmocka_unit_test(samples_are_trilinear),
    cmocka_unit_test(the_same_bits_for_any_number_of_workers),
    cmocka_unit_test(wrong_grids_are_refused),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(geometry_distance_grid, tests);
