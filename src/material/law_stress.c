// First Piola stress and its derivative along one direction, by the chain rule over the invariants.
#include "material/law_invariants.h"

#include "kernel/disturb.h"
#include "math/mat3.h"

#include <math.h>

// 2 mu e + lambda tr(e) I, where e is the symmetric part of D.
static void hooke(const SnLaw *law, const double D[9], double out[9])
{
    double pressure = law->lambda * sn_mat3_trace(D);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * r + c] = law->mu * (D[3 * r + c] + D[3 * c + r]) + (r == c ? pressure : 0.0);
        }
    }
}

// P = psi_i1 2 F + psi_i2 2 (i1 F - F C) + psi_j cof F + psi_stretch R.
static void isotropic_stress(const SnDeformation *d, double P[9])
{
    const SnSlopes *psi = &d->slopes;
    double along = 2.0 * (psi->i1 + psi->i2 * d->at.i1);
    for (int k = 0; k < 9; ++k) {
        P[k] = sn_disturb(along * d->F[k] - 2.0 * psi->i2 * d->by_cauchy[k] +
                          psi->j * d->cofactor[k] + psi->stretch * d->rotation[k]);
    }
}

void sn_law_stress(const SnLaw *law, const double F[9], double P[9])
{
    memset(P, 0, 9 * sizeof *P);
    SnDeformation d;
    if (law->kind == SN_LAW_LINEAR) {
        double D[9];
        memcpy(D, F, sizeof D);
        D[0] -= 1.0;
        D[4] -= 1.0;
        D[8] -= 1.0;
        hooke(law, D, P);
    } else if (sn_law_deform(law, F, &d)) {
        isotropic_stress(&d, P);
    }
}

// With the Hessian where it is wanted: H is nullable.
static double energy_stress(const SnLaw *law, const double F[9], double P[9], double *H)
{
    SnDeformation d;
    if (law->kind == SN_LAW_LINEAR) {
        sn_law_stress(law, F, P);
        if (H != NULL) {
            sn_law_linear_hessian(law, H);
        }
        return sn_law_energy(law, F);
    }
    if (!sn_law_deform(law, F, &d)) {
        memset(P, 0, 9 * sizeof *P);
        if (H != NULL) {
            memset(H, 0, 81 * sizeof *H);
        }
        return INFINITY;
    }
    isotropic_stress(&d, P);
    if (H != NULL) {
        sn_law_hessian_at(&d, H);
    }
    double energy = sn_law_energy_at(law, F, d.at.j, d.sigma);
    return isfinite(energy) ? energy : INFINITY;
}

double sn_law_energy_stress(const SnLaw *law, const double F[9], double P[9])
{
    return energy_stress(law, F, P, NULL);
}

double sn_law_energy_stress_hessian(const SnLaw *law, const double F[9], double P[9], double H[81])
{
    return energy_stress(law, F, P, H);
}

static double dot(const double a[9], const double b[9])
{
    double sum = 0.0;
    for (int k = 0; k < 9; ++k) {
        sum += a[k] * b[k];
    }
    return sum;
}

// d cof(F) = cof(F + dF) without the terms of order zero and two.
static void cofactor_change(const double F[9], const double dF[9], double out[9])
{
    for (int r = 0; r < 3; ++r) {
        int a = 3 * ((r + 1) % 3);
        int b = 3 * ((r + 2) % 3);
        for (int c = 0; c < 3; ++c) {
            int p = (c + 1) % 3;
            int q = (c + 2) % 3;
            out[3 * r + c] = dF[a + p] * F[b + q] + F[a + p] * dF[b + q] - dF[a + q] * F[b + p] -
                             F[a + q] * dF[b + p];
        }
    }
}

// dR = U K V^T with K_ij = (W_ij - W_ji) / (sigma_i + sigma_j) and W = U^T dF V.
static void rotation_change(const SnDeformation *d, const double dF[9], double out[9])
{
    double half[9];
    double W[9];
    double K[9] = {0.0};
    sn_mat3_transpose_multiply(d->U, dF, half);
    sn_mat3_multiply(half, d->V, W);
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3;
        int j = (k + 2) % 3;
        K[3 * i + j] = (W[3 * i + j] - W[3 * j + i]) * sn_law_turn(d->sigma, k);
        K[3 * j + i] = -K[3 * i + j];
    }
    sn_mat3_multiply(d->U, K, half);
    sn_mat3_multiply_transpose(half, d->V, out);
}

// d(F C) = dF C + F dC.
static void by_cauchy_change(const SnDeformation *d, const double dF[9], double out[9])
{
    double half[9];
    double change[9];
    double second[9];
    sn_mat3_transpose_multiply(dF, d->F, half);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            change[3 * r + c] = half[3 * r + c] + half[3 * c + r];
        }
    }
    sn_mat3_multiply(dF, d->cauchy, out);
    sn_mat3_multiply(d->F, change, second);
    for (int k = 0; k < 9; ++k) {
        out[k] += second[k];
    }
}

// The stress above, differentiated factor by factor.
static void isotropic_differential(const SnDeformation *d, const double dF[9], double dP[9])
{
    const SnSlopes *psi = &d->slopes;
    double d_cofactor[9];
    double d_by_cauchy[9];
    double d_rotation[9] = {0.0};
    cofactor_change(d->F, dF, d_cofactor);
    by_cauchy_change(d, dF, d_by_cauchy);
    if (psi->stretch != 0.0) {
        rotation_change(d, dF, d_rotation);
    }
    double d_i1 = 2.0 * dot(d->F, dF);
    double d_i2 = d->at.i1 * d_i1 - 2.0 * dot(d->by_cauchy, dF);
    double d_j = dot(d->cofactor, dF);
    double d_psi_i1 = psi->i1_i1 * d_i1 + psi->i1_j * d_j;
    double d_psi_i2 = psi->i2_j * d_j;
    double d_psi_j = psi->i1_j * d_i1 + psi->i2_j * d_i2 + psi->j_j * d_j;
    double d_psi_stretch = psi->stretch_stretch * dot(d->rotation, dF);
    double along = 2.0 * (psi->i1 + psi->i2 * d->at.i1);
    double d_along = 2.0 * (d_psi_i1 + d_psi_i2 * d->at.i1 + psi->i2 * d_i1);
    for (int k = 0; k < 9; ++k) {
        dP[k] = along * dF[k] + d_along * d->F[k] - 2.0 * psi->i2 * d_by_cauchy[k] -
                2.0 * d_psi_i2 * d->by_cauchy[k] + psi->j * d_cofactor[k] +
                d_psi_j * d->cofactor[k] + psi->stretch * d_rotation[k] +
                d_psi_stretch * d->rotation[k];
    }
}

void sn_law_differential(const SnLaw *law, const double F[9], const double dF[9], double dP[9])
{
    memset(dP, 0, 9 * sizeof *dP);
    SnDeformation d;
    if (law->kind == SN_LAW_LINEAR) {
        hooke(law, dF, dP);
    } else if (sn_law_deform(law, F, &d)) {
        isotropic_differential(&d, dF, dP);
    }
}
