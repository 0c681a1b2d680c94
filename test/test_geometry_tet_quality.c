#include "support/test.h"

#include "geometry/box_tets.h"
#include "geometry/tet_quality.h"

#include <math.h>

static SnTetMesh *make_tet(const double x[12])
{
    SnTetMesh *mesh = NULL;
    SinewError error;
    assert_int_equal(sn_tet_mesh_create(4, 1, NULL, &mesh, &error), SINEW_OK);
    memcpy(mesh->positions, x, 12 * sizeof *x);
    for (int i = 0; i < 4; ++i) {
        mesh->tets[i] = i;
    }
    return mesh;
}

static double distance_to_plane(void *context, const double p[3])
{
    (void)context;
    return p[2];
}

static SnTetQuality measure(const SnTetMesh *mesh, double volume, SnSignedFn *distance)
{
    SnTetQuality quality;
    SinewError error;
    assert_int_equal(sn_tet_quality_measure(mesh, volume, distance, NULL, NULL, &quality, &error),
                     SINEW_OK);
    return quality;
}

static void a_regular_tet_has_one_angle_and_aspect_one(void **state)
{
    (void)state;
    const double x[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    SnTetMesh *mesh = make_tet(x);
    SnTetQuality quality = measure(mesh, 2.0, distance_to_plane);
    double angle = acos(1.0 / 3.0) * 180.0 / 3.14159265358979323846;
    // A few roundings of numbers near 100.
    assert_at_most(fabs(quality.smallest_dihedral - angle), 1e-12);
    assert_at_most(fabs(quality.largest_dihedral - angle), 1e-12);
    assert_int_equal(quality.histogram[70], 6);
    assert_at_most(fabs(quality.largest_aspect - 1.0), 1e-14);
    assert_at_most(fabs(fabs(quality.volume) - 8.0 / 3.0), 1e-14);
    assert_int_equal(quality.boundary_vertex_count, 4);
    assert_true(quality.largest_distance == 1.0 && quality.mean_distance == 1.0);
    sn_tet_mesh_destroy(mesh, NULL);
}

static void tets_inside_out_and_flat_ones_are_counted(void **state)
{
    (void)state;
    const double out[12] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1};
    SnTetMesh *mesh = make_tet(out);
    SnTetQuality quality = measure(mesh, 1.0, NULL);
    assert_int_equal(quality.inverted_count, 1);
    assert_true(quality.smallest_volume < 0.0 && isnan(quality.largest_distance));
    sn_tet_mesh_destroy(mesh, NULL);
    const double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    mesh = make_tet(flat);
    quality = measure(mesh, (double)NAN, NULL);
    assert_int_equal(quality.inverted_count, 1);
    assert_true(quality.smallest_dihedral == 0.0 && quality.largest_dihedral == 180.0);
    assert_true(isinf(quality.largest_aspect) && isnan(quality.volume_error));
    sn_tet_mesh_destroy(mesh, NULL);
}

static void a_box_is_measured(void **state)
{
    (void)state;
    const SnBoxTetsDef def = {
        .min = {0, 0, 0}, .max = {2, 1, 1}, .cells = {2, 1, 1}, .cut = SN_BOX_KUHN};
    SnTetMesh *mesh = NULL;
    SinewError error;
    assert_int_equal(sn_box_tets_create(&def, NULL, &mesh, &error), SINEW_OK);
    SnTetQuality quality = measure(mesh, 4.0, distance_to_plane);
    assert_at_most(fabs(quality.volume_error + 0.5), 1e-15);
    assert_at_most(fabs(quality.smallest_dihedral - 45.0), 1e-12);
    assert_at_most(fabs(quality.largest_dihedral - 90.0), 1e-12);
    assert_int_equal(quality.boundary_triangle_count, 20);
    assert_true(quality.largest_distance == 1.0 && quality.mean_distance == 0.5);
    sn_tet_mesh_destroy(mesh, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_regular_tet_has_one_angle_and_aspect_one),
    cmocka_unit_test(tets_inside_out_and_flat_ones_are_counted),
    cmocka_unit_test(a_box_is_measured),
};
SN_TEST_GROUP(geometry_tet_quality, tests);
