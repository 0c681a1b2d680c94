// What the two solvers of a linearised step share: matrices of the kinds, stiffness of points in
// contact, right-hand sides.
#ifndef SN_MODEL_VOXEL_SYSTEM_H
#define SN_MODEL_VOXEL_SYSTEM_H

#include "model/voxel/potential.h"

// Stiffness of points in contact -----------------------------------------------------------------
//
// J^T S J, J the derivative of the points' places by the corners of all cells that their nodes
// have, and of how these turn: just what forces at them are spread by. With any other J forces push
// at corners that the matrix takes for loose, and where contact is much stiffer than the body a
// step shoots off.
//
// Products have J itself. Matrices that are stored cell by cell have no room for cells that share
// no corner: with s_c the share of a cell in a point, sum s_c = 1, they have sum J_c^T S J_c / s_c
// with the cells' turns as they are, which is never less, and the same where cells agree on where
// the point goes.

// That of a point on the corners of one cell: shape^T stiffness shape.
typedef struct SnVoxelPointBlock {
    int point, cell;
    double shape[3 * SN_VOXEL_DOFS];
    double stiffness[9]; // in the cell's frame, over the cell's share
} SnVoxelPointBlock;

// Those of one point, cell by cell.
typedef void SnVoxelTakeBlock(void *context, const SnVoxelPointBlock *block);
void sn_voxel_touch_visit(const SnVoxelBody *body, const SnVoxelPoints *points, int point,
                          SnVoxelTakeBlock *take, void *context);

// A block as a matrix in the cell's frame.
void sn_voxel_point_matrix(const SnVoxelPointBlock *block, double out[SN_VOXEL_MATRIX]);

// From a cell's frame, corner by corner, to the world's and the kernels' order, axis by axis.
void sn_voxel_touch_turn(const double R[9], const float *from, float *to);

// Room for the points that forces of a step act at, made when they are first seen. Then sums of
// blocks by cell, of all points that are stiff, from the first on, unless they are near what they
// were in this step; true: they are new.
SinewStatus sn_voxel_touch_create(const SnVoxelBody *body, const SnStep *step, SinewError *error);
void sn_voxel_touch_release(const SnVoxelBody *body, SnVoxelTouch *touch);
bool sn_voxel_touch_make(const SnVoxelBody *body, int first, SnVoxelPoints *points);

// What the sums add to the cells of a level, and with so many ties to coarser matrices.
void sn_voxel_touch_apply_blocks(const SnVoxelTouch *touch, const SnVoxelLevel *level);
void sn_voxel_touch_add(const SnVoxelBody *body, int ties, const SnVoxelPoints *points,
                        SnVoxelHierarchy *hierarchy);

// Finds J of the points that are stiff, for the products to come; and what these add to an
// operator, see SnVoxelOperator, with the problem for context.
void sn_voxel_touch_prepare(const SnVoxelProblem *problem, SnVoxelPoints *points);
void sn_voxel_touch_apply(void *context, const SnVoxelLevel *level);

// The whole derivative of the cells' forces right after an evaluation, before products overwrite
// the forces at nodes: rows of single cells after a beginning, or all of them prepared as `cells`
// of an operator. False: the cell does not rotate, and its matrix is all.
void sn_voxel_tangent_begin(const SnVoxelProblem *problem);
bool sn_voxel_tangent_find(const SnVoxelProblem *problem, int cell, double T[3 * SN_VOXEL_DOFS],
                           double E[3 * SN_VOXEL_DOFS]);
bool sn_voxel_tangent_is_far(const SnVoxelProblem *problem, int cell);
double sn_voxel_tangent_inertia(const SnVoxelProblem *problem, int cell, int entry);
void sn_voxel_tangent_prepare(const SnVoxelProblem *problem);
void sn_voxel_tangent_apply(void *context, const SnVoxelLevel *level, SnWorkers *workers);

// Those that the step's forces act at; NULL for none.
static inline const SnVoxelPoints *sn_voxel_contact_points(const SnVoxelProblem *problem)
{
    return problem->step->contacts != NULL ? problem->step->contacts->points : NULL;
}

// A matrix of 24 x 24 in the kernels' order, axis by axis.
void sn_voxel_keep_matrix(const double *from, float *to);

// K + a_rate M + v_rate C of each kind, where rates are new.
void sn_voxel_system_combine(const SnVoxelProblem *problem);

static inline const double *sn_voxel_system_values(const SnVoxelBody *body, int cell)
{
    return body->system.values + (size_t)body->grid.kinds[cell] * SN_VOXEL_MATRIX;
}

// right = -residual on free components, 0 on held ones.
void sn_voxel_fill_right(const SnVoxelBody *body);

// out += R A R^T for a 3x3 part of a matrix with rows of 24.
void sn_voxel_add_turned(const double R[9], const double *A, double out[9]);

#endif
