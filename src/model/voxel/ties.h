// Springs that hold points at all times, for conjugate gradients. However stiff they are, those go
// by
//
//     P = D + J^T S J = D + B^T B,    B = F^T J,    S = F F^T
//     P^-1 = D^-1 - D^-1 B^T (1 + B D^-1 B^T)^-1 B D^-1
//
// with D the blocks of the vertices without these springs and J as in system.h. Blocks of vertices
// alone hold back each corner of a cell for itself, and where a spring is much stiffer than the
// cells all motions of the corners that leave its point alone come last, after some hundred
// iterations. P knows them: iterations are no more than without springs.
//
// Not taken: all points in contact. They are many, come and go, and are no stiffer than the body by
// more than some iterations make up for.
#ifndef SN_MODEL_VOXEL_TIES_H
#define SN_MODEL_VOXEL_TIES_H

#include "model/voxel/system.h"

// Room for the springs of a step or static solve, made when they are first seen: up to
// SN_VOXEL_TIES_MOST of them. Where they are more, but the corners of all their cells are no more
// than that, J^T S J is put together on those and B is its root, with three rows a corner;
// otherwise springs after the first go by blocks.
enum { SN_VOXEL_TIES_MOST = 64 };
SinewStatus sn_voxel_ties_prepare(const SnVoxelBody *body, const SnStep *step, SinewError *error);
void sn_voxel_ties_release(const SnVoxelBody *body, SnVoxelTies *ties);

// How many of the step's points are ties, which D is to be made without.
int sn_voxel_ties_count(const SnVoxelProblem *problem);

// Factors 1 + B D^-1 B^T at the pose last looked at, with D^-1 in the system's diagonals.
void sn_voxel_ties_make(const SnVoxelProblem *problem, int count, SnVoxelPoints *points);

// Adds B^T B p to what the cells of a level say.
void sn_voxel_ties_apply(const SnVoxelTies *ties, const SnVoxelLevel *level);

// For factors, where D is the rest of the matrix as a whole. The share of a spring that this has
// all the same, so that bodies which springs alone hold are not loose; 1 + B D^-1 B^T with the
// body's factor just made, which takes the room's direction for room; and x <- A^-1 x, which takes
// the room's right.
double sn_voxel_ties_share(const SnVoxelBody *body, const double S[9]);
SinewStatus sn_voxel_ties_factor(const SnVoxelProblem *problem, int count,
                                 const SnVoxelPoints *points, SinewError *error);
SinewStatus sn_voxel_ties_solve(const SnVoxelProblem *problem, int count,
                                const SnVoxelPoints *points, double *x, SinewError *error);

// z = D^-1 r, four floats a vertex, becomes P^-1 r.
void sn_voxel_ties_correct(const SnVoxelTies *ties, float *z);

#endif
