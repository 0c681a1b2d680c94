#include "model/voxel/leaf.h"

#include "model/voxel/small.h"

#include <math.h>
#include <string.h>

// Eight corners and three modes 1 - xi^2, 1 - eta^2, 1 - zeta^2.
enum { SHAPES = 11, DOFS = 3 * SHAPES, MODES = DOFS - SN_VOXEL_DOFS };

// Gradients of all shapes at a point of [-1, 1]^3, by the coordinates of the unit cube.
static void find_gradients(const double xi[3], double out[SHAPES][3])
{
    for (int c = 0; c < 8; ++c) {
        double sign[3] = {c >> 2 & 1 ? 1.0 : -1.0, c >> 1 & 1 ? 1.0 : -1.0, c & 1 ? 1.0 : -1.0};
        for (int k = 0; k < 3; ++k) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            out[c][k] = 0.25 * sign[k] * (1.0 + sign[a] * xi[a]) * (1.0 + sign[b] * xi[b]);
        }
    }
    for (int q = 0; q < 3; ++q) {
        for (int k = 0; k < 3; ++k) {
            out[8 + q][k] = q == k ? -4.0 * xi[k] : 0.0;
        }
    }
}

// Adds weight (lambda tr(e)^2 + 2 mu e:e) as a matrix over all shapes.
static void add_point(const double g[SHAPES][3], double mu, double lambda, double weight,
                      double K[DOFS][DOFS])
{
    for (int a = 0; a < SHAPES; ++a) {
        for (int b = 0; b < SHAPES; ++b) {
            double dot = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
            for (int i = 0; i < 3; ++i) {
                for (int j = 0; j < 3; ++j) {
                    double value = lambda * g[a][i] * g[b][j] + mu * g[a][j] * g[b][i];
                    K[3 * a + i][3 * b + j] += weight * (value + (i == j ? mu * dot : 0.0));
                }
            }
        }
    }
}

// K <- K_cc - K_cm K_mm^-1 K_mc: the modes take the values of least energy.
static void condense_modes(double K[DOFS][DOFS])
{
    double inner[MODES * MODES], coupling[MODES * SN_VOXEL_DOFS];
    for (int i = 0; i < MODES; ++i) {
        memcpy(inner + i * MODES, K[SN_VOXEL_DOFS + i] + SN_VOXEL_DOFS, MODES * sizeof *inner);
        memcpy(coupling + i * SN_VOXEL_DOFS, K[SN_VOXEL_DOFS + i],
               SN_VOXEL_DOFS * sizeof *coupling);
    }
    sn_small_cholesky(MODES, inner);
    sn_small_forward(MODES, inner, SN_VOXEL_DOFS, coupling);
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            for (int k = 0; k < MODES; ++k) {
                K[i][j] -= coupling[k * SN_VOXEL_DOFS + i] * coupling[k * SN_VOXEL_DOFS + j];
            }
        }
    }
}

void sn_voxel_leaf(double mu, double lambda, bool wilson, double out[SN_VOXEL_MATRIX])
{
    double K[DOFS][DOFS] = {{0.0}}, g[SHAPES][3];
    double place = 1.0 / sqrt(3.0);
    for (int q = 0; q < 8; ++q) {
        double xi[3] = {q & 4 ? place : -place, q & 2 ? place : -place, q & 1 ? place : -place};
        find_gradients(xi, g);
        add_point((const double(*)[3])g, mu, lambda, 0.125, K);
    }
    if (wilson) {
        condense_modes(K);
    }
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        memcpy(out + (size_t)i * SN_VOXEL_DOFS, K[i], SN_VOXEL_DOFS * sizeof *out);
    }
}
