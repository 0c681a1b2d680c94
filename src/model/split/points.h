// Material points of a body: the tet that each is in and the weights of its corners there; and the
// forces that act at them.
#ifndef SN_MODEL_SPLIT_POINTS_H
#define SN_MODEL_SPLIT_POINTS_H

#include "model/split/body.h"

SinewStatus sn_split_finder_create(SnSplit *body, SinewError *error);
void sn_split_finder_destroy(SnSplit *body);

// Owns its arrays. The last four are room for the forces of a step at these points.
typedef struct SnSplitPoints {
    int count;
    int *tets;            // a point, outside
    double *weights;      // 4 a point, their sum is 1
    double *distances;    // m, from the body at rest; 0 inside
    double *places;       // m, xyz a point
    SnPointForce *forces; //
    int *active;          // points with a force or a stiffness, ascending
    int active_count;     //
} SnSplitPoints;

// Adds a force at each point to the forces on the vertices outside.
void sn_split_points_spread(const SnSplit *body, const SnSplitPoints *points, const double *forces,
                            double *out_force);

// Forces that depend on where points are, with vertices at x (outside): fills the points' room and
// returns their energy, J.
double sn_split_points_evaluate(const SnSplit *body, SnWorkers *workers,
                                const SnPointForces *contacts, const double *x);

// residual += scale force of the forces last evaluated; inside.
void sn_split_points_push(const SnSplit *body, const SnPointForces *contacts, float scale,
                          float *residual);

// hp += scale stiffness p; inside.
void sn_split_points_multiply(const SnSplit *body, const SnPointForces *contacts, float scale,
                              const float *p, float *hp);

// Moves the vertices around each active point as its force and stiffness alone would over h, one
// point after the other: what a step with a constant matrix does about contact [B sec 3.5].
void sn_split_points_correct(const SnSplit *body, const SnPointForces *contacts, double h2,
                             float *move);

#endif
