// Another material for a body of tetmg: it moves on as one that was made of it.
#include "support/test.h"

#include "support/dropped.h"

#include <math.h>

static const double young = 4e4, other_young = 1e5; // Pa

// A beam that is held at one end and falls for some steps; how far its end has come along y.
static double sag(SinewTetmgMode mode, double made_of, double changed_to)
{
    SinewBodyDef def = sinew_body_def_default();
    SinewBodyId body;
    SinewError error = {0};
    def.shape.kind = SINEW_SHAPE_BOX;
    for (int k = 0; k < 3; ++k) {
        def.shape.max[k] = k == 0 ? 1.0 : 0.25;
        def.cells[k] = k == 0 ? 8 : 2;
    }
    def.model = SINEW_MODEL_TETMG;
    def.tetmg.mode = mode;
    def.material.young = made_of;
    SinewWorld *world = world_make(1);
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    world_hold(world, body, region_box(-1, -1, -1, 0.001, 2, 2));
    if (changed_to > 0.0) {
        SinewMaterial material = def.material;
        material.young = changed_to;
        expect_done(sinew_body_set_material(world, body, &material, &error), &error);
    }
    world_steps(world, 25, 0.01);
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    double least = 0.0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        least = fmin(least, mesh.positions[3 * v + 1] - mesh.rest[3 * v + 1]);
    }
    sinew_world_destroy(world);
    return least;
}

static void a_changed_body_moves_as_one_made_so(void **state)
{
    (void)state;
    for (int mode = SINEW_TETMG_IMPLICIT; mode <= SINEW_TETMG_PAPER; ++mode) {
        double soft = sag((SinewTetmgMode)mode, young, 0.0);
        double made = sag((SinewTetmgMode)mode, other_young, 0.0);
        double changed = sag((SinewTetmgMode)mode, young, other_young);
        print_message("sags by %.4f m, stiffer by %.4f m, changed to be so off by %.2g of that\n",
                      -soft, -made, changed / made - 1.0);
        assert_true(fabs(soft / made - 1.0) > 0.05);
        // Matrices are summed in another order, in float.
        assert_at_most(fabs(changed / made - 1.0), 1e-5);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_changed_body_moves_as_one_made_so),
};
SN_TEST_GROUP(model_tetmg_material, tests);
