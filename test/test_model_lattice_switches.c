// What `lattice` can be switched to: the differentials, cycles and smoothers of [A] and others, and
// that all of them find the same equilibria.
#include "support/test.h"

#include "base/random.h"
#include "model/lattice/cell.h"
#include "support/dropped.h"
#include "support/lattice_rig.h"

#include <math.h>

enum { POWER_STEPS = 40 };

// The spectral radius of I - J'^-1 J at a state, J the derivative of the forces and J' what the
// body takes for it: what modified Newton makes of an error in the end [A sec 5]. Both are
// symmetric and J' is definite, so power iteration finds it.
static double spectral_radius(LatticeRig *rig)
{
    SnLatticeMultigrid *m = &rig->body->multigrid;
    SnLatticeLevel *fine = &m->levels[0];
    int count = sn_lattice_grid_numbers(&fine->grid);
    float *error = sn_alloc_zero(NULL, (size_t)count, sizeof *error);
    SnRandom random = {11};
    double growth = 0.0;
    assert_non_null(error);
    assert_int_equal(sn_lattice_multigrid_linearise(m, NULL, rig->body->room.x64, NULL, NULL),
                     SINEW_OK);
    for (int i = 0; i < count; ++i) {
        error[i] = fine->d_inverse[i] != 0.0f ? (float)sn_random_between(&random, -1.0, 1.0) : 0.0f;
    }
    for (int n = 0; n < POWER_STEPS; ++n) {
        double before = sqrt(sn_lattice_level_dot(fine, NULL, error, error));
        for (int i = 0; i < count; ++i) {
            error[i] = (float)((double)error[i] / before);
        }
        sn_lattice_level_apply(fine, NULL, true, error, fine->b);
        fine->kernels->mask(fine->d_inverse, count, fine->b);
        SnLatticeSolve solve =
            sn_lattice_multigrid_solve(m, NULL, false, (SnLatticeGoal){1e-5, 0.0, 200});
        assert_at_most(solve.residual, 1e-5);
        for (int i = 0; i < count; ++i) {
            error[i] -= m->solution[i];
        }
        growth = sqrt(sn_lattice_level_dot(fine, NULL, error, error));
    }
    sn_free(NULL, error);
    return growth;
}

// With the differential `kind` in all levels, at 2.4 times the length.
static double radius_of(const int cells[3], SinewLatticeDifferential kind)
{
    SinewLatticeDef options = sinew_lattice_def_default();
    LatticeRig rig;
    SinewError error;
    options.element = SINEW_LATTICE_MCADAMS; // its exact tangent is exact
    lattice_rig_make(&rig, cells, 0.3, &options);
    assert_int_equal(lattice_rig_stretch(&rig, 2.4, 1e-7, &error), SINEW_OK);
    for (int l = 0; l < rig.body->multigrid.level_count; ++l) {
        rig.body->multigrid.levels[l].differential = kind;
    }
    double radius = spectral_radius(&rig);
    lattice_rig_release(&rig);
    return radius;
}

// [A]'s figures for a bar at 2.4 times its length and a Poisson ratio of 0.3: 4.87 for warped
// stiffness, 0.829 for Zhu et al., 0.0717 for the definite differential.
static void the_definite_differential_is_nearest(void **state)
{
    (void)state;
    const int shapes[2][3] = {{16, 8, 8}, {16, 4, 4}};
    for (int n = sn_test_is_slow() ? 1 : 0; n < 2; ++n) {
        double warped = radius_of(shapes[n], SINEW_LATTICE_WARPED);
        double zhu = radius_of(shapes[n], SINEW_LATTICE_ZHU);
        double definite = radius_of(shapes[n], SINEW_LATTICE_DEFINITE);
        print_message("modified Newton at 2.4x: warped %.3f, Zhu %.3f, definite %.4f\n", warped,
                      zhu, definite);
        assert_true(warped > 1.0);
        assert_at_most(zhu, 0.99);
        assert_at_most(definite, 0.1);
    }
}

typedef struct Way {
    SinewLatticeDifferential differential;
    SinewLatticeCycle cycle;
    SinewLatticeSmoother smoother;
    int iterations; // no more than these
} Way;

enum { NUMBERS = 3 * 21 * 81 }; // of a bar of 20 x 8 x 8 cells: two levels

// Pulled to 1.3 times its length and turned by a right angle, in one solve.
static void find_shape(int element, const Way *way, double *out)
{
    const int cells[3] = {20, 8, 8};
    SinewLatticeDef options = sinew_lattice_def_default();
    LatticeRig rig;
    SinewError error = {0};
    options.element = (SinewLatticeElement)element;
    options.differential = way->differential;
    options.cycle = way->cycle;
    options.smoother = way->smoother;
    options.max_iterations = 400;
    lattice_rig_make(&rig, cells, 0.3, &options);
    assert_true(rig.body->multigrid.level_count > 1);
    if (lattice_rig_twist(&rig, 1.3, 1e-6, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
    memcpy(out, rig.body->state.positions, NUMBERS * sizeof *out);
    print_message("element %d, differential %d, cycle %d, smoother %d: %d iterations, %d of the "
                  "solver, %d load steps\n",
                  element, (int)way->differential, (int)way->cycle, (int)way->smoother,
                  rig.report.iterations, rig.report.linear_solves, rig.report.substeps);
    assert_at_most(rig.report.iterations, way->iterations);
    lattice_rig_release(&rig);
}

static void every_switch_finds_the_same_shape(void **state)
{
    (void)state;
    static const Way ways[] = {
        {SINEW_LATTICE_EXACT, SINEW_LATTICE_VCYCLE, SINEW_LATTICE_CHEBYSHEV, 15},
        {SINEW_LATTICE_DEFINITE, SINEW_LATTICE_VCYCLE, SINEW_LATTICE_CHEBYSHEV, 30},
        {SINEW_LATTICE_WARPED, SINEW_LATTICE_VCYCLE, SINEW_LATTICE_CHEBYSHEV, 60},
        {SINEW_LATTICE_EXACT, SINEW_LATTICE_VCYCLE, SINEW_LATTICE_JACOBI, 15},
        {SINEW_LATTICE_EXACT, SINEW_LATTICE_FAS, SINEW_LATTICE_CHEBYSHEV, 40},
        {SINEW_LATTICE_EXACT, SINEW_LATTICE_FAS, SINEW_LATTICE_JACOBI, 40}};
    static double first[NUMBERS], found[NUMBERS];
    int last = sn_test_is_slow() ? SINEW_LATTICE_WILSON : SINEW_LATTICE_MCADAMS;
    for (int element = SINEW_LATTICE_WILSON; element <= last; ++element) {
        find_shape(element, &ways[0], first);
        for (int w = 1; w < SN_COUNT(ways); ++w) {
            find_shape(element, &ways[w], found);
            for (int i = 0; i < NUMBERS; ++i) {
                // A residual of 1e-6 leaves vertices of this bar of 20 m within about this.
                assert_at_most(fabs(found[i] - first[i]), 1e-3);
            }
        }
    }
}

// Damped Jacobi where 0.8 would diverge.
static void jacobi_converges_at_high_poisson_ratios(void **state)
{
    (void)state;
    const int cells[3] = {16, 6, 6};
    SinewLatticeDef options = sinew_lattice_def_default();
    SinewError error;
    options.smoother = SINEW_LATTICE_JACOBI;
    for (int n = 0; n < 2; ++n) {
        LatticeRig rig;
        lattice_rig_make(&rig, cells, n == 0 ? 0.45 : 0.3, &options);
        assert_int_equal(lattice_rig_twist(&rig, 1.2, 1e-6, &error), SINEW_OK);
        assert_at_most(rig.report.iterations, 15);
        lattice_rig_release(&rig);
    }
}

// One point alone does not see a cell fold into an hourglass; that is what the others stabilise.
static void the_naive_rule_does_not_see_hourglasses(void **state)
{
    (void)state;
    const int cells[3] = {2, 2, 2};
    SinewLatticeDef options = sinew_lattice_def_default();
    for (int element = SINEW_LATTICE_WILSON; element <= SINEW_LATTICE_NAIVE; ++element) {
        LatticeRig rig;
        SnMeasure measure;
        options.element = (SinewLatticeElement)element;
        lattice_rig_make(&rig, cells, 0.3, &options);
        for (int v = 0; v < rig.body->mesh->vertex_count; ++v) {
            const double *X = rig.body->mesh->positions + 3 * v;
            int odd = ((int)X[0] + (int)X[1] + (int)X[2]) % 2;
            rig.body->state.positions[3 * v] += odd ? 0.1 : -0.1;
        }
        sn_lattice_model.measure(rig.body, &measure);
        if (element == SINEW_LATTICE_NAIVE) {
            assert_at_most(fabs(measure.elastic), 1e-9);
        } else {
            assert_true(measure.elastic > 1e3);
        }
        lattice_rig_release(&rig);
    }
}

// A ball with everything switched on: weighted cells, stiffness damping, a stiff core, an
// attachment that moves, the full approximation scheme, a floor.
static SinewStatus make_all(const SinewAllocator *allocator, int workers, const void *context,
                            SinewWorld **out_world, SinewBodyId *out_body, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SinewWorldDef world_def = sinew_world_def_default();
    SinewBodyDef def = dropped_ball_def(SINEW_MODEL_LATTICE, 12);
    SinewMaterialRegion core = {.within = {.kind = SINEW_REGION_SPHERE, .radius = 0.1}};
    SinewKey keys[2] = {sinew_key_default(), sinew_key_default()};
    SinewAttachmentDef tie = sinew_attachment_def_default();
    SinewColliderDef ground = sinew_collider_def_default();
    SinewAttachmentId tie_id;
    SinewColliderId ground_id;
    (void)context;
    *out_world = NULL;
    world_def.worker_count = workers;
    world_def.allocator = allocator != NULL ? *allocator : (SinewAllocator){0};
    def.shape.center[1] = 0.0;
    def.lattice.fill = SINEW_LATTICE_WEIGHTED;
    def.lattice.cycle = SINEW_LATTICE_FAS;
    def.lattice.tolerance = 1e-5;
    def.material.damping_stiffness = 0.01;
    core.material = def.material;
    core.material.young = 1e6;
    def.regions = &core;
    def.region_count = 1;
    SN_TRY(sinew_world_create(&world_def, out_world, error));
    SN_TRY(sinew_world_add_body(*out_world, &def, out_body, error));
    keys[1].t = 0.1;
    keys[1].translate[0] = 0.05;
    tie.body = *out_body;
    tie.within = region_box(-1, 0.1, -1, 1, 1, 1);
    tie.stiffness = 1e3;
    tie.keys = keys;
    tie.key_count = 2;
    SN_TRY(sinew_world_add_attachment(*out_world, &tie, &tie_id, error));
    ground.shape.kind = SINEW_SHAPE_PLANE;
    ground.shape.offset = -0.29;
    SN_TRY(sinew_world_add_collider(*out_world, &ground, &ground_id, error));

done:
    return status;
}

static void all_switches_keep_the_bits(void **state)
{
    (void)state;
    world_bits_agree(make_all, NULL, 2, sn_test_is_slow() ? 2 : 8);
}

static void all_switches_step_without_memory(void **state)
{
    (void)state;
    world_steps_allocate_nothing(make_all, NULL, 2);
}

static void every_allocation_of_all_switches_fails_once(void **state)
{
    (void)state;
    if (!sn_test_is_slow()) {
        assert_true(world_allocations_fail(make_all, NULL) > 60);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_definite_differential_is_nearest),
    cmocka_unit_test(every_switch_finds_the_same_shape),
    cmocka_unit_test(jacobi_converges_at_high_poisson_ratios),
    cmocka_unit_test(the_naive_rule_does_not_see_hourglasses),
    cmocka_unit_test(all_switches_keep_the_bits),
    cmocka_unit_test(all_switches_step_without_memory),
    cmocka_unit_test(every_allocation_of_all_switches_fails_once),
};

SN_TEST_GROUP(model_lattice_switches, tests);
