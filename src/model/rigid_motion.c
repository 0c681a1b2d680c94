#include "model/rigid_motion.h"

#include "math/mat3.h"

#include <stddef.h>

// Moments below this share of the largest one are rounding: about such an axis nothing turns.
#define LEAST_MOMENT 1e-12

// So is all that is nearer to the middle than this share of the middle's distance from the origin.
#define LEAST_RADIUS 1e-7

typedef struct Sums {
    double mass;
    SnRigidMotion motion;
    double inertia[9]; // kg m^2
} Sums;

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = a[i] * b[j] - a[j] * b[i];
    }
}

static void find_middle(const double *masses, const double *x, const double *v, int count,
                        Sums *sums)
{
    for (int i = 0; i < count; ++i) {
        sums->mass += masses[i];
        for (int k = 0; k < 3; ++k) {
            sums->motion.middle[k] += masses[i] * x[3 * (size_t)i + (size_t)k];
            sums->motion.drift[k] += masses[i] * v[3 * (size_t)i + (size_t)k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        sums->motion.middle[k] /= sums->mass;
        sums->motion.drift[k] /= sums->mass;
    }
}

static void find_spin(const double *masses, const double *x, const double *v, int count, Sums *sums)
{
    for (int i = 0; i < count; ++i) {
        double r[3], u[3], turn[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = x[3 * (size_t)i + (size_t)k] - sums->motion.middle[k];
            u[k] = v[3 * (size_t)i + (size_t)k] - sums->motion.drift[k];
        }
        double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        cross(r, u, turn);
        for (int k = 0; k < 3; ++k) {
            sums->motion.spin[k] += masses[i] * turn[k];
            for (int l = 0; l < 3; ++l) {
                sums->inertia[3 * k + l] += masses[i] * ((k == l ? square : 0.0) - r[k] * r[l]);
            }
        }
    }
}

// w of inertia w = spin.
static void find_turn(const Sums *sums, const double spin[3], double out[3])
{
    double I[9];
    const double *m = sums->motion.middle;
    double away = LEAST_RADIUS * LEAST_RADIUS * (m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
    double least = LEAST_MOMENT * sn_mat3_trace(sums->inertia) + sums->mass * away;
    memcpy(I, sums->inertia, sizeof I);
    for (int k = 0; k < 3; ++k) {
        I[4 * k] += least;
    }
    double columns[3][3];
    for (int k = 0; k < 3; ++k) {
        cross(I + 3 * ((k + 1) % 3), I + 3 * ((k + 2) % 3), columns[k]);
    }
    double det = sn_mat3_determinant(I);
    for (int k = 0; k < 3; ++k) {
        double sum = spin[0] * columns[0][k] + spin[1] * columns[1][k] + spin[2] * columns[2][k];
        out[k] = det > 0.0 ? sum / det : 0.0;
    }
}

static Sums sums_of(const double *masses, const double *positions, const double *velocities,
                    int count)
{
    Sums sums = {0};
    if (count > 0) {
        find_middle(masses, positions, velocities, count, &sums);
        find_spin(masses, positions, velocities, count, &sums);
    }
    return sums;
}

SnRigidMotion sn_rigid_motion_of(const double *masses, const double *positions,
                                 const double *velocities, int count)
{
    Sums sums = sums_of(masses, positions, velocities, count);
    find_turn(&sums, sums.motion.spin, sums.motion.turn);
    return sums.motion;
}

void sn_rigid_motion_spin(const double *masses, const double *positions, int count,
                          const double spin[3], double *velocities)
{
    Sums sums = sums_of(masses, positions, velocities, count);
    double missing[3], turn[3];
    for (int k = 0; k < 3; ++k) {
        missing[k] = spin[k] - sums.motion.spin[k];
    }
    find_turn(&sums, missing, turn);
    for (int i = 0; i < count; ++i) {
        double r[3], u[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = positions[3 * (size_t)i + (size_t)k] - sums.motion.middle[k];
        }
        cross(turn, r, u);
        for (int k = 0; k < 3; ++k) {
            velocities[3 * (size_t)i + (size_t)k] += u[k];
        }
    }
}

void sn_rigid_motion_velocities(const SnRigidMotion *motion, const double *positions, int count,
                                double *out_velocities)
{
    for (int i = 0; i < count; ++i) {
        double r[3], u[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = positions[3 * (size_t)i + (size_t)k] - motion->middle[k];
        }
        cross(motion->turn, r, u);
        for (int k = 0; k < 3; ++k) {
            out_velocities[3 * (size_t)i + (size_t)k] = motion->drift[k] + u[k];
        }
    }
}
