// A few points in a large tet mesh: the answers of a locator over all of it.
#include "support/fail_allocator.h"
#include "support/test.h"

#include "base/random.h"
#include "geometry/box_tets.h"
#include "geometry/near_tets.h"

static SnTetMesh *make_mesh(void)
{
    SnBoxTetsDef def = {.max = {1.0, 1.0, 1.0}, .cells = {8, 8, 8}};
    SnTetMesh *mesh = NULL;
    assert_int_equal(sn_box_tets_create(&def, NULL, &mesh, NULL), SINEW_OK);
    // A hole across the middle, so that points may be far from all tets.
    int kept = 0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        double x = mesh->positions[3 * mesh->tets[4 * t]];
        if (x < 0.3 || x > 0.7) {
            memmove(mesh->tets + 4 * kept++, mesh->tets + 4 * t, 4 * sizeof(int));
        }
    }
    mesh->tet_count = kept;
    return mesh;
}

// Inside, on faces and corners, in the hole and outside; close together, then far apart and many.
static void points_are_where_a_locator_finds_them(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    static const int counts[] = {1, 20, MOST};
    static double points[3 * MOST];
    static SnTetLocation found[MOST];
    SnTetMesh *mesh = make_mesh();
    SnTetLocator *locator = NULL;
    SnRandom random = {5};
    assert_int_equal(sn_tet_locator_create(mesh, NULL, NULL, &locator, NULL), SINEW_OK);
    for (int round = 0; round < 30; ++round) {
        int count = counts[round % 3];
        double size = round % 3 == 2 ? 2.0 : 0.1;
        for (int i = 0; i < 3 * count; ++i) {
            double middle = round % 2 == 0 ? 0.5 : 0.8;
            points[i] = middle + sn_random_between(&random, -0.5, 0.5) * size;
        }
        memcpy(points, mesh->positions + 3 * round, 3 * sizeof *points); // a corner
        assert_int_equal(sn_near_tets_locate(mesh, points, count, NULL, found, NULL), SINEW_OK);
        for (int p = 0; p < count; ++p) {
            int guess = -1;
            SnTetLocation other = sn_tet_locate(locator, points + 3 * p, &guess);
            assert_int_equal(found[p].tet, other.tet);
            assert_true(found[p].distance == other.distance);
            assert_memory_equal(found[p].weights, other.weights, sizeof other.weights);
        }
    }
    assert_int_equal(sn_near_tets_locate(mesh, NULL, 0, NULL, NULL, NULL), SINEW_OK);
    sn_tet_locator_destroy(locator, NULL);
    sn_tet_mesh_destroy(mesh, NULL);
}

static SinewStatus locate_two(const SinewAllocator *allocator, void *context, SinewError *error)
{
    const double points[] = {0.1, 0.1, 0.1, 0.5, 0.5, 0.5};
    SnTetLocation found[2];
    return sn_near_tets_locate(context, points, 2, allocator, found, error);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    SnTetMesh *mesh = make_mesh();
    assert_true(sn_fail_each_allocation(locate_two, mesh) > 3);
    sn_tet_mesh_destroy(mesh, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(points_are_where_a_locator_finds_them),
    cmocka_unit_test(every_allocation_may_fail),
};

SN_TEST_GROUP(geometry_near_tets, tests);
