// Euler's rule and BDF2 for models that move vectors of doubles: velocity and acceleration at the
// end of a step as linear functions of its move d, v = v_rate d + v0 and a = a_rate d + a0.
//
// Euler: v = d / h, a = (v - v_n) / h. BDF2: with r = h / h_last, D(u) = ((1 + 2r)/(1 + r) du -
// r^2/(1 + r) du_last) / h is the derivative at the end of the parabola through three values;
// v = D(x), a = D(v). With r = 0 the second is the first.
#ifndef SN_MODEL_MOTION_RULE_H
#define SN_MODEL_MOTION_RULE_H

#include <stddef.h>

typedef struct SnMotionRule {
    double v_rate;    // 1/s
    double a_rate;    // 1/s^2
    double last_rate; // 1/s, of what the step before did
} SnMotionRule;

// What the step before left, and this one leaves; xyz a vertex, or however they are packed.
typedef struct SnMotionState {
    double *velocities;  // m/s
    double *last_move;   // m
    double *last_change; // m/s
} SnMotionState;

// `last_dt` is that of the step before; 0: Euler's rule.
SnMotionRule sn_motion_rule_make(double dt, double last_dt);

// v0 and a0 of `count` components.
void sn_motion_rule_begin(const SnMotionRule *rule, const SnMotionState *state, size_t count,
                          double *out_v0, double *out_a0);

// The state after the move; places are the caller's.
void sn_motion_rule_end(double v_rate, const double *move, const double *v0, size_t count,
                        const SnMotionState *state);

#endif
