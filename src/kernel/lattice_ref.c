// Cells of a lattice, one at a time; see lattice.h. The arithmetic is that of the wide kernels with
// plain numbers for registers, operation by operation, so that portable variants must give the same
// bits; tests hold both against the formulas in double (model/lattice/cell.h).
#include "kernel/lattice.h"

#include <string.h>

#define SN_LANES 1
#define SN_DOUBLE_LANES 1

typedef float Wide;
typedef double WideDouble;

extern const SnLatticeKernels sn_lattice_ref;

#define SN_MADD(a, b, c) ((a) * (b) + (c))
#define SN_NMADD(a, b, c) ((c) - (a) * (b))

static inline Wide wide_set(float value)
{
    return value;
}

static inline Wide wide_load(const float *p)
{
    return *p;
}

static inline void wide_store(float *p, Wide v)
{
    *p = v;
}

static inline Wide wide_max(Wide a, Wide b)
{
    return a > b ? a : b;
}

static inline Wide wide_reciprocal(Wide a)
{
    return 1.0f / a;
}

static inline Wide wide_shift_up(Wide a, Wide b)
{
    (void)a;
    return b;
}

static inline Wide wide_shift_in(Wide a, Wide b)
{
    (void)b;
    return a;
}

static inline Wide wide_between(const float *line, int lane)
{
    return (line[lane / 2] + line[(lane + 1) / 2]) * 0.5f;
}

static inline float wide_last(Wide a)
{
    return a;
}

static inline WideDouble wide_double_madd(WideDouble a, WideDouble b, WideDouble c)
{
    return a * b + c;
}

static inline WideDouble wide_double_set(double value)
{
    return value;
}

static inline WideDouble wide_double_load(const double *p)
{
    return *p;
}

static inline void wide_double_store(double *p, WideDouble v)
{
    *p = v;
}

static inline WideDouble wide_double_shift_up(WideDouble a, WideDouble b)
{
    (void)a;
    return b;
}

static inline WideDouble wide_double_shift_in(WideDouble a, WideDouble b)
{
    (void)b;
    return a;
}

static inline double wide_double_last(WideDouble a)
{
    return a;
}

static inline WideDouble wide_double_from_float(const float *p)
{
    return (WideDouble)*p;
}

static inline void wide_double_to_float(float *p, WideDouble v)
{
    *p = (float)v;
}

static inline WideDouble wide_double_select_less(WideDouble a, WideDouble b, WideDouble yes,
                                                 WideDouble no)
{
    return a < b ? yes : no;
}

#include "kernel/lattice_force.h"

const SnLatticeKernels sn_lattice_ref = LATTICE_TABLE;
