// One cell in double, by the formulas: what the kernels are held against, and where matrices of
// single cells come from. Node k has signs s_k in {-1, 1}^3 and g_k = s_k / (4 h); corners are
// numbered as in SnCellLattice, the last axis fastest. F and R are row-major, L has the six numbers
// 00 11 22 01 02 12. doc/methods/lattice.md derives it all.
#ifndef SN_MODEL_LATTICE_CELL_H
#define SN_MODEL_LATTICE_CELL_H

#include "sinew/model.h"

#include <stdbool.h>

typedef struct SnCell {
    SinewLatticeElement element;
    double h;          // m
    double mu, lambda; // Pa
    double hourglass;  // all but `wilson`: share of mcadams' hourglass stiffness; 0 for `naive`
} SnCell;

// What a linearisation keeps of a state: the rotation and how it answers.
typedef struct SnCellTangent {
    double R[9];
    double L[6]; // Pa
} SnCellTangent;

// F = sum_k x_k g_k^T of corners at x (xyz each).
void sn_cell_gradient(const SnCell *cell, const double x[24], double F[9]);

// Energy, J; nullable: its gradient, N.
double sn_cell_energy(const SnCell *cell, const double x[24], double *out_gradient);

// R and L at F; `definite` clamps the eigenvalues of L to at least -mu, which makes the matrix
// below semi-definite.
SnCellTangent sn_cell_linearise(const SnCell *cell, const double F[9], bool definite);

// out = K u of a linearisation.
void sn_cell_apply(const SnCell *cell, const SnCellTangent *tangent, const double u[24],
                   double out[24]);

// K of a linearisation, 24 x 24, row-major, symmetric: exact for `mcadams`, and for `wilson` but
// for terms that vanish with the hourglass modes.
void sn_cell_matrix(const SnCell *cell, const SnCellTangent *tangent, double K[576]);

#endif
