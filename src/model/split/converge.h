// Newton's method with a line search, for steps in contact and for fine accuracies; friction is
// renewed between its iterations. And what replaces a step that would gain energy.
#ifndef SN_MODEL_SPLIT_CONVERGE_H
#define SN_MODEL_SPLIT_CONVERGE_H

#include "model/split/step.h"

// Whether points act that want Newton steps with a line search: those of contact, and springs
// where the preconditioner does not know them.
bool sn_split_touches(const SnSplitProblem *problem);

void sn_split_set_residual(const SnSplitProblem *problem, double residual);

// Moves below this, m, as a norm over all vertices, are rounding of places in float.
double sn_split_rounding(const SnSplit *body);

// How far forces move the body in the step, m, as such a norm.
double sn_split_length(const SnSplitProblem *problem);

// Goes along the room's step as far as the energy falls, from *value to the one there. False:
// nowhere.
bool sn_split_search(const SnSplitProblem *problem, SnSplitValue *value);

// Newton steps from the room's move, where the energy is *value, each shortened until the energy
// falls, until they no longer matter; *value is then that of the end.
SinewStatus sn_split_converge(const SnSplitProblem *problem, SnSplitValue *value,
                              bool *out_converged, SinewError *error);

// The energy at a move where it is *value but for friction, which was renewed: points alone are
// evaluated.
void sn_split_value_renew(const SnSplitProblem *problem, const float *move, SnSplitValue *value);

// Draws the room's move back towards `trial`, where the energy is `from`, until it is no higher
// than there. False: nowhere on the way is it.
bool sn_split_retreat(const SnSplitProblem *problem, const SnSplitValue *from, SnSplitValue *value);

// Takes friction from the normal forces that were reached. True: that changes the forces at points
// by more than the accuracy, so that it is worth another solve; *value is then the energy with it.
bool sn_split_renews(const SnSplitProblem *problem, SnSplitValue *value);

#endif
