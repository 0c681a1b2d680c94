// Contact and springs in a step whose matrix knows nothing of them.
//
// A pass with A goes to the lowest point d* of a bound of the energy, 1/2 |d - d*|_A^2 above it. So
// what acts at points is answered by the d that makes 1/2 |d - d*|_A^2 + h^2 E(d) least, E the
// points' energy: a correction of positions after the pass, as [B sec 3.5] has it, but measured by
// A.
//
// Not taken: the same measured by masses alone, as position-based methods do. It costs no solves,
// but the next pass undoes it, and both are in balance only where elements at the contact are
// pressed with A / M, ten times and more, of the contact's force: coarse bodies shot spikes.
#ifndef SN_MODEL_SPLIT_CONTACT_H
#define SN_MODEL_SPLIT_CONTACT_H

#include "model/split/potential.h"

// From d* in the room's move to d. The forces last evaluated are then those at d. Uses the room's
// x, trial, residual, z, p, hp and step.
SinewStatus sn_split_contact_correct(const SnSplitProblem *problem, SinewError *error);

#endif
