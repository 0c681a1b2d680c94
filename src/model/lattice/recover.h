// How a body comes back from a state that is no shape: turned inside out, flat, a point, or random.
//
// The cell of `wilson` is as soft in bending as the material, so that one row of cells can fold
// over by half a turn and rest there: a scrambled bar would end knotted. So a step that begins with
// a quarter of its cells inverted, and those after it, are made with the hourglass stiffness of
// `mcadams`, which lets no cell fold, until no cell is inverted and none bent by more than about 45
// degrees.
#ifndef SN_MODEL_LATTICE_RECOVER_H
#define SN_MODEL_LATTICE_RECOVER_H

#include "model/lattice/potential.h"

// Before a step or solve whose start is `value`: true, and the body has the stiff cells, when it is
// to recover.
bool sn_lattice_recover_begin(const SnLatticeProblem *problem, const SnLatticeValue *value);

// After it, whether it went well or not: the body's own cells again. Forgets that it recovers once
// its positions are a shape.
void sn_lattice_recover_end(SnLattice *body);

#endif
