// A prefactored linear solver, for a matrix that stays while right-hand sides change: as in
// operator splitting, projective dynamics, as-rigid-as-possible deformation, or implicit diffusion.
// Analyse and factor once, then solve for x, y and z together at about the speed at which memory
// can be read.
#ifndef SINEW_SOLVE_H
#define SINEW_SOLVE_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// A factored matrix. Made by sinew_factor_create, ended by sinew_factor_destroy.
typedef struct SinewFactor SinewFactor;

// How a factor is made. Start from sinew_factor_def_default().
typedef struct SinewFactorDef {
    // The matrix, symmetric and positive definite, by rows (CSR). Row i has the entries
    // [row_start[i], row_start[i + 1]): column[e] in ascending order, the diagonal among them, and
    // value[e]. Both triangles are given; values above the diagonal are ignored. The arrays are
    // copied where they are needed later.
    int row_count;
    const int *row_start; // row_count + 1 numbers, the first 0
    const int *column;
    const double *value; // block * block numbers an entry

    int block; // 1 (default): entries are numbers; 3: entries are 3x3 blocks, row-major, and a row
               // stands for three unknowns

    int right_sides; // solved together: 3 (default; x, y, z of one matrix) or 1; with block 3 only
                     // 1

    int keep_float;  // 1 (default): sinew_factor_solve works
    int keep_double; // 1: sinew_factor_solve_double works; default 0. Twice the memory and time.

    int worker_count; // threads that share the work, the calling one included; default 1
    SinewDeterminism determinism; // default SINEW_FAST
    SinewAllocator allocator;     // all zero (default): malloc and free
    SinewTasks tasks;             // all zero (default): own threads

    uint32_t struct_size; // set by the default function, do not touch
} SinewFactorDef;

// What a factor holds.
typedef struct SinewFactorInfo {
    int64_t entries;      // of the Cholesky factor, the diagonal included
    int64_t numbers_read; // by one solve, zeros and padding included
    size_t bytes;         // that the factor takes
} SinewFactorInfo;

// A def with every default set. row_count, row_start, column and value must then be filled in.
SINEW_API SinewFactorDef sinew_factor_def_default(void);

// Analyses and factors the matrix. On failure *out_factor is NULL.
// SINEW_ERROR_ARGUMENT: a value or index out of range; error->index is the row.
// SINEW_ERROR_NOT_DEFINITE: error->index is the row (0 to row_count * block - 1) whose pivot is not
// positive. SINEW_ERROR_MEMORY: not enough of it. SINEW_ERROR_UNSUPPORTED: SINEW_ISA names
// instructions that this machine does not run. Nullable: error
SINEW_API SinewStatus sinew_factor_create(const SinewFactorDef *def, SinewFactor **out_factor,
                                          SinewError *error);

// New values for the same pattern, without a new analysis and without allocating. When it fails
// with SINEW_ERROR_NOT_DEFINITE the factor cannot solve until a later call succeeds. Nullable:
// error
SINEW_API SinewStatus sinew_factor_update(SinewFactor *factor, const double *value,
                                          SinewError *error);

// x = A^-1 x in place: x[row * right_sides + k], for block 3 x[3 * row + k]. Relative error about
// 1e-7 for a matrix of moderate condition. Allocates nothing. One thread at a time per factor.
// Nullable: error
SINEW_API SinewStatus sinew_factor_solve(SinewFactor *factor, float *x, SinewError *error);

// The same in double; the def must have had keep_double. Nullable: error
SINEW_API SinewStatus sinew_factor_solve_double(SinewFactor *factor, double *x, SinewError *error);

SINEW_API SinewFactorInfo sinew_factor_info(const SinewFactor *factor);

// Ends a factor. Nullable: factor
SINEW_API void sinew_factor_destroy(SinewFactor *factor);

#ifdef __cplusplus
}
#endif

#endif
