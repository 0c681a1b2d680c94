// Static solves of the reference model against closed forms and figures of other codes.
#include "support/newton_rig.h"
#include "support/test.h"

#include "base/random.h"

#include <math.h>

static void pin_box(SnNewtonRig *rig, const SnNewtonRigPin *pins, int count)
{
    SinewError error;
    if (sn_newton_rig_pins(rig, pins, count, &error) != SINEW_OK) {
        fail_msg("%s", error.text);
    }
}

// The beam S5 of the validation set, from two other codes: tip centre and elastic energy.
static void test_beam_of_five_tets(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    memcpy(def.max, (double[3]){1.0, 0.2, 0.2}, sizeof def.max);
    memcpy(def.cells, (int[3]){20, 4, 4}, sizeof def.cells);
    def.cut = SN_BOX_FIVE;
    def.material.young = 5e5;
    def.material.poisson = 0.35;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    pin_box(&rig, &(SnNewtonRigPin){{-1, -1, -1}, {1e-6, 1, 1}, "xyz"}, 1);
    rig.step.gravity[1] = -9.81;
    sn_newton_rig_solve(&rig, SINEW_OK);
    SnMeasure measure;
    sn_newton_model.measure(rig.body, &measure);
    // Six digits are given there.
    assert_at_most(fabs(sn_newton_rig_moved(&rig, 512, 0) + 0.163510), 1e-6);
    assert_at_most(fabs(sn_newton_rig_moved(&rig, 512, 1) + 0.524479), 1e-6);
    assert_at_most(fabs(sn_newton_rig_moved(&rig, 524, 1) + 0.548734), 1e-6);
    assert_at_most(fabs(measure.elastic - 38.867052), 1e-4);
    assert_at_most(fabs(measure.smallest_det - 0.828), 5e-4);
    assert_at_most(rig.report.residual, 1e-9);
    sn_newton_rig_destroy(&rig);
}

// Rows of P08: a cantilever of 2 x 0.25 x 0.25 m under a tenth of its weight, 16 x 2 x 2 cells,
// from another code with the same elements.
static void test_cantilever_rows(void **state)
{
    (void)state;
    static const struct {
        SinewElement element;
        SinewLaw law;
        double uz, ux; // m
    } ROWS[] = {
        {SINEW_ELEMENT_HEX, SINEW_LAW_COROTATED, -0.065975846, -0.0012253374},
        {SINEW_ELEMENT_TET, SINEW_LAW_COROTATED, -0.03858387, -0.00046269745},
        {SINEW_ELEMENT_HEX, SINEW_LAW_NEO_HOOKEAN, -0.065976257, -0.0012176962},
        {SINEW_ELEMENT_TET, SINEW_LAW_NEO_HOOKEAN, -0.038597862, -0.00045860873},
    };
    for (int r = 0; r < SN_COUNT(ROWS); ++r) {
        SnNewtonRigDef def = sn_newton_rig_default();
        memcpy(def.max, (double[3]){2.0, 0.25, 0.25}, sizeof def.max);
        memcpy(def.cells, (int[3]){16, 2, 2}, sizeof def.cells);
        def.material.young = 5e6;
        def.material.law = ROWS[r].law;
        def.newton.element = ROWS[r].element;
        SnNewtonRig rig = sn_newton_rig_make(&def);
        pin_box(&rig, &(SnNewtonRigPin){{-1, -1, -1}, {1e-6, 1, 1}, "xyz"}, 1);
        rig.step.gravity[2] = -0.981;
        sn_newton_rig_solve(&rig, SINEW_OK);
        int tip = sn_newton_rig_vertex(&rig, 2.0, 0.125, 0.125);
        // Eight digits are given, with an error of 1e-5 at most.
        assert_at_most(fabs(sn_newton_rig_moved(&rig, tip, 2) / ROWS[r].uz - 1.0), 1e-5);
        assert_at_most(fabs(sn_newton_rig_moved(&rig, tip, 0) / ROWS[r].ux - 1.0), 1e-5);
        sn_newton_rig_destroy(&rig);
    }
}

// The tip of a cantilever comes nearer to the continuum's -0.075647 m as cells get smaller: with
// the clamp's singular edges a little slower than h^2.
static void test_cantilever_converges(void **state)
{
    (void)state;
    double errors[2];
    for (int i = 0; i < 2; ++i) {
        int n = 2 << i;
        SnNewtonRigDef def = sn_newton_rig_default();
        memcpy(def.max, (double[3]){2.0, 0.25, 0.25}, sizeof def.max);
        memcpy(def.cells, (int[3]){8 * n, n, n}, sizeof def.cells);
        def.material.young = 5e6;
        def.newton.element = SINEW_ELEMENT_HEX;
        SnNewtonRig rig = sn_newton_rig_make(&def);
        SinewError error;
        void *points = NULL;
        double X[3] = {2.0, 0.125, 0.125}, x[3];
        pin_box(&rig, &(SnNewtonRigPin){{-1, -1, -1}, {1e-6, 1, 1}, "xyz"}, 1);
        rig.step.gravity[2] = -0.981;
        sn_newton_rig_solve(&rig, SINEW_OK);
        assert_int_equal(sn_newton_model.points_create(rig.body, X, 1, &points, &error), SINEW_OK);
        sn_newton_model.points_place(rig.body, points, x, NULL);
        errors[i] = fabs(x[2] - X[2] + 0.075646909) / 0.075646909;
        sn_newton_model.points_destroy(rig.body, points);
        sn_newton_rig_destroy(&rig);
    }
    // The validation set has 0.8722 and 0.9619 of the continuum's deflection for these meshes.
    assert_at_most(fabs(errors[0] - 0.1278), 1e-4);
    assert_at_most(fabs(errors[1] - 0.0381), 1e-4);
    assert_true(errors[0] / errors[1] > 2.8 && errors[0] / errors[1] < 4.0);
}

// A bar that hangs by its end stretches by rho g L^2 / (2 E) in all, and sum of reactions is its
// weight. Hexahedra are exact at vertices with nu = 0.
static void test_hanging_bar(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    memcpy(def.max, (double[3]){0.2, 1.0, 0.2}, sizeof def.max);
    memcpy(def.cells, (int[3]){2, 10, 2}, sizeof def.cells);
    def.material.poisson = 0.0;
    def.newton.element = SINEW_ELEMENT_HEX;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    double wrench[6];
    pin_box(&rig, &(SnNewtonRigPin){{-1, 1 - 1e-6, -1}, {1, 2, 1}, "xyz"}, 1);
    rig.step.gravity[1] = -9.81;
    sn_newton_rig_solve(&rig, SINEW_OK);
    double stretch = 1000.0 * 9.81 / 2e6;
    int foot = sn_newton_rig_vertex(&rig, 0.1, 0.0, 0.1);
    assert_at_most(fabs(sn_newton_rig_moved(&rig, foot, 1) + stretch), 1e-11);
    sn_newton_model.reaction(rig.body, 0, wrench);
    assert_at_most(fabs(wrench[1] - 40.0 * 9.81), 1e-6);
    assert_at_most(fabs(wrench[5] - 0.1 * 40.0 * 9.81), 1e-6); // about z: x f_y
    sn_newton_rig_destroy(&rig);
}

// A cube on rollers pulled along x; P_xx of each law at a stretch of 1.5 (P02), nu = 0.3, E = 1000.
static void pull(SinewLaw law, SinewElement element, double stretch, SinewStatus expected,
                 double out_result[2])
{
    SnNewtonRigDef def = sn_newton_rig_default();
    def.material.law = law;
    def.material.young = 1000.0;
    def.newton.element = element;
    memcpy(def.cells, (int[3]){2, 2, 2}, sizeof def.cells);
    SnNewtonRig rig = sn_newton_rig_make(&def);
    double wrench[6];
    SnNewtonRigPin pins[] = {{{-1, -1, -1}, {1e-6, 2, 2}, "x"},
                             {{1 - 1e-6, -1, -1}, {2, 2, 2}, "x"},
                             {{-1, -1, -1}, {2, 1e-6, 2}, "y"},
                             {{-1, -1, -1}, {2, 2, 1e-6}, "z"}};
    pin_box(&rig, pins, 4);
    assert_int_equal(sn_newton_model.dof_count(rig.body), 81 - 9 - 9 - 9 - 9);
    rig.motions[1].m[3] = stretch - 1.0;
    sn_newton_rig_solve(&rig, expected);
    sn_newton_model.reaction(rig.body, 1, wrench);
    out_result[0] = wrench[0];
    out_result[1] = 1.0 + sn_newton_rig_moved(&rig, sn_newton_rig_vertex(&rig, 1, 1, 1), 1);
    sn_newton_rig_destroy(&rig);
}

static void test_uniaxial(void **state)
{
    (void)state;
    double result[2];
    for (int element = 0; element < 2; ++element) {
        // Corotated: P = E (s - 1), lateral stretch 1 - nu (s - 1).
        pull(SINEW_LAW_COROTATED, (SinewElement)element, 1.5, SINEW_OK, result);
        assert_at_most(fabs(result[0] - 500.0), 1e-5);
        assert_at_most(fabs(result[1] - 0.85), 1e-8);
        // St. Venant-Kirchhoff: P = E s (s^2 - 1) / 2, lateral sqrt(1 - nu (s^2 - 1)).
        pull(SINEW_LAW_SVK, (SinewElement)element, 1.5, SINEW_OK, result);
        assert_at_most(fabs(result[0] - 937.5), 1e-5);
        assert_at_most(fabs(result[1] - sqrt(1.0 - 0.3 * 1.25)), 1e-8);
        pull(SINEW_LAW_SVK, (SinewElement)element, 0.7, SINEW_OK, result);
        assert_at_most(fabs(result[0] + 178.5), 1e-5);
    }
}

// Beyond sqrt(1 + 1/nu) = 2.08 St. Venant-Kirchhoff has no state with free sides but one without
// any volume, which must not be the answer.
static void test_no_equilibrium(void **state)
{
    (void)state;
    double result[2];
    pull(SINEW_LAW_SVK, SINEW_ELEMENT_HEX, 2.4, SINEW_ERROR_DIVERGED, result);
    pull(SINEW_LAW_SVK, SINEW_ELEMENT_TET, 2.4, SINEW_ERROR_DIVERGED, result);
}

// A column on rollers whose weight is more than E / (3 sqrt 3) of its area can carry under that
// law.
static void test_overloaded_column(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    memcpy(def.max, (double[3]){0.25, 0.25, 1.0}, sizeof def.max);
    memcpy(def.cells, (int[3]){1, 1, 4}, sizeof def.cells);
    def.material.law = SINEW_LAW_SVK;
    def.material.young = 3e4;
    def.material.poisson = 0.0;
    def.newton.element = SINEW_ELEMENT_HEX;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SinewError error;
    SnNewtonRigPin pins[] = {{{-1, -1, -1}, {2, 2, 1e-6}, "z"},
                             {{-1, -1, -1}, {1e-6, 2, 2}, "x"},
                             {{-1, -1, -1}, {2, 1e-6, 2}, "y"}};
    pin_box(&rig, pins, 3);
    rig.step.gravity[2] = -9.81;
    rig.step.pin_motions = rig.motions;
    assert_int_equal(sn_newton_model.solve_static(rig.body, &rig.step, &rig.report, &error),
                     SINEW_ERROR_DIVERGED);
    assert_non_null(strstr(error.text, "body \"rig\" has no stable equilibrium in reach after"));
    assert_non_null(strstr(error.text, "which law svk does not resist"));
    sn_newton_rig_destroy(&rig);
}

// Affine data on the boundary of a distorted mesh gives affine places inside, whatever the law.
static void test_patch(void **state)
{
    (void)state;
    const SnAffine map = {{1.15, 0.1, -0.05, 0.0, 0.08, 0.92, 0.12, 0.0, -0.03, 0.06, 1.05, 0.0}};
    // Energies of P04: V Psi(F) with E = 1000, nu = 0.3.
    static const double ENERGIES[] = {[SINEW_LAW_COROTATED] = 29.98207640622552,
                                      [SINEW_LAW_FIXED_COROTATED] = 28.20427214814491,
                                      [SINEW_LAW_SVK] = 33.984826923076895,
                                      [SINEW_LAW_NEO_HOOKEAN] = 27.772250041353146,
                                      [SINEW_LAW_STABLE_NEO_HOOKEAN] = 28.53114612358719,
                                      [SINEW_LAW_MOONEY_RIVLIN] = 27.32256235391614};
    for (int law = SINEW_LAW_COROTATED; law <= SINEW_LAW_MOONEY_RIVLIN; ++law) {
        SnTetMesh *mesh = NULL;
        SnBoxTetsDef box = {.max = {1.0, 1.0, 1.0}, .cells = {3, 3, 3}, .cut = SN_BOX_FIVE};
        SnNewtonRigDef def = sn_newton_rig_default();
        SnRandom random = {9};
        assert_int_equal(sn_box_tets_create(&box, NULL, &mesh, NULL), SINEW_OK);
        for (int i = 0; i < 3 * mesh->vertex_count; ++i) {
            const double *X = mesh->positions + i / 3 * 3;
            bool inside =
                fabs(X[0] - 0.5) < 0.4 && fabs(X[1] - 0.5) < 0.4 && fabs(X[2] - 0.5) < 0.4;
            mesh->positions[i] += inside ? sn_random_between(&random, -0.05, 0.05) : 0.0;
        }
        def.tets = mesh;
        def.material.law = (SinewLaw)law;
        def.material.young = 1000.0;
        SnNewtonRig rig = sn_newton_rig_make(&def);
        // Six slabs around the inside, each a pin of its own so that none holds what another does.
        SnNewtonRigPin pins[] = {{{-1, -1, -1}, {1e-6, 2, 2}, "xyz"},
                                 {{1 - 1e-6, -1, -1}, {2, 2, 2}, "xyz"},
                                 {{1e-3, -1, -1}, {1 - 1e-3, 1e-6, 2}, "xyz"},
                                 {{1e-3, 1 - 1e-6, -1}, {1 - 1e-3, 2, 2}, "xyz"},
                                 {{1e-3, 1e-3, -1}, {1 - 1e-3, 1 - 1e-3, 1e-6}, "xyz"},
                                 {{1e-3, 1e-3, 1 - 1e-6}, {1 - 1e-3, 1 - 1e-3, 2}, "xyz"}};
        SnMeasure measure;
        pin_box(&rig, pins, 6);
        for (int p = 0; p < 6; ++p) {
            rig.motions[p] = map;
        }
        sn_newton_rig_solve(&rig, SINEW_OK);
        for (int v = 0; v < rig.body->elements.vertex_count; ++v) {
            double x[3];
            sn_affine_apply(&map, rig.body->elements.rest + 3 * v, x);
            for (int k = 0; k < 3; ++k) {
                assert_at_most(fabs(rig.body->state.positions[3 * v + k] - x[k]), 1e-9);
            }
        }
        sn_newton_model.measure(rig.body, &measure);
        assert_at_most(fabs(measure.elastic / ENERGIES[law] - 1.0), 1e-9);
        sn_newton_rig_destroy(&rig);
        sn_tet_mesh_destroy(mesh, NULL);
    }
}

// A face turned by half a turn in one solve of a law with a barrier: load steps are inserted, the
// way is that of a rigid face, and the torque is P10's.
static void test_half_a_turn(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    memcpy(def.min, (double[3]){0.0, -0.1, -0.1}, sizeof def.min);
    memcpy(def.max, (double[3]){1.0, 0.1, 0.1}, sizeof def.max);
    memcpy(def.cells, (int[3]){10, 2, 2}, sizeof def.cells);
    def.material.law = SINEW_LAW_NEO_HOOKEAN;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    double wrench[6];
    SnNewtonRigPin pins[] = {{{-1, -1, -1}, {1e-6, 1, 1}, "xyz"},
                             {{1 - 1e-6, -1, -1}, {2, 1, 1}, "xyz"}};
    pin_box(&rig, pins, 2);
    // Half a turn has no short way round: 179.9 degrees first.
    double angle = 179.9 * 3.14159265358979323846 / 180.0;
    rig.motions[1] =
        (SnAffine){{1, 0, 0, 0, 0, cos(angle), -sin(angle), 0, 0, sin(angle), cos(angle), 0}};
    sn_newton_rig_solve(&rig, SINEW_OK);
    assert_true(rig.report.substeps > 0);
    rig.motions[1] = (SnAffine){{1, 0, 0, 0, 0, -1, 0, 0, 0, 0, -1, 0}};
    sn_newton_rig_solve(&rig, SINEW_OK);
    sn_newton_model.reaction(rig.body, 1, wrench);
    assert_at_most(fabs(wrench[3] / 638.00282 - 1.0), 1e-5); // eight digits given, error 1e-5
    assert_at_most(fabs(wrench[0] + 562.83931), 0.01);
    sn_newton_rig_destroy(&rig);
}

// Solving again where the body is in equilibrium costs no iteration.
static void test_nothing_to_do(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    SnNewtonRig rig = sn_newton_rig_make(&def);
    pin_box(&rig, &(SnNewtonRigPin){{-1, -1, -1}, {1e-6, 2, 2}, "xyz"}, 1);
    rig.step.gravity[1] = -9.81;
    sn_newton_rig_solve(&rig, SINEW_OK);
    assert_true(rig.report.iterations > 0);
    sn_newton_rig_solve(&rig, SINEW_OK);
    assert_int_equal(rig.report.iterations, 0);
    sn_newton_rig_destroy(&rig);
}

// Two bars in series of St. Venant-Kirchhoff's law without lateral strain, half the length each:
// P = E (s^3 - s) / 2 is the same in both, which falls until a stretch of 1 / sqrt 3. Stretches of
// the stiff and the soft one for a length of `stretch`; false beyond that limit.
static bool press_in_series(double ratio, double stretch, double out[2])
{
    double low = sqrt(1.0 / 3.0), high = 1.0, stiff = 1.0;
    for (int i = 0; i < 200; ++i) {
        double soft = 0.5 * (low + high);
        double force = (soft * soft * soft - soft) / ratio;
        double from = sqrt(1.0 / 3.0), to = 1.0;
        for (int j = 0; j < 100; ++j) {
            stiff = 0.5 * (from + to);
            *(stiff * stiff * stiff - stiff > force ? &to : &from) = stiff;
        }
        *(stiff + soft > 2.0 * stretch ? &high : &low) = soft;
    }
    out[0] = stiff;
    out[1] = 0.5 * (low + high);
    return fabs(out[0] + out[1] - 2.0 * stretch) < 1e-12;
}

// A bar of that law whose right half is softer, one end held and the other moved along x.
static SnNewtonRig make_pressed(double ratio, double poisson, SinewElement element,
                                const char *axes, int pin_count, double stretch)
{
    static const SinewRegion half = {
        .kind = SINEW_REGION_BOX, .min = {0.5, -1, -1}, .max = {2, 2, 2}};
    SinewMaterial soft = sinew_material_default();
    SnNewtonRigDef def = sn_newton_rig_default();
    memcpy(def.max, (double[3]){1.0, 0.25, 0.25}, sizeof def.max);
    memcpy(def.cells, (int[3]){8, 2, 2}, sizeof def.cells);
    def.cut = SN_BOX_FIVE;
    def.material.law = soft.law = SINEW_LAW_SVK;
    def.material.young = 1e6;
    soft.young = 1e6 / ratio;
    def.material.poisson = soft.poisson = poisson;
    def.regions = &half;
    def.region_materials = &soft;
    def.region_count = 1;
    def.newton.element = element;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SnNewtonRigPin pins[] = {{{-1, -1, -1}, {1e-6, 1, 1}, pin_count == 2 ? "xyz" : "x"},
                             {{1 - 1e-6, -1, -1}, {2, 1, 1}, axes},
                             {{-1, -1, -1}, {2, 1e-6, 1}, "y"},
                             {{-1, -1, -1}, {2, 1, 1e-6}, "z"}};
    pin_box(&rig, pins, pin_count);
    rig.motions[1].m[3] = stretch - 1.0;
    return rig;
}

// On rollers the bar is found wherever the closed form has a state, and refused where it has none,
// with a sentence about the law.
static void test_pressed_bar_of_two_materials(void **state)
{
    (void)state;
    static const double ratios[] = {2.0, 5.0, 10.0}, stretches[] = {0.9, 0.85, 0.8, 0.7};
    for (int i = 0; i < 3 * 4 * 2; ++i) {
        double ratio = ratios[i / 8], stretch = stretches[i / 2 % 4], s[2], wrench[6];
        SnNewtonRig rig = make_pressed(ratio, 0.0, (SinewElement)(i % 2), "x", 4, stretch);
        SinewError error = {0};
        rig.step.pin_motions = rig.motions;
        SinewStatus status = sn_newton_model.solve_static(rig.body, &rig.step, &rig.report, &error);
        if (!press_in_series(ratio, stretch, s)) {
            assert_int_equal(status, SINEW_ERROR_DIVERGED);
            assert_non_null(strstr(error.text, "which law svk does not resist"));
        } else {
            if (status != SINEW_OK) {
                fail_msg("ratio %g, stretch %g, element %d: %s", ratio, stretch, i % 2, error.text);
            }
            sn_newton_model.reaction(rig.body, 1, wrench);
            int middle = sn_newton_rig_vertex(&rig, 0.5, 0.0, 0.0);
            double force = 0.0625 * 0.5e6 * (s[0] * s[0] * s[0] - s[0]);
            // Elements hold this state exactly; the solve is to 1e-9, and near the limit the state
            // is a hundred times as sensitive.
            assert_at_most(fabs(sn_newton_rig_moved(&rig, middle, 0) - 0.5 * (s[0] - 1.0)), 1e-7);
            assert_at_most(fabs(wrench[0] / force - 1.0), 1e-6);
        }
        sn_newton_rig_destroy(&rig);
    }
}

// Clamped and free to shift aside at its end, the bar buckles on the way: the state that is found
// is bent, stores less than the straight one of the same length, and balances.
static void test_buckled_bar_of_two_materials(void **state)
{
    (void)state;
    double s[2];
    SnNewtonRig rig = make_pressed(2.0, 0.0, SINEW_ELEMENT_HEX, "x", 2, 0.9);
    SnMeasure measure;
    sn_newton_rig_solve(&rig, SINEW_OK);
    sn_newton_model.measure(rig.body, &measure);
    assert_true(press_in_series(2.0, 0.9, s));
    double straight = 0.0625 * 0.5 / 8.0 *
                      (1e6 * pow(s[0] * s[0] - 1.0, 2.0) + 0.5e6 * pow(s[1] * s[1] - 1.0, 2.0));
    assert_true(measure.elastic < 0.9 * straight);
    assert_true(measure.smallest_det > 0.3);
    assert_at_most(rig.report.residual, 1e-9);
    int end = sn_newton_rig_vertex(&rig, 1.0, 0.0, 0.0);
    assert_true(hypot(sn_newton_rig_moved(&rig, end, 1), sn_newton_rig_moved(&rig, end, 2)) > 0.1);
    sn_newton_rig_destroy(&rig);
}

// A slender bar between clamps, pressed to six times its buckling strain: it carries Euler's load
// 4 pi^2 E I / L^2, and little more (half the shortening, of the elastica).
static void test_euler_load(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    memcpy(def.max, (double[3]){1.0, 0.05, 0.075}, sizeof def.max);
    memcpy(def.cells, (int[3]){80, 2, 2}, sizeof def.cells);
    def.material.poisson = 0.0;
    def.newton.element = SINEW_ELEMENT_HEX;
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SnNewtonRigPin pins[] = {{{-1, -1, -1}, {1e-6, 1, 1}, "xyz"},
                             {{1 - 1e-6, -1, -1}, {2, 1, 1}, "xyz"}};
    double wrench[6];
    pin_box(&rig, pins, 2);
    rig.motions[1].m[3] = -0.05;
    sn_newton_rig_solve(&rig, SINEW_OK);
    sn_newton_model.reaction(rig.body, 1, wrench);
    // Trilinear cells of 12.5 mm in a thickness of 50 bend 1 + (12.5 / 50)^2 / 2 too stiff.
    double euler = 4.0 * pow(3.14159265358979323846, 2.0) * 1e6 * 0.075 * pow(0.05, 3.0) / 12.0;
    assert_at_most(fabs(-wrench[0] / (euler * 1.031 * 1.025) - 1.0), 0.02);
    sn_newton_rig_destroy(&rig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_pressed_bar_of_two_materials),
    cmocka_unit_test(test_buckled_bar_of_two_materials),
    cmocka_unit_test(test_euler_load),
    cmocka_unit_test(test_beam_of_five_tets),
    cmocka_unit_test(test_cantilever_rows),
    cmocka_unit_test(test_cantilever_converges),
    cmocka_unit_test(test_hanging_bar),
    cmocka_unit_test(test_uniaxial),
    cmocka_unit_test(test_no_equilibrium),
    cmocka_unit_test(test_overloaded_column),
    cmocka_unit_test(test_patch),
    cmocka_unit_test(test_half_a_turn),
    cmocka_unit_test(test_nothing_to_do),
};

SN_TEST_GROUP(model_newton_static, tests);
