// The exact Hessian as a 9x9 matrix, in closed form from F: the sum of what each invariant's own
// second derivative and each pair of gradients contribute.
#include "material/law_invariants.h"

#include "math/mat3.h"

// H += scale a b^T.
static void add_outer(double scale, const double a[9], const double b[9], double H[81])
{
    for (int r = 0; r < 9; ++r) {
        double left = scale * a[r];
        for (int c = 0; c < 9; ++c) {
            H[9 * r + c] += left * b[c];
        }
    }
}

// H += scale d2 i1 / dF2.
static void add_i1(double scale, double H[81])
{
    for (int k = 0; k < 81; k += 10) {
        H[k] += 2.0 * scale;
    }
}

// H += scale d2 i2 / dF2, at (ij, kl), with B = F F^T and 1 for equal indices:
// 4 F_ij F_kl - 2 F_il F_kj + 2 (i1 1_ik 1_jl - 1_ik C_jl - B_ik 1_jl).
static void add_i2(double scale, const SnDeformation *d, double H[81])
{
    const double *F = d->F;
    double B[9];
    sn_mat3_multiply_transpose(F, F, B);
    add_outer(4.0 * scale, F, F, H);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) {
                double *row = H + 9 * (3 * i + j) + 3 * k;
                for (int l = 0; l < 3; ++l) {
                    row[l] -= 2.0 * scale * F[3 * i + l] * F[3 * k + j];
                }
                row[j] -= 2.0 * scale * B[3 * i + k];
            }
            double *same = H + 9 * (3 * i + j) + 3 * i;
            for (int l = 0; l < 3; ++l) {
                same[l] -= 2.0 * scale * d->cauchy[3 * j + l];
            }
            same[j] += 2.0 * scale * d->at.i1;
        }
    }
}

// H += scale d2 det F / dF2: entries of two different rows and columns, whose complement is F_mn.
static void add_j(double scale, const double F[9], double H[81])
{
    for (int i = 0; i < 3; ++i) {
        int k = (i + 1) % 3;
        int m = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            int l = (j + 1) % 3;
            int n = (j + 2) % 3;
            double even = scale * F[3 * m + n];
            H[9 * (3 * i + j) + 3 * k + l] += even;
            H[9 * (3 * k + l) + 3 * i + j] += even;
            H[9 * (3 * i + l) + 3 * k + j] -= even;
            H[9 * (3 * k + j) + 3 * i + l] -= even;
        }
    }
}

// H += scale dR / dF, whose eigenvectors are the three turns u_i v_j^T - u_j v_i^T.
static void add_stretch(double scale, const SnDeformation *d, double H[81])
{
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3;
        int j = (k + 2) % 3;
        double turn[9];
        for (int e = 0; e < 9; ++e) {
            const double *u = d->U + 3 * (e / 3);
            const double *v = d->V + 3 * (e % 3);
            turn[e] = u[i] * v[j] - u[j] * v[i];
        }
        add_outer(scale * sn_law_turn(d->sigma, k), turn, turn, H);
    }
}

// H += the second slopes times the gradients of their invariants.
static void add_gradients(const SnDeformation *d, double H[81])
{
    const SnSlopes *psi = &d->slopes;
    double by_j[9]; // what pairs with the gradient of j, once from each side
    for (int k = 0; k < 9; ++k) {
        double g1 = 2.0 * d->F[k];
        double g2 = 2.0 * (d->at.i1 * d->F[k] - d->by_cauchy[k]);
        by_j[k] = psi->i1_j * g1 + psi->i2_j * g2 + 0.5 * psi->j_j * d->cofactor[k];
    }
    add_outer(4.0 * psi->i1_i1, d->F, d->F, H);
    add_outer(1.0, by_j, d->cofactor, H);
    add_outer(1.0, d->cofactor, by_j, H);
    add_outer(psi->stretch_stretch, d->rotation, d->rotation, H);
}

void sn_law_hessian_at(const SnDeformation *d, double H[81])
{
    memset(H, 0, 81 * sizeof *H);
    add_i1(d->slopes.i1, H);
    if (d->slopes.i2 != 0.0) {
        add_i2(d->slopes.i2, d, H);
    }
    add_j(d->slopes.j, d->F, H);
    if (d->slopes.stretch != 0.0) {
        add_stretch(d->slopes.stretch, d, H);
    }
    add_gradients(d, H);
    // The two halves differ by rounding; the upper one stands.
    for (int r = 1; r < 9; ++r) {
        for (int c = 0; c < r; ++c) {
            H[9 * r + c] = H[9 * c + r];
        }
    }
}

// mu (1_ik 1_jl + 1_il 1_jk) + lambda 1_ij 1_kl at (ij, kl).
void sn_law_linear_hessian(const SnLaw *law, double H[81])
{
    memset(H, 0, 81 * sizeof *H);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            H[9 * (3 * i + j) + 3 * i + j] += law->mu;
            H[9 * (3 * i + j) + 3 * j + i] += law->mu;
            H[9 * (4 * i) + 4 * j] += law->lambda;
        }
    }
}

void sn_law_hessian(const SnLaw *law, const double F[9], double H[81])
{
    SnDeformation d;
    if (law->kind == SN_LAW_LINEAR) {
        sn_law_linear_hessian(law, H);
        return;
    }
    memset(H, 0, 81 * sizeof *H);
    if (sn_law_deform(law, F, &d)) {
        sn_law_hessian_at(&d, H);
    }
}
