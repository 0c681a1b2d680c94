// The matrix of 3x3 blocks of one linearisation: its pattern, made once, its values, and the
// products and sweeps with it.
#ifndef SN_MODEL_TETMG_MATRIX_H
#define SN_MODEL_TETMG_MATRIX_H

#include "kernel/block_rows.h"
#include "model/tetmg/body.h"

SinewStatus sn_tetmg_matrix_create(SnTetmg *body, SinewError *error);
void sn_tetmg_matrix_release(SnTetmg *body);

// The same for what a cut makes of `from`: rows and edges far from it are copied.
SinewStatus sn_tetmg_matrix_cut(SnTetmg *body, const SnTetmg *from, const SnTetCut *cut,
                                SinewError *error);

// Room for values, from the body that was cut; see SnModel.
void sn_tetmg_matrix_inherit(SnTetmg *body, SnTetmg *from);

// Parts of making one ----------------------------------------------------------------------------

// Corners of the six edges of a tet, in the order of SnTetBlocks.
extern const int sn_tetmg_edge_corners[SN_TET_EDGES][2];

// The slot that nobody reads, for lanes of a block of tets that have none. One a block: threads
// write to them at the same time.
int sn_tetmg_matrix_spare_slot(const SnTetmg *body, int block);

// Counts, and room for the rows.
SinewStatus sn_tetmg_matrix_make_rows(SnTetmg *body, SinewError *error);

// A row behind the one before it, from the body's pattern and the order of sweeps; `sources` gets
// the pattern's entry of each of its entries. Nullable: sources.
void sn_tetmg_matrix_fill_row(SnTetmg *body, int row, int *sources);

// Room for values, once entries are counted.
SinewStatus sn_tetmg_matrix_make_values(SnTetmg *body, SinewError *error);

// Values and work with them ----------------------------------------------------------------------

// Values at the tangent last swept: mass + h^2 K, and for sweeps what contact adds to the diagonal.
SinewStatus sn_tetmg_matrix_assemble(const SnSplitProblem *problem, SinewError *error);

// Inverts the diagonal blocks of vertices near contact once more, with its stiffness, and lets the
// coarse space know of it. The blocks themselves stay: products add contact as it is.
SinewStatus sn_tetmg_matrix_invert_contact(const SnSplitProblem *problem, SinewError *error);

// Its rows, for the kernels.
SnBlockRows sn_tetmg_matrix_rows(const SnSplitProblem *problem);

// hp = free A p.
void sn_tetmg_matrix_multiply(const SnSplitProblem *problem, const float *p, float *hp);

// From z = 0: one Gauss-Seidel sweep for A z = r, and what is then left of r, filtered.
void sn_tetmg_matrix_forward(const SnSplitProblem *problem, const float *r, float *z, float *left);

// One sweep the other way.
void sn_tetmg_matrix_backward(const SnSplitProblem *problem, const float *r, float *z);

#endif
