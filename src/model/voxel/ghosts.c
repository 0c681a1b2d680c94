#include "model/voxel/ghosts.h"

#include "model/voxel/small.h"

#include <math.h>
#include <string.h>

// Motions of the corners that the content hardly resists, and what they get instead: shares of what
// the trilinear cell has.
#define GHOST_BELOW 1e-3
#define GHOST_SHARE 0.1

// Six rigid motions of the corners, orthonormal: translations, and turns about the middle.
static void find_rigid(double out[6][SN_VOXEL_DOFS])
{
    memset(out, 0, 6 * sizeof *out);
    for (int c = 0; c < 8; ++c) {
        double x[3] = {(c >> 2 & 1) - 0.5, (c >> 1 & 1) - 0.5, (c & 1) - 0.5};
        for (int k = 0; k < 3; ++k) {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            out[k][3 * c + k] = 1.0 / sqrt(8.0);
            out[3 + k][3 * c + a] = -0.5 * x[b]; // |turn|^2 = 8 (1/4 + 1/4) = 4
            out[3 + k][3 * c + b] = 0.5 * x[a];
        }
    }
}

void sn_voxel_take_rigid_out(double K[SN_VOXEL_MATRIX])
{
    double rigid[6][SN_VOXEL_DOFS];
    find_rigid(rigid);
    for (int side = 0; side < 2; ++side) {
        int by_row = side == 0 ? SN_VOXEL_DOFS : 1, by_column = side == 0 ? 1 : SN_VOXEL_DOFS;
        for (int r = 0; r < 6; ++r) {
            for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
                double along = 0.0;
                for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
                    along += rigid[r][j] * K[i * by_row + j * by_column];
                }
                for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
                    K[i * by_row + j * by_column] -= along * rigid[r][j];
                }
            }
        }
    }
}

static void add_rigid(double scale, double K[SN_VOXEL_MATRIX])
{
    double rigid[6][SN_VOXEL_DOFS];
    find_rigid(rigid);
    for (int r = 0; r < 6; ++r) {
        for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
            for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
                K[i * SN_VOXEL_DOFS + j] += scale * rigid[r][i] * rigid[r][j];
            }
        }
    }
}

static void transpose(double K[SN_VOXEL_MATRIX])
{
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int j = 0; j < i; ++j) {
            double kept = K[i * SN_VOXEL_DOFS + j];
            K[i * SN_VOXEL_DOFS + j] = K[j * SN_VOXEL_DOFS + i];
            K[j * SN_VOXEL_DOFS + i] = kept;
        }
    }
}

// Rebuilds K from the shares mu of the trilinear matrix C C^T that its motions have, with those
// that are too small lifted.
static void lift_ghosts(const double *C, double K[SN_VOXEL_MATRIX])
{
    double mu[SN_VOXEL_DOFS], U[SN_VOXEL_MATRIX], V[SN_VOXEL_MATRIX];
    sn_small_forward(SN_VOXEL_DOFS, C, SN_VOXEL_DOFS, K);
    transpose(K);
    sn_small_forward(SN_VOXEL_DOFS, C, SN_VOXEL_DOFS, K);
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int j = 0; j < i; ++j) {
            double mean = 0.5 * (K[i * SN_VOXEL_DOFS + j] + K[j * SN_VOXEL_DOFS + i]);
            K[i * SN_VOXEL_DOFS + j] = K[j * SN_VOXEL_DOFS + i] = mean;
        }
    }
    sn_small_eigen(SN_VOXEL_DOFS, K, mu, U);
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int j = 0; j < SN_VOXEL_DOFS; ++j) {
            double sum = 0.0;
            for (int k = 0; k <= i; ++k) {
                sum += C[i * SN_VOXEL_DOFS + k] * U[k * SN_VOXEL_DOFS + j];
            }
            V[i * SN_VOXEL_DOFS + j] = sum;
        }
    }
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (int k = 0; k < SN_VOXEL_DOFS; ++k) {
                double share = mu[k] < GHOST_BELOW ? GHOST_SHARE : mu[k];
                sum += share * V[i * SN_VOXEL_DOFS + k] * V[j * SN_VOXEL_DOFS + k];
            }
            K[i * SN_VOXEL_DOFS + j] = K[j * SN_VOXEL_DOFS + i] = sum;
        }
    }
}

// Rigid motions are given a stiffness meanwhile, so that both matrices are definite.
void sn_voxel_hold_ghosts(const double trilinear[SN_VOXEL_MATRIX], double K[SN_VOXEL_MATRIX])
{
    double full[SN_VOXEL_MATRIX], test[SN_VOXEL_MATRIX], scale = 0.0;
    memcpy(full, trilinear, sizeof full);
    for (int i = 0; i < SN_VOXEL_DOFS; ++i) {
        scale += full[i * (SN_VOXEL_DOFS + 1)] / SN_VOXEL_DOFS;
    }
    add_rigid(scale, full);
    add_rigid(scale, K);
    for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
        test[i] = K[i] - GHOST_BELOW * full[i];
    }
    // Mostly there are none, and a factor shows that sooner than eigenvalues do.
    if (!sn_small_cholesky(SN_VOXEL_DOFS, test)) {
        if (sn_small_cholesky(SN_VOXEL_DOFS, full)) {
            lift_ghosts(full, K);
        } else {
            for (int i = 0; i < SN_VOXEL_MATRIX; ++i) {
                K[i] += GHOST_SHARE * trilinear[i];
            }
        }
    }
    sn_voxel_take_rigid_out(K);
}
