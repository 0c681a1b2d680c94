#include "math/rotation_reference.h"

#include "math/mat3.h"

#include <stdbool.h>

static double column_dot(const double a[9], int i, int j)
{
    return a[i] * a[j] + a[3 + i] * a[3 + j] + a[6 + i] * a[6 + j];
}

static void turn_columns(double a[9], int i, int j, double c, double s)
{
    for (int r = 0; r < 3; ++r) {
        double x = a[3 * r + i];
        double y = a[3 * r + j];
        a[3 * r + i] = c * x + s * y;
        a[3 * r + j] = c * y - s * x;
    }
}

// Makes columns i and j of B orthogonal; false when they were already, or one is nothing.
static bool orthogonalise(double B[9], double V[9], int i, int j)
{
    double ii = column_dot(B, i, i);
    double jj = column_dot(B, j, j);
    double ij = column_dot(B, i, j);
    if (ij * ij <= 1e-30 * ii * jj || ij == 0.0) {
        return false;
    }
    // The smaller root t of t^2 - 2 z t = 1.
    double z = (jj - ii) / (2.0 * ij);
    double t = 1.0 / (fabs(z) + sqrt(1.0 + z * z));
    t = z < 0.0 ? t : -t;
    double c = 1.0 / sqrt(1.0 + t * t);
    turn_columns(B, i, j, c, c * t);
    turn_columns(V, i, j, c, c * t);
    return true;
}

// Exchanges two columns, one negated, which is a quarter turn.
static void exchange_columns(double a[9], int i, int j)
{
    turn_columns(a, i, j, 0.0, 1.0);
}

// Column c of U from column c of B, or, where that is nothing beside sigma1, any unit vector across
// the columns already there.
static void left_column(const double B[9], double floor, int c, double U[9])
{
    double length = sqrt(column_dot(B, c, c));
    double v[3] = {B[c], B[3 + c], B[6 + c]};
    for (int axis = 0; length <= floor || length == 0.0; ++axis) {
        for (int r = 0; r < 3; ++r) {
            v[r] = r == axis ? 1.0 : 0.0;
            for (int k = 0; k < c; ++k) {
                v[r] -= U[3 * axis + k] * U[3 * r + k];
            }
        }
        length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        floor = 0.5; // one of the three axes leaves at least sqrt(1/3)
    }
    for (int r = 0; r < 3; ++r) {
        U[3 * r + c] = v[r] / length;
    }
}

void sn_svd_reference(const double F[9], double out_U[9], double out_sigma[3], double out_V[9])
{
    // Entries to order one, so that squares keep their bits.
    double largest = 0.0;
    for (int k = 0; k < 9; ++k) {
        largest = fabs(F[k]) > largest ? fabs(F[k]) : largest;
    }
    double scale = largest > 0.0 ? largest : 1.0;
    double B[9];
    for (int k = 0; k < 9; ++k) {
        B[k] = F[k] / scale;
    }
    sn_mat3_identity(out_V);
    bool turned = true;
    for (int sweep = 0; turned && sweep < 60; ++sweep) {
        turned = orthogonalise(B, out_V, 0, 1);
        turned = orthogonalise(B, out_V, 1, 2) || turned;
        turned = orthogonalise(B, out_V, 2, 0) || turned;
    }
    for (int pass = 0; pass < 3; ++pass) {
        int i = pass % 2;
        if (column_dot(B, i, i) < column_dot(B, i + 1, i + 1)) {
            exchange_columns(B, i, i + 1);
            exchange_columns(out_V, i, i + 1);
        }
    }
    double floor = 1e-15 * sqrt(column_dot(B, 0, 0));
    left_column(B, floor, 0, out_U);
    left_column(B, floor, 1, out_U);
    // The third is their cross product; the sign of det F falls into sigma3.
    for (int r = 0; r < 3; ++r) {
        int s = (r + 1) % 3;
        int t = (r + 2) % 3;
        out_U[3 * r + 2] = out_U[3 * s] * out_U[3 * t + 1] - out_U[3 * t] * out_U[3 * s + 1];
    }
    for (int c = 0; c < 3; ++c) {
        out_sigma[c] =
            scale * (out_U[c] * B[c] + out_U[3 + c] * B[3 + c] + out_U[6 + c] * B[6 + c]);
    }
}

void sn_rotation_reference(const double F[9], double out_R[9])
{
    double U[9];
    double sigma[3];
    double V[9];
    sn_svd_reference(F, U, sigma, V);
    sn_mat3_multiply_transpose(U, V, out_R);
}

// dR = R [(tr(S) I - S)^-1 axl(R^T dF)]x, and the smallest eigenvalue of the matrix there is
// sigma2 + sigma3. |axl| is at most sqrt(2) |dF| and |[w]x| is sqrt(2) |w|.
double sn_rotation_condition(const double sigma[3])
{
    double smallest = sigma[1] + sigma[2];
    double norm = sqrt(sigma[0] * sigma[0] + sigma[1] * sigma[1] + sigma[2] * sigma[2]);
    return smallest > 0.0 ? 2.0 / sqrt(3.0) * norm / smallest : INFINITY;
}

// Solves the 5x5 system in place by elimination with row exchanges; false when it is singular.
static bool solve5(double a[5][6])
{
    for (int c = 0; c < 5; ++c) {
        int best = c;
        for (int r = c + 1; r < 5; ++r) {
            best = fabs(a[r][c]) > fabs(a[best][c]) ? r : best;
        }
        if (!(fabs(a[best][c]) > 0.0)) {
            return false;
        }
        for (int k = 0; k < 6; ++k) {
            double keep = a[c][k];
            a[c][k] = a[best][k];
            a[best][k] = keep;
        }
        for (int r = 0; r < 5; ++r) {
            double factor = r == c ? 0.0 : a[r][c] / a[c][c];
            for (int k = c; k < 6; ++k) {
                a[r][k] -= factor * a[c][k];
            }
        }
    }
    for (int r = 0; r < 5; ++r) {
        a[r][5] /= a[r][r];
    }
    return true;
}

// tr(R(q)^T A) = q^T K q for unit q: the symmetric matrix K, in the order x y z w.
static void energy_form(const double A[9], double K[4][4])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            K[i][j] = A[3 * i + j] + A[3 * j + i] - (i == j ? sn_mat3_trace(A) : 0.0);
        }
    }
    K[0][3] = K[3][0] = A[7] - A[5];
    K[1][3] = K[3][1] = A[2] - A[6];
    K[2][3] = K[3][2] = A[3] - A[1];
    K[3][3] = sn_mat3_trace(A);
}

// The energy is a constant minus 2 q^T K q, so the Lagrangian -q^T K q + l (q^T q - 1) is
// stationary where (l I - K) q = 0 and q^T q = 1; Newton on both is the 5x5 system. l starts at
// q^T K q, its best value for the given q.
int sn_rotation_energy_reference(const double A[9], int most, double q[4])
{
    double K[4][4];
    energy_form(A, K);
    double multiplier = 0.0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            multiplier += q[i] * K[i][j] * q[j];
        }
    }
    for (int step = 1; step <= most; ++step) {
        double system[5][6] = {{0.0}};
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
                system[i][j] = (i == j ? multiplier : 0.0) - K[i][j];
                system[i][5] -= system[i][j] * q[j];
            }
            system[i][4] = q[i];
            system[4][i] = q[i];
            system[4][5] -= 0.5 * q[i] * q[i];
        }
        system[4][5] += 0.5;
        if (!solve5(system)) {
            return -1;
        }
        double change = 0.0;
        for (int i = 0; i < 4; ++i) {
            q[i] += system[i][5];
            change = fabs(system[i][5]) > change ? fabs(system[i][5]) : change;
        }
        multiplier += system[4][5];
        if (change < 1e-12) {
            return step;
        }
    }
    return -1;
}
