// Material points of the reference model: where they are, what forces at them do, and contact by
// springs.
#include "support/newton_rig.h"
#include "support/test.h"

#include "base/random.h"
#include "model/newton/points.h"

#include <math.h>

// Places reproduce affine motion, inside and outside, in both elements.
static void test_affine_places(void **state)
{
    (void)state;
    for (int element = 0; element < 2; ++element) {
        SnNewtonRigDef def = sn_newton_rig_default();
        memcpy(def.cells, (int[3]){3, 2, 4}, sizeof def.cells);
        def.newton.element = (SinewElement)element;
        SnNewtonRig rig = sn_newton_rig_make(&def);
        const SnAffine map = {{0.9, 0.2, 0, 1, -0.1, 1.3, 0.4, 2, 0.3, 0, 0.8, -1}};
        double X[3 * 200], x[3 * 200], v[3 * 200];
        SnRandom random = {21};
        void *points = NULL;
        for (int i = 0; i < 3 * 200; ++i) {
            X[i] = sn_random_between(&random, i < 300 ? 0.0 : -0.3, i < 300 ? 1.0 : 1.3);
        }
        memcpy(X, (double[3]){1.0, 1.0, 1.0}, sizeof(double[3])); // a corner
        assert_int_equal(sn_newton_model.points_create(rig.body, X, 200, &points, NULL), SINEW_OK);
        for (int i = 0; i < rig.body->elements.vertex_count; ++i) {
            sn_affine_apply(&map, rig.body->elements.rest + 3 * i,
                            rig.body->state.positions + 3 * i);
            memcpy(rig.body->state.velocities + 3 * i, rig.body->state.positions + 3 * i,
                   sizeof(double[3]));
        }
        sn_newton_model.points_place(rig.body, points, x, v);
        for (int p = 0; p < 200; ++p) {
            double expected[3], outside = 0.0;
            sn_affine_apply(&map, X + 3 * p, expected);
            for (int k = 0; k < 3; ++k) {
                double beyond = fmax(fmax(-X[3 * p + k], X[3 * p + k] - 1.0), 0.0);
                outside += beyond * beyond;
                assert_at_most(fabs(x[3 * p + k] - expected[k]), 1e-12);
                assert_at_most(fabs(v[3 * p + k] - expected[k]), 1e-12);
            }
            assert_at_most(fabs(sn_newton_model.points_distance(points, p) - sqrt(outside)), 1e-12);
        }
        sn_newton_model.points_destroy(rig.body, points);
        sn_newton_rig_destroy(&rig);
    }
}

// Natural coordinates in hexahedra that are no boxes.
static void test_distorted_hexahedra(void **state)
{
    (void)state;
    SnRandom random = {4};
    for (int trial = 0; trial < 200; ++trial) {
        double corners[24], natural[3], N[8], X[3] = {0, 0, 0}, found[3];
        for (int c = 0; c < 24; ++c) {
            corners[c] = (c / 3 >> (2 - c % 3) & 1) + sn_random_between(&random, -0.2, 0.2);
        }
        for (int k = 0; k < 3; ++k) {
            natural[k] = sn_random_between(&random, 0.0, 1.0);
        }
        sn_newton_hex_shape(natural, N, NULL);
        for (int c = 0; c < 24; ++c) {
            X[c % 3] += N[c / 3] * corners[c];
        }
        assert_true(sn_newton_hex_locate(corners, X, found) == 0.0);
        for (int k = 0; k < 3; ++k) {
            assert_at_most(fabs(found[k] - natural[k]), 1e-12);
        }
    }
}

static void test_wrong_point(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    SnNewtonRig rig = sn_newton_rig_make(&def);
    double X[6] = {0.5, 0.5, 0.5, 0.0, NAN, 0.0};
    void *points = NULL;
    SinewError error;
    assert_int_equal(sn_newton_model.points_create(rig.body, X, 2, &points, &error),
                     SINEW_ERROR_ARGUMENT);
    assert_null(points);
    assert_int_equal(error.index, 1);
    assert_non_null(strstr(error.text, "body \"rig\": material point 1 is at (0, nan, 0) m"));
    sn_newton_rig_destroy(&rig);
}

// A dead load at points: the pin carries it, with its moment.
static void test_dead_load(void **state)
{
    (void)state;
    SnNewtonRigDef def = sn_newton_rig_default();
    SnNewtonRig rig = sn_newton_rig_make(&def);
    SnNewtonRigPin pin = {{-1, -1, -1}, {1e-6, 2, 2}, "xyz"};
    double X[6] = {1.0, 0.3, 0.6, 1.0, 0.8, 0.1}, forces[6] = {0, -40, 0, 10, 0, 25}, x[6],
           wrench[6];
    void *points = NULL;
    assert_int_equal(sn_newton_rig_pins(&rig, &pin, 1, NULL), SINEW_OK);
    assert_int_equal(sn_newton_model.points_create(rig.body, X, 2, &points, NULL), SINEW_OK);
    SnPointLoad load = {points, forces};
    rig.step.loads = &load;
    rig.step.load_count = 1;
    sn_newton_rig_solve(&rig, SINEW_OK);
    sn_newton_model.reaction(rig.body, 0, wrench);
    sn_newton_model.points_place(rig.body, points, x, NULL);
    double moment = 0.0;
    for (int p = 0; p < 2; ++p) {
        moment += x[3 * p] * forces[3 * p + 1] - x[3 * p + 1] * forces[3 * p];
    }
    assert_at_most(fabs(wrench[0] + 10.0), 1e-7);
    assert_at_most(fabs(wrench[1] - 40.0), 1e-7);
    assert_at_most(fabs(wrench[2] + 25.0), 1e-7);
    assert_at_most(fabs(wrench[5] + moment), 1e-7);
    sn_newton_model.points_destroy(rig.body, points);
    sn_newton_rig_destroy(&rig);
}

// A floor of springs at y = 0 that asks to be solved again once.
typedef struct Floor {
    double stiffness; // N/m a point
    int passes;
} Floor;

static void floor_evaluate(void *context, int begin, int end, const double *x, SnPointForce *out)
{
    const Floor *floor = context;
    for (int p = begin; p < end; ++p) {
        SnPointForce *force = &out[p - begin];
        double depth = -x[3 * p + 1];
        *force = (SnPointForce){.energy = 0.0};
        if (depth > 0.0) {
            force->force[1] = floor->stiffness * depth;
            force->stiffness[4] = floor->stiffness;
            force->energy = 0.5 * floor->stiffness * depth * depth;
        }
    }
}

static bool floor_renew(void *context, const double *x)
{
    Floor *floor = context;
    (void)x;
    return ++floor->passes == 1;
}

// A block falls on springs and comes to rest: they carry its weight, statically and in motion.
static void test_contact(void **state)
{
    (void)state;
    for (int element = 0; element < 2; ++element) {
        SnNewtonRigDef def = sn_newton_rig_default();
        memcpy(def.cells, (int[3]){2, 2, 2}, sizeof def.cells);
        def.newton.element = (SinewElement)element;
        def.material.damping_mass = 4.0;
        SnNewtonRig rig = sn_newton_rig_make(&def);
        const SnNewtonElements *elements = &rig.body->elements;
        void *points = NULL;
        double x[81];
        SnPointForce room[27];
        Floor floor = {.stiffness = 1e5};
        assert_int_equal(sn_newton_model.points_create(rig.body, elements->rest,
                                                       elements->vertex_count, &points, NULL),
                         SINEW_OK);
        SnPointForces contacts = {.points = points,
                                  .count = elements->vertex_count,
                                  .evaluate = floor_evaluate,
                                  .renew = floor_renew,
                                  .context = &floor,
                                  .room = room};
        rig.step.contacts = &contacts;
        rig.step.gravity[1] = -9.81;
        sn_newton_rig_step(&rig, 0.02, 400);
        assert_true(floor.passes >= 400);
        // Nothing holds the block sideways: the static tangent is singular, and the solve minds
        // not.
        for (int pass = 0; pass < 2; ++pass) {
            double total = 0.0;
            sn_newton_model.points_place(rig.body, points, x, NULL);
            for (int p = 0; p < elements->vertex_count; ++p) {
                total += x[3 * p + 1] < 0.0 ? -1e5 * x[3 * p + 1] : 0.0;
            }
            assert_at_most(fabs(total - 9810.0), pass == 0 ? 1.0 : 1e-4);
            sn_newton_rig_solve(&rig, SINEW_OK);
        }
        sn_newton_model.points_destroy(rig.body, points);
        sn_newton_rig_destroy(&rig);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_affine_places), cmocka_unit_test(test_distorted_hexahedra),
    cmocka_unit_test(test_wrong_point),   cmocka_unit_test(test_dead_load),
    cmocka_unit_test(test_contact),
};

SN_TEST_GROUP(model_newton_points, tests);
