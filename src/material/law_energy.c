// Energies, written so that near rest they lose no digits: the terms of first order in the strain
// cancel, so all of them are made from the same rounded strain F^T F - I and never from i1 and j by
// themselves. A line search compares energies that differ by far less than 1e-16 of a stiffness.
#include "material/law_invariants.h"

#include "math/mat3.h"
#include "math/rotation_reference.h"

#include <math.h>

// How far a state is from rest.
typedef struct Strain {
    double squared; // |F^T F - I|^2
    double i1;      // i1 - 3
    double i2;      // i2 - 3
    double j;       // j - 1
    double log_j;   // ln j, for barrier laws alone
} Strain;

// |a|^2.
static double square_sum(const double a[9])
{
    double sum = 0.0;
    for (int k = 0; k < 9; ++k) {
        sum += a[k] * a[k];
    }
    return sum;
}

// With A = F^T F - I and its invariants a1, a2, a3: i1 = 3 + a1, i2 = 3 + 2 a1 + a2 and
// j^2 = 1 + a1 + a2 + a3. Far from rest a2 and a3 cancel where i2 and j themselves do not.
static Strain strain_of(const SnLaw *law, const double F[9], double j)
{
    double A[9];
    sn_mat3_transpose_multiply(F, F, A);
    A[0] -= 1.0;
    A[4] -= 1.0;
    A[8] -= 1.0;
    Strain strain = {.squared = square_sum(A), .i1 = sn_mat3_trace(A)};
    if (strain.squared < 0.25 && j > 0.0) {
        double a2 =
            A[0] * A[4] - A[1] * A[3] + A[4] * A[8] - A[5] * A[7] + A[8] * A[0] - A[6] * A[2];
        double squared_j = strain.i1 + a2 + sn_mat3_determinant(A); // j^2 - 1
        strain.i2 = 2.0 * strain.i1 + a2;
        strain.j = squared_j / (1.0 + j);
        strain.log_j = sn_law_is_barrier(law->kind) ? 0.5 * log1p(squared_j) : 0.0;
    } else {
        double cofactor[9];
        sn_law_cofactor(F, cofactor);
        strain.i2 = square_sum(cofactor) - 3.0;
        strain.j = j - 1.0;
        strain.log_j = sn_law_is_barrier(law->kind) ? log(j) : 0.0;
    }
    return strain;
}

// mu tr(e e) + lambda/2 tr(e)^2 of the small strain e = (F + F^T)/2 - I.
static double linear_energy(const SnLaw *law, const double F[9])
{
    double squared = 0.0;
    double trace = 0.0;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            double e = 0.5 * (F[3 * r + c] + F[3 * c + r]) - (r == c ? 1.0 : 0.0);
            squared += e * e;
            trace += r == c ? e : 0.0;
        }
    }
    return law->mu * squared + 0.5 * law->lambda * trace * trace;
}

// |F - R|^2 is the sum of (sigma - 1)^2, and tr(R^T F - I) that of sigma - 1.
static double corotated_energy(const SnLaw *law, const double sigma[3], double j_strain)
{
    double squared = 0.0;
    double trace = 0.0;
    for (int k = 0; k < 3; ++k) {
        squared += (sigma[k] - 1.0) * (sigma[k] - 1.0);
        trace += sigma[k] - 1.0;
    }
    double volume = law->kind == SN_LAW_COROTATED ? trace : j_strain;
    return law->mu * squared + 0.5 * law->lambda * volume * volume;
}

// c10 (e^t i1 - 3) + c01 (e^2t i2 - 3) + bulk/2 (j - 1)^2 with e^t = j^(-2/3).
static double mooney_rivlin_energy(const SnLaw *law, const Strain *strain)
{
    double less = expm1(-2.0 / 3.0 * strain->log_j);
    double less2 = expm1(-4.0 / 3.0 * strain->log_j);
    return law->c10 * (3.0 * less + strain->i1 * (1.0 + less)) +
           law->c01 * (3.0 * less2 + strain->i2 * (1.0 + less2)) +
           0.5 * law->bulk * strain->j * strain->j;
}

double sn_law_energy_at(const SnLaw *law, const double F[9], double j, const double sigma[3])
{
    if (law->kind == SN_LAW_LINEAR) {
        return linear_energy(law, F);
    }
    Strain e = strain_of(law, F, j);
    SnStableParameters stable = sn_law_stable_parameters(law);
    switch (law->kind) {
    case SN_LAW_COROTATED:
    case SN_LAW_FIXED_COROTATED:
        return corotated_energy(law, sigma, e.j);
    case SN_LAW_SVK:
        return 0.25 * law->mu * e.squared + 0.125 * law->lambda * e.i1 * e.i1;
    case SN_LAW_NEO_HOOKEAN:
        return law->mu * (0.5 * e.i1 - e.log_j) + 0.5 * law->lambda * e.log_j * e.log_j;
    case SN_LAW_STABLE_NEO_HOOKEAN:
        // l/2 (j - rest)^2 less its value at rest, by l (rest - 1) = 3/4 m.
        return 0.5 * stable.m * (e.i1 - log1p(0.25 * e.i1) - 1.5 * e.j) +
               0.5 * stable.l * e.j * e.j;
    case SN_LAW_STABLE_NEO_HOOKEAN_0:
        return law->mu * (0.5 * e.i1 - e.j) + 0.5 * (law->lambda + law->mu) * e.j * e.j;
    default:
        return mooney_rivlin_energy(law, &e);
    }
}

double sn_law_energy(const SnLaw *law, const double F[9])
{
    double j = sn_mat3_determinant(F);
    if (!isfinite(j) || sn_law_forbids(law->kind, j)) {
        return INFINITY;
    }
    double U[9];
    double sigma[3] = {0.0};
    double V[9];
    if (sn_law_is_corotated(law->kind)) {
        sn_svd_reference(F, U, sigma, V);
    }
    double energy = sn_law_energy_at(law, F, j, sigma);
    return isfinite(energy) ? energy : INFINITY;
}
