// Whether an equilibrium is one that a body would keep: no direction lowers the potential to second
// order, as `newton` asks of static solves.
#ifndef SN_MODEL_LATTICE_STABILITY_H
#define SN_MODEL_LATTICE_STABILITY_H

#include "model/lattice/potential.h"

// At the room's `move`, which is an equilibrium. Conjugate gradients on the tangent with a random
// right side look for a direction of negative curvature; one that they meet is believed when forces
// in double, a little to both sides, say the same. Fails when the tangent cannot be factored.
SinewStatus sn_lattice_is_stable(const SnLatticeProblem *problem, bool *out_stable,
                                 SinewError *error);

#endif
