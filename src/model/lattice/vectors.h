// Loops over the vectors of a body that a Newton iteration needs besides potentials: in and out of
// the multigrid's layout, sums and sizes. In several chains side by side, since a single sum waits
// for every addition, and shared by workers; the bits do not depend on their number.
#ifndef SN_MODEL_LATTICE_VECTORS_H
#define SN_MODEL_LATTICE_VECTORS_H

#include "model/lattice/body.h"

// a . b over all components.
double sn_lattice_vectors_dot(const SnLattice *body, SnWorkers *workers, const double *a,
                              const double *b);

// The largest |a|; what is not a number counts as nothing.
double sn_lattice_vectors_largest(const SnLattice *body, const double *a);

// out = a + length b.
void sn_lattice_vectors_add(const SnLattice *body, SnWorkers *workers, const double *a,
                            double length, const double *b, double *out);

// The multigrid's right side: scale times `a` where components are free, 0 where they are held.
void sn_lattice_vectors_send(SnLattice *body, SnWorkers *workers, double scale, const double *a);

// out = scale times the multigrid's solution.
void sn_lattice_vectors_fetch(const SnLattice *body, SnWorkers *workers, double scale, double *out);

// `a` in the multigrid's layout.
void sn_lattice_vectors_spread(const SnLattice *body, SnWorkers *workers, const double *a,
                               double *out64);

#endif
