// One cell of the lattice in double: forces are the gradient of the energy, matrices that of the
// forces, no force or torque in total, and the definite matrix is that on any state.
#include "support/test.h"

#include "base/random.h"
#include "model/lattice/cell.h"

#include <math.h>

static SnCell cell_of(int element, double poisson)
{
    double young = 1e3;
    return (SnCell){.element = (SinewLatticeElement)element,
                    .h = 0.5,
                    .mu = young / (2.0 * (1.0 + poisson)),
                    .lambda = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
                    .hourglass = 1.0};
}

// Corners of a stretched and turned cell, moved by at most `noise` each.
static void some_state(SnRandom *random, double noise, double x[24])
{
    for (int c = 0; c < 8; ++c) {
        double X = 0.5 * (c >> 2 & 1), Y = 0.5 * (c >> 1 & 1), Z = 0.5 * (c & 1);
        x[3 * c] = 0.8 * X - 0.5 * Y + 2.0 + sn_random_between(random, -noise, noise);
        x[3 * c + 1] = 0.6 * X + 1.1 * Y + sn_random_between(random, -noise, noise);
        x[3 * c + 2] = 1.2 * Z + sn_random_between(random, -noise, noise);
    }
}

static void forces_are_the_gradient_of_the_energy(void **state)
{
    (void)state;
    SnRandom random = {3};
    for (int pass = 0; pass < 8; ++pass) {
        SnCell cell = cell_of(pass % 2, pass < 4 ? 0.3 : 0.45);
        double x[24], f[24], step = 1e-5, total[6] = {0.0};
        some_state(&random, 0.05, x);
        sn_cell_energy(&cell, x, f);
        for (int i = 0; i < 24; ++i) {
            double place = x[i];
            x[i] = place + step;
            double above = sn_cell_energy(&cell, x, NULL);
            x[i] = place - step;
            double below = sn_cell_energy(&cell, x, NULL);
            x[i] = place;
            // Forces are of the order 1e2; third derivatives times 1e-10, rounding over the step.
            assert_at_most(fabs((above - below) / (2.0 * step) - f[i]), 2e-6);
            total[i % 3] += f[i];
        }
        for (int c = 0; c < 8; ++c) {
            for (int k = 0; k < 3; ++k) {
                int a = (k + 1) % 3, b = (k + 2) % 3;
                total[3 + k] += x[3 * c + a] * f[3 * c + b] - x[3 * c + b] * f[3 * c + a];
            }
        }
        for (int k = 0; k < 6; ++k) {
            assert_at_most(fabs(total[k]), 1e-11); // rounding of forces of 1e2
        }
    }
}

static void matrices_are_the_gradient_of_the_forces(void **state)
{
    (void)state;
    SnRandom random = {4};
    for (int pass = 0; pass < 4; ++pass) {
        SnCell cell = cell_of(pass % 2, pass < 2 ? 0.3 : 0.45);
        double x[24], F[9], K[576], high[24], low[24], step = 1e-6, worst = 0.0, largest = 0.0;
        some_state(&random, 0.01, x);
        sn_cell_gradient(&cell, x, F);
        SnCellTangent tangent = sn_cell_linearise(&cell, F, false);
        sn_cell_matrix(&cell, &tangent, K);
        for (int i = 0; i < 24; ++i) {
            double place = x[i];
            x[i] = place + step;
            sn_cell_energy(&cell, x, high);
            x[i] = place - step;
            sn_cell_energy(&cell, x, low);
            x[i] = place;
            for (int j = 0; j < 24; ++j) {
                worst = fmax(worst, fabs((high[j] - low[j]) / (2.0 * step) - K[24 * j + i]));
                largest = fmax(largest, fabs(K[24 * j + i]));
                assert_at_most(fabs(K[24 * i + j] - K[24 * j + i]), 1e-9 * 1e3);
            }
        }
        // Exact for mcadams; of wilson the terms in the modes are left out, which are 1 % of the
        // cell's size here.
        assert_at_most(worst / largest, pass % 2 == SINEW_LATTICE_WILSON ? 1e-2 : 1e-7);
    }
}

// The paper's form: mu |F|^2 over the twelve edges, the rest at the centre.
static void mcadams_is_a_laplacian_of_edges(void **state)
{
    (void)state;
    SnRandom random = {5};
    SnCell cell = cell_of(SINEW_LATTICE_MCADAMS, 0.3), naive = cell;
    double x[24], edges = 0.0, square = 0.0, F[9];
    some_state(&random, 0.2, x);
    naive.hourglass = 0.0;
    for (int c = 0; c < 8; ++c) {
        for (int axis = 0; axis < 3; ++axis) {
            int other = c | 4 >> axis;
            for (int k = 0; k < 3 && other != c; ++k) {
                double d = x[3 * other + k] - x[3 * c + k];
                edges += cell.mu * cell.h / 4.0 * d * d;
            }
        }
    }
    sn_cell_gradient(&cell, x, F);
    for (int k = 0; k < 9; ++k) {
        square += F[k] * F[k];
    }
    double centre = cell.mu * square * cell.h * cell.h * cell.h;
    double more = sn_cell_energy(&cell, x, NULL) - sn_cell_energy(&naive, x, NULL);
    assert_at_most(fabs(more - (edges - centre)), 1e-11 * edges);
}

static void definite_matrices_are_definite(void **state)
{
    (void)state;
    SnRandom random = {6};
    for (int pass = 0; pass < 60; ++pass) {
        SnCell cell = cell_of(pass % 2, pass % 3 == 0 ? 0.3 : 0.45);
        double F[9], K[576];
        for (int k = 0; k < 9; ++k) { // any, flat and zero
            F[k] = pass < 40 ? sn_random_between(&random, -1.5, 1.5) : 0.0;
            F[k] = pass >= 50 && k % 4 == 0 ? (k < 8 ? 1.0 : -0.7) : F[k];
        }
        SnCellTangent tangent = sn_cell_linearise(&cell, F, true);
        sn_cell_matrix(&cell, &tangent, K);
        // Cholesky with a shift of rounding: pivots of a semi-definite matrix are not negative.
        for (int n = 0; n < 24; ++n) {
            K[25 * n] += 1e-9 * 1e3;
            for (int m = 0; m < n; ++m) {
                K[25 * n] -= K[24 * n + m] * K[24 * n + m] / K[25 * m];
            }
            assert_true(K[25 * n] > 0.0);
            for (int r = n + 1; r < 24; ++r) {
                for (int m = 0; m < n; ++m) {
                    K[24 * r + n] -= K[24 * r + m] * K[24 * n + m] / K[25 * m];
                }
            }
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(forces_are_the_gradient_of_the_energy),
    cmocka_unit_test(matrices_are_the_gradient_of_the_forces),
    cmocka_unit_test(mcadams_is_a_laplacian_of_edges),
    cmocka_unit_test(definite_matrices_are_definite),
};

SN_TEST_GROUP(model_lattice_cell, tests);
