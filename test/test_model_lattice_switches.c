// What `lattice` can be switched to: the differentials, cycles and smoothers of [A] and others, and
// that all of them find the same equilibria.
#include "support/test.h"

#include "base/random.h"
#include "model/lattice/cell.h"
#include "support/lattice_rig.h"

#include <math.h>

enum { POWER_STEPS = 60 };

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
        SnLatticeSolve solve = sn_lattice_multigrid_solve(m, NULL, false, 1e-5, 200);
        assert_at_most(solve.residual, 1e-5);
        for (int i = 0; i < count; ++i) {
            error[i] -= m->solution[i];
        }
        growth = sqrt(sn_lattice_level_dot(fine, NULL, error, error));
    }
    sn_free(NULL, error);
    return growth;
}

// [A]'s figures for a bar at 2.4 times its length and a Poisson ratio of 0.3: 4.87 for warped
// stiffness, 0.829 for Zhu et al., 0.0717 for the definite differential.
static void the_definite_differential_is_nearest(void **state)
{
    (void)state;
    const SinewLatticeDifferential kinds[] = {SINEW_LATTICE_WARPED, SINEW_LATTICE_ZHU,
                                              SINEW_LATTICE_DEFINITE};
    const int cells[3] = {16, 8, 8};
    double radius[3];
    for (int k = 0; k < 3; ++k) {
        SinewLatticeDef options = sinew_lattice_def_default();
        LatticeRig rig;
        SinewError error;
        options.element = SINEW_LATTICE_MCADAMS; // its exact tangent is exact
        lattice_rig_make(&rig, cells, 0.3, &options);
        assert_int_equal(lattice_rig_stretch(&rig, 2.4, 1e-7, &error), SINEW_OK);
        for (int l = 0; l < rig.body->multigrid.level_count; ++l) {
            rig.body->multigrid.levels[l].differential = kinds[k];
        }
        radius[k] = spectral_radius(&rig);
        lattice_rig_release(&rig);
    }
    print_message("modified Newton at 2.4x: warped %.3f, Zhu %.3f, definite %.4f\n", radius[0],
                  radius[1], radius[2]);
    assert_true(radius[0] > 1.0);
    assert_at_most(radius[1], 0.99);
    assert_at_most(radius[2], 0.1);
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
    for (int element = SINEW_LATTICE_WILSON; element <= SINEW_LATTICE_MCADAMS; ++element) {
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_definite_differential_is_nearest),
    cmocka_unit_test(every_switch_finds_the_same_shape),
    cmocka_unit_test(jacobi_converges_at_high_poisson_ratios),
    cmocka_unit_test(the_naive_rule_does_not_see_hourglasses),
};

SN_TEST_GROUP(model_lattice_switches, tests);
