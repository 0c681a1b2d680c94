// Pins that hold points of the surface, [E] 4.3: H d = c, H the derivative of the points' places by
// the corners of their cells. [E] sets all corners around them to the smallest displacement H^+ c
// with which the points are where they belong, or nearest to it in the sense of least squares where
// there are more equations than corners can meet. Here the corners get that displacement too, and
// are free in all motions that H does not see: I - H^+ H is the filter of the conjugate gradients.
// Trilinear cells have one H for ever; the others one for each pose.
#ifndef SN_MODEL_VOXEL_GRIP_H
#define SN_MODEL_VOXEL_GRIP_H

#include "model/voxel/potential.h"

// Of the pins that hold points; `corners` are those that hold vertices.
SinewStatus sn_voxel_grip_create(const SnVoxelBody *body, const SnPin *pins, int count,
                                 const SnPinSet *corners, SnVoxelGrip *out_grip, SinewError *error);
void sn_voxel_grip_release(const SnVoxelBody *body, SnVoxelGrip *grip);

// All that follows does nothing where no pin holds a point.

// Remembers where points are at the start of a step.
void sn_voxel_grip_begin(const SnVoxelProblem *problem);

// Where points belong at the fraction s of the step's way.
void sn_voxel_grip_aim(const SnVoxelProblem *problem, double s);

// H and its inverse for the room's poses, where they change it.
void sn_voxel_grip_update(const SnVoxelProblem *problem);

// Adds H^+ (targets - places) to d until points are where they belong; changes the room's poses.
// Once alone, with `once`. Answers whether anything moved.
bool sn_voxel_grip_settle(const SnVoxelProblem *problem, bool once, const double *at, double *d);

// The norm of the room's residual, over free components and but for what the points bear.
double sn_voxel_grip_residual(const SnVoxelProblem *problem);

// x <- (I - H^+ H) x, for a number a component of the vertices; of floats four a vertex.
void sn_voxel_grip_filter(const SnVoxelBody *body, double *x);
void sn_voxel_grip_filter_float(const SnVoxelBody *body, float *x);

// A little on the diagonal of corners that points hold, so that a matrix without another pin has a
// factor; `blocks` of the body's system.
void sn_voxel_grip_stiffen(const SnVoxelBody *body);

// What the body's factor, just made, does to forces at the points; and x, which is a solution by
// that factor without points: what it is with them.
SinewStatus sn_voxel_grip_factor(const SnVoxelProblem *problem, SinewError *error);
void sn_voxel_grip_constrain(const SnVoxelProblem *problem, double *x);

// Adds what points bear, by the room's residual, to the wrenches of their pins.
void sn_voxel_grip_record(const SnVoxelProblem *problem);

#endif
