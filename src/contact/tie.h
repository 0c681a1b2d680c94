// Ties: springs from material points of a body to places in the world. Soft constraints and bones
// are made of them (world/attachment.c).
//
// A tie pulls its point towards its target with stiffness times the distance; one with a direction
// n pulls along that, and across it with the share a alone: stiffness (1 - a) n n^T + a I, [A sec
// 7]. Energy is stiffness / 2 times the square of what it pulls against. Force and stiffness are
// exact, since all of it is quadratic.
#ifndef SN_CONTACT_TIE_H
#define SN_CONTACT_TIE_H

#include "model/model.h"

typedef struct SnTie {
    double target[3];    // m
    double direction[3]; // of length one, or zero: all directions
    double across;       // share of the stiffness across the direction, 0 to 1
    double stiffness;    // N/m
} SnTie;

// What a tie does to a point at x.
void sn_tie_evaluate(const SnTie *tie, const double x[3], SnPointForce *out);

#endif
