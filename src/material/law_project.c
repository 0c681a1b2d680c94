// The Hessian without its negative part. In the frame of F = U diag(s) V^T it falls apart into a
// 3x3 block for the three stretches u_i v_i^T and, for each pair of axes, a flip u_i v_j^T + u_j
// v_i^T and a twist u_i v_j^T - u_j v_i^T, which are eigenvectors already [T]. Each part is
// made semi-definite by itself, which is the nearest semi-definite matrix to the whole.
#include "material/law_invariants.h"

#include "math/mat3.h"
#include "math/rotation_reference.h"

// The Hessian in that frame. flip[k] and twist[k] belong to the pair of axes other than k.
typedef struct Frame {
    double stretch[9];
    double flip[3];
    double twist[3];
} Frame;

// With psi_i = d psi / d s_i, flip = (psi_i - psi_j) / (s_i - s_j) and
// twist = (psi_i + psi_j) / (s_i + s_j). Both divisions are done by hand, invariant by invariant;
// what is left of them is the pole of the corotated laws, cut off at their kink.
static void frame_pairs(const SnSlopes *psi, const double s[3], Frame *out)
{
    for (int k = 0; k < 3; ++k) {
        double own = s[k] * s[k];
        double pair = s[(k + 1) % 3] * s[(k + 2) % 3];
        out->flip[k] = 2.0 * (psi->i1 + psi->i2 * (own - pair)) - psi->j * s[k];
        out->twist[k] = 2.0 * (psi->i1 + psi->i2 * (own + pair)) + psi->j * s[k] +
                        2.0 * psi->stretch * sn_law_turn(s, k);
    }
}

// Gradients of the invariants by the singular values: i1 = sum s^2, i2 = sum s_i^2 s_j^2,
// j = product, stretch = sum.
typedef struct Gradients {
    double i1[3], i2[3], j[3];
} Gradients;

// What the second slopes of the energy add to d2 psi / ds_a ds_b.
static double second_slopes(const SnSlopes *psi, const Gradients *g, int a, int b)
{
    return psi->i1_i1 * g->i1[a] * g->i1[b] +
           psi->i1_j * (g->i1[a] * g->j[b] + g->j[a] * g->i1[b]) +
           psi->i2_j * (g->i2[a] * g->j[b] + g->j[a] * g->i2[b]) + psi->j_j * g->j[a] * g->j[b] +
           psi->stretch_stretch;
}

// d2 psi / ds_a ds_b; the first slopes bring the second derivatives of their invariants.
static void frame_stretches(const SnSlopes *psi, const double s[3], double i1, Frame *out)
{
    Gradients g;
    for (int k = 0; k < 3; ++k) {
        g.i1[k] = 2.0 * s[k];
        g.i2[k] = 2.0 * s[k] * (i1 - s[k] * s[k]);
        g.j[k] = s[(k + 1) % 3] * s[(k + 2) % 3];
    }
    for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3;
        int b = (k + 2) % 3;
        out->stretch[4 * k] =
            2.0 * (psi->i1 + psi->i2 * (i1 - s[k] * s[k])) + second_slopes(psi, &g, k, k);
        double across = 4.0 * psi->i2 * g.j[k] + psi->j * s[k] + second_slopes(psi, &g, a, b);
        out->stretch[3 * a + b] = across;
        out->stretch[3 * b + a] = across;
    }
}

// Sylvester's rule.
static bool is_definite3(const double A[9])
{
    return A[0] > 0.0 && A[0] * A[4] - A[1] * A[3] > 0.0 && sn_mat3_determinant(A) > 0.0;
}

// One Jacobi turn in the plane (p, q): A <- G^T A G, Q <- Q G with A_pq = 0 after it.
static void jacobi_turn3(double A[9], double Q[9], int p, int q)
{
    double across = A[3 * p + q];
    if (across == 0.0) {
        return;
    }
    double z = (A[4 * q] - A[4 * p]) / (2.0 * across);
    double t = (z < 0.0 ? -1.0 : 1.0) / (fabs(z) + sqrt(1.0 + z * z));
    double c = 1.0 / sqrt(1.0 + t * t);
    double s = c * t;
    int r = 3 - p - q;
    double a_rp = A[3 * r + p];
    double a_rq = A[3 * r + q];
    A[4 * p] -= t * across;
    A[4 * q] += t * across;
    A[3 * p + q] = A[3 * q + p] = 0.0;
    A[3 * r + p] = A[3 * p + r] = c * a_rp - s * a_rq;
    A[3 * r + q] = A[3 * q + r] = s * a_rp + c * a_rq;
    for (int row = 0; row < 3; ++row) {
        double x = Q[3 * row + p];
        double y = Q[3 * row + q];
        Q[3 * row + p] = c * x - s * y;
        Q[3 * row + q] = s * x + c * y;
    }
}

// A <- A without its negative eigenvalues. Eight sweeps end far below rounding: convergence is
// quadratic, and most matrices need four.
static void project3(double A[9])
{
    double Q[9];
    sn_mat3_identity(Q);
    double floor = 1e-36 * (A[0] * A[0] + A[4] * A[4] + A[8] * A[8]);
    for (int sweep = 0; sweep < 8; ++sweep) {
        if (A[1] * A[1] + A[2] * A[2] + A[5] * A[5] <= floor) {
            break;
        }
        jacobi_turn3(A, Q, 0, 1);
        jacobi_turn3(A, Q, 0, 2);
        jacobi_turn3(A, Q, 1, 2);
    }
    double kept[9];
    for (int k = 0; k < 9; ++k) {
        double value = A[4 * (k % 3)];
        kept[k] = value > 0.0 ? value * Q[k] : 0.0;
    }
    sn_mat3_multiply_transpose(kept, Q, A);
}

// H += left right^T.
static void add_outer(const double left[9], const double right[9], double H[81])
{
    for (int r = 0; r < 9; ++r) {
        for (int c = 0; c < 9; ++c) {
            H[9 * r + c] += left[r] * right[c];
        }
    }
}

// u_i v_j^T.
static void axes_product(const double U[9], const double V[9], int i, int j, double out[9])
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[3 * r + c] = U[3 * r + i] * V[3 * c + j];
        }
    }
}

// H += sum over i, j of stretch_ij (u_i v_i^T) (u_j v_j^T).
static void add_stretches(const Frame *frame, const double U[9], const double V[9], double H[81])
{
    double mode[3][9];
    for (int i = 0; i < 3; ++i) {
        axes_product(U, V, i, i, mode[i]);
    }
    for (int i = 0; i < 3; ++i) {
        const double *row = frame->stretch + 3 * i;
        double weighted[9];
        for (int k = 0; k < 9; ++k) {
            weighted[k] = row[0] * mode[0][k] + row[1] * mode[1][k] + row[2] * mode[2][k];
        }
        add_outer(mode[i], weighted, H);
    }
}

// H += flip f f^T + twist t t^T with f, t = (u_i v_j^T +- u_j v_i^T) / sqrt(2), for each pair.
static void add_pairs(const Frame *frame, const double U[9], const double V[9], double H[81])
{
    for (int k = 0; k < 3; ++k) {
        double flip = frame->flip[k] > 0.0 ? 0.5 * frame->flip[k] : 0.0;
        double twist = frame->twist[k] > 0.0 ? 0.5 * frame->twist[k] : 0.0;
        double ij[9];
        double ji[9];
        double by_ij[9];
        double by_ji[9];
        axes_product(U, V, (k + 1) % 3, (k + 2) % 3, ij);
        axes_product(U, V, (k + 2) % 3, (k + 1) % 3, ji);
        for (int e = 0; e < 9; ++e) {
            by_ij[e] = (flip + twist) * ij[e] + (flip - twist) * ji[e];
            by_ji[e] = (flip + twist) * ji[e] + (flip - twist) * ij[e];
        }
        add_outer(ij, by_ij, H);
        add_outer(ji, by_ji, H);
    }
}

void sn_law_hessian_definite(const SnLaw *law, const double F[9], double H[81])
{
    if (law->kind == SN_LAW_LINEAR) {
        sn_law_linear_hessian(law, H);
        return;
    }
    memset(H, 0, 81 * sizeof *H);
    double j = sn_mat3_determinant(F);
    if (!isfinite(j) || sn_law_forbids(law->kind, j)) {
        return;
    }
    double U[9];
    double s[3];
    double V[9];
    sn_svd_reference(F, U, s, V);
    double a = s[0] * s[1];
    double b = s[1] * s[2];
    double c = s[2] * s[0];
    SnInvariants at = {.i1 = s[0] * s[0] + s[1] * s[1] + s[2] * s[2],
                       .i2 = a * a + b * b + c * c,
                       .j = a * s[2],
                       .stretch = s[0] + s[1] + s[2]};
    if (sn_law_forbids(law->kind, at.j)) {
        return; // as flat as that, the two determinants differ by rounding
    }
    SnSlopes psi = sn_law_slopes(law, &at);
    Frame frame;
    frame_pairs(&psi, s, &frame);
    frame_stretches(&psi, s, at.i1, &frame);
    if (!is_definite3(frame.stretch)) {
        project3(frame.stretch);
    }
    add_stretches(&frame, U, V, H);
    add_pairs(&frame, U, V, H);
    for (int r = 1; r < 9; ++r) {
        for (int k = 0; k < r; ++k) {
            H[9 * r + k] = H[9 * k + r];
        }
    }
}
