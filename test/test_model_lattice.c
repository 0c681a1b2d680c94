// The lattice model through a world: accuracy of coarse cells, iterations of its solver, the same
// bits for any number of workers, memory, states and refusals.
#include "support/test.h"

#include "base/random.h"
#include "model/lattice/body.h"
#include "support/dropped.h"

#include <math.h>

static SinewBodyDef bar_def(int cells, SinewLatticeElement element, double poisson)
{
    SinewBodyDef def = sinew_body_def_default();
    def.shape.kind = SINEW_SHAPE_BOX;
    for (int k = 0; k < 3; ++k) {
        def.shape.min[k] = 0.0;
        def.shape.max[k] = k == 0 ? 1.6 : 0.2;
        def.cells[k] = k == 0 ? 8 * cells : cells;
    }
    def.model = SINEW_MODEL_LATTICE;
    def.lattice.element = element;
    def.material.poisson = poisson;
    return def;
}

static double tip_of(int cells, SinewLatticeElement element, double poisson, double gravity)
{
    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyDef def = bar_def(cells, element, poisson);
    SinewWorld *world = NULL;
    SinewBodyId body;
    SinewError error;
    world_def.gravity[1] = 0.0;
    world_def.gravity[2] = -gravity;
    expect_done(sinew_world_create(&world_def, &world, &error), &error);
    expect_done(sinew_world_add_body(world, &def, &body, &error), &error);
    world_hold(world, body, region_box(-0.01, -1, -1, 0.01, 1, 1));
    expect_done(sinew_world_solve_static(world, 1.0, 1e-8, &error), &error);
    assert_at_most(sinew_world_report(world).residual, 1e-8);
    SinewBodyMesh mesh = sinew_body_mesh(world, body);
    double sum = 0.0;
    int count = 0;
    for (int v = 0; v < mesh.vertex_count; ++v) {
        if (mesh.rest[3 * v] > 1.59) {
            sum += mesh.positions[3 * v + 2] - mesh.rest[3 * v + 2];
            count += 1;
        }
    }
    sinew_world_destroy(world);
    return sum / count;
}

// One cell of height bends like four; the paper's cell is far too stiff.
static void coarse_cells_are_right(void **state)
{
    (void)state;
    const double loads[] = {0.981, 9.81};
    for (int n = 0; n < 2; ++n) {
        double fine = tip_of(4, SINEW_LATTICE_WILSON, 0.3, loads[n]);
        assert_at_most(fabs(tip_of(1, SINEW_LATTICE_WILSON, 0.3, loads[n]) / fine - 1.0), 0.02);
        assert_at_most(fabs(tip_of(2, SINEW_LATTICE_WILSON, 0.3, loads[n]) / fine - 1.0), 0.012);
        assert_at_most(tip_of(1, SINEW_LATTICE_MCADAMS, 0.3, loads[n]) / fine, 0.5);
    }
}

// [A]'s cube: two opposite faces held, body force.
static int iterations_of(int n, int element, double poisson)
{
    const SnKernels *kernels = NULL;
    SnMaterial material;
    SinewMaterial given = sinew_material_default();
    SnShape shape = {.kind = SN_SHAPE_BOX, .box = {.max = {1.0, 1.0, 1.0}}};
    SnSolidDef solid_def = {
        .shape = &shape, .resolution = n, .cells = {n, n, n}, .pose = sn_affine_identity()};
    SnSolid *solid = NULL;
    SinewBodyDef options = sinew_body_def_default();
    SnMaterials list = {&material, NULL, 0};
    SnModelDef def = {.name = "cube", .materials = &list, .options = &options};
    SnLattice *body = NULL;
    given.poisson = poisson;
    options.lattice.element = (SinewLatticeElement)element;
    assert_int_equal(sn_material_make(&given, "the cube", &material, NULL), SINEW_OK);
    assert_int_equal(sn_kernels_pick(SN_FAST_BITS, &kernels, NULL), SINEW_OK);
    assert_int_equal(sn_solid_create(&solid_def, NULL, NULL, &solid, NULL), SINEW_OK);
    def.kernels = kernels;
    def.solid = solid;
    assert_int_equal(sn_lattice_model.create(&def, (void **)&body, NULL), SINEW_OK);
    SinewRegion ends[2] = {region_box(-1, -1, -1, 1e-6, 2, 2),
                           region_box(1 - 1e-6, -1, -1, 2, 2, 2)};
    SnPin pins[2] = {{.region = &ends[0], .axes = {true, true, true}},
                     {.region = &ends[1], .axes = {true, true, true}}};
    assert_int_equal(sn_lattice_model.set_pins(body, pins, 2, NULL), SINEW_OK);
    assert_int_equal(
        sn_lattice_multigrid_linearise(&body->multigrid, NULL, body->room.x64, NULL, NULL),
        SINEW_OK);
    for (int v = 0; v < body->mesh->vertex_count; ++v) {
        float b = body->pins.set.held[v] ? 0.0f : (float)body->masses[v];
        body->multigrid.levels[0].b[body->nodes[v] + 16] = -b;
    }
    SnLatticeSolve solve =
        sn_lattice_multigrid_solve(&body->multigrid, NULL, true, (SnLatticeGoal){1e-7, 0.0, 60});
    assert_at_most(solve.residual, 1e-7);
    assert_true(solve.iterations > 0);
    sn_lattice_model.destroy(body);
    sn_solid_destroy(solid);
    return solve.iterations;
}

static void the_solver_needs_few_iterations(void **state)
{
    (void)state;
    for (int n = 16; n <= 32; n *= 2) {
        assert_at_most(iterations_of(n, SINEW_LATTICE_WILSON, 0.3), 9);
        assert_at_most(iterations_of(n, SINEW_LATTICE_WILSON, 0.45), 13);
        assert_at_most(iterations_of(n, SINEW_LATTICE_MCADAMS, 0.3), 13);
    }
}

// A ball of cells: cut coarse cells, and contact with the floor.
static SinewBodyDef ball_def(void)
{
    SinewBodyDef def = dropped_ball_def(SINEW_MODEL_LATTICE, 13);
    def.lattice.integrator = SINEW_INTEGRATOR_BDF2;
    return def;
}

static void bits_are_the_same_for_any_workers(void **state)
{
    (void)state;
    SinewBodyDef def = ball_def();
    world_bits_agree(dropped_world, &def, 6, 8);
}

static void steps_allocate_nothing_and_restore(void **state)
{
    (void)state;
    SinewBodyDef def = ball_def();
    world_steps_allocate_nothing(dropped_world, &def, 3);
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    SinewBodyDef def = ball_def();
    assert_true(world_allocations_fail(dropped_world, &def) > 50);
}

static void refusals_are_sentences(void **state)
{
    (void)state;
    SinewBodyDef good = bar_def(1, SINEW_LATTICE_WILSON, 0.3), def = good;
    def.material.law = SINEW_LAW_NEO_HOOKEAN;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "expected corotated for lattice");
    def = good;
    def.lattice.tolerance = 2.0;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "tolerance of lattice is 2");
    def = good;
    def.lattice.integrator = SINEW_INTEGRATOR_NEWMARK;
    expect_body_refused(&def, SINEW_ERROR_ARGUMENT, "integrator of lattice");
    expect_rest_refused(&good, SINEW_ERROR_DIVERGED, "nothing holds it along y");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(coarse_cells_are_right),
    cmocka_unit_test(the_solver_needs_few_iterations),
    cmocka_unit_test(bits_are_the_same_for_any_workers),
    cmocka_unit_test(steps_allocate_nothing_and_restore),
    cmocka_unit_test(every_allocation_fails_once),
    cmocka_unit_test(refusals_are_sentences),
};

SN_TEST_GROUP(model_lattice, tests);
