// What the lattice benches work on: the cube of [A] with two opposite faces held, linearised at
// rest, under a body force; counts and histories of its solves; and the bytes of its levels.
#ifndef SN_BENCH_WORKLOAD_LATTICE_H
#define SN_BENCH_WORKLOAD_LATTICE_H

#include "model/lattice/multigrid.h"

// Flops of a cell's product by hand count.
#define SN_LATTICE_FLOPS_WILSON 450.0
#define SN_LATTICE_FLOPS_MCADAMS 310.0

// Bytes allocated through an allocator.
typedef struct SnBenchTally {
    size_t now, most;
} SnBenchTally;

SinewAllocator sn_bench_tally_allocator(SnBenchTally *tally);

typedef struct SnLatticeCubeDef {
    const SnKernels *kernels;
    SnWorkers *workers;
    SinewLatticeElement element;
    int cells; // along a side
    double poisson;
    int coarsest_unknowns; // 0: the default
} SnLatticeCubeDef;

// A cube of side 1 m, E 1e6 Pa. Release with sn_lattice_cube_release, also when it failed.
typedef struct SnLatticeCube {
    SnBenchTally tally;
    SinewAllocator allocator;
    SnLatticeMultigrid multigrid;
    double *x; // positions at rest
} SnLatticeCube;

SinewStatus sn_lattice_cube_create(const SnLatticeCubeDef *def, SnLatticeCube *out_cube,
                                   SinewError *error);
void sn_lattice_cube_release(SnLatticeCube *cube);

// The damped Jacobi of [A]: `sweeps` around each transfer.
SnLatticeSmoother sn_lattice_paper_smoother(int sweeps);

// A body force on what is free, into levels[0].b.
void sn_lattice_load(SnLatticeMultigrid *multigrid);

typedef struct SnLatticeWork {
    int iterations, applies; // products on the finest level
    double residual;         // relative
} SnLatticeWork;

// Conjugate gradients under that force to a relative residual.
SnLatticeWork sn_lattice_count_work(SnLatticeMultigrid *multigrid, SnWorkers *workers,
                                    double tolerance, int max_iterations);

typedef enum SnLatticeMethod {
    SN_LATTICE_CYCLES, // V-cycles by themselves
    SN_LATTICE_MGCG,   // conjugate gradients with a V-cycle
    SN_LATTICE_CG      // without
} SnLatticeMethod;

// Relative residuals of `count` iterations under that force, the start (1) first.
SinewStatus sn_lattice_history(SnLatticeMultigrid *multigrid, SnWorkers *workers,
                               SnLatticeMethod method, int count, double *out_residuals,
                               SinewError *error);

// Bytes that all levels of a multigrid over the same cells with the same holds take.
SinewStatus sn_lattice_count_bytes(const SnLatticeMultigrid *like, const SnLatticeMultigridDef *def,
                                   size_t *out_bytes, SinewError *error);

#endif
