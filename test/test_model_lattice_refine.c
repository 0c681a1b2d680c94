// Refinement: `lattice` and `newton` with hexahedra of eight quadrature points are two ways to the
// same continuum, so that their difference falls with the square of the cell's size.
#include "support/test.h"

#include "support/worlds.h"

#include <math.h>
#include <stdlib.h>

static bool is_outside(const double X[3])
{
    bool outside = false;
    for (int k = 0; k < 3; ++k) {
        outside = outside || X[k] < 1e-9 || X[k] > 1.0 - 1e-9;
    }
    return outside;
}

// The middle of a cube of n cells a side that is held all around, under a strong weight that is
// along no axis: nothing there is rough, so that the order shows.
static void find_middle(SinewBodyDef *def, int n, double out[3])
{
    SinewError error;
    SinewWorldDef world_def = sinew_world_def_default();
    SinewWorld *world = NULL;
    SinewBodyId body;
    world_def.gravity[0] = -200.0;
    world_def.gravity[1] = -450.0;
    world_def.gravity[2] = 100.0;
    def->shape.kind = SINEW_SHAPE_BOX;
    for (int k = 0; k < 3; ++k) {
        def->shape.max[k] = 1.0;
        def->cells[k] = n;
    }
    expect_done(sinew_world_create(&world_def, &world, &error), &error);
    expect_done(sinew_world_add_body(world, def, &body, &error), &error);
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    int *held = calloc((size_t)mesh.vertex_count, sizeof *held);
    int count = 0, middle = -1;
    assert_non_null(held);
    for (int v = 0; v < mesh.vertex_count; ++v) {
        const double *X = mesh.rest + 3 * (size_t)v;
        if (is_outside(X)) {
            held[count++] = v;
        }
        if (fabs(X[0] - 0.5) + fabs(X[1] - 0.5) + fabs(X[2] - 0.5) < 1e-9) {
            middle = v;
        }
    }
    world_hold(
        world, body,
        (SinewRegion){.kind = SINEW_REGION_VERTICES, .vertices = held, .vertex_count = count});
    expect_done(sinew_world_solve_static(world, 1.0, 1e-9, &error), &error);
    mesh = sinew_body_mesh(world, body);
    for (size_t k = 0; k < 3; ++k) {
        out[k] = mesh.positions[3 * (size_t)middle + k] - 0.5;
    }
    free(held);
    sinew_world_destroy(world);
}

static void the_difference_from_newton_is_of_second_order(void **state)
{
    (void)state;
    const SinewLatticeElement elements[] = {SINEW_LATTICE_WILSON, SINEW_LATTICE_MCADAMS};
    double newton[3][3];
    SinewBodyDef def = sinew_body_def_default();
    def.model = SINEW_MODEL_NEWTON;
    def.newton.element = SINEW_ELEMENT_HEX;
    for (int r = 0; r < 3; ++r) {
        find_middle(&def, 4 << r, newton[r]);
    }
    def.model = SINEW_MODEL_LATTICE;
    for (int e = 0; e < SN_COUNT(elements); ++e) {
        double apart[3];
        def.lattice.element = elements[e];
        for (int r = 0; r < 3; ++r) {
            double middle[3], sum = 0.0, length = 0.0;
            find_middle(&def, 4 << r, middle);
            for (int k = 0; k < 3; ++k) {
                sum += (middle[k] - newton[r][k]) * (middle[k] - newton[r][k]);
                length += newton[r][k] * newton[r][k];
            }
            apart[r] = sqrt(sum / length);
            print_message("element %d, %d cells: moved by %g, apart by %.3e of it\n", e, 4 << r,
                          sqrt(length), apart[r]);
        }
        // Halving the cells divides it by four, but for what higher orders add at four cells.
        assert_true(apart[0] > 2.8 * apart[1]);
        assert_true(apart[1] > 3.4 * apart[2]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_difference_from_newton_is_of_second_order),
};
SN_TEST_GROUP(model_lattice_refine, tests);
