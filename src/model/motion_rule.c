#include "model/motion_rule.h"

SnMotionRule sn_motion_rule_make(double dt, double last_dt)
{
    double r = last_dt > 0.0 ? dt / last_dt : 0.0;
    double now = (1.0 + 2.0 * r) / (1.0 + r), last = r * r / (1.0 + r);
    SnMotionRule rule = {.v_rate = now / dt, .last_rate = last / dt};
    rule.a_rate = rule.v_rate * rule.v_rate;
    return rule;
}

void sn_motion_rule_begin(const SnMotionRule *rule, const SnMotionState *state, size_t count,
                          double *out_v0, double *out_a0)
{
    for (size_t i = 0; i < count; ++i) {
        double v0 = -rule->last_rate * state->last_move[i];
        out_v0[i] = v0;
        out_a0[i] =
            rule->v_rate * (v0 - state->velocities[i]) - rule->last_rate * state->last_change[i];
    }
}

void sn_motion_rule_end(double v_rate, const double *move, const double *v0, size_t count,
                        const SnMotionState *state)
{
    for (size_t i = 0; i < count; ++i) {
        double v = v_rate * move[i] + v0[i];
        state->last_move[i] = move[i];
        state->last_change[i] = v - state->velocities[i];
        state->velocities[i] = v;
    }
}
