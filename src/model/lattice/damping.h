// Rayleigh's damping by stiffness: C = sum over cells of beta K, K the definite tangent of a cell
// at the start of the step, as `newton` has it. Forces are in double, so that a body that moves as
// a whole feels none but for rounding.
#ifndef SN_MODEL_LATTICE_DAMPING_H
#define SN_MODEL_LATTICE_DAMPING_H

#include "model/lattice/potential.h"

// Linearises the cells that damp at the room's `start`.
void sn_lattice_damping_begin(const SnLatticeProblem *problem);

// The room's `damping` = C v, v = v_rate d + v0.
void sn_lattice_damping_force(const SnLatticeProblem *problem, const double *d);

// Puts (1 + v_rate beta) K into the multigrid: what the tangent of a step is, but for how far K has
// turned within the step. 0: the plain K of static solves.
void sn_lattice_damping_stiffen(SnLattice *body, double v_rate);

#endif
