// Points in tet meshes: inside, on faces, edges and vertices, and outside against brute force.
#include "support/brute.h"
#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/random.h"
#include "geometry/box_tets.h"
#include "geometry/point_location.h"

#include <math.h>

// A box of tets whose inner and outer vertices are all moved a little, so that nothing is aligned.
static SnTetMesh *make_mesh(int cells, double noise)
{
    SnBoxTetsDef def = {.max = {1.0, 1.0, 1.0}, .cells = {cells, cells, cells}};
    SnTetMesh *mesh = NULL;
    assert_int_equal(sn_box_tets_create(&def, NULL, &mesh, NULL), SINEW_OK);
    SnRandom random = {3};
    for (int i = 0; i < 3 * mesh->vertex_count; ++i) {
        mesh->positions[i] += sn_random_between(&random, -noise, noise) / cells;
    }
    return mesh;
}

static SnTetLocator *make_locator(const SnTetMesh *mesh)
{
    SnTetLocator *locator = NULL;
    SinewError error;
    if (sn_tet_locator_create(mesh, NULL, NULL, &locator, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return locator;
}

static SnTetLocation locate(const SnTetLocator *locator, const double p[3])
{
    int guess = -1;
    return sn_tet_locate(locator, p, &guess);
}

static const double *corner(const SnTetMesh *mesh, int tet, int k)
{
    return mesh->positions + 3 * mesh->tets[4 * tet + k];
}

static void check_weights(const SnTetMesh *mesh, const SnTetLocation *location, const double p[3])
{
    double sum = 0.0;
    double x[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 4; ++k) {
        sum += location->weights[k];
        for (int c = 0; c < 3; ++c) {
            x[c] += location->weights[k] * corner(mesh, location->tet, k)[c];
        }
    }
    // Weights grow with the distance, which is at most ten tets here; so does their rounding.
    assert_at_most(fabs(sum - 1.0), 1e-12);
    for (int c = 0; c < 3; ++c) {
        assert_at_most(fabs(x[c] - p[c]), 1e-12);
    }
}

// Distance from one tet by its weights' signs and all four faces.
static double brute_distance(const SnTetMesh *mesh, const SnTetLocator *locator, const double p[3])
{
    double least = INFINITY;
    for (int place = 0; place < locator->tree->item_count; ++place) {
        int tet = locator->tets[place];
        const double *map = locator->maps + 12 * place;
        double w[4] = {1.0, 0.0, 0.0, 0.0};
        for (int k = 1; k < 4; ++k) {
            for (int c = 0; c < 3; ++c) {
                w[k] += map[3 * k + c] * (p[c] - map[c]);
            }
            w[0] -= w[k];
        }
        if (w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && w[3] >= 0) {
            return 0.0;
        }
        for (int k = 0; k < 4; ++k) {
            double corners[9];
            for (int v = 0; v < 3; ++v) {
                memcpy(corners + 3 * v, corner(mesh, tet, (k + 1 + v) % 4), 3 * sizeof *corners);
            }
            least = fmin(least, sn_test_triangle_distance(corners, p));
        }
    }
    return least;
}

static void points_inside_and_outside_agree_with_brute_force(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_mesh(4, 0.2);
    SnTetLocator *locator = make_locator(mesh);
    SnRandom random = {5};
    int outside = 0;
    for (int n = 0; n < sn_test_share(3000); ++n) {
        double reach = n % 3 == 0 ? 3.0 : 0.2;
        double p[3];
        for (int c = 0; c < 3; ++c) {
            p[c] = sn_random_between(&random, -reach, 1.0 + reach);
        }
        SnTetLocation location = locate(locator, p);
        double expected = brute_distance(mesh, locator, p);
        outside += expected > 0.0;
        // Coordinates of size 4 and a few roundings each.
        assert_at_most(fabs(location.distance - expected), 1e-14 + 1e-12 * expected);
        check_weights(mesh, &location, p);
        for (int k = 0; k < 4 && expected == 0.0; ++k) {
            assert_true(location.weights[k] >= -1e-10);
        }
    }
    assert_true(outside > 10);
    sn_tet_locator_destroy(locator, NULL);
    sn_tet_mesh_destroy(mesh, NULL);
}

static void vertices_edges_and_faces_are_inside_whatever_the_guess(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_mesh(3, 0.2);
    SnTetLocator *locator = make_locator(mesh);
    for (int t = 0; t < mesh->tet_count; ++t) {
        for (int kind = 1; kind <= 3; ++kind) { // corners that the point lies between
            double p[3] = {0.0, 0.0, 0.0};
            for (int k = 0; k < kind; ++k) {
                for (int c = 0; c < 3; ++c) {
                    p[c] += corner(mesh, t, (t + k) % 4)[c] / kind;
                }
            }
            SnTetLocation first = locate(locator, p);
            assert_true(first.distance == 0.0);
            check_weights(mesh, &first, p);
            for (int guess = 0; guess < locator->tree->item_count; guess += 7) {
                int place = guess;
                SnTetLocation other = sn_tet_locate(locator, p, &place);
                assert_memory_equal(&other, &first, sizeof first);
                assert_int_equal(locator->tets[place], first.tet);
            }
        }
    }
    sn_tet_locator_destroy(locator, NULL);
    sn_tet_mesh_destroy(mesh, NULL);
}

// Exact coordinates and exact ties: the lowest index wins.
static void exact_ties_go_to_the_lowest_tet(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_mesh(2, 0.0);
    SnTetLocator *locator = make_locator(mesh);
    const double centre[3] = {0.5, 0.5, 0.5};
    int lowest = -1;
    for (int t = mesh->tet_count - 1; t >= 0; --t) {
        for (int k = 0; k < 4; ++k) {
            if (memcmp(corner(mesh, t, k), centre, sizeof centre) == 0) {
                lowest = t;
            }
        }
    }
    assert_int_equal(locate(locator, centre).tet, lowest);
    sn_tet_locator_destroy(locator, NULL);
    sn_tet_mesh_destroy(mesh, NULL);
}

static void flat_tets_are_never_chosen(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_mesh(2, 0.1);
    for (int t = 0; t < mesh->tet_count; t += 3) {
        mesh->tets[4 * t + 3] = mesh->tets[4 * t + 2];
    }
    SnTetLocator *locator = make_locator(mesh);
    SnRandom random = {9};
    for (int n = 0; n < 500; ++n) {
        double p[3];
        for (int c = 0; c < 3; ++c) {
            p[c] = sn_random_between(&random, -0.1, 1.1);
        }
        SnTetLocation location = locate(locator, p);
        assert_true(location.tet % 3 != 0);
        check_weights(mesh, &location, p);
    }
    sn_tet_locator_destroy(locator, NULL);
    sn_tet_mesh_destroy(mesh, NULL);
}

static void bad_meshes_are_refused(void **state)
{
    (void)state;
    SnTetLocator *locator = NULL;
    SinewError error;
    SnTetMesh *mesh = make_mesh(1, 0.0);
    mesh->tets[6] = 99;
    assert_int_equal(sn_tet_locator_create(mesh, NULL, NULL, &locator, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "tet 1 names vertex 99, expected 0 to 7"));
    mesh->tets[6] = -1;
    assert_int_equal(sn_tet_locator_create(mesh, NULL, NULL, &locator, &error),
                     SINEW_ERROR_ARGUMENT);
    mesh->tets[6] = 0;
    mesh->positions[7] = NAN;
    assert_int_equal(sn_tet_locator_create(mesh, NULL, NULL, &locator, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "vertex 2 of the mesh is at"));
    memset(mesh->positions, 0, 24 * sizeof(double));
    assert_int_equal(sn_tet_locator_create(mesh, NULL, NULL, &locator, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "none of the 5 tets has a volume"));
    mesh->tet_count = 0;
    assert_int_equal(sn_tet_locator_create(mesh, NULL, NULL, &locator, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_null(locator);
    sn_tet_mesh_destroy(mesh, NULL);
}

static SinewStatus create_and_destroy(const SinewAllocator *allocator, void *context,
                                      SinewError *error)
{
    SnTetLocator *locator = NULL;
    SinewStatus status = sn_tet_locator_create(context, NULL, allocator, &locator, error);
    assert_true((status == SINEW_OK) == (locator != NULL));
    sn_tet_locator_destroy(locator, allocator);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_mesh(2, 0.1);
    assert_int_equal(sn_fail_each_allocation(create_and_destroy, mesh), 12);
    sn_tet_mesh_destroy(mesh, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(points_inside_and_outside_agree_with_brute_force),
    cmocka_unit_test(vertices_edges_and_faces_are_inside_whatever_the_guess),
    cmocka_unit_test(exact_ties_go_to_the_lowest_tet),
    cmocka_unit_test(flat_tets_are_never_chosen),
    cmocka_unit_test(bad_meshes_are_refused),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(geometry_point_location, tests);
