#include "math/angle.h"

#include <math.h>
#include <stdint.h>

// arctan t for t in [0, 1]. Above tan(pi / 16) the angle pi / 8 or pi / 4 is taken off first, which
// leaves |t| < 0.1990; the series then ends below 1e-17.
static double small_arctan(double t)
{
    const double tan_8th = 0.41421356237309504880; // tan(pi / 8)
    double base = 0.0;
    if (t > 0.66817863791929891999) { // tan(3 pi / 16)
        base = SN_PI / 4.0;
        t = (t - 1.0) / (t + 1.0);
    } else if (t > 0.19891236737965800691) { // tan(pi / 16)
        base = SN_PI / 8.0;
        t = (t - tan_8th) / (1.0 + tan_8th * t);
    }
    double square = t * t;
    double sum = 0.0;
    for (int k = 10; k >= 0; --k) {
        sum = 1.0 / (2 * k + 1) - square * sum;
    }
    return base + t * sum;
}

double sn_angle_of(double x, double y)
{
    double a = fabs(x);
    double b = fabs(y);
    if (!(a > 0.0) && !(b > 0.0)) {
        return 0.0;
    }
    double angle = b <= a ? small_arctan(b / a) : SN_PI / 2.0 - small_arctan(a / b);
    angle = x < 0.0 ? SN_PI - angle : angle;
    return y < 0.0 ? -angle : angle;
}

void sn_circle_point(int index, int count, double out[2])
{
    // The turn in eighths: eight * index / count, folded to [0, 1] so that the series is short.
    int64_t part = 8 * (int64_t)index;
    int64_t whole = count;
    int octant = (int)(part / whole) % 8;
    int64_t rest = part % whole;
    rest = octant % 2 == 1 ? whole - rest : rest;
    double angle = SN_PI / 4.0 * ((double)rest / (double)whole);
    double square = angle * angle;
    double c = 0.0;
    double s = 0.0;
    for (int k = 9; k >= 0; --k) {
        c = 1.0 - square * c / ((2 * k + 1) * (2 * k + 2));
        s = 1.0 - square * s / ((2 * k + 2) * (2 * k + 3));
    }
    s *= angle;
    // Odd octants were folded back: cosine and sine change places there once more.
    int quarter = octant / 2;
    double x = octant % 2 == 1 ? s : c;
    double y = octant % 2 == 1 ? c : s;
    out[0] = quarter == 0 ? x : quarter == 1 ? -y : quarter == 2 ? -x : y;
    out[1] = quarter == 0 ? y : quarter == 1 ? x : quarter == 2 ? -y : -x;
}

// degrees times pi / 180 as a sum of two doubles: the product's own rounding error is found by
// Dekker's splitting, and what pi / 180 has beyond a double is added to it.
static double radians_of(double degrees, double *out_rest)
{
    const double unit = 0x1.1df46a2529d39p-6;       // pi / 180
    const double unit_rest = 0x1.5c1d8becdd291p-62; // what that leaves
    const double splitter = 134217729.0;            // 2^27 + 1
    double t = splitter * degrees;
    double high = t - (t - degrees);
    double low = degrees - high;
    t = splitter * unit;
    double unit_high = t - (t - unit);
    double unit_low = unit - unit_high;
    double product = degrees * unit;
    double error = high * unit_high - product + high * unit_low + low * unit_high + low * unit_low;
    *out_rest = error + degrees * unit_rest;
    return product;
}

void sn_circle_degrees(double degrees, double out[2])
{
    // What is left after the nearest quarters is exact: both numbers are multiples of the last
    // place of `degrees`, and the difference is smaller.
    double quarters = floor(degrees / 90.0 + 0.5);
    double rest = 0.0;
    double angle = radians_of(degrees - 90.0 * quarters, &rest);
    double square = angle * angle;
    double c = 0.0;
    double s = 0.0;
    // sin a = a - a^3 / 6 S and cos a = 1 - a^2 / 2 + a^4 / 24 C; S and C to a^16, where they end
    // below 1e-18 for 45 degrees.
    for (int k = 8; k >= 1; --k) {
        c = 1.0 - square * c / ((2 * k + 3) * (2 * k + 4));
        s = 1.0 - square * s / ((2 * k + 2) * (2 * k + 3));
    }
    double sine = angle + (rest - angle * (square * s / 6.0));
    // The rounding of 1 - a^2 / 2 is known, and goes to the small terms.
    double rough = 1.0 - 0.5 * square;
    double lost = 1.0 - rough - 0.5 * square;
    double cosine = rough + (lost + (square * square * c / 24.0 - angle * rest));
    int quarter = (int)(quarters - 4.0 * floor(quarters / 4.0));
    out[0] = quarter == 0 ? cosine : quarter == 1 ? -sine : quarter == 2 ? -cosine : sine;
    out[1] = quarter == 0 ? sine : quarter == 1 ? cosine : quarter == 2 ? -sine : -cosine;
    // No negative zeros: they would show as "-0" in what is written.
    out[0] += 0.0;
    out[1] += 0.0;
}
