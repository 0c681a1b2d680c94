#include "model/lattice/cell.h"

#include "math/mat3.h"
#include "math/rotation_reference.h"

// The least that tr Sigma - sigma_i counts as, as in the kernels.
#define GUARD 0.1

static const int SYMMETRIC[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

static void signs_of(int corner, double s[3])
{
    for (int k = 0; k < 3; ++k) {
        s[k] = corner >> (2 - k) & 1 ? 1.0 : -1.0;
    }
}

// Hourglass functions at a corner, over 8.
static void modes_of(int corner, double H[4])
{
    double s[3];
    signs_of(corner, s);
    H[0] = s[1] * s[2] / 8.0;
    H[1] = s[0] * s[2] / 8.0;
    H[2] = s[0] * s[1] / 8.0;
    H[3] = s[0] * s[1] * s[2] / 8.0;
}

void sn_cell_gradient(const SnCell *cell, const double x[24], double F[9])
{
    memset(F, 0, 9 * sizeof *F);
    for (int c = 0; c < 8; ++c) {
        double s[3];
        signs_of(c, s);
        for (int k = 0; k < 9; ++k) {
            F[k] += (x[3 * c + k / 3] - x[k / 3]) * s[k % 3] / (4.0 * cell->h);
        }
    }
}

// q_a = sum_k x_k H_ka, row-major 3 x 4.
static void find_modes(const double x[24], double q[12])
{
    memset(q, 0, 12 * sizeof *q);
    for (int c = 0; c < 8; ++c) {
        double H[4];
        modes_of(c, H);
        for (int k = 0; k < 12; ++k) {
            q[k] += (x[3 * c + k / 4] - x[k / 4]) * H[k % 4];
        }
    }
}

// out = R^T q, or R q.
static void turn_modes(const double R[9], bool back, const double q[12], double out[12])
{
    for (int i = 0; i < 3; ++i) {
        for (int a = 0; a < 4; ++a) {
            out[4 * i + a] = 0.0;
            for (int m = 0; m < 3; ++m) {
                out[4 * i + a] += (back ? R[3 * m + i] : R[3 * i + m]) * q[4 * m + a];
            }
        }
    }
}

// C q in the cell's own frame.
static void stiffen(const SnCell *cell, const double q[12], double g[12])
{
    double mu = cell->mu, lambda = cell->lambda;
    double k0 = 4.0 * cell->h / 3.0;
    double bend = k0 * 4.0 * mu * (lambda + mu) / (lambda + 2.0 * mu);
    double cross = k0 * 2.0 * mu * lambda / (lambda + 2.0 * mu);
    double fourth = k0 * mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu);
    double sum = q[0] + q[5] + q[10];
    for (int i = 0; i < 3; ++i) {
        for (int a = 0; a < 4; ++a) {
            double value = q[4 * i + a];
            if (cell->element != SINEW_LATTICE_WILSON) {
                g[4 * i + a] = cell->hourglass * (a < 3 ? 16.0 : 24.0) * cell->h * mu * value;
            } else if (a == 3) {
                g[4 * i + a] = fourth * value;
            } else {
                g[4 * i + a] =
                    a == i ? k0 * mu * (value + sum) : bend * value + cross * q[4 * a + i];
            }
        }
    }
}

// How a rotation answers: G = V diag(1 / max(tr Sigma - sigma_i, guard)) V^T, times `above`, with
// the eigenvalues clamped from below.
static void find_answer(const double sigma[3], const double V[9], double above, double least,
                        double out[6])
{
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double trace = sigma[0] + sigma[1] + sigma[2];
    for (int k = 0; k < 6; ++k) {
        out[k] = 0.0;
        for (int a = 0; a < 3; ++a) {
            double d = fmax(above / fmax(trace - sigma[a], GUARD), least);
            out[k] += V[3 * row[k] + a] * d * V[3 * column[k] + a];
        }
    }
}

static void apply_symmetric(const double S[6], const double a[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = 0.0;
        for (int j = 0; j < 3; ++j) {
            out[i] += S[SYMMETRIC[i][j]] * a[j];
        }
    }
}

// The state of a cell: what energy, force and coupling share.
typedef struct State {
    double F[9], R[9], G[6];
    double q[12], g[12]; // modes in the cell's frame (`wilson`) or the world's, and C q
    double tau[3];
} State;

static State find_state(const SnCell *cell, const double x[24])
{
    State s;
    double U[9], sigma[3], V[9], q[12];
    sn_cell_gradient(cell, x, s.F);
    sn_svd_reference(s.F, U, sigma, V);
    sn_mat3_multiply_transpose(U, V, s.R);
    find_answer(sigma, V, 1.0, 0.0, s.G);
    find_modes(x, q);
    if (cell->element == SINEW_LATTICE_WILSON) {
        turn_modes(s.R, true, q, s.q);
    } else {
        memcpy(s.q, q, sizeof q);
    }
    stiffen(cell, s.q, s.g);
    memset(s.tau, 0, sizeof s.tau);
    for (int a = 0; a < 4; ++a) {
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            s.tau[i] += s.q[4 * j + a] * s.g[4 * k + a] - s.q[4 * k + a] * s.g[4 * j + a];
        }
    }
    return s;
}

// [a]x, row-major.
static void cross_matrix(const double a[3], double out[9])
{
    double m[9] = {0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0};
    memcpy(out, m, sizeof m);
}

// Corners' share of a stress P (times volume) and of forces on modes.
static void spread(const SnCell *cell, const double P[9], const double g[12], double out[24])
{
    for (int c = 0; c < 8; ++c) {
        double s[3], H[4];
        signs_of(c, s);
        modes_of(c, H);
        for (int i = 0; i < 3; ++i) {
            double sum = 0.0;
            for (int k = 0; k < 3; ++k) {
                sum += P[3 * i + k] * s[k] / (4.0 * cell->h);
            }
            for (int a = 0; a < 4; ++a) {
                sum += g[4 * i + a] * H[a];
            }
            out[3 * c + i] = sum;
        }
    }
}

double sn_cell_energy(const SnCell *cell, const double x[24], double *out_gradient)
{
    State s = find_state(cell, x);
    double volume = cell->h * cell->h * cell->h;
    double square = 0.0, trace = 0.0, energy = 0.0;
    double P[9];
    for (int k = 0; k < 9; ++k) {
        double e = s.F[k] - s.R[k];
        square += e * e;
        trace += s.R[k] * e;
    }
    energy = volume * (cell->mu * square + 0.5 * cell->lambda * trace * trace);
    for (int k = 0; k < 12; ++k) {
        energy += 0.5 * s.q[k] * s.g[k];
    }
    if (out_gradient == NULL) {
        return energy;
    }
    for (int k = 0; k < 9; ++k) {
        P[k] = volume * (2.0 * cell->mu * (s.F[k] - s.R[k]) + cell->lambda * trace * s.R[k]);
    }
    double g[12];
    memcpy(g, s.g, sizeof g);
    if (cell->element == SINEW_LATTICE_WILSON) {
        double w[3], W[9], turned[9];
        apply_symmetric(s.G, s.tau, w);
        cross_matrix(w, W);
        sn_mat3_multiply(s.R, W, turned);
        for (int k = 0; k < 9; ++k) {
            P[k] -= turned[k];
        }
        turn_modes(s.R, false, s.g, g);
    }
    spread(cell, P, g, out_gradient);
    return energy;
}

SnCellTangent sn_cell_linearise(const SnCell *cell, const double F[9], bool definite)
{
    SnCellTangent tangent = {0};
    double U[9], sigma[3], V[9];
    sn_svd_reference(F, U, sigma, V);
    sn_mat3_multiply_transpose(U, V, tangent.R);
    double above = cell->lambda * (sigma[0] + sigma[1] + sigma[2] - 3.0) - 2.0 * cell->mu;
    find_answer(sigma, V, above, definite ? -cell->mu : -INFINITY, tangent.L);
    return tangent;
}

static void find_axial(const double A[9], double out[3])
{
    out[0] = A[7] - A[5];
    out[1] = A[2] - A[6];
    out[2] = A[3] - A[1];
}

// K u for one u: dP = h^3 (2 mu dF + R (lambda tr(R^T dF) I + [L a]x)), dg = R C R^T dq.
void sn_cell_apply(const SnCell *cell, const SnCellTangent *t, const double u[24], double out[24])
{
    double dF[9], A[9], a[3], w[3], W[9], turned[9], P[9], q[12], own[12], g[12];
    double volume = cell->h * cell->h * cell->h;
    sn_cell_gradient(cell, u, dF);
    sn_mat3_transpose_multiply(t->R, dF, A);
    find_axial(A, a);
    apply_symmetric(t->L, a, w);
    cross_matrix(w, W);
    for (int k = 0; k < 3; ++k) {
        W[4 * k] += cell->lambda * sn_mat3_trace(A);
    }
    sn_mat3_multiply(t->R, W, turned);
    for (int k = 0; k < 9; ++k) {
        P[k] = volume * (2.0 * cell->mu * dF[k] + turned[k]);
    }
    find_modes(u, q);
    if (cell->element == SINEW_LATTICE_WILSON) {
        turn_modes(t->R, true, q, own);
        stiffen(cell, own, q);
        turn_modes(t->R, false, q, g);
    } else {
        stiffen(cell, q, g);
    }
    spread(cell, P, g, out);
}

void sn_cell_matrix(const SnCell *cell, const SnCellTangent *tangent, double K[576])
{
    for (int column = 0; column < 24; ++column) {
        double u[24] = {0.0}, out[24];
        u[column] = 1.0;
        sn_cell_apply(cell, tangent, u, out);
        for (int row = 0; row < 24; ++row) {
            K[24 * row + column] = out[row];
        }
    }
    for (int row = 0; row < 24; ++row) { // rounding differs by halves
        for (int column = 0; column < row; ++column) {
            double mean = 0.5 * (K[24 * row + column] + K[24 * column + row]);
            K[24 * row + column] = K[24 * column + row] = mean;
        }
    }
}
