// Levels from the finest to one that is solved directly, and a V-cycle over them: the
// preconditioner of conjugate gradients. Smoothing is Chebyshev's iteration over point Jacobi,
// whose largest eigenvalue is measured at rest; coarse cells are re-discretised from the mean of F
// below them, but for cut ones, which have Galerkin matrices.
//
// Not taken: the damped Jacobi of [A] with its fixed factors. It needs three times the work and
// diverges at a Poisson ratio of 0.45, where the largest eigenvalue is 3.2 to 5.7.
#ifndef SN_MODEL_LATTICE_MULTIGRID_H
#define SN_MODEL_LATTICE_MULTIGRID_H

#include "model/lattice/coarsest.h"

enum { SN_LATTICE_LEVELS_MAX = 12 };

// Smoothing: `degree` steps on the eigenvalues [largest / reach, largest].
typedef struct SnLatticeSmoother {
    int degree;
    double reach;
    bool jacobi; // damped Jacobi instead, `degree` sweeps with the factor `damping`
    double damping;
} SnLatticeSmoother;

typedef struct SnLatticeMultigrid {
    int level_count;
    SnLatticeLevel levels[SN_LATTICE_LEVELS_MAX];
    SnLatticeCoarsest coarsest;
    SnLatticeSmoother smoother;
    int worker_count;
    float *lines; // scratch of transfers
    size_t line_size;
    float *direction, *solution; // of conjugate gradients, on the finest level
    float *product;              // theirs as well: the finest level's y
    double turned;               // radians, the finest cells since coarse ones were made, at most
    int applies;                 // products on the finest level so far
} SnLatticeMultigrid;

typedef struct SnLatticeMultigridDef {
    const SnKernels *kernels;
    SinewLatticeElement element;
    SinewLatticeDifferential differential;
    SinewLatticeSmoother smoother;
    bool corrects;         // room for the full approximation scheme
    int coarsest_unknowns; // levels are added until there are no more than this; 0: the default
    double poisson;        // the largest, which chooses the smoother
    int worker_count;
} SnLatticeMultigridDef;

// Takes the finest grid over, also when it fails.
SinewStatus sn_lattice_multigrid_create(const SnLatticeMultigridDef *def, SnLatticeGrid *grid,
                                        const SinewAllocator *allocator,
                                        SnLatticeMultigrid *out_multigrid, SinewError *error);
void sn_lattice_multigrid_release(SnLatticeMultigrid *multigrid, const SinewAllocator *allocator);

// Another of the same shape, not linearised: grids, patterns, orders, what no pin holds and its
// eigenvalues are lent by `from`, which must outlive it.
SinewStatus sn_lattice_multigrid_copy(const SnLatticeMultigrid *from,
                                      const SinewAllocator *allocator,
                                      SnLatticeMultigrid *out_multigrid, SinewError *error);

// Ends all that is not lent to copies: it may be copied and released, and nothing else.
void sn_lattice_multigrid_shrink(SnLatticeMultigrid *multigrid, const SinewAllocator *allocator);

// Back to the holds of the multigrid that this one is a copy of. Nothing changes when it fails.
SinewStatus sn_lattice_multigrid_let_go(SnLatticeMultigrid *multigrid,
                                        const SnLatticeMultigrid *from,
                                        const SinewAllocator *allocator, SinewError *error);

// Finds the coarse cells whose stiffness is mixed, once the finest level's `lame` is there.
SinewStatus sn_lattice_multigrid_mix(SnLatticeMultigrid *multigrid, const SinewAllocator *allocator,
                                     SinewError *error);

// Coarse Lame constants after those of the finest level were changed in proportion.
void sn_lattice_multigrid_lame(SnLatticeMultigrid *multigrid);

// Holds of all levels from that of the finest, which is taken over. Nothing changes when it fails.
// Call sn_lattice_multigrid_measure after.
SinewStatus sn_lattice_multigrid_hold(SnLatticeMultigrid *multigrid, unsigned char *held,
                                      const SinewAllocator *allocator, SinewError *error);

// Measures the largest eigenvalues at the positions x, which are those at rest.
void sn_lattice_multigrid_measure(SnLatticeMultigrid *multigrid, SnWorkers *workers,
                                  const double *x);

// Inertia of the finest level (its `inertia`) to all, or none.
void sn_lattice_multigrid_inertia(SnLatticeMultigrid *multigrid, bool has_inertia);

// Linearises all levels at x and factors the coarsest, with the springs in coarsest.springs where
// those are said. Nullable: springs.
SinewStatus sn_lattice_multigrid_linearise(SnLatticeMultigrid *multigrid, SnWorkers *workers,
                                           const double *x, const SnLatticeSprings *springs,
                                           SinewError *error);

// The same where forces at x were found last, which linearised the finest level.
SinewStatus sn_lattice_multigrid_renew(SnLatticeMultigrid *multigrid, SnWorkers *workers,
                                       const double *x, const SnLatticeSprings *springs,
                                       SinewError *error);

// The finest level alone, where forces were found last. Coarse ones stay as they are, with the same
// inertia, but for springs in products and diagonals. The factor of the coarsest stays. Nullable:
// springs.
void sn_lattice_multigrid_follow(SnLatticeMultigrid *multigrid, SnWorkers *workers,
                                 const SnLatticeSprings *springs);

// Whether coarse levels are of use still: cells have turned but a little since they were made.
bool sn_lattice_multigrid_fits(SnLatticeMultigrid *multigrid);

// Sets `turned` to how far the cells at x have turned since coarse levels were made.
void sn_lattice_multigrid_compare(SnLatticeMultigrid *multigrid, SnWorkers *workers,
                                  const double *x);

// levels[0].x = M^-1 levels[0].b by one V-cycle.
void sn_lattice_multigrid_cycle(SnLatticeMultigrid *multigrid, SnWorkers *workers);

typedef struct SnLatticeSolve {
    int iterations;
    double residual; // relative
    bool indefinite; // met a direction along which K is not positive, and stopped there
} SnLatticeSolve;

// When a solve ends: at a relative residual, or when the energy of an iteration is less than the
// square of `share` of that of all. The latter is the error that the iteration took away, in the
// norm in which conjugate gradients make it least, of which the next would leave a part; the
// residual of a smooth load first grows tenfold and says little. 0: never.
typedef struct SnLatticeGoal {
    double residual;
    double share;
    int max_iterations;
} SnLatticeGoal;

// solution = K^-1 levels[0].b, which is lost. With `exact` the unclamped K.
SnLatticeSolve sn_lattice_multigrid_solve(SnLatticeMultigrid *multigrid, SnWorkers *workers,
                                          bool exact, SnLatticeGoal goal);

#endif
