// What the coarse space knows of contact and springs. The sweeps have the stiffness of points that
// touch, lumped to the vertices; without it the coarse space would move those vertices freely and
// undo the sweeps. With the nodes T that such vertices follow, Q = P^T K P on them and S = C^-1
// there,
//
//     (C + Q)^-1 r = q - C^-1[:,T] S^-1 w,   q = C^-1 r,   (S^-1 + Q) w = Q q[T]
//
// by Woodbury's formula. Columns of C^-1 are solved for when a node is touched for the first time
// and kept while C stays; they depend on C alone, so a restored state leads to the same bits.
//
// Not taken: C + Q factored anew in each linearisation. It takes as long as the whole step.
#ifndef SN_MODEL_TETMG_COARSE_CONTACT_H
#define SN_MODEL_TETMG_COARSE_CONTACT_H

#include "model/tetmg/body.h"

// Memory for steps with contact, made when a step is prepared. Nothing is touched then.
SinewStatus sn_tetmg_coarse_contact_reserve(SnTetmg *body, SinewError *error);
void sn_tetmg_coarse_contact_release(SnTetmg *body);

// C has other values.
void sn_tetmg_coarse_contact_forget(SnTetmg *body);

// From the matrix's `added`: the stiffness that sweeps have at the corners of points that act. The
// nodes have turned already. Points before the `first` active one are left out.
SinewStatus sn_tetmg_coarse_contact_linearise(const SnSplitProblem *problem, int first,
                                              SinewError *error);

// right = (C + Q)^-1 r, from C^-1 r.
void sn_tetmg_coarse_contact_correct(SnTetmg *body, float *right);

#endif
