#include "model/rigid_motion.h"

#include "math/mat3.h"

#include <stddef.h>

// Moments below this share of the largest one are rounding: about such an axis nothing turns.
#define LEAST_MOMENT 1e-12

typedef struct Sums {
    double mass;
    double middle[3];
    double drift[3];   // m/s
    double spin[3];    // kg m^2/s, angular momentum about the middle
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
            sums->middle[k] += masses[i] * x[3 * (size_t)i + (size_t)k];
            sums->drift[k] += masses[i] * v[3 * (size_t)i + (size_t)k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        sums->middle[k] /= sums->mass;
        sums->drift[k] /= sums->mass;
    }
}

static void find_spin(const double *masses, const double *x, const double *v, int count, Sums *sums)
{
    for (int i = 0; i < count; ++i) {
        double r[3], u[3], turn[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = x[3 * (size_t)i + (size_t)k] - sums->middle[k];
            u[k] = v[3 * (size_t)i + (size_t)k] - sums->drift[k];
        }
        double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        cross(r, u, turn);
        for (int k = 0; k < 3; ++k) {
            sums->spin[k] += masses[i] * turn[k];
            for (int l = 0; l < 3; ++l) {
                sums->inertia[3 * k + l] += masses[i] * ((k == l ? square : 0.0) - r[k] * r[l]);
            }
        }
    }
}

// w of inertia w = spin.
static void find_turn(const Sums *sums, double out[3])
{
    double I[9];
    double least = LEAST_MOMENT * sn_mat3_trace(sums->inertia);
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
        double sum = sums->spin[0] * columns[0][k] + sums->spin[1] * columns[1][k] +
                     sums->spin[2] * columns[2][k];
        out[k] = det > 0.0 ? sum / det : 0.0;
    }
}

void sn_rigid_motion_keep(const double *masses, const double *positions, int count,
                          double *velocities)
{
    Sums sums = {0};
    double turn[3];
    if (count == 0) {
        return;
    }
    find_middle(masses, positions, velocities, count, &sums);
    find_spin(masses, positions, velocities, count, &sums);
    find_turn(&sums, turn);
    for (int i = 0; i < count; ++i) {
        double r[3], u[3];
        for (int k = 0; k < 3; ++k) {
            r[k] = positions[3 * (size_t)i + (size_t)k] - sums.middle[k];
        }
        cross(turn, r, u);
        for (int k = 0; k < 3; ++k) {
            velocities[3 * (size_t)i + (size_t)k] = sums.drift[k] + u[k];
        }
    }
}
