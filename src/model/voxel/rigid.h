// Rigid motions of the pieces of a body that nothing holds. They cost no elastic energy, however
// stiff a body is, and a few iterations of conjugate gradients do not find them there: the stiffer,
// the less a body would fall. So a step begins with the rigid part of its motion, and solves begin
// and end with the rigid motion that balances forces and torques.
#ifndef SN_MODEL_VOXEL_RIGID_H
#define SN_MODEL_VOXEL_RIGID_H

#include "model/voxel/system.h"

// Weights of vertices in rigid motions, for matrices of kinds that were made anew.
void sn_voxel_rigid_weigh(const SnVoxelBody *body);

// Turns the rigid part of each piece's move as a whole, which as a move along straight lines would
// stretch it; and finds what balances forces in this step.
void sn_voxel_rigid_begin(const SnVoxelProblem *problem, double *move);

// Whether there is something to balance. Not while all cells have one rotation: turning is then
// no longer free, and lost.c sees to the momentum.
static inline bool sn_voxel_rigid_exists(const SnVoxelProblem *problem)
{
    return problem->dynamic && !problem->one_turn && problem->body->pins.piece_count > 0;
}

// What points in contact add to the matrix that the motions see; once a linearisation.
void sn_voxel_rigid_stiffen(const SnVoxelProblem *problem);

// out = Z E^-1 Z^T r with four floats a vertex: Z the rigid motions where
// the body was last looked at, E the matrix as they see it. Vertices of other pieces get 0. False,
// and nothing written, where all is balanced.
bool sn_voxel_rigid_balance(const SnVoxelProblem *problem, const float *r, float *out);

// Shifts pieces so that their middles go as far as the forces of the last call above say: no other
// force is there, and floats lose it beside the stiffness of stiff bodies. Where nothing touches.
void sn_voxel_rigid_shift(const SnVoxelProblem *problem, float *x);

#endif
