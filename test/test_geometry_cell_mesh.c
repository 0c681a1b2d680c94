// Lattices as hexahedra: corners in the order that VTK and Gmsh expect, regions, fills, parts.
#include "support/fail_allocator.h"
#include "support/test.h"

#include "geometry/cell_mesh.h"

#include <math.h>

static double ball(void *context, const double p[3])
{
    (void)context;
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 1.0;
}

// Two balls with a gap between them.
static double two_balls(void *context, const double p[3])
{
    const double left[3] = {p[0] + 1.5, p[1], p[2]};
    const double right[3] = {p[0] - 1.5, p[1], p[2]};
    return fmin(ball(context, left), ball(context, right));
}

static SinewStatus make_lattice(SnSignedFn *fn, double reach, int cells, SnCellLattice **lattice)
{
    SnCellBody body = {.fn = fn, .min = {-reach, -1.0, -1.0}, .max = {reach, 1.0, 1.0}};
    SnCellLatticeDef def = sn_cell_lattice_def_default();
    def.longest_cells = cells;
    return sn_cell_lattice_create(&body, &def, NULL, NULL, lattice, NULL);
}

static SnCellMesh *make(SnSignedFn *fn, double reach, int cells, SnCellLattice **lattice)
{
    SnCellMesh *mesh = NULL;
    assert_int_equal(make_lattice(fn, reach, cells, lattice), SINEW_OK);
    assert_int_equal(sn_cell_mesh_of_lattice(*lattice, NULL, &mesh, NULL), SINEW_OK);
    return mesh;
}

static void corners_go_around_the_lower_face_and_then_the_upper(void **state)
{
    (void)state;
    SnCellLattice *lattice;
    SnCellMesh *mesh = make(ball, 1.0, 9, &lattice);
    static const int expected[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                       {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    double h = lattice->cell_size;
    assert_true(mesh->hex_count > 100);
    for (int hex = 0; hex < mesh->hex_count; ++hex) {
        const int *corners = mesh->hexes + 8 * hex;
        for (int k = 0; k < 8; ++k) {
            for (int c = 0; c < 3; ++c) {
                double along =
                    mesh->positions[3 * corners[k] + c] - mesh->positions[3 * corners[0] + c];
                // Positions are rounded, by some units in the last place of 1.
                assert_at_most(fabs(along - expected[k][c] * h), 1e-14);
            }
        }
        assert_at_most(fabs(sn_cell_mesh_volume(mesh, hex) / (h * h * h) - 1.0), 1e-12);
    }
    sn_cell_mesh_destroy(mesh, NULL);
    sn_cell_lattice_destroy(lattice, NULL);
}

static void a_hex_inside_out_has_a_negative_volume(void **state)
{
    (void)state;
    SnCellLattice *lattice;
    SnCellMesh *mesh = make(ball, 1.0, 4, &lattice);
    double before = sn_cell_mesh_volume(mesh, 0);
    for (int k = 0; k < 4; ++k) {
        int upper = mesh->hexes[k + 4];
        mesh->hexes[k + 4] = mesh->hexes[k];
        mesh->hexes[k] = upper;
    }
    assert_true(sn_cell_mesh_volume(mesh, 0) == -before);
    sn_cell_mesh_destroy(mesh, NULL);
    sn_cell_lattice_destroy(lattice, NULL);
}

static void interior_cells_come_first_and_are_full(void **state)
{
    (void)state;
    SnCellLattice *lattice;
    SnCellMesh *mesh = make(ball, 1.0, 12, &lattice);
    int interior = lattice->cell_count - lattice->boundary_count;
    double fills[2] = {0.0, 0.0};
    assert_true(interior > 0 && lattice->boundary_count > 0);
    for (int hex = 0; hex < mesh->hex_count; ++hex) {
        assert_int_equal(mesh->regions[hex], hex < interior ? SN_HEX_INTERIOR : SN_HEX_BOUNDARY);
        assert_true(hex >= interior || mesh->fills[hex] == 1.0f);
        fills[0] += (double)mesh->fills[hex];
        fills[1] += (double)lattice->fills[hex];
    }
    // Multiples of 1/64: sums are exact in any order.
    assert_true(fills[0] == fills[1]);
    assert_int_equal(mesh->names.count, SN_HEX_REGIONS);
    assert_string_equal(mesh->names.text[SN_HEX_INTERIOR], "interior");
    assert_string_equal(mesh->names.text[SN_HEX_BOUNDARY], "boundary");
    sn_cell_mesh_destroy(mesh, NULL);
    sn_cell_lattice_destroy(lattice, NULL);
}

static void parts_are_counted(void **state)
{
    (void)state;
    SnCellLattice *lattice;
    int count = 0;
    SnCellMesh *mesh = make(ball, 1.0, 10, &lattice);
    assert_int_equal(sn_cell_mesh_count_parts(mesh, NULL, &count, NULL), SINEW_OK);
    assert_int_equal(count, 1);
    sn_cell_mesh_destroy(mesh, NULL);
    sn_cell_lattice_destroy(lattice, NULL);
    mesh = make(two_balls, 2.5, 25, &lattice);
    assert_int_equal(sn_cell_mesh_count_parts(mesh, NULL, &count, NULL), SINEW_OK);
    assert_int_equal(count, 2);
    sn_cell_mesh_destroy(mesh, NULL);
    sn_cell_lattice_destroy(lattice, NULL);
}

static SinewStatus make_and_count(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SnCellMesh *mesh = NULL;
    int count = 0;
    SN_TRY(sn_cell_mesh_of_lattice(context, allocator, &mesh, error));
    SN_TRY(sn_cell_mesh_count_parts(mesh, allocator, &count, error));
done:
    sn_cell_mesh_destroy(mesh, allocator);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    SnCellLattice *lattice;
    assert_int_equal(make_lattice(ball, 1.0, 4, &lattice), SINEW_OK);
    assert_true(sn_fail_each_allocation(make_and_count, lattice) >= 7);
    sn_cell_lattice_destroy(lattice, NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(corners_go_around_the_lower_face_and_then_the_upper),
    cmocka_unit_test(a_hex_inside_out_has_a_negative_volume),
    cmocka_unit_test(interior_cells_come_first_and_are_full),
    cmocka_unit_test(parts_are_counted),
    cmocka_unit_test(every_allocation_may_fail),
};

SN_TEST_GROUP(geometry_cell_mesh, tests);
