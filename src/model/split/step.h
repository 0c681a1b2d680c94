// What the ways of stepping share: where a step begins and how it ends.
#ifndef SN_MODEL_SPLIT_STEP_H
#define SN_MODEL_SPLIT_STEP_H

#include "model/split/potential.h"

// The rule of motion as v = d / h + v0 and h^2 a = d + h2_a0, which are linear in the state:
// v0 = move_rate last_move + velocity_rate v, h2_a0 = h v0 + velocity_time v + change_time
// last_change.
typedef struct SnSplitRule {
    double h;                // s
    double move_rate;        // 1/s
    double velocity_rate;    //
    double velocity_time;    // s
    double change_time;      // s, or s^2 where last_change is an acceleration
    bool keeps_acceleration; // in last_change, m/s^2: Newmark's rule
} SnSplitRule;

SnSplitRule sn_split_rule(const SnSplit *body, double dt);

SnSplitProblem sn_split_problem_make(SnSplit *body, const SnStep *step, SinewStepReport *report);

// Weight and dead loads on the vertices into the room's `load`.
void sn_split_load(SnSplit *body, const SnStep *step);

// Load on component k of the vertex v outside, N. Without dead loads it is the weight, and steps
// leave the room's `load` as it is.
double sn_split_load_at(const SnSplitProblem *problem, size_t v, size_t k);

// Makes up the history that the first step of BDF2 needs.
void sn_split_history(const SnSplitProblem *problem);

// Fills start, aim and move: the guess for free components, or the aim, and the pins' way for held
// ones; and x, the places at that move. True: a held component moves.
bool sn_split_begin(SnSplitProblem *problem, const SnSplitRule *rule, bool from_aim);

// The state at the room's move.
SinewStatus sn_split_end(const SnSplitProblem *problem, const SnSplitRule *rule, SinewError *error);

// Replaces a step by passes from the room's `trial`, where the value is `from`, to its `move`. With
// the constant matrix alone, or whatever the solver has; none of them raises the energy.
SinewStatus sn_split_rescue(const SnSplitProblem *problem, const SnSplitValue *from, int passes,
                            SinewError *error);

// The whole of paper B, in place of the implicit step.
SinewStatus sn_split_paper(SnSplitProblem *problem, const SnSplitRule *rule, SinewError *error);

#endif
