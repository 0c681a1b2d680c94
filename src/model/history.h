// What BDF2 remembers before there is anything to remember: the step before the first one, as if
// the body had moved with the acceleration that it starts with. That keeps the second order of the
// first step, which one of Euler's would not have.
#ifndef SN_MODEL_HISTORY_H
#define SN_MODEL_HISTORY_H

#include "model/pin_set.h"

// Vectors have xyz a vertex.
typedef struct SnHistory {
    int vertex_count;
    double dt;                 // s, of the first step, and of the one before
    double farthest;           // m in a step: accelerations that do more are not resolved
    const unsigned char *held; // a vertex: bit k for component k
    const double *ends;        // m, where held components are after the step
    const double *positions;   // m, at the start
    const double *velocities;  // m/s
    double *last_move;         // m, out: x - x_old, x_old = x - dt v + dt^2 a / 2
    double *last_change;       // m/s, out: v - v_old, v_old = v - dt a
} SnHistory;

// Accelerations, m/s^2, are not looked at where a component is held: that one takes its first step
// by Euler's rule, since its way is given. Where one is not resolved, as in bodies that start
// mirrored or scrambled, all count as none: the step before would fling the body about.
void sn_history_begin(const SnHistory *history, const double *accelerations);

#endif
