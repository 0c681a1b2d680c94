// The points of a body that may feel a force, found again in each evaluation of a step without a
// look at all of them. Most surface points are far from every collider: they are neither placed
// nor evaluated, and results are the same to the last bit.
//
// Each point has a clearance, a lower bound of its distance from what touches, found when it was
// last placed. The owner of the points bounds how far any of them moved from one evaluation to the
// next: a cheap bound, such as the largest move of a vertex, will do. A point is due when those
// bounds have added up to its clearance. An evaluation at x is
//
//     sn_near_points_begin(near, forces, moved);          // lists the points that are due
//     place the points near->due_points at x;
//     sn_near_points_find(near, forces, workers, x);      // of those: which may feel a force
//     forces->evaluate_listed(..., near->points, ...);    // the others feel none
//
// Not taken: a list of points within reach of a collider, kept for a step. Points go far from the
// start of a step to its guessed end, and such a list had to have a third of them.
#ifndef SN_MODEL_NEAR_POINTS_H
#define SN_MODEL_NEAR_POINTS_H

#include "model/model.h"

typedef struct SnNearPoints {
    int *due_points; // to be placed, ascending; there is space for all
    int due_count;
    int *points; // of those, that may feel a force
    int count;
    double *due;     // m, per point: the sum of moves at which it is due
    double moved;    // m, the sum of moves in this step
    uint64_t serial; // of the forces of this step; 0: none
    // Since it was made, for tests and benches.
    int64_t evaluations; // of forces
    int64_t placed;      // points in all of them
    int64_t evaluated;   // points in all of them
} SnNearPoints;

// What was made is released by sn_near_points_release in any case.
SinewStatus sn_near_points_create(int point_count, const SinewAllocator *allocator,
                                  SnNearPoints *out_near, SinewError *error);
void sn_near_points_release(SnNearPoints *near, const SinewAllocator *allocator);

// Lists the points that are due after none moved farther than `moved`, m, since the last
// evaluation. All are where the step is another, and `moved` is then not looked at.
void sn_near_points_begin(SnNearPoints *near, const SnPointForces *forces, double moved);

// Finds which of them may feel a force, with their places at x + 3 p.
void sn_near_points_find(SnNearPoints *near, const SnPointForces *forces, SnWorkers *workers,
                         const double *x);

#endif
