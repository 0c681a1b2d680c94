// The matrix of 3x3 blocks of one linearisation: its pattern, made once, its values, and the
// products and sweeps with it.
#ifndef SN_MODEL_TETMG_MATRIX_H
#define SN_MODEL_TETMG_MATRIX_H

#include "kernel/block_rows.h"
#include "model/tetmg/body.h"

SinewStatus sn_tetmg_matrix_create(SnTetmg *body, SinewError *error);
void sn_tetmg_matrix_release(SnTetmg *body);

// Values at the tangent last swept: mass + h^2 K, and for sweeps what contact adds to the diagonal.
void sn_tetmg_matrix_assemble(const SnSplitProblem *problem);

// Inverts the diagonal blocks of vertices near contact once more, with its stiffness. The blocks
// themselves stay: products add contact as it is.
void sn_tetmg_matrix_invert_contact(const SnSplitProblem *problem);

// Its rows, for the kernels.
SnBlockRows sn_tetmg_matrix_rows(const SnSplitProblem *problem);

// hp = free A p.
void sn_tetmg_matrix_multiply(const SnSplitProblem *problem, const float *p, float *hp);

// From z = 0: one Gauss-Seidel sweep for A z = r, and what is then left of r, filtered.
void sn_tetmg_matrix_forward(const SnSplitProblem *problem, const float *r, float *z, float *left);

// One sweep the other way.
void sn_tetmg_matrix_backward(const SnSplitProblem *problem, const float *r, float *z);

#endif
