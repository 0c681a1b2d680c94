// Whether an equilibrium is one that stays: the exact tangent, not the one made semi-definite that
// directions are found with, has no direction in which the energy falls to second order.
#ifndef SN_MODEL_SPLIT_STABILITY_H
#define SN_MODEL_SPLIT_STABILITY_H

#include "model/split/potential.h"

// Looks with conjugate gradients on the exact tangent at x (outside), contact as last evaluated.
// True: such a direction is in the room's `p`, its largest component 1. Bodies that may slide or
// turn freely have directions without stiffness; those do not count. `scratch` has room for a
// vector.
SinewStatus sn_split_find_fall(const SnSplitProblem *problem, const double *x, double *scratch,
                               bool *out_falls, SinewError *error);

#endif
