// The rigid part of a motion of vertices: the turn and drift that have all of its momentum. What is
// left of a velocity beside it changes the shape.
#ifndef SN_MODEL_RIGID_MOTION_H
#define SN_MODEL_RIGID_MOTION_H

// Replaces velocities by their rigid part: v = v_middle + w x (x - middle), with the same linear
// and, but for rounding, the same angular momentum. About an axis on which all vertices lie there
// is no turn. All xyz packed; masses in kg a vertex.
void sn_rigid_motion_keep(const double *masses, const double *positions, int count,
                          double *velocities);

#endif
