// Bodies that start without their shape: mirrored, flat, a point, scrambled. The law is then no
// guide: it has other minima, such as a ring that is turned into itself. So while a body is lost,
// its steps see the edges of its cells alone, all with one rotation R:
//
//     sum over cells mu h / 4 sum over edges |x_a - x_b - R (X_a - X_b)|^2,
//     R the rotation nearest to sum mu h / 4 (x_a - x_b) (X_a - X_b)^T
//
// which has no minimum but the rest shape, wherever that lies, and no force or torque on the body
// as a whole, so that momentum stays. Such a step is one of Euler's, without damping; loads, pins
// and contact act in it, friction as it was.
//
// As model/split/lost.h does for tets. The matrix here is a Laplacian over the vertices, which
// needs no multigrid for the few steps that it is used: conjugate gradients with its diagonal, by
// one thread.
#ifndef SN_MODEL_LATTICE_LOST_H
#define SN_MODEL_LATTICE_LOST_H

#include "model/lattice/potential.h"

// Whether the next step is one of these: after any start but that at rest, until the shape has come
// back or a hundred steps were not enough.
static inline bool sn_lattice_lost(const SnLattice *body)
{
    return body->state.clock[SN_LATTICE_CLOCK_LOST] > 0.0;
}

// The step, with its loads in the room's `external`: positions and velocities after it, and the
// forces on all vertices in the room's `residual`. Counted as a rescue.
void sn_lattice_lost_step(const SnLatticeProblem *problem);

#endif
