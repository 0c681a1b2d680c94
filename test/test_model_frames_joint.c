// The strain of a joint: what it is of known poses, that no common motion changes it, and its
// derivatives by differences.
#include "support/test.h"

#include "base/random.h"
#include "model/frames/joint.h"
#include "model/frames/quaternion.h"

#include <math.h>

static const SnJointRest rest = {{0, 1}, {{0.5, 0.1, -0.2}, {-0.3, 0.2, 0.4}}};

// Frames as they stand at rest, then changed by twelve numbers.
static void change_poses(const double change[12], SnFramePose poses[2])
{
    for (int side = 0; side < 2; ++side) {
        SnFramePose pose = {{0.0, 0.0, 0.0, 1.0}, {0.0}};
        for (int k = 0; k < 3; ++k) {
            pose.t[k] = -rest.arms[side][k];
        }
        poses[side] = sn_frame_change(&pose, change + 6 * side);
    }
}

static void random_change(SnRandom *random, double size, double out[12])
{
    for (int d = 0; d < 12; ++d) {
        out[d] = sn_random_between(random, -size, size);
    }
}

// Against the angle of libm, to a little before a whole turn, where w has no digits left.
static void the_angle_is_that_of_the_library(void **state)
{
    (void)state;
    for (int n = 0; n <= 1000; ++n) {
        double angle = n / 1000.0 * 6.0, w = cos(0.5 * angle), out[3];
        sn_joint_angle(w, out);
        double expected = n == 0 ? 2.0 : angle / sin(0.5 * angle);
        assert_at_most(fabs(out[0] - expected), 1e-12 * expected);
    }
    for (int n = 0; n <= 100; ++n) {
        double w = -0.9 + 1.89 * n / 100.0, h = 1e-5, sides[2][3], out[3];
        sn_joint_angle(w, out);
        sn_joint_angle(w - h, sides[0]);
        sn_joint_angle(w + h, sides[1]);
        for (int d = 0; d < 2; ++d) {
            double slope = (sides[1][d] - sides[0][d]) / (2.0 * h);
            // Third derivatives grow as (1 + w)^-7/2 before a whole turn.
            assert_at_most(fabs(slope - out[d + 1]), 1e-6 * fmax(1.0, fabs(out[d + 1])));
        }
    }
}

static void common_motion_changes_nothing(void **state)
{
    (void)state;
    SnRandom random = {5};
    for (int n = 0; n < 20; ++n) {
        double change[12], turn[4], shift[3], R[9];
        SnFramePose poses[2], moved[2];
        SnJoint joint, other;
        random_change(&random, 1.0, change);
        change_poses(change, poses);
        for (int k = 0; k < 4; ++k) {
            turn[k] = sn_random_between(&random, -1.0, 1.0);
        }
        double length = sn_quat_norm(turn);
        for (int k = 0; k < 4; ++k) {
            turn[k] /= length;
        }
        for (int k = 0; k < 3; ++k) {
            shift[k] = sn_random_between(&random, -5.0, 5.0);
        }
        sn_quat_to_mat3(turn, R);
        for (int side = 0; side < 2; ++side) {
            sn_quat_multiply(turn, poses[side].q, moved[side].q);
            sn_mat3_apply(R, poses[side].t, moved[side].t);
            for (int k = 0; k < 3; ++k) {
                moved[side].t[k] += shift[k];
            }
        }
        assert_true(sn_joint_make(&rest, &poses[0], &poses[1], &joint));
        assert_true(sn_joint_make(&rest, &moved[0], &moved[1], &other));
        for (int s = 0; s < 6; ++s) {
            assert_at_most(fabs(joint.strain[s] - other.strain[s]), 1e-13);
        }
    }
}

// Beyond half a turn the angle goes on to grow; at a whole turn there is no frame halfway.
static void angles_grow_to_a_whole_turn(void **state)
{
    (void)state;
    SnFramePose a = {{0.0, 0.0, 0.0, 1.0}, {0.0}}, b = a;
    for (int n = 0; n < 36; ++n) {
        double angle = n * 6.283185307179586 / 36.0;
        SnJoint joint;
        b.q[0] = sin(0.5 * angle);
        b.q[3] = cos(0.5 * angle);
        assert_true(sn_joint_make(&rest, &a, &b, &joint));
        assert_at_most(fabs(joint.strain[0] - angle), 1e-12);
    }
    SnJoint joint;
    b.q[0] = 0.0;
    b.q[3] = -1.0;
    assert_false(sn_joint_make(&rest, &a, &b, &joint));
}

// All twelve columns.
static void find_rows(const SnJoint *joint, double out[72])
{
    double rows[36], carried[36];
    sn_joint_rows(joint, rows);
    sn_joint_carry(joint, rows, carried);
    for (int n = 0; n < 36; ++n) {
        out[12 * (n / 6) + n % 6] = -carried[n];
        out[12 * (n / 6) + 6 + n % 6] = rows[n];
    }
}

static void rows_are_those_of_differences(void **state)
{
    (void)state;
    SnRandom random = {7};
    for (int n = 0; n < 20; ++n) {
        double change[12], rows[72], h = 1e-5;
        SnFramePose poses[2];
        SnJoint joint, sides[2];
        random_change(&random, 0.8, change);
        change_poses(change, poses);
        assert_true(sn_joint_make(&rest, &poses[0], &poses[1], &joint));
        find_rows(&joint, rows);
        for (int d = 0; d < 12; ++d) {
            for (int side = 0; side < 2; ++side) {
                double small[6] = {0.0};
                SnFramePose moved[2] = {poses[0], poses[1]};
                small[d % 6] = side == 0 ? -h : h;
                moved[d / 6] = sn_frame_change(&poses[d / 6], small);
                assert_true(sn_joint_make(&rest, &moved[0], &moved[1], &sides[side]));
            }
            for (int s = 0; s < 6; ++s) {
                double slope = (sides[1].strain[s] - sides[0].strain[s]) / (2.0 * h);
                assert_at_most(fabs(slope - rows[12 * s + d]), 1e-8);
            }
        }
    }
}

// d <f, strain> at changed poses is by the dofs of those; turns there differ from ours by half a
// commutator, which is antisymmetric: the mean of both orders is the second derivative.
static void curves_are_those_of_differences(void **state)
{
    (void)state;
    SnRandom random = {9};
    for (int n = 0; n < 20; ++n) {
        double change[12], f[6], curve[144], slopes[144], h = 1e-5;
        SnFramePose poses[2];
        SnJoint joint;
        random_change(&random, 0.8, change);
        change_poses(change, poses);
        for (int s = 0; s < 6; ++s) {
            f[s] = sn_random_between(&random, -1.0, 1.0);
        }
        assert_true(sn_joint_make(&rest, &poses[0], &poses[1], &joint));
        sn_joint_curve(&joint, f, curve);
        memset(slopes, 0, sizeof slopes);
        for (int i = 0; i < 24; ++i) {
            double small[6] = {0.0}, rows[72], sign = i % 2 == 0 ? -1.0 : 1.0;
            int d = i / 2;
            SnFramePose moved[2] = {poses[0], poses[1]};
            small[d % 6] = sign * h;
            moved[d / 6] = sn_frame_change(&poses[d / 6], small);
            assert_true(sn_joint_make(&rest, &moved[0], &moved[1], &joint));
            find_rows(&joint, rows);
            for (int k = 0; k < 72; ++k) {
                slopes[12 * d + k % 12] += sign * f[k / 12] * rows[k] / (2.0 * h);
            }
        }
        for (int i = 0; i < 144; ++i) {
            int r = i / 12, c = i % 12;
            double mean = 0.5 * (slopes[12 * r + c] + slopes[12 * c + r]);
            assert_at_most(fabs(mean - curve[i]), 1e-8);
            assert_at_most(fabs(curve[i] - curve[12 * c + r]), 1e-14);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_angle_is_that_of_the_library),
    cmocka_unit_test(common_motion_changes_nothing),
    cmocka_unit_test(angles_grow_to_a_whole_turn),
    cmocka_unit_test(rows_are_those_of_differences),
    cmocka_unit_test(curves_are_those_of_differences),
};
SN_TEST_GROUP(model_frames_joint, tests);
