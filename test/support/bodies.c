#include "support/bodies.h"

#include "base/random.h"

#include <math.h>
#include <string.h>

static double length(double x, double y, double z)
{
    return sqrt(x * x + y * y + z * z);
}

double sn_body_sphere(void *context, const double p[3])
{
    (void)context;
    return length(p[0], p[1], p[2]) - 0.9;
}

double sn_body_torus(void *context, const double p[3])
{
    (void)context;
    return length(length(p[0], p[1], 0.0) - 0.6, p[2], 0.0) - 0.3;
}

static double box(const double p[3], double a, double b, double c)
{
    double q[3] = {fabs(p[0]) - a, fabs(p[1]) - b, fabs(p[2]) - c};
    double inside = fmin(fmax(q[0], fmax(q[1], q[2])), 0.0);
    return length(fmax(q[0], 0.0), fmax(q[1], 0.0), fmax(q[2], 0.0)) + inside;
}

double sn_body_box(void *context, const double p[3])
{
    (void)context;
    return box(p, 0.83, 0.51, 0.37);
}

double sn_body_touching(void *context, const double p[3])
{
    (void)context;
    return length(fabs(p[0]) - 0.45, p[1], p[2]) - 0.45;
}

double sn_body_sheet(void *context, const double p[3])
{
    (void)context;
    return box(p, 0.8, 0.8, 0.02);
}

double sn_body_gyroid(void *context, const double p[3])
{
    (void)context;
    double k = 5.0;
    double g = sin(k * p[0]) * cos(k * p[1]) + sin(k * p[1]) * cos(k * p[2]) +
               sin(k * p[2]) * cos(k * p[0]);
    return (fabs(g) - 0.8) / (k * 2.0);
}

double sn_body_noise(void *context, const double p[3])
{
    (void)context;
    uint64_t bits[3];
    memcpy(bits, p, sizeof bits);
    SnRandom random = {bits[0] ^ bits[1] << 1 ^ bits[2] << 2};
    return sn_random_between(&random, -1.0, 1.0);
}

double sn_body_jump(void *context, const double p[3])
{
    double d = sn_body_sphere(context, p);
    return p[0] + 0.3 * p[1] > 0.1 ? fabs(d) : d;
}

double sn_body_holed(void *context, const double p[3])
{
    return p[0] > 0.3 ? (double)NAN : sn_body_sphere(context, p);
}
