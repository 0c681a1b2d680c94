#include "support/fail_allocator.h"
#include "support/test.h"

#include "geometry/box_tets.h"

#include <math.h>

static SnBoxTetsDef make_def(int nx, int ny, int nz, SnBoxCut cut)
{
    return (SnBoxTetsDef){
        .min = {-0.5, 0.25, 1.0}, .max = {1.0, 0.5, 3.0}, .cells = {nx, ny, nz}, .cut = cut};
}

static SnTetMesh *make_box(const SnBoxTetsDef *def)
{
    SnTetMesh *mesh = NULL;
    SinewError error;
    if (sn_box_tets_create(def, NULL, &mesh, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    return mesh;
}

static void tets_are_positive_and_fill_the_box(void **state)
{
    (void)state;
    const int sizes[][3] = {{1, 1, 1}, {2, 1, 1}, {3, 4, 5}, {7, 2, 6}};
    for (int s = 0; s < SN_COUNT(sizes); ++s) {
        for (SnBoxCut cut = SN_BOX_FIVE; cut <= SN_BOX_KUHN; ++cut) {
            const int *n = sizes[s];
            SnBoxTetsDef def = make_def(n[0], n[1], n[2], cut);
            SnTetMesh *mesh = make_box(&def);
            assert_int_equal(mesh->vertex_count, (n[0] + 1) * (n[1] + 1) * (n[2] + 1));
            assert_int_equal(mesh->tet_count, (cut == SN_BOX_FIVE ? 5 : 6) * n[0] * n[1] * n[2]);
            double cell = 1.5 * 0.25 * 2.0 / (n[0] * n[1] * n[2]);
            double sum = 0.0;
            for (int t = 0; t < mesh->tet_count; ++t) {
                double volume = sn_tet_mesh_volume(mesh, t);
                // Corner and Kuhn tets are a sixth of a cell, the middle one a third; the
                // tolerance covers coordinates rounded to double.
                assert_true(fabs(volume / cell - 1.0 / 6.0) < 1e-12 ||
                            (cut == SN_BOX_FIVE && fabs(volume / cell - 1.0 / 3.0) < 1e-12));
                sum += volume;
            }
            assert_at_most(fabs(sum - 1.5 * 0.25 * 2.0), 1e-12);
            sn_tet_mesh_destroy(mesh, NULL);
        }
    }
}

static void vertices_are_numbered_with_z_fastest_and_lie_on_the_box(void **state)
{
    (void)state;
    SnBoxTetsDef def = make_def(3, 7, 11, SN_BOX_FIVE);
    SnTetMesh *mesh = make_box(&def);
    const double *x = mesh->positions + 3 * ((2 * 8 + 5) * 12 + 4);
    assert_at_most(fabs(x[0] - (-0.5 + 1.5 * 2 / 3)), 1e-15);
    assert_at_most(fabs(x[1] - (0.25 + 0.25 * 5 / 7)), 1e-15);
    assert_at_most(fabs(x[2] - (1.0 + 2.0 * 4 / 11)), 1e-15);
    const double *last = mesh->positions + 3 * (mesh->vertex_count - 1);
    assert_true(last[0] == 1.0 && last[1] == 0.5 && last[2] == 3.0);
    sn_tet_mesh_destroy(mesh, NULL);
}

// The middle tet of each cell is its largest, and all its corners have an even index sum.
static void the_middle_tet_joins_the_even_corners(void **state)
{
    (void)state;
    SnBoxTetsDef def = make_def(2, 2, 3, SN_BOX_FIVE);
    SnTetMesh *mesh = make_box(&def);
    int middle_count = 0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        if (sn_tet_mesh_volume(mesh, t) > 0.25 * 0.75 / 12) {
            middle_count++;
            for (int v = 0; v < 4; ++v) {
                int index = mesh->tets[4 * t + v];
                int sum = index % 4 + index / 4 % 3 + index / 12;
                assert_int_equal(sum % 2, 0);
            }
        }
    }
    assert_int_equal(middle_count, 12);
    sn_tet_mesh_destroy(mesh, NULL);
}

static void wrong_boxes_are_refused(void **state)
{
    (void)state;
    SnTetMesh *mesh = NULL;
    SinewError error;
    SnBoxTetsDef def = make_def(3, 0, 3, SN_BOX_FIVE);
    assert_int_equal(sn_box_tets_create(&def, NULL, &mesh, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "0 cells along y"));
    def = make_def(3000, 3000, 3000, SN_BOX_KUHN);
    assert_int_equal(sn_box_tets_create(&def, NULL, &mesh, &error), SINEW_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "3000 x 3000 x 3000"));
    const double wrong[] = {1.0, 0.0, NAN, INFINITY};
    for (int i = 0; i < SN_COUNT(wrong); ++i) {
        def = make_def(1, 1, 1, SN_BOX_FIVE);
        def.max[2] = wrong[i];
        assert_int_equal(sn_box_tets_create(&def, NULL, &mesh, &error), SINEW_ERROR_ARGUMENT);
        assert_non_null(strstr(error.text, "along z"));
        assert_null(mesh);
    }
}

static SinewStatus create_and_destroy(const SinewAllocator *allocator, void *context,
                                      SinewError *error)
{
    (void)context;
    SnBoxTetsDef def = make_def(2, 3, 2, SN_BOX_FIVE);
    SnTetMesh *mesh = NULL;
    SinewStatus status = sn_box_tets_create(&def, allocator, &mesh, error);
    assert_true((status == SINEW_OK) == (mesh != NULL));
    sn_tet_mesh_destroy(mesh, allocator);
    return status;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    assert_int_equal(sn_fail_each_allocation(create_and_destroy, NULL), 6);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(tets_are_positive_and_fill_the_box),
    cmocka_unit_test(vertices_are_numbered_with_z_fastest_and_lie_on_the_box),
    cmocka_unit_test(the_middle_tet_joins_the_even_corners),
    cmocka_unit_test(wrong_boxes_are_refused),
    cmocka_unit_test(each_allocation_may_fail),
};
SN_TEST_GROUP(geometry_box_tets, tests);
