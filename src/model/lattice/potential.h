// One step as a minimisation, as in model/newton/potential.h: the gradient of
//
//     Phi(d) = a'M a / (2 a_rate) + v'C v / (2 v_rate) + elastic(x) + contact(x) - load . d
//
// over the move d = x - x_n is zero where the equations of motion hold. C is alpha M and, cell by
// cell, beta K as it is at the start of the step, made definite.
#ifndef SN_MODEL_LATTICE_POTENTIAL_H
#define SN_MODEL_LATTICE_POTENTIAL_H

#include "model/lattice/body.h"

typedef struct SnLatticeProblem {
    SnLattice *body;
    const SnStep *step;
    SnWorkers *workers;
    SinewStepReport *report;
    double tolerance;
    double largest; // m, of the coordinates
    bool dynamic;
    bool renews;   // contact is renewed at convergence
    bool keeps;    // coarse levels may outlive the step
    double a_rate; // 1/s^2
    double v_rate; // 1/s
} SnLatticeProblem;

typedef struct SnLatticeValue {
    double phi;      // J
    double elastic;  // J, of that
    double noise;    // J, what rounding may make of a difference of two such potentials
    double residual; // N, norm of the gradient over free components
    double scale;    // N, norm of the forces at play
    double least;    // N, residual that rounding alone may leave
    int inverted;    // cells
    bool allowed;    // finite
} SnLatticeValue;

typedef enum SnLatticeEnd {
    SN_LATTICE_CONVERGED,
    SN_LATTICE_STALLED,  // no better state along the direction
    SN_LATTICE_EXHAUSTED // used up its iterations
} SnLatticeEnd;

// Looks at d: fills x, contact and residual of the room, and linearises the finest level
// there, for which rotations are found anyway.
SnLatticeValue sn_lattice_potential(const SnLatticeProblem *problem, const double *d);

// The same where `d` was looked at last, with that value, after what acts at points was renewed:
// forces of cells and linearisation stay.
SnLatticeValue sn_lattice_potential_again(const SnLatticeProblem *problem, const double *d,
                                          const SnLatticeValue *last);

// Linearises all levels at the state last looked at; coarse ones may stay as they are while cells
// have turned but a little since they were made. With `follows`, after the same was done in the
// same minimisation.
SinewStatus sn_lattice_linearise(const SnLatticeProblem *problem, bool follows, SinewError *error);

// After a solve: many iterations are a reason to make levels anew the next time.
void sn_lattice_linear_tire(const SnLatticeProblem *problem, int iterations);

// Minimises from the room's `move`, with held components where they are.
SinewStatus sn_lattice_minimise(const SnLatticeProblem *problem, double tolerance,
                                int max_iterations, SnLatticeValue *out_value,
                                SnLatticeEnd *out_end, SinewError *error);

// The same from a state that was just looked at, with its value.
SinewStatus sn_lattice_minimise_from(const SnLatticeProblem *problem, double tolerance,
                                     int max_iterations, SnLatticeValue *value,
                                     SnLatticeEnd *out_end, SinewError *error);

// Moves held components to the room's `target` with the linear response of the rest. False, and
// `move` as before, when that is not allowed or, with `strict`, inverts more cells than were.
SinewStatus sn_lattice_respond(const SnLatticeProblem *problem, bool strict, bool *out_moved,
                               SinewError *error);

#endif
