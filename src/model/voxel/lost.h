// Bodies that start without their shape: mirrored, flat, a point, scrambled. The law is then no
// guide: it has other minima, and each cell's own rotation is a guess. So while a body is lost, its
// steps see the edges of its cells alone, all with one rotation, model/cube_edges.h: no minimum but
// the rest shape, wherever that lies, and no force or torque on the body as a whole.
//
// As model/lattice/lost.h does. But here the step is solved as all others are: the edges take the
// place of the cells' stiffness in the potential and its matrix (SnVoxelProblem.one_turn), so that
// loads, pins, points that are held and contact act as ever. Both modes take the same such step,
// one of Euler's to the tolerance, without damping.
//
// Not taken: the cells' own stiffness with one rotation. It has no other minimum either, but bodies
// that bend easily would come back only as fast as they swing.
#ifndef SN_MODEL_VOXEL_LOST_H
#define SN_MODEL_VOXEL_LOST_H

#include "model/rigid_motion.h"
#include "model/voxel/potential.h"

// A step of such a body.
typedef struct SnVoxelLost {
    double R[9];          // from the shape at rest to that of the step
    double weight;        // J, sum of mu V as the edges have it
    double elastic;       // J, of the edges at the start, pins moved
    SnRigidMotion motion; // at the start
} SnVoxelLost;

// Whether the next step is one of these: after any start but that at rest, until the shape has come
// back or a hundred steps were not enough.
static inline bool sn_voxel_lost(const SnVoxelBody *body)
{
    return body->state.clock[SN_VOXEL_CLOCK_LOST] > 0.0;
}

// k of a cell's edges, N/m: as stiff as the cell on the whole.
double sn_voxel_lost_stiffness(const SnVoxelCell *cell);

// Gives all cells the one rotation, with held components in the room's `target`; and after the
// step, drops motion that has done its work. Counted as a rescue. Both do nothing in other steps.
void sn_voxel_lost_begin(const SnVoxelProblem *problem, SnVoxelLost *out_lost);
void sn_voxel_lost_end(const SnVoxelProblem *problem, const SnVoxelLost *lost);

#endif
