// The linear system of a Newton step: the body's blocks without what is held, its factorisation and
// its solution. A vertex that is held whole has no row; one that is held in part keeps its row, in
// which held components stand alone.
#ifndef SN_MODEL_NEWTON_SYSTEM_H
#define SN_MODEL_NEWTON_SYSTEM_H

#include "model/newton/body.h"

// Takes 9 numbers an entry of the body's pattern; `shift` is added to the diagonal of what is free.
// SINEW_ERROR_NOT_DEFINITE as the factorisation says. Allocates nothing.
SinewStatus sn_newton_system_factor(SnNewton *body, SnWorkers *workers, const double *value,
                                    double shift, SinewError *error);

// out = A^-1 right_side on free components, 0 on held ones. Vectors over all vertices.
SinewStatus sn_newton_system_solve(SnNewton *body, SnWorkers *workers, const double *right_side,
                                   double *out, SinewError *error);

// out = A x, with 9 numbers an entry of the body's pattern.
void sn_newton_system_multiply(const SnNewton *body, SnWorkers *workers, const double *value,
                               const double *x, double *out);

// The mean size of the diagonal of the room's stiffness, N/m: what shifts are measured by.
double sn_newton_mean_diagonal(const SnNewton *body);

#endif
