// Sums over quadrature points: elastic energy, its gradient (the internal forces) and its Hessian
// (the stiffness) as functions of the vertices' places.
#ifndef SN_MODEL_NEWTON_ASSEMBLY_H
#define SN_MODEL_NEWTON_ASSEMBLY_H

#include "model/newton/body.h"

// J, and in the room's `energies` and `dets` that of each element; out_force (N, nullable) becomes
// dE/dx. Infinite where a law forbids the state or a number is not finite.
double sn_newton_elastic(const SnNewton *body, SnWorkers *workers, const double *x,
                         double *out_force);

// d2E/dx2 into the blocks of the body's pattern, exact, or with each point's Hessian made
// semi-definite. `damping`: each element times its material's damping_stiffness.
void sn_newton_stiffness(const SnNewton *body, SnWorkers *workers, const double *x, bool definite,
                         bool damping, double *out_value);

// Elements with det F <= 0 at a point after sn_newton_elastic, the smallest det and where it is;
// `forbidden` counts those whose law is a barrier.
typedef struct SnNewtonVolume {
    double smallest;
    int element;
    int inverted;
    int forbidden;
} SnNewtonVolume;

SnNewtonVolume sn_newton_volume(const SnNewton *body);

#endif
