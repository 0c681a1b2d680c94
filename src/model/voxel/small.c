#include "model/voxel/small.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

bool sn_small_cholesky(int n, double *A)
{
    for (int j = 0; j < n; ++j) {
        double *row = A + (size_t)j * (size_t)n;
        for (int k = 0; k < j; ++k) {
            const double *other = A + (size_t)k * (size_t)n;
            double sum = row[k];
            for (int i = 0; i < k; ++i) {
                sum -= row[i] * other[i];
            }
            row[k] = sum / other[k];
        }
        double pivot = row[j];
        for (int i = 0; i < j; ++i) {
            pivot -= row[i] * row[i];
        }
        if (!(pivot > 0.0)) {
            return false;
        }
        row[j] = sqrt(pivot);
    }
    return true;
}

// row -= factor * other.
static void subtract_row(int columns, double factor, const double *other, double *row)
{
    for (int c = 0; c < columns; ++c) {
        row[c] -= factor * other[c];
    }
}

void sn_small_forward(int n, const double *L, int columns, double *X)
{
    for (int i = 0; i < n; ++i) {
        double *row = X + (size_t)i * (size_t)columns;
        const double *l = L + (size_t)i * (size_t)n;
        for (int k = 0; k < i; ++k) {
            subtract_row(columns, l[k], X + (size_t)k * (size_t)columns, row);
        }
        for (int c = 0; c < columns; ++c) {
            row[c] /= l[i];
        }
    }
}

void sn_small_backward(int n, const double *L, int columns, double *X)
{
    for (int i = n - 1; i >= 0; --i) {
        double *row = X + (size_t)i * (size_t)columns;
        for (int k = i + 1; k < n; ++k) {
            subtract_row(columns, L[(size_t)k * (size_t)n + (size_t)i],
                         X + (size_t)k * (size_t)columns, row);
        }
        for (int c = 0; c < columns; ++c) {
            row[c] /= L[(size_t)i * (size_t)n + (size_t)i];
        }
    }
}

// Turns rows and columns p and q of A, and columns of U, by the angle that makes A[p][q] zero.
static void rotate(int n, int p, int q, double *A, double *U)
{
    double *row_p = A + (size_t)p * (size_t)n, *row_q = A + (size_t)q * (size_t)n;
    double theta = 0.5 * (row_q[q] - row_p[p]) / row_p[q];
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < n; ++k) {
        double a = row_p[k], b = row_q[k];
        row_p[k] = c * a - s * b;
        row_q[k] = s * a + c * b;
    }
    for (int k = 0; k < n; ++k) {
        double *row = A + (size_t)k * (size_t)n, *vector = U + (size_t)k * (size_t)n;
        double a = row[p], b = row[q];
        row[p] = c * a - s * b;
        row[q] = s * a + c * b;
        a = vector[p];
        b = vector[q];
        vector[p] = c * a - s * b;
        vector[q] = s * a + c * b;
    }
}

void sn_small_eigen(int n, double *A, double *values, double *U)
{
    double largest = 0.0;
    memset(U, 0, (size_t)n * (size_t)n * sizeof *U);
    for (int i = 0; i < n; ++i) {
        U[(size_t)i * (size_t)n + (size_t)i] = 1.0;
        for (int j = 0; j < n; ++j) {
            largest = fmax(largest, fabs(A[(size_t)i * (size_t)n + (size_t)j]));
        }
    }
    bool turned = true;
    // Convergence is quadratic: some eight sweeps end at rounding.
    for (int sweep = 0; sweep < 30 && turned; ++sweep) {
        turned = false;
        for (int p = 0; p < n; ++p) {
            for (int q = p + 1; q < n; ++q) {
                if (fabs(A[(size_t)p * (size_t)n + (size_t)q]) > 1e-17 * largest) {
                    rotate(n, p, q, A, U);
                    turned = true;
                }
            }
        }
    }
    for (int i = 0; i < n; ++i) {
        values[i] = A[(size_t)i * (size_t)n + (size_t)i];
    }
}

bool sn_small_invert3(const double a[9], double least, double out[9])
{
    double cofactors[9];
    for (int r = 0; r < 3; ++r) {
        int r1 = (r + 1) % 3, r2 = (r + 2) % 3;
        for (int c = 0; c < 3; ++c) {
            int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            cofactors[3 * c + r] =
                a[3 * r1 + c1] * a[3 * r2 + c2] - a[3 * r1 + c2] * a[3 * r2 + c1];
        }
    }
    double det = a[0] * cofactors[0] + a[1] * cofactors[3] + a[2] * cofactors[6];
    if (!(fabs(det) >= least)) {
        return false;
    }
    for (int i = 0; i < 9; ++i) {
        out[i] = cofactors[i] / det;
    }
    return true;
}
