#include "model/frames/dense.h"

#include <math.h>
#include <stddef.h>

// sum of a_k b_k for k < count, in four running sums so that they need not wait for each other.
static double product(const double *a, const double *b, int count)
{
    double sums[4] = {0.0, 0.0, 0.0, 0.0};
    int k = 0;
    for (; k + 4 <= count; k += 4) {
        for (int i = 0; i < 4; ++i) {
            sums[i] += a[k + i] * b[k + i];
        }
    }
    for (; k < count; ++k) {
        sums[0] += a[k] * b[k];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Column after column, so that the products of one need not wait for each other.
bool sn_dense_factor(double *A, int count)
{
    size_t width = (size_t)count;
    for (int c = 0; c < count; ++c) {
        double *pivots = A + (size_t)c * width;
        double pivot = pivots[c] - product(pivots, pivots, c);
        if (!(pivot > 0.0)) {
            return false;
        }
        pivots[c] = sqrt(pivot);
        double scale = 1.0 / pivots[c];
        for (int r = c + 1; r < count; ++r) {
            double *row = A + (size_t)r * width;
            row[c] = (row[c] - product(row, pivots, c)) * scale;
        }
    }
    return true;
}

void sn_dense_forward(const double *L, int count, double *x)
{
    for (int r = 0; r < count; ++r) {
        const double *row = L + (size_t)r * (size_t)count;
        x[r] = (x[r] - product(row, x, r)) / row[r];
    }
}

void sn_dense_backward(const double *L, int count, double *x)
{
    for (int r = count - 1; r >= 0; --r) {
        const double *row = L + (size_t)r * (size_t)count;
        x[r] /= row[r];
        for (int c = 0; c < r; ++c) {
            x[c] -= row[c] * x[r];
        }
    }
}
