// Stiff springs at single points in the preconditioner of `tetmg`. Lumped to vertices they stiffen
// moves of the corners that leave the point where it is, and conjugate gradients pay for that. With
// B the preconditioner without springs and W the weights of their points, this is
//
//     (B^-1 + W K W^T)^-1 = B - Y N W^T B,   Y = B W,   N = L (I + L^T W^T Y L)^-1 L^T,   K = L L^T
//
// by Woodbury's formula: as good as B is, at any stiffness. Y takes three applications of B for
// each spring and linearisation, so soft springs stay lumped, and many do.
//
// Not taken: columns that are kept from step to step. They would turn with the body and save the
// three, but a restored state would not have them.
#ifndef SN_MODEL_TETMG_TIES_H
#define SN_MODEL_TETMG_TIES_H

#include "model/tetmg/body.h"

enum { SN_TETMG_TIES_MOST = 4 }; // springs of a body; where there are more all are lumped

// Memory, made when a step with forces at points is prepared.
SinewStatus sn_tetmg_ties_reserve(SnTetmg *body, SinewError *error);
void sn_tetmg_ties_release(SnTetmg *body);

// Chooses: the first so many active points are left out of what is lumped. Blocks of the diagonal
// are assembled already.
int sn_tetmg_ties_choose(const SnSplitProblem *problem);

// Y and N, where all else of the preconditioner is ready.
SinewStatus sn_tetmg_ties_linearise(const SnSplitProblem *problem, SnTetmgApply *apply,
                                    SinewError *error);

// From z = B r to what it is with springs.
void sn_tetmg_ties_correct(const SnSplitProblem *problem, float *z);

#endif
