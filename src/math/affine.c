#include "math/affine.h"

#include <string.h>

bool sn_quaternion_normalise(const double q[4], double out[4])
{
    // The largest part first: squares of very small or large numbers must not vanish or overflow.
    double most = 0.0;
    for (int i = 0; i < 4; ++i) {
        most = fabs(q[i]) > most || !isfinite(q[i]) ? fabs(q[i]) : most;
    }
    if (!(most > 0.0) || !isfinite(most)) {
        memcpy(out, (double[4]){0.0, 0.0, 0.0, 1.0}, 4 * sizeof *out);
        return false;
    }
    double sum = 0.0;
    for (int i = 0; i < 4; ++i) {
        out[i] = q[i] / most;
        sum += out[i] * out[i];
    }
    double length = sqrt(sum);
    for (int i = 0; i < 4; ++i) {
        out[i] /= length;
    }
    return true;
}

// sin(t theta) / sin(theta) for cos(theta) = x in [0, 1]: t times Gauss's hypergeometric function
// F(1 + t, 1 - t; 3/2; (1 - x) / 2), whose terms shrink by half at least. 60 of them reach the last
// bit of a right angle; small angles stop after a few.
static double sine_ratio(double t, double x)
{
    double term = t;
    double sum = t;
    for (int j = 1; j <= 60 && fabs(term) > 1e-18 * fabs(sum); ++j) {
        term *= (j * j - t * t) * (1.0 - x) / (j * (2.0 * j + 1.0));
        sum += term;
    }
    return sum;
}

void sn_quaternion_slerp(const double a[4], const double b[4], double t, double out[4])
{
    double x = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    double sign = x < 0.0 ? -1.0 : 1.0; // b and -b are the same rotation; the nearer is meant
    x = fabs(x) < 1.0 ? fabs(x) : 1.0;
    double of_a = sine_ratio(1.0 - t, x);
    double of_b = sign * sine_ratio(t, x);
    double mixed[4];
    for (int i = 0; i < 4; ++i) {
        mixed[i] = of_a * a[i] + of_b * b[i];
    }
    sn_quaternion_normalise(mixed, out);
}

// The quaternion of a rotation matrix, by its largest part: nothing cancels.
static void quaternion_of(const double r[9], double out[4])
{
    double trace = r[0] + r[4] + r[8];
    if (trace > 0.0) {
        memcpy(out, (double[4]){r[7] - r[5], r[2] - r[6], r[3] - r[1], 1.0 + trace},
               4 * sizeof *out);
    } else {
        int i = r[4] > r[0] ? 1 : 0;
        i = r[8] > r[4 * i] ? 2 : i;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = 1.0 + r[4 * i] - r[4 * j] - r[4 * k];
        out[j] = r[3 * i + j] + r[3 * j + i];
        out[k] = r[3 * i + k] + r[3 * k + i];
        out[3] = r[3 * k + j] - r[3 * j + k];
    }
    sn_quaternion_normalise(out, out);
}

SnPlacement sn_affine_place(const SnAffine *a)
{
    SnPlacement out = sn_placement_identity();
    double turn[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    double mirror = sn_affine_determinant(a) < 0.0 ? -1.0 : 1.0;
    bool is_flat = false;
    for (int c = 0; c < 3; ++c) {
        double x = a->m[c], y = a->m[4 + c], z = a->m[8 + c];
        out.translation[c] = a->m[4 * c + 3];
        out.scale[c] = sqrt(x * x + y * y + z * z) * (c == 0 ? mirror : 1.0);
        is_flat = is_flat || !(fabs(out.scale[c]) > 0.0);
        for (int r = 0; r < 3 && !is_flat; ++r) {
            turn[3 * r + c] = a->m[4 * r + c] / out.scale[c];
        }
    }
    if (!is_flat) {
        quaternion_of(turn, out.rotation);
    }
    return out;
}
