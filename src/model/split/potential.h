// One step as a minimisation, in float: with d = x - x_n, h^2 = 1 / a_rate of the rule of motion,
//
//     Phi(d) = 1/2 |d - aim|^2_mass + h^2 (elastic(x) + contact(x))
//
// and what damping by stiffness adds, damping.h,
// whose gradient, Hessian times vector and value are sweeps over tets and gathers over vertices.
#ifndef SN_MODEL_SPLIT_POTENTIAL_H
#define SN_MODEL_SPLIT_POTENTIAL_H

#include "model/split/body.h"

typedef struct SnSplitProblem {
    SnSplit *body;
    const SnStep *step;
    SnWorkers *workers;
    SinewStepReport *report;
    SnTetLaw law;
    double h, h2;
    double origin[3];  // m, of places in float
    const float *mass; // of the Hessian: the room's, or none in static solves
    bool kept;         // the solver's matrix is to be kept
    bool one_turn;     // tets keep the rotations that they have, lost.h
    bool damped;       // by stiffness, damping.h
    bool counted;      // linearisations are few and counted, none searches along its step
} SnSplitProblem;

// The value at one move, and its parts.
typedef struct SnSplitValue {
    double phi;     // J s^2
    double elastic; // J
    double contact; // J, of points
    int inverted;   // tets
} SnSplitValue;

// The room's x: places relative to the origin at a move.
void sn_split_look(const SnSplitProblem *problem, const float *move);

// A sweep over the body's tets with vertices at x, inside.
SnTetSweep sn_split_sweep(const SnSplitProblem *problem, const float *x);

// The sweep's kernel over all patches.
void sn_split_sweep_run(const SnSplitProblem *problem, const SnTetSweep *sweep, SnTetSweepFn *fn);

// out = free (mass (x - minus) + scale times the sum of corner forces in the room's rows).
typedef struct SnSplitGather {
    const float *mass, *free;
    const float *x, *minus; // minus: nullable
    double scale;
    const float *with;
    float *out;
} SnSplitGather;

// Returns with . out.
double sn_split_gather(const SnSplitProblem *problem, const SnSplitGather *gather);

// Rest data whose moduli are those of the tangent: with damping they are larger.
const float *sn_split_tangent_rest(const SnSplitProblem *problem);

// Residual = -gradient at a move last looked at, from the forces in the room's rows and from
// contact.
// Returns its norm.
double sn_split_residual(const SnSplitProblem *problem, const float *move);

// Residual = -gradient at a move; with `tangent` what products need. Returns its norm.
double sn_split_gradient(const SnSplitProblem *problem, const float *move, bool tangent);

// The same at the move last looked at.
double sn_split_gradient_here(const SnSplitProblem *problem, const float *move, bool tangent);

// hp = Hessian p, at the move last linearised. Returns p . hp.
double sn_split_product(const SnSplitProblem *problem, const float *p, float *hp);

// A step of conjugate gradients: step += length p, residual -= length hp. Returns the residual's
// square.
double sn_split_walk(const SnSplitProblem *problem, float length);

SnSplitValue sn_split_value(const SnSplitProblem *problem, const float *move);

// Two sums of energies times h^2, of parts of this size, with this much elastic energy, J, may
// differ by so much, J s^2, through rounding alone.
double sn_split_noise(const SnSplitProblem *problem, double size, double elastic);

// Half of |move - aim|^2_mass over free components, kg m^2, and |move - aim|, m.
double sn_split_inertia(const SnSplitProblem *problem, const float *move, double *out_length);

double sn_split_dot(const SnSplitProblem *problem, const float *a, const float *b);

// x_n + move, outside, in double.
void sn_split_place(const SnSplitProblem *problem, const float *move, double *out);

// y += a x.
void sn_split_add(const SnSplitProblem *problem, float a, const float *x, float *y);

#endif
