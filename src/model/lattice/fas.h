// The full approximation scheme of [A], algorithm 3: a V-cycle on the equations themselves instead
// of their linearisation. In goes a state, out comes a direction to a better one.
//
// Levels below the finest know a state by its deformation gradient F_off alone, averaged from the
// level above, and look for a correction u. Their equations are K u plus what the stress at the
// middle of each cell, P(F_off + G u) - P(F_off), has beyond its linearisation. Cut cells,
// hourglass modes, inertia and springs stay linear. When a level has smoothed, its u is taken into
// F_off and the level linearised there, which is [A]'s re-linearisation.
#ifndef SN_MODEL_LATTICE_FAS_H
#define SN_MODEL_LATTICE_FAS_H

#include "model/lattice/potential.h"

// One cycle from the room's `move`; its result minus that becomes the room's `direction`. The
// multigrid is linearised at `move` before.
SinewStatus sn_lattice_fas(const SnLatticeProblem *problem, SinewError *error);

#endif
