// Cells of a lattice, as many at a time as a register holds; see lattice.h.
#include "kernel/lattice.h"
#include "kernel/wide.h"

#define SN_DOUBLE_LANES (SN_LANES / 2)

extern const SnLatticeKernels SN_NAME(lattice);

// Lanes 1 .. of `a`, then the first of `b`.
static inline Wide wide_shift_up(Wide a, Wide b)
{
#if SN_LANES == 16
    return (Wide)_mm512_alignr_epi32((__m512i)b, (__m512i)a, 1);
#elif SN_LANES == 8
    return __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8);
#else
    return __builtin_shufflevector(a, b, 1, 2, 3, 4);
#endif
}

// The last lane of `a`, then `b` without its last.
static inline Wide wide_shift_in(Wide a, Wide b)
{
#if SN_LANES == 16
    return (Wide)_mm512_alignr_epi32((__m512i)b, (__m512i)a, 15);
#elif SN_LANES == 8
    return __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14);
#else
    return __builtin_shufflevector(a, b, 3, 4, 5, 6);
#endif
}

// Numbers `lane` .. of what stands at and between those of a line: line[0], (line[0] + line[1]) /
// 2, line[1] and so on. SN_LANES numbers are read.
static inline Wide wide_between(const float *line, int lane)
{
    Wide v;
    memcpy(&v, line + lane / 2, sizeof v);
#if SN_LANES == 16
    Wide low = __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    Wide high = __builtin_shufflevector(v, v, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8);
#elif SN_LANES == 8
    Wide low = __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3);
    Wide high = __builtin_shufflevector(v, v, 0, 1, 1, 2, 2, 3, 3, 4);
#else
    Wide low = __builtin_shufflevector(v, v, 0, 0, 1, 1);
    Wide high = __builtin_shufflevector(v, v, 0, 1, 1, 2);
#endif
    return (low + high) * 0.5f;
}

static inline float wide_last(Wide a)
{
    return a[SN_LANES - 1];
}

static inline WideDouble wide_double_set(double value)
{
    return value - (WideDouble){0.0};
}

static inline WideDouble wide_double_load(const double *p)
{
    WideDouble v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void wide_double_store(double *p, WideDouble v)
{
    memcpy(p, &v, sizeof v);
}

static inline WideDouble wide_double_shift_up(WideDouble a, WideDouble b)
{
#if SN_LANES == 16
    return __builtin_shufflevector(a, b, 1, 2, 3, 4, 5, 6, 7, 8);
#elif SN_LANES == 8
    return __builtin_shufflevector(a, b, 1, 2, 3, 4);
#else
    return __builtin_shufflevector(a, b, 1, 2);
#endif
}

// As wide_shift_in.
static inline WideDouble wide_double_shift_in(WideDouble a, WideDouble b)
{
#if SN_LANES == 16
    return __builtin_shufflevector(a, b, 7, 8, 9, 10, 11, 12, 13, 14);
#elif SN_LANES == 8
    return __builtin_shufflevector(a, b, 3, 4, 5, 6);
#else
    return __builtin_shufflevector(a, b, 1, 2);
#endif
}

static inline double wide_double_last(WideDouble a)
{
    return a[SN_DOUBLE_LANES - 1];
}

typedef float WideHalf __attribute__((vector_size(2 * SN_LANES)));

static inline WideDouble wide_double_from_float(const float *p)
{
    WideHalf v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, WideDouble);
}

static inline void wide_double_to_float(float *p, WideDouble v)
{
    WideHalf half = __builtin_convertvector(v, WideHalf);
    memcpy(p, &half, sizeof half);
}

// yes where a < b, no elsewhere.
static inline WideDouble wide_double_select_less(WideDouble a, WideDouble b, WideDouble yes,
                                                 WideDouble no)
{
    typedef int64_t Bits __attribute__((vector_size(4 * SN_LANES)));
    Bits mask = (Bits)(a < b);
    return (WideDouble)(((Bits)yes & mask) | ((Bits)no & ~mask));
}

#include "kernel/lattice_force.h"

const SnLatticeKernels SN_NAME(lattice) = LATTICE_TABLE;
