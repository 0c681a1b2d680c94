#include "support/test.h"

#include "base/random.h"
#include "math/affine.h"
#include "model/frames/blend.h"
#include "model/frames/quaternion.h"

#include <math.h>

enum { FRAMES = 3, DOFS = 6 * FRAMES };

// Central differences with this step are off by its square, about 1e-10, and by rounding over the
// step, about 1e-11.
#define STEP 1e-5
#define EXPECTED 1e-8

typedef struct Rig {
    SnFramePose poses[FRAMES];
    double rest[FRAMES][3];
    double weights[4 * FRAMES];
    double X[3];
    double G[9]; // a function of D: <G, D>
} Rig;

static Rig make_rig(uint64_t seed)
{
    SnRandom random = {seed};
    Rig rig = {0};
    double sum[4] = {1.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < FRAMES; ++i) {
        double q[4] = {0.0, 0.0, 0.0, 1.0};
        for (int k = 0; k < 3; ++k) {
            q[k] = sn_random_between(&random, -0.6, 0.6);
            rig.rest[i][k] = sn_random_between(&random, -1.0, 1.0);
            rig.poses[i].t[k] = rig.rest[i][k] + sn_random_between(&random, -0.5, 0.5);
        }
        sn_quaternion_normalise(q, rig.poses[i].q);
        for (int a = 0; a < 4; ++a) {
            double u = i + 1 < FRAMES ? sn_random_between(&random, 0.1, 0.4) : sum[a];
            rig.weights[4 * i + a] = u;
            sum[a] -= u;
        }
    }
    for (int k = 0; k < 3; ++k) {
        rig.X[k] = sn_random_between(&random, -1.0, 1.0);
    }
    for (int k = 0; k < 9; ++k) {
        rig.G[k] = sn_random_between(&random, -1.0, 1.0);
    }
    return rig;
}

static void gather(const Rig *rig, const SnFramePose *poses, double z[32], double b8[8 * FRAMES])
{
    for (int i = 0; i < FRAMES; ++i) {
        sn_frame_blend(&poses[i], rig->rest[i], b8 + 8 * i);
    }
    sn_blend_gather(b8, FRAMES, rig->weights, z);
}

static SnBlend blend_of(const Rig *rig, const SnFramePose *poses)
{
    SnBlend blend;
    double z[32], b8[8 * FRAMES];
    gather(rig, poses, z, b8);
    assert_true(sn_blend_make(z, rig->X, &blend));
    return blend;
}

static void moved(const Rig *rig, int dof, double by, SnFramePose out[FRAMES])
{
    double change[6] = {0};
    memcpy(out, rig->poses, sizeof rig->poses);
    change[dof % 6] = by;
    out[dof / 6] = sn_frame_change(&rig->poses[dof / 6], change);
}

static void frame_gradient(const Rig *rig, const double g[32], double b8[8 * FRAMES],
                           double out[DOFS])
{
    for (int i = 0; i < FRAMES; ++i) {
        double L[48];
        for (int c = 0; c < 8; ++c) {
            b8[8 * i + c] = 0.0;
            for (int a = 0; a < 4; ++a) {
                b8[8 * i + c] += rig->weights[4 * i + a] * g[8 * a + c];
            }
        }
        sn_frame_jacobian(&rig->poses[i], rig->rest[i], L);
        for (int d = 0; d < 6; ++d) {
            out[6 * i + d] = 0.0;
            for (int c = 0; c < 8; ++c) {
                out[6 * i + d] += L[6 * c + d] * b8[8 * i + c];
            }
        }
    }
}

static double value_of(const Rig *rig, const SnFramePose *poses)
{
    SnBlend blend = blend_of(rig, poses);
    double sum = 0.0;
    for (int k = 0; k < 9; ++k) {
        sum += rig->G[k] * blend.D[k];
    }
    return sum;
}

// L_i^T block L_j and, on the diagonal, what comes from bending (q, s).
static void to_dofs(const Rig *rig, const double blocks[FRAMES][FRAMES][64], const double *b8,
                    double out[DOFS * DOFS])
{
    for (int i = 0; i < FRAMES; ++i) {
        for (int j = 0; j < FRAMES; ++j) {
            double Li[48], Lj[48];
            sn_frame_jacobian(&rig->poses[i], rig->rest[i], Li);
            sn_frame_jacobian(&rig->poses[j], rig->rest[j], Lj);
            for (int n = 0; n < 36; ++n) {
                double sum = 0.0;
                for (int m = 0; m < 64; ++m) {
                    sum += Li[6 * (m / 8) + n / 6] * blocks[i][j][m] * Lj[6 * (m % 8) + n % 6];
                }
                out[(6 * i + n / 6) * DOFS + 6 * j + n % 6] = sum;
            }
        }
        sn_frame_curvature(&rig->poses[i], rig->rest[i], b8 + 8 * i, out + (6 * i) * DOFS + 6 * i,
                           DOFS);
    }
}

static void one_motion_of_all_frames_is_rigid(void **state)
{
    (void)state;
    Rig rig = make_rig(1);
    double R[9];
    SnFramePose same = rig.poses[0];
    sn_quat_to_mat3(same.q, R);
    for (int i = 0; i < FRAMES; ++i) {
        sn_mat3_apply(R, rig.rest[i], rig.poses[i].t);
        memcpy(rig.poses[i].q, same.q, sizeof same.q);
    }
    SnBlend blend = blend_of(&rig, rig.poses);
    double identity[9];
    sn_mat3_identity(identity);
    assert_at_most(sn_mat3_distance(blend.D, identity), 1e-14);
}

// Weights that are linear in X; then F is d x / d X by differences, and F = R(b) D.
static void the_gradient_is_that_of_places(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Rig rig = make_rig(seed);
        double z[32], b8[8 * FRAMES], b[4], R[9], F[9];
        SnBlend blend = blend_of(&rig, rig.poses);
        gather(&rig, rig.poses, z, b8);
        sn_quaternion_normalise(z, b);
        sn_quat_to_mat3(b, R);
        sn_mat3_multiply(R, blend.D, F);
        for (int k = 0; k < 3; ++k) {
            double x[2][3];
            for (int side = 0; side < 2; ++side) {
                double by = side == 0 ? STEP : -STEP;
                double X[3] = {rig.X[0], rig.X[1], rig.X[2]}, z8[8] = {0};
                SnBlendPoint point;
                X[k] += by;
                for (int i = 0; i < FRAMES; ++i) {
                    double w = rig.weights[4 * i] + by * rig.weights[4 * i + 1 + k];
                    for (int c = 0; c < 8; ++c) {
                        z8[c] += w * b8[8 * i + c];
                    }
                }
                assert_true(sn_blend_point(z8, X, &point));
                memcpy(x[side], point.P, sizeof x[side]);
            }
            for (int r = 0; r < 3; ++r) {
                assert_at_most(fabs((x[0][r] - x[1][r]) / (2.0 * STEP) - F[3 * r + k]), EXPECTED);
            }
        }
    }
}

static void first_derivatives_are_those_of_differences(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Rig rig = make_rig(seed);
        double g[32], b8[8 * FRAMES], gradient[DOFS];
        SnBlend blend = blend_of(&rig, rig.poses);
        sn_blend_reverse(&blend, rig.G, g);
        frame_gradient(&rig, g, b8, gradient);
        for (int d = 0; d < DOFS; ++d) {
            SnFramePose up[FRAMES], down[FRAMES];
            moved(&rig, d, STEP, up);
            moved(&rig, d, -STEP, down);
            double slope = (value_of(&rig, up) - value_of(&rig, down)) / (2.0 * STEP);
            assert_at_most(fabs(slope - gradient[d]), EXPECTED);
        }
    }
}

// Second differences of the value: rounding over the square of the step, 1e-16 / 1e-8.
static double second_difference(const Rig *rig, int a, int b, double h,
                                double (*value)(const Rig *, const SnFramePose *))
{
    double sum = 0.0;
    for (int s = 0; s < 4; ++s) {
        double by[2] = {s & 1 ? -h : h, s & 2 ? -h : h};
        SnFramePose poses[FRAMES];
        double change[DOFS] = {0};
        change[a] += by[0];
        change[b] += by[1];
        for (int i = 0; i < FRAMES; ++i) {
            poses[i] = sn_frame_change(&rig->poses[i], change + 6 * i);
        }
        sum += (s == 0 || s == 3 ? 1.0 : -1.0) * value(rig, poses);
    }
    return sum / (4.0 * h * h);
}

// By Richardson's extrapolation of steps where rounding is 1e-10 and the square of the step 1e-6.
static double second_derivative(const Rig *rig, int a, int b,
                                double (*value)(const Rig *, const SnFramePose *))
{
    double h = 4e-3;
    double d1 = second_difference(rig, a, b, h, value);
    double d2 = second_difference(rig, a, b, 0.5 * h, value);
    double d4 = second_difference(rig, a, b, 0.25 * h, value);
    double r1 = (4.0 * d2 - d1) / 3.0, r2 = (4.0 * d4 - d2) / 3.0;
    return (16.0 * r2 - r1) / 15.0;
}

static void second_derivatives_are_those_of_differences(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        Rig rig = make_rig(seed);
        static double blocks[FRAMES][FRAMES][64];
        double g[32], b8[8 * FRAMES], gradient[DOFS], H[DOFS * DOFS], T[FRAMES][64];
        SnBlend blend = blend_of(&rig, rig.poses);
        SnBlendTangent tangent;
        sn_blend_reverse(&blend, rig.G, g);
        frame_gradient(&rig, g, b8, gradient);
        sn_blend_tangent(&blend, &tangent);
        for (int i = 0; i < FRAMES; ++i) {
            double rows[96];
            sn_blend_rows(&tangent, rig.weights + 4 * i, rows);
            sn_blend_curve(&tangent, rig.G, rig.weights + 4 * i, rows, T[i]);
        }
        for (int n = 0; n < FRAMES * FRAMES * 64; ++n) {
            int i = n / 64 / FRAMES, j = n / 64 % FRAMES, r = n / 8 % 8, c = n % 8;
            blocks[i][j][8 * r + c] =
                -(rig.weights[4 * i] * T[j][8 * r + c] + rig.weights[4 * j] * T[i][8 * c + r]);
        }
        to_dofs(&rig, (const double(*)[FRAMES][64])blocks, b8, H);
        for (int n = 0; n < DOFS * DOFS; ++n) {
            double want = second_derivative(&rig, n / DOFS, n % DOFS, value_of);
            assert_at_most(fabs(H[n] - want), EXPECTED);
        }
    }
}

// Rows of a frame are the derivative of D.
static void rows_are_the_derivative(void **state)
{
    (void)state;
    Rig rig = make_rig(9);
    SnBlend blend = blend_of(&rig, rig.poses);
    SnBlendTangent tangent;
    sn_blend_tangent(&blend, &tangent);
    for (int d = 0; d < DOFS; ++d) {
        double rows[96], L[48];
        SnFramePose up[FRAMES], down[FRAMES];
        sn_blend_rows(&tangent, rig.weights + 4 * (d / 6), rows);
        sn_frame_jacobian(&rig.poses[d / 6], rig.rest[d / 6], L);
        moved(&rig, d, STEP, up);
        moved(&rig, d, -STEP, down);
        SnBlend a = blend_of(&rig, up), b = blend_of(&rig, down);
        for (int k = 0; k < 12; ++k) {
            double sum = 0.0;
            for (int c = 0; c < 8; ++c) {
                sum += rows[8 * k + c] * L[6 * c + d % 6];
            }
            double slope = (a.D4[k / 4][k % 4] - b.D4[k / 4][k % 4]) / (2.0 * STEP);
            assert_at_most(fabs(sum - slope), EXPECTED);
        }
    }
}

static double place_of(const Rig *rig, const SnFramePose *poses)
{
    double z[32], b8[8 * FRAMES];
    SnBlendPoint point;
    gather(rig, poses, z, b8);
    assert_true(sn_blend_point(z, rig->X, &point));
    return rig->G[0] * point.P[0] + rig->G[1] * point.P[1] + rig->G[2] * point.P[2];
}

static void points_have_derivatives_too(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        Rig rig = make_rig(seed);
        static double blocks[FRAMES][FRAMES][64];
        double z[32], b8[8 * FRAMES], g[32] = {0}, gradient[DOFS], H[DOFS * DOFS];
        double rows[32], curve[64];
        SnBlendPoint point;
        gather(&rig, rig.poses, z, b8);
        assert_true(sn_blend_point(z, rig.X, &point));
        sn_blend_point_reverse(&point, rig.G, g);
        frame_gradient(&rig, g, b8, gradient);
        for (int d = 0; d < DOFS; ++d) {
            SnFramePose up[FRAMES], down[FRAMES];
            moved(&rig, d, STEP, up);
            moved(&rig, d, -STEP, down);
            double slope = (place_of(&rig, up) - place_of(&rig, down)) / (2.0 * STEP);
            assert_at_most(fabs(slope - gradient[d]), EXPECTED);
        }
        sn_blend_point_rows(&point, rows);
        for (int c = 0; c < 8; ++c) {
            double sum = rig.G[0] * rows[c] + rig.G[1] * rows[8 + c] + rig.G[2] * rows[16 + c];
            assert_at_most(fabs(sum - g[c]), 1e-14);
        }
        sn_blend_point_curve(&point, rig.G, rows, curve);
        for (int n = 0; n < FRAMES * FRAMES * 64; ++n) {
            int i = n / 64 / FRAMES, j = n / 64 % FRAMES;
            blocks[i][j][n % 64] = rig.weights[4 * i] * rig.weights[4 * j] * curve[n % 64];
        }
        to_dofs(&rig, (const double(*)[FRAMES][64])blocks, b8, H);
        for (int n = 0; n < DOFS * DOFS; ++n) {
            double want = second_derivative(&rig, n / DOFS, n % DOFS, place_of);
            assert_at_most(fabs(H[n] - want), EXPECTED);
        }
    }
}

static void a_blend_that_vanishes_is_said_so(void **state)
{
    (void)state;
    double z[32] = {0}, X[3] = {0};
    SnBlend blend;
    SnBlendPoint point;
    assert_false(sn_blend_make(z, X, &blend));
    assert_false(sn_blend_point(z, X, &point));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_motion_of_all_frames_is_rigid),
    cmocka_unit_test(the_gradient_is_that_of_places),
    cmocka_unit_test(first_derivatives_are_those_of_differences),
    cmocka_unit_test(second_derivatives_are_those_of_differences),
    cmocka_unit_test(rows_are_the_derivative),
    cmocka_unit_test(points_have_derivatives_too),
    cmocka_unit_test(a_blend_that_vanishes_is_said_so),
};
SN_TEST_GROUP(model_frames_blend, tests);
