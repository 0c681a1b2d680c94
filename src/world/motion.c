#include "world/motion.h"

#include "base/status.h"
#include "math/angle.h"

#include <stdio.h>
#include <string.h>

// Checking ---------------------------------------------------------------------------------------

static bool is_finite_point(const double p[3])
{
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

static SinewStatus check_point(const char *what, const char *member, const double p[3],
                               SinewError *error)
{
    if (!is_finite_point(p)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: %s is [%g, %g, %g], expected finite numbers", what, member, p[0], p[1],
                       p[2]);
    }
    return SINEW_OK;
}

static SinewStatus check_turn(const char *what, const double axis[3], double degrees,
                              SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(check_point(what, "axis", axis, error));
    if (axis[0] == 0.0 && axis[1] == 0.0 && axis[2] == 0.0) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: axis is [0, 0, 0], expected a direction of any length but zero", what);
    }
    if (!(fabs(degrees) <= SN_DEGREES_MAX)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT,
                       "%s: degrees is %g, expected a number of at most %g in size", what, degrees,
                       SN_DEGREES_MAX);
    }
done:
    return status;
}

// Times of keys, whatever else is in them: finite, each later than the one before.
static SinewStatus check_time(const char *what, int index, double t, double before,
                              SinewError *error)
{
    if (!isfinite(t)) {
        return sn_fail_at(error, SINEW_ERROR_ARGUMENT, index,
                          "%s: t of key %d is %g, expected a finite number", what, index, t);
    }
    if (index > 0 && !(t > before)) {
        return sn_fail_at(error, SINEW_ERROR_ARGUMENT, index,
                          "%s: t of key %d is %g after %g, expected times that ascend", what, index,
                          t, before);
    }
    return SINEW_OK;
}

static SinewStatus check_list(const void *keys, int count, const char *what, SinewError *error)
{
    if (count < 0 || (count > 0 && keys == NULL)) {
        return sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: %d keys%s, expected a list of them", what,
                       count, keys == NULL ? " at NULL" : "");
    }
    return SINEW_OK;
}

SinewStatus sn_motion_check(const SinewKey *keys, int count, const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(check_list(keys, count, what, error));
    for (int i = 0; i < count; ++i) {
        char name[160];
        snprintf(name, sizeof name, "%.120s: key %d", what, i);
        SN_TRY(check_time(what, i, keys[i].t, i > 0 ? keys[i - 1].t : 0.0, error));
        SN_TRY(check_point(name, "translate", keys[i].translate, error));
        SN_TRY(check_turn(name, keys[i].axis, keys[i].degrees, error));
        SN_TRY(check_point(name, "about", keys[i].about, error));
    }
done:
    return status;
}

SinewStatus sn_ramp_check(const SinewRampKey *keys, int count, const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    SN_TRY(check_list(keys, count, what, error));
    for (int i = 0; i < count; ++i) {
        SN_TRY(check_time(what, i, keys[i].t, i > 0 ? keys[i - 1].t : 0.0, error));
        if (!isfinite(keys[i].scale)) {
            return sn_fail_at(error, SINEW_ERROR_ARGUMENT, i,
                              "%s: scale of key %d is %g, expected a finite number", what, i,
                              keys[i].scale);
        }
    }
done:
    return status;
}

SinewStatus sn_pose_check(const SinewPose *pose, const char *what, SinewError *error)
{
    SinewStatus status = SINEW_OK;
    char name[160];
    snprintf(name, sizeof name, "%.120s: pose", what);
    SN_TRY(check_point(name, "translate", pose->translate, error));
    SN_TRY(check_turn(name, pose->axis, pose->degrees, error));
    if (!(pose->scale > 0.0) || isinf(pose->scale)) {
        status = sn_fail(error, SINEW_ERROR_ARGUMENT, "%s: scale is %g, expected a positive number",
                         name, pose->scale);
    }
done:
    return status;
}

// Turns ------------------------------------------------------------------------------------------

static void unit_of(const double axis[3], double out[3])
{
    double quaternion[4] = {axis[0], axis[1], axis[2], 0.0};
    sn_quaternion_normalise(quaternion, quaternion);
    memcpy(out, quaternion, 3 * sizeof *out);
}

// Rodrigues' rotation, written so that no turn gives exactly the identity, and quarters of a turn
// about a coordinate axis exactly the permutation that they are.
static void turn_matrix(const double axis[3], double degrees, double out[9])
{
    double u[3], circle[2];
    unit_of(axis, u);
    sn_circle_degrees(degrees, circle);
    double c = circle[0], s = circle[1];
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[3 * i + i] = 1.0 - (1.0 - c) * (u[j] * u[j] + u[k] * u[k]);
        out[3 * i + j] = (1.0 - c) * (u[i] * u[j]) - s * u[k];
        out[3 * i + k] = (1.0 - c) * (u[i] * u[k]) + s * u[j];
    }
}

static void turn_quaternion(const double axis[3], double degrees, double out[4])
{
    double u[3], circle[2];
    unit_of(axis, u);
    sn_circle_degrees(0.5 * degrees, circle);
    for (int k = 0; k < 3; ++k) {
        out[k] = circle[1] * u[k];
    }
    out[3] = circle[0];
}

// x -> about + R (x - about) + translate.
static SnAffine affine_of(const double turn[9], const double about[3], const double translate[3])
{
    SnAffine map;
    for (int i = 0; i < 3; ++i) {
        double turned = 0.0;
        for (int j = 0; j < 3; ++j) {
            map.m[4 * i + j] = turn[3 * i + j];
            turned += turn[3 * i + j] * about[j];
        }
        map.m[4 * i + 3] = about[i] - turned + translate[i];
    }
    return map;
}

static SnAffine map_of(const SinewKey *key)
{
    double turn[9];
    turn_matrix(key->axis, key->degrees, turn);
    return affine_of(turn, key->about, key->translate);
}

// Motions ----------------------------------------------------------------------------------------

// The same direction, whatever the lengths; a rounding of the directions does not matter.
static bool is_same_axis(const double a[3], const double b[3])
{
    double u[3], v[3];
    unit_of(a, u);
    unit_of(b, v);
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        square += (u[k] - v[k]) * (u[k] - v[k]);
    }
    return square <= 1e-30;
}

static double mix(double a, double b, double t)
{
    return a + t * (b - a);
}

// Between the keys a and b, `t` in (0, 1).
static SnAffine map_between(const SinewKey *a, const SinewKey *b, double t)
{
    // A key without a turn has no axis of its own: it takes the other's, so that a motion from rest
    // turns about one axis, as often as the degrees say.
    const SinewKey *of_a = a->degrees == 0.0 ? b : a;
    const SinewKey *of_b = b->degrees == 0.0 ? a : b;
    double translate[3], about[3], turn[9];
    for (int k = 0; k < 3; ++k) {
        translate[k] = mix(a->translate[k], b->translate[k], t);
        about[k] = mix(of_a->about[k], of_b->about[k], t);
    }
    if (is_same_axis(of_a->axis, of_b->axis)) {
        turn_matrix(of_a->axis, mix(a->degrees, b->degrees, t), turn);
        return affine_of(turn, about, translate);
    }
    double from[4], to[4];
    SnPlacement placement = sn_placement_identity();
    turn_quaternion(a->axis, a->degrees, from);
    turn_quaternion(b->axis, b->degrees, to);
    sn_quaternion_slerp(from, to, t, placement.rotation);
    SnAffine rotation = sn_affine_of_placement(&placement);
    for (int k = 0; k < 9; ++k) {
        turn[k] = rotation.m[4 * (k / 3) + k % 3];
    }
    return affine_of(turn, about, translate);
}

SnAffine sn_motion_at(const SinewKey *keys, int count, double t)
{
    if (count < 1) {
        return sn_affine_identity();
    }
    int next = 0; // the first key after t
    while (next < count && !(keys[next].t > t)) {
        next++;
    }
    if (next == 0) {
        return map_of(&keys[0]);
    }
    const SinewKey *last = &keys[next - 1];
    if (next == count || last->t == t) {
        return map_of(last);
    }
    return map_between(last, &keys[next], (t - last->t) / (keys[next].t - last->t));
}

double sn_ramp_at(const SinewRampKey *keys, int count, double t)
{
    if (count < 1) {
        return 1.0;
    }
    int next = 0;
    while (next < count && !(keys[next].t > t)) {
        next++;
    }
    if (next == 0) {
        return keys[0].scale;
    }
    const SinewRampKey *last = &keys[next - 1];
    if (next == count || last->t == t) {
        return last->scale;
    }
    return mix(last->scale, keys[next].scale, (t - last->t) / (keys[next].t - last->t));
}

SnAffine sn_pose_map(const SinewPose *pose)
{
    const double origin[3] = {0.0, 0.0, 0.0};
    double turn[9];
    turn_matrix(pose->axis, pose->degrees, turn);
    for (int k = 0; k < 9; ++k) {
        turn[k] *= pose->scale;
    }
    return affine_of(turn, origin, pose->translate);
}
