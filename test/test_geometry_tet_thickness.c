// Tets across the thinnest part, for meshes of which it is known.
#include "geometry/box_tets.h"
#include "geometry/tet_thickness.h"
#include "support/fail_allocator.h"
#include "support/test.h"

#include <math.h>

static SnTetThickness box_thickness(const int cells[3], const double size[3], SnBoxCut cut)
{
    SinewError error;
    SnTetMesh *mesh = NULL;
    SnTetThickness thickness;
    SnBoxTetsDef def = {.min = {-3.0, 0.0, 2.0}, .cut = cut};
    for (int k = 0; k < 3; ++k) {
        def.max[k] = def.min[k] + size[k];
        def.cells[k] = cells[k];
    }
    assert_int_equal(sn_box_tets_create(&def, NULL, &mesh, &error), SINEW_OK);
    assert_int_equal(sn_tet_thickness_find(mesh->tets, mesh->tet_count, mesh->vertex_count,
                                           mesh->positions, NULL, &thickness, &error),
                     SINEW_OK);
    sn_tet_mesh_destroy(mesh, NULL);
    return thickness;
}

// A bar has as many elements across as it has cells, up to what a cube with the volume of 5.5 tets
// is off: (5 / 5.5)^(1/3) and (6 / 5.5)^(1/3), and a ray sees the large middle tet of five more
// often than the others.
static void boxes_have_as_many_as_cells(void **state)
{
    (void)state;
    for (int n = 1; n <= 6; ++n) {
        for (int cut = 0; cut < 2; ++cut) {
            const int cells[3] = {10 * n, n, n};
            const double size[3] = {1.0, 0.1, 0.1};
            SnTetThickness thickness = box_thickness(cells, size, (SnBoxCut)cut);
            assert_at_most(fabs(thickness.across / n - 1.0), 0.12);
            assert_at_most(fabs(thickness.length - 0.1), 1e-12);
        }
    }
}

// A plate that is thick where it is not thin: the thin side counts.
static void the_thin_side_counts(void **state)
{
    (void)state;
    const int cells[3] = {12, 2, 8};
    const double size[3] = {1.2, 0.2, 0.8};
    SnTetThickness thickness = box_thickness(cells, size, SN_BOX_FIVE);
    assert_at_most(fabs(thickness.across - 2.0), 0.25);
    assert_at_most(fabs(thickness.length - 0.2), 1e-12);
}

static SinewStatus find(const SinewAllocator *allocator, void *context, SinewError *error)
{
    const SnTetMesh *mesh = context;
    SnTetThickness thickness;
    return sn_tet_thickness_find(mesh->tets, mesh->tet_count, mesh->vertex_count, mesh->positions,
                                 allocator, &thickness, error);
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    SinewError error;
    SnTetMesh *mesh = NULL;
    SnBoxTetsDef def = {.max = {1.0, 1.0, 1.0}, .cells = {2, 2, 2}, .cut = SN_BOX_KUHN};
    assert_int_equal(sn_box_tets_create(&def, NULL, &mesh, &error), SINEW_OK);
    sn_fail_each_allocation(find, mesh);
    sn_tet_mesh_destroy(mesh, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(boxes_have_as_many_as_cells),
    cmocka_unit_test(the_thin_side_counts),
    cmocka_unit_test(each_allocation_may_fail),
};

SN_TEST_GROUP(geometry_tet_thickness, tests);
