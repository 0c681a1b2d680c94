// One step as a minimisation. Every rule of motion makes velocity and acceleration affine in the
// move d = x - x_n, so the equations of motion are the gradient of a potential:
//
//     Phi(d) = a'M a / (2 a_rate) + v'C v / (2 v_rate) + elastic(x) + contact(x) - load . d
//     grad Phi = M a + C v + internal(x) - contact forces - load
//
// d is the unknown rather than x, so that v = d / h keeps all its digits far from the origin. In
// static solves M and C are left out.
#ifndef SN_MODEL_NEWTON_POTENTIAL_H
#define SN_MODEL_NEWTON_POTENTIAL_H

#include "model/newton/body.h"

typedef struct SnNewtonProblem {
    SnNewton *body;
    const SnStep *step;
    SnWorkers *workers;
    SinewStepReport *report;
    double tolerance;
    bool dynamic;
    bool renews;    // contact is renewed at convergence: not on the way to where a step ends
    double a_rate;  // 1/s^2
    double v_rate;  // 1/s
    double held_dt; // s; positive: held components follow the Euler rule whatever the others do
} SnNewtonProblem;

// The potential at one d, and how far from equilibrium that is.
typedef struct SnNewtonValue {
    double phi;      // J
    double noise;    // J, what rounding may make of a difference of two such potentials
    double residual; // N, norm of the gradient over free components
    double scale;    // N, norm of the forces at play, at least that of a strain of 1e-6
    double least;    // N, residual that rounding alone may leave
    int inverted;    // elements
    bool allowed;    // finite, and nothing inverted whose law forbids it
} SnNewtonValue;

// Looks at d: fills x, v, a, inertia, damping, internal, contact and residual of the room.
SnNewtonValue sn_newton_potential(const SnNewtonProblem *problem, const double *d);

// The Hessian of Phi at the d last looked at into the room's `stiffness`.
void sn_newton_potential_hessian(const SnNewtonProblem *problem, bool definite);

// Why a state is not allowed, as SINEW_ERROR_DIVERGED with body, element and quantity. `when` ends
// the sentence.
SinewStatus sn_newton_potential_fail(const SnNewton *body, const char *when, SinewError *error);

// sum a_i b_i and its root for a = b.
double sn_newton_dot(const SnNewton *body, const double *a, const double *b);
double sn_newton_norm(const SnNewton *body, const double *a);

#endif
