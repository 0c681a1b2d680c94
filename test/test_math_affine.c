#include "support/test.h"

#include "base/random.h"
#include "math/affine.h"

static SnPlacement random_placement(SnRandom *random)
{
    SnPlacement p;
    for (int i = 0; i < 3; ++i) {
        p.translation[i] = sn_random_between(random, -5.0, 5.0);
        p.scale[i] = sn_random_between(random, 0.2, 3.0);
    }
    for (int i = 0; i < 4; ++i) {
        p.rotation[i] = sn_random_between(random, -1.0, 1.0);
    }
    sn_quaternion_normalise(p.rotation, p.rotation);
    return p;
}

static double difference(const SnAffine *a, const SnAffine *b)
{
    double most = 0.0;
    for (int i = 0; i < 12; ++i) {
        most = fmax(most, fabs(a->m[i] - b->m[i]));
    }
    return most;
}

static void a_placement_scales_then_turns_then_moves(void **state)
{
    (void)state;
    double half = sqrt(0.5);
    SnPlacement p = {{1, 2, 3}, {0, 0, half, half}, {2, 3, 4}};
    SnAffine map = sn_affine_of_placement(&p);
    double got[3];
    sn_affine_apply(&map, (double[]){1, 1, 1}, got); // (2, 3, 4), about z: (-3, 2, 4)
    assert_at_most(fabs(got[0] + 2) + fabs(got[1] - 4) + fabs(got[2] - 7), 1e-14);
    assert_at_most(fabs(sn_affine_determinant(&map) - 24), 1e-13);
}

static void an_inverse_undoes(void **state)
{
    (void)state;
    SnRandom random = {7};
    SnAffine identity = sn_affine_identity();
    for (int i = 0; i < 1000; ++i) {
        SnPlacement p = random_placement(&random);
        SnPlacement q = random_placement(&random);
        SnAffine a = sn_affine_of_placement(&p);
        SnAffine b = sn_affine_of_placement(&q);
        SnAffine map = sn_affine_multiply(&a, &b);
        SnAffine back = identity;
        assert_true(sn_affine_invert(&map, &back));
        SnAffine product = sn_affine_multiply(&map, &back);
        // Condition up to (3 / 0.2)^2 = 225, lengths up to 20: some thousand roundings of 1e-16.
        assert_at_most(difference(&product, &identity), 1e-11);
    }
    SnAffine flat = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 5}};
    assert_false(sn_affine_invert(&flat, &identity));
}

static void maps_come_apart_and_together(void **state)
{
    (void)state;
    SnRandom random = {8};
    for (int i = 0; i < 1000; ++i) {
        SnPlacement p = random_placement(&random);
        p.scale[0] *= i % 2 == 0 ? 1.0 : -1.0;
        SnAffine map = sn_affine_of_placement(&p);
        SnPlacement q = sn_affine_place(&map);
        SnAffine again = sn_affine_of_placement(&q);
        // Square roots and quotients of numbers up to three.
        assert_at_most(difference(&map, &again), 1e-14);
        assert_true((q.scale[0] < 0.0) == (p.scale[0] < 0.0));
    }
    // Half turns leave nothing on the diagonal to go by.
    for (int axis = 0; axis < 3; ++axis) {
        SnPlacement p = sn_placement_identity();
        p.rotation[3] = 0.0;
        p.rotation[axis] = 1.0;
        SnAffine map = sn_affine_of_placement(&p);
        SnPlacement q = sn_affine_place(&map);
        assert_true(fabs(q.rotation[axis]) == 1.0);
    }
    SnAffine flat = {{1, 0, 0, 4, 0, 0, 0, 0, 0, 0, 1, 0}};
    SnPlacement q = sn_affine_place(&flat);
    assert_true(q.scale[1] == 0.0 && q.rotation[3] == 1.0 && q.translation[0] == 4.0);
}

static void slerp_is_that_of_the_sines(void **state)
{
    (void)state;
    double right_angle = 1.5707963267948966;
    for (int i = 0; i <= 40; ++i) {
        for (int j = 0; j <= 20; ++j) {
            double angle = right_angle * i / 40.0, t = j / 20.0; // of the quaternions: half
            double a[4] = {0, 0, 0, 1}, b[4] = {sin(angle), 0, 0, cos(angle)}, got[4];
            sn_quaternion_slerp(a, b, t, got);
            // Sixty terms, each a rounding smaller than the one before.
            assert_at_most(fabs(got[0] - sin(t * angle)), 4e-16);
            assert_at_most(fabs(got[3] - cos(t * angle)), 4e-16);
            // -b is the same rotation, and the short way is taken to it; at a right angle between
            // quaternions both ways are as short.
            double far[4] = {-b[0], 0, 0, -b[3]};
            sn_quaternion_slerp(a, far, t, got);
            assert_at_most(fabs(got[0] - sin(t * angle)), i < 40 ? 4e-16 : 2.0);
        }
    }
}

static void quaternions_of_any_length_become_unit(void **state)
{
    (void)state;
    static const double lengths[] = {1e-300, 1e-160, 1.0, 1e160, 1e300};
    for (int i = 0; i < SN_COUNT(lengths); ++i) {
        double q[4] = {3.0 * lengths[i], 0.0, 4.0 * lengths[i], 0.0};
        assert_true(sn_quaternion_normalise(q, q));
        assert_at_most(fabs(q[0] - 0.6) + fabs(q[2] - 0.8), 4e-16); // a root and two quotients
    }
    double bad[][4] = {{0, 0, 0, 0}, {NAN, 0, 0, 1}, {1, 0, INFINITY, 0}, {0, INFINITY, NAN, 1}};
    for (int i = 0; i < SN_COUNT(bad); ++i) {
        double got[4];
        assert_false(sn_quaternion_normalise(bad[i], got));
        assert_true(got[3] == 1.0 && got[0] == 0.0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_placement_scales_then_turns_then_moves),
    cmocka_unit_test(an_inverse_undoes),
    cmocka_unit_test(maps_come_apart_and_together),
    cmocka_unit_test(slerp_is_that_of_the_sines),
    cmocka_unit_test(quaternions_of_any_length_become_unit),
};

SN_TEST_GROUP(math_affine, tests);
