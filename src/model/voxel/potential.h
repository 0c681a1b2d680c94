// One step as a minimisation, as in model/newton/potential.h: the gradient of
//
//     Phi(d) = a'M a / (2 a_rate) + v'C v / (2 v_rate) + elastic(x) + contact(x) - s work(x)
//              - (1 - s) balance . d
//
// over the move d = x - x_n is zero where the equations of motion hold. M and C are turned as cells
// are at the start of the step. Static solves go from s = 0, where the start is in equilibrium by
// what balances it, to s = 1.
//
// A cell's elastic energy is u'K u / 2 with u = R^T (x - c) - X, and R follows from x: omega u = 0.
// Its gradient R (K u + omega^T J^-T t), with t = -sum y x K u and J w = omega (w x y), is exact,
// so that searches along it are sound and no torque is made out of nothing. `mode: paper` has
// [E]'s R K u.
#ifndef SN_MODEL_VOXEL_POTENTIAL_H
#define SN_MODEL_VOXEL_POTENTIAL_H

#include "model/voxel/body.h"

#include <limits.h>

typedef struct SnVoxelProblem {
    SnVoxelBody *body;
    const SnStep *step;
    SnWorkers *workers;
    SinewStepReport *report;
    double tolerance;
    double largest; // m, of the coordinates
    bool dynamic;
    bool renews;   // contact is renewed at convergence
    bool exact;    // there is a potential: not in mode paper
    bool counted;  // a given number of iterations: forces by kernels in float
    bool edges;    // cells turn as their mean edges do, as in mode paper but for its rescues
    bool one_turn; // all cells keep the one rotation that they have, and are their edges: lost.h
    bool smooth;   // rotations that do not follow corners stay
    bool far;      // contact is far from balance: directions take rotations as they are
    double share;  // s
    double a_rate; // 1/s^2
    double v_rate; // 1/s
} SnVoxelProblem;

typedef struct SnVoxelValue {
    double phi;      // J
    double noise;    // J, what rounding may make of a difference of two such potentials
    double residual; // N, norm of the gradient over free components
    double scale;    // N, norm of the forces at play
    double push;     // J, of counted steps: v_n . M (v - v_n), v_n the velocities at the start
    bool allowed;    // finite
} SnVoxelValue;

// Forces of mode paper balance where their potential is not least, by about this share of it.
#define SN_VOXEL_WARP_NOISE 1e-3

typedef enum SnVoxelEnd {
    SN_VOXEL_CONVERGED,
    SN_VOXEL_STALLED,   // no better state along the direction
    SN_VOXEL_EXHAUSTED, // used up its iterations
    SN_VOXEL_UNFIT // of counted steps in mode paper: its forces lead to nothing a step may end at
} SnVoxelEnd;

// Looks at d: fills poses, x, internal, inertia and residual of the room.
SnVoxelValue sn_voxel_potential(const SnVoxelProblem *problem, const double *d);

// How many turns poses of such a look take.
static inline int sn_voxel_turns(const SnVoxelProblem *problem)
{
    return problem->one_turn ? SN_VOXEL_TURNS_NONE
           : problem->edges  ? SN_VOXEL_TURNS_EDGES
           : problem->smooth ? SN_VOXEL_TURNS_SMOOTH
                             : SN_VOXEL_TURNS;
}

// What a pull on a cell does to its corners, in the world, 3 a corner; `exact`: with what comes of
// the turn of the cell.
void sn_voxel_pull_spread(const SnVoxelBody *body, int cell, const SnVoxelPose *pose, bool exact,
                          const SnVoxelPull *pull, double out[SN_VOXEL_DOFS]);

// Its parts: loads and contact as pulls on cells, which answers the energy of contact less the work
// of loads; and the value from SN_VOXEL_SUMS sums over components.
enum {
    SN_VOXEL_SUM_RESIDUAL, // squares over free components
    SN_VOXEL_SUM_INTERNAL, // squares
    SN_VOXEL_SUM_INERTIA,  //
    SN_VOXEL_SUM_WORK,     // of what balances the start
    SN_VOXEL_SUM_MOVED,    // sizes of inertia times the move
    SN_VOXEL_SUM_BALANCE,  // squares
    SN_VOXEL_SUM_SIZE,     // of internal forces
    SN_VOXEL_SUMS
};
double sn_voxel_pull_cells(const SnVoxelProblem *problem, double *out_load);
SnVoxelValue sn_voxel_value(const SnVoxelProblem *problem, const double sums[SN_VOXEL_SUMS],
                            double energy, double size, double load);

// Rotations of the pose last looked at become those that the next pose starts from.
void sn_voxel_accept(const SnVoxelProblem *problem);

// Minimises from the room's `move`, with held components where they are.
SinewStatus sn_voxel_minimise(SnVoxelProblem *problem, double tolerance, int max_iterations,
                              SnVoxelValue *out_value, SnVoxelEnd *out_end, SinewError *error);

// A given number of linearisations, each with so many iterations, as they come, but for steps that
// are watched: see counted.c. The residual is that of the last linearisation, or of the end where
// that was looked at. False: in mode paper, its forces lead to nothing that a step may end at.
bool sn_voxel_take_counted(const SnVoxelProblem *problem, int newton, int pcg, double tolerance,
                           SnVoxelValue *value);

// The start as the room's move, with rotations as they were: vertices where they were, but for held
// ones.
void sn_voxel_take_start(const SnVoxelProblem *problem);

// The largest component of the room's direction, m; and the share of such a direction at which no
// vertex goes farther than twice the body's length.
double sn_voxel_longest(const SnVoxelBody *body);
static inline double sn_voxel_first_length(const SnVoxelBody *body, double longest)
{
    return longest > 2.0 * body->size ? 2.0 * body->size / longest : 1.0;
}

// What a step may still spend of the world's `max_solves`: iterations of conjugate gradients, and
// half of one for each cut of a line search, whose potential costs as much. INT_MAX: no limit.
static inline int sn_voxel_left(const SnVoxelProblem *problem)
{
    int spent = problem->report->linear_solves + problem->report->line_search_cuts / 2;
    int most = problem->step->max_solves;
    return most == 0 ? INT_MAX : most - spent;
}

// Whether nothing is left; says so in the report.
static inline bool sn_voxel_is_capped(const SnVoxelProblem *problem)
{
    bool capped = sn_voxel_left(problem) <= 0;
    problem->report->capped = capped ? 1 : problem->report->capped;
    return capped;
}

// Iterations of those wanted that the next direction may take: no more than a quarter of the
// budget, since the first systems have the wrong points in contact.
static inline int sn_voxel_afford(const SnVoxelProblem *problem, int wanted)
{
    int most = problem->step->max_solves, left = sn_voxel_left(problem);
    int part = most == 0 ? INT_MAX : most / 4 > SN_SOLVES_LEAST ? most / 4 : SN_SOLVES_LEAST;
    part = part < left ? part : left;
    part = part > 1 ? part : 1;
    return wanted < part ? wanted : part;
}

// Renews contact where the step asks for it. True: it changed, and the value with it.
bool sn_voxel_renew(const SnVoxelProblem *problem, SnVoxelValue *value);

// Cells side by side in float ---------------------------------------------------------------------

SinewStatus sn_voxel_lanes_create(SnVoxelBody *body, SinewError *error);
void sn_voxel_lanes_release(SnVoxelLanes *lanes, const SinewAllocator *allocator);

// Poses of all cells with vertices at x, from rotations in `base`, as planes and as the system's
// float rotations.
void sn_voxel_lanes_pose(const SnVoxelBody *body, SnWorkers *workers, const double *x,
                         const double *base, int turns);

// The same as poses in double.
void sn_voxel_lanes_unpack(const SnVoxelBody *body, SnWorkers *workers, const double *x,
                           SnVoxelPose *out_poses);

// sn_voxel_potential of a step with a given number of iterations: less a constant, and poses in
// planes; those of the room are filled only where points act on cells.
SnVoxelValue sn_voxel_lanes_look(const SnVoxelProblem *problem, const double *d);

// Linear solves ----------------------------------------------------------------------------------

// Which solvers come into question: iterations, and a factor, alone or where those do not help.
bool sn_voxel_system_iterates(const SnVoxelProblem *problem);
bool sn_voxel_system_factors(const SnVoxelProblem *problem);

// Whether iterations go by a factor of a matrix near theirs.
bool sn_voxel_system_preconditions(const SnVoxelProblem *problem);

// The matrix at the pose last looked at.
void sn_voxel_system_make(const SnVoxelProblem *problem);

// y = A x, held components as others; through floats.
void sn_voxel_system_apply(const SnVoxelProblem *problem, const double *x, double *y);

// direction = -A^-1 residual by conjugate gradients in float; answers the residual that is left,
// as a share. Adds to the report.
double sn_voxel_system_iterate(const SnVoxelProblem *problem, double tolerance, int max_iterations);

// The same by a factor in double. `tangent`: with all of the gradient's derivative that cells have,
// which may not be definite. Its parts: the factor, and x <- A^-1 x with what it holds, which uses
// the room's right where springs are tied.
SinewStatus sn_voxel_system_factor(const SnVoxelProblem *problem, bool tangent, SinewError *error);
SinewStatus sn_voxel_system_solve(const SnVoxelProblem *problem, double *x, SinewError *error);
void sn_voxel_system_precondition(const SnVoxelProblem *problem, double *x);
SinewStatus sn_voxel_system_direct(const SnVoxelProblem *problem, bool tangent, SinewError *error);

SinewStatus sn_voxel_system_create(SnVoxelBody *body, SinewError *error);
void sn_voxel_system_release(SnVoxelSystem *system, const SinewAllocator *allocator);

#endif
