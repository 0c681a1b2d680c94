// Rayleigh's damping by stiffness, as `newton` has it: C = sum over tets of damping_stiffness times
// their tangent K, definite and as it is at the start of the step. With v = d / h + v0 by the rule
// of motion a step has the potential h^2 (h / 2) v^T C v more, whose gradient is h^2 C v. Its share
// of the Hessian, h C, is taken with the tangent of each linearisation in place of the start's:
// moduli are then 1 + damping_stiffness / h times as large, for products, the constant matrix and
// the coarse spaces alike, and no product costs more. Gradients are exact, so answers do not see
// it.
//
// A body has this when a material of it damps. Everything is made anew where a step begins.
#ifndef SN_MODEL_SPLIT_DAMPING_H
#define SN_MODEL_SPLIT_DAMPING_H

#include "model/split/step.h"

typedef struct SnSplitDamping {
    double h;         // s, that `stiffened` was made for
    float *rest;      // as that of blocks, moduli times damping_stiffness
    float *stiffened; // the same, moduli times 1 + damping_stiffness / h
    float *rotations; // 4 planes a block, at the start of the step
    float *tangent;   // of K times damping_stiffness, there
    float *v0;        // m/s, xyz a vertex inside, of the rule
    float *v;         // m/s, last evaluated, less that of the first vertex
    float *force;     // N s^2, h^2 C v, of held components too
    float *ones;      // xyz a vertex: nothing is held
} SnSplitDamping;

// How much stiffer a material is to a step of the rule; h = 0: a static solve.
static inline double sn_split_stiffening(const SnMaterial *material, double h)
{
    return h > 0.0 ? 1.0 + material->damping_stiffness / h : 1.0;
}

// Memory and moduli for steps with this h, when a step is prepared; none where no material damps.
SinewStatus sn_split_damping_prepare(SnSplit *body, double h, SinewError *error);
void sn_split_damping_destroy(SnSplit *body);

// Where a step begins: after sn_split_begin.
void sn_split_damping_begin(SnSplitProblem *problem, const SnSplitRule *rule);

// h^2 (h / 2) v^T C v at a move, J s^2; its forces stay in `force`.
double sn_split_damping_evaluate(const SnSplitProblem *problem, const float *move);

// residual -= h^2 C v at a move, free components.
void sn_split_damping_resist(const SnSplitProblem *problem, const float *move);

// Adds C v on pinned vertices at the room's move, N, outside.
void sn_split_damping_balance(const SnSplitProblem *problem, double *force);

#endif
