// Material points of a body of tets, and what the forces that act at them do to a step.
#ifndef SN_MODEL_SPLIT_POINTS_H
#define SN_MODEL_SPLIT_POINTS_H

#include "model/point_set.h"
#include "model/split/body.h"

// Of a shape: what finds points in it.
void sn_split_finder_destroy(SnSplit *body);

// force -= what the forces last evaluated do to vertices outside: their part of a gradient.
void sn_split_points_balance(const SnPointForces *contacts, double *force);

// residual += scale force of the forces last evaluated; inside.
void sn_split_points_push(const SnSplit *body, const SnPointForces *contacts, float scale,
                          float *residual);

// hp += scale stiffness p; inside.
void sn_split_points_multiply(const SnSplit *body, const SnPointForces *contacts, float scale,
                              const float *p, float *hp);

#endif
