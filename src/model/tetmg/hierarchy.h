// The levels of mode paper [D sec 4]: tet meshes that know nothing of each other, each coarser than
// the one before, see levels.h. Matrices are Galerkin's, K' = P^T K P.
#ifndef SN_MODEL_TETMG_HIERARCHY_H
#define SN_MODEL_TETMG_HIERARCHY_H

#include "model/tetmg/body.h"

SinewStatus sn_tetmg_hierarchy_create(SnTetmg *body, SinewError *error);
void sn_tetmg_hierarchy_release(SnTetmg *body);

// Lets go of vertices that are held: sweeps on the finest level do for them.
void sn_tetmg_hierarchy_hold(SnTetmg *body);

// All coarse matrices from the body's own, and the factor of the last.
SinewStatus sn_tetmg_hierarchy_update(SnTetmg *body, SnWorkers *workers, SinewError *error);

// z = one V-cycle for r, a Gauss-Seidel sweep before and after on each level.
void sn_tetmg_hierarchy_cycle(const SnSplitProblem *problem, const float *r, float *z);

#endif
