// How far to go along a direction: backtracking that accepts no state that is not finite, inverted
// where the law forbids it, or worse than the one before.
#ifndef SN_MODEL_NEWTON_LINE_SEARCH_H
#define SN_MODEL_NEWTON_LINE_SEARCH_H

#include "model/newton/potential.h"

// From the room's `move`, whose value is *value and whose gradient is in `residual`, along
// `direction` (zero on held components). True: move and *value are those of the accepted state,
// which was the last one looked at. False: nothing was accepted, and `move` is as before.
bool sn_newton_line_search(const SnNewtonProblem *problem, SnNewtonValue *value);

#endif
