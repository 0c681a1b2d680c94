// The lattice model through a world: accuracy of coarse cells, iterations of its solver, the same
// bits for any number of workers, memory, states and refusals.
#include "support/test.h"

#include "base/random.h"
#include "model/lattice/body.h"
#include "support/fail_allocator.h"
#include "support/worlds.h"

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
    SnPin pins[2] = {{&ends[0], {true, true, true}}, {&ends[1], {true, true, true}}};
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

// A ball of cells: cut coarse cells, dropped on a floor, with contact.
static SinewWorld *drop_ball(const SinewAllocator *allocator, int workers, SinewStart start,
                             SinewBodyId *out_body, SinewError *error)
{
    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyDef def = sinew_body_def_default();
    SinewColliderDef floor_def = sinew_collider_def_default();
    SinewColliderId floor_id;
    SinewWorld *world = NULL;
    world_def.worker_count = workers;
    world_def.allocator = allocator != NULL ? *allocator : (SinewAllocator){0};
    def.shape.kind = SINEW_SHAPE_SPHERE;
    def.shape.radius = 0.3;
    def.shape.center[1] = 0.31;
    def.resolution = 13;
    def.model = SINEW_MODEL_LATTICE;
    def.lattice.integrator = SINEW_INTEGRATOR_BDF2;
    def.material.young = 2e4;
    def.start = start;
    floor_def.shape.kind = SINEW_SHAPE_PLANE;
    floor_def.shape.normal[0] = floor_def.shape.normal[2] = 0.0;
    floor_def.shape.normal[1] = 1.0;
    if (sinew_world_create(&world_def, &world, error) < 0) {
        return NULL;
    }
    if (sinew_world_add_body(world, &def, out_body, error) < 0 ||
        sinew_world_add_collider(world, &floor_def, &floor_id, error) < 0) {
        sinew_world_destroy(world);
        return NULL;
    }
    return world;
}

static void bits_are_the_same_for_any_workers(void **state)
{
    (void)state;
    const int workers[] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int n = 0; n < 4; ++n) {
        SinewBodyId body;
        SinewError error;
        SinewWorld *world = drop_ball(NULL, workers[n], SINEW_START_REST, &body, &error);
        assert_non_null(world);
        world_steps(world, 6, 0.02);
        uint64_t hash = world_hash(world, body);
        first = n == 0 ? hash : first;
        assert_true(hash == first);
        sinew_world_destroy(world);
    }
}

static void steps_allocate_nothing_and_restore(void **state)
{
    (void)state;
    SnFailAllocator count;
    SinewBodyId body;
    SinewError error;
    sn_fail_allocator_init(&count, -1);
    SinewWorld *world = drop_ball(&count.allocator, 1, SINEW_START_REST, &body, &error);
    assert_non_null(world);
    world_steps(world, 3, 0.02);
    int64_t calls = count.calls;
    world_steps(world, 3, 0.02);
    assert_int_equal(count.calls, calls);
    size_t size = sinew_world_state_size(world);
    void *bytes = malloc(size);
    expect_done(sinew_world_save(world, bytes, size, &error), &error);
    world_steps(world, 2, 0.02);
    uint64_t hash = world_hash(world, body);
    expect_done(sinew_world_restore(world, bytes, size, &error), &error);
    world_steps(world, 2, 0.02);
    assert_true(world_hash(world, body) == hash);
    free(bytes);
    sinew_world_destroy(world);
    assert_int_equal(count.blocks, 0);
}

static SinewStatus build(const SinewAllocator *allocator, void *context, SinewError *error)
{
    SinewBodyId body;
    SinewWorld *world = drop_ball(allocator, 1, SINEW_START_REST, &body, error);
    (void)context;
    if (world == NULL) {
        return error->status;
    }
    sinew_world_destroy(world);
    return SINEW_OK;
}

static void every_allocation_fails_once(void **state)
{
    (void)state;
    assert_true(sn_fail_each_allocation(build, NULL) > 50);
}

static void expect_refusal(const SinewBodyDef *def, bool solve, const char *words)
{
    SinewWorld *world = world_make(1);
    SinewBodyId body;
    SinewError error = {0};
    SinewStatus status = sinew_world_add_body(world, def, &body, &error);
    if (solve) {
        expect_done(status, &error);
        status = sinew_world_solve_static(world, 1.0, 0.0, &error);
    }
    assert_int_equal(status, SINEW_ERROR_ARGUMENT);
    if (strstr(error.text, words) == NULL) {
        fail_msg("\"%s\" has no \"%s\"", error.text, words);
    }
    sinew_world_destroy(world);
}

static void refusals_are_sentences(void **state)
{
    (void)state;
    SinewBodyDef good = bar_def(1, SINEW_LATTICE_WILSON, 0.3), def = good;
    def.cells[1] = 2;
    expect_refusal(&def, false, "expected cubes");
    def = good;
    def.material.law = SINEW_LAW_NEO_HOOKEAN;
    expect_refusal(&def, false, "expected corotated for lattice");
    def = good;
    def.lattice.tolerance = 2.0;
    expect_refusal(&def, false, "tolerance of lattice is 2");
    def = good;
    def.lattice.integrator = SINEW_INTEGRATOR_NEWMARK;
    expect_refusal(&def, false, "integrator of lattice");
    expect_refusal(&good, true, "holds the piece with vertex 0");
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
