// Mass: lumped (the integral of density times each vertex' shape function, which is also what the
// weight acts on) or consistent (integrals of products of shape functions, in the body's pattern).
#ifndef SN_MODEL_NEWTON_MASS_H
#define SN_MODEL_NEWTON_MASS_H

#include "model/newton/body.h"

// Fills masses, and mass_value and damp_mass where the body's options and materials want them.
SinewStatus sn_newton_mass_create(SnNewton *body, SinewError *error);

// out = M v.
void sn_newton_mass_apply(const SnNewton *body, SnWorkers *workers, const double *v, double *out);

// out = alpha M v, each element with its material's alpha. Only where the body damps.
void sn_newton_mass_damp(const SnNewton *body, SnWorkers *workers, const double *v, double *out);

// Adds rate times M to the diagonals of the blocks, and damp_rate times alpha M where it damps.
void sn_newton_mass_add(const SnNewton *body, double rate, double damp_rate, double *value);

#endif
