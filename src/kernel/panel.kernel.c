// Both sweeps of a solve with panels (kernel/panel.h), for each precision and number of right
// sides.
#include "kernel/panel.h"
#include "kernel/wide.h"

#include <stdbool.h>

typedef float Quad __attribute__((vector_size(16)));

// Interleaves pairs of lanes within each quarter of four, low or high halves.
#if SN_LANES == 16
#define UNPACK_LOW(a, b)                                                                           \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define UNPACK_HIGH(a, b)                                                                          \
    __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define PAIRS_LOW(a, b)                                                                            \
    __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define PAIRS_HIGH(a, b)                                                                           \
    __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#elif SN_LANES == 8
#define UNPACK_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define UNPACK_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define PAIRS_LOW(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define PAIRS_HIGH(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#else
#define UNPACK_LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define UNPACK_HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define PAIRS_LOW(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define PAIRS_HIGH(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#endif

static inline Quad quad_load(const float *p)
{
    Quad v;
    memcpy(&v, p, sizeof v);
    return v;
}

// Rows index[0], index[4], index[8].. of x side by side, as many as a register holds.
static inline Wide load_rows(const float *x, const int *index)
{
#if SN_LANES == 16
    typedef float Eight __attribute__((vector_size(32)));
    Quad a = quad_load(x + 4 * (ptrdiff_t)index[0]);
    Quad b = quad_load(x + 4 * (ptrdiff_t)index[4]);
    Quad c = quad_load(x + 4 * (ptrdiff_t)index[8]);
    Quad d = quad_load(x + 4 * (ptrdiff_t)index[12]);
    Eight ab = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
    Eight cd = __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#elif SN_LANES == 8
    Quad a = quad_load(x + 4 * (ptrdiff_t)index[0]);
    Quad b = quad_load(x + 4 * (ptrdiff_t)index[4]);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return quad_load(x + 4 * (ptrdiff_t)index[0]);
#endif
}

// Rows of four numbers at `count` positions of x -> planes[3][16], the rest of the tile zero.
static inline void gather_tile(const float *x, const int *index, int count, float *planes)
{
    int padded[SN_PANEL_TILE];
    float zero_row[4 * SN_PANEL_TILE];
    if (count < SN_PANEL_TILE) {
        // The last tile: copy the rows there are between zeros.
        memset(zero_row, 0, sizeof zero_row);
        for (int i = 0; i < SN_PANEL_TILE; ++i) {
            padded[i] = i;
        }
        for (int i = 0; i < count; ++i) {
            memcpy(zero_row + 4 * i, x + 4 * (ptrdiff_t)index[i], 4 * sizeof *x);
        }
        x = zero_row;
        index = padded;
    }
    for (int v = 0; v < SN_PANEL_TILE / SN_LANES; ++v) {
        const int *at = index + v * SN_LANES;
        Wide r0 = load_rows(x, at);
        Wide r1 = load_rows(x, at + 1);
        Wide r2 = load_rows(x, at + 2);
        Wide r3 = load_rows(x, at + 3);
        Wide xy01 = UNPACK_LOW(r0, r1);
        Wide xy23 = UNPACK_LOW(r2, r3);
        Wide z01 = UNPACK_HIGH(r0, r1);
        Wide z23 = UNPACK_HIGH(r2, r3);
        wide_store(planes + v * SN_LANES, PAIRS_LOW(xy01, xy23));
        wide_store(planes + SN_PANEL_TILE + v * SN_LANES, PAIRS_HIGH(xy01, xy23));
        wide_store(planes + 2 * SN_PANEL_TILE + v * SN_LANES, PAIRS_LOW(z01, z23));
    }
}

// Adds planes[3][16] to rows index[begin..end) of x.
static inline void scatter_tile(float *x, const int *index, int begin, int end, const float *planes)
{
    float rows[4 * SN_PANEL_TILE] __attribute__((aligned(64)));
    for (int v = 0; v < SN_PANEL_TILE / SN_LANES; ++v) {
        Wide zero = {0.0f};
        Wide px = wide_load(planes + v * SN_LANES);
        Wide py = wide_load(planes + SN_PANEL_TILE + v * SN_LANES);
        Wide pz = wide_load(planes + 2 * SN_PANEL_TILE + v * SN_LANES);
        Wide xy_low = UNPACK_LOW(px, py);
        Wide xy_high = UNPACK_HIGH(px, py);
        Wide z_low = UNPACK_LOW(pz, zero);
        Wide z_high = UNPACK_HIGH(pz, zero);
        // Row 4 q + k of this register's rows is quarter q of part k.
        Wide part[4] = {PAIRS_LOW(xy_low, z_low), PAIRS_HIGH(xy_low, z_low),
                        PAIRS_LOW(xy_high, z_high), PAIRS_HIGH(xy_high, z_high)};
        for (int k = 0; k < 4; ++k) {
            wide_store(rows + 4 * v * SN_LANES + k * SN_LANES, part[k]);
        }
    }
    for (int i = begin; i < end; ++i) {
        int in_register = i % SN_LANES;
        const float *row =
            rows + 4 * (i - in_register) + (in_register % 4) * SN_LANES + in_register / 4 * 4;
        float *target = x + 4 * (ptrdiff_t)index[i];
        Quad sum = quad_load(target) + quad_load(row);
        memcpy(target, &sum, sizeof sum);
    }
}

// The sum of the 16 lanes of a tile, halves added to halves until one is left: 8, 4, 2, 1. The
// order is the same for every width of register.
static inline Quad quad_of_tile(const Wide *parts)
{
#if SN_LANES == 16
    typedef float Eight __attribute__((vector_size(32)));
    Eight sum = __builtin_shufflevector(parts[0], parts[0], 0, 1, 2, 3, 4, 5, 6, 7) +
                __builtin_shufflevector(parts[0], parts[0], 8, 9, 10, 11, 12, 13, 14, 15);
    return __builtin_shufflevector(sum, sum, 0, 1, 2, 3) +
           __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
#elif SN_LANES == 8
    Wide sum = parts[0] + parts[1];
    return __builtin_shufflevector(sum, sum, 0, 1, 2, 3) +
           __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
#else
    return (parts[0] + parts[2]) + (parts[1] + parts[3]);
#endif
}

// Sums of one column for each right-hand side, to where the column stands in x.
static inline void totals_float(int right_sides, Wide (*parts)[SN_PANEL_TILE / SN_LANES],
                                float *own)
{
    Quad x = quad_of_tile(parts[0]);
    if (right_sides == 1) {
        own[0] = (x[0] + x[2]) + (x[1] + x[3]);
        return;
    }
    Quad y = quad_of_tile(parts[1]);
    Quad z = quad_of_tile(parts[2]);
    Quad zero = {0.0f};
    Quad xy = __builtin_shufflevector(x, y, 0, 1, 4, 5) + __builtin_shufflevector(x, y, 2, 3, 6, 7);
    Quad z0 =
        __builtin_shufflevector(z, zero, 0, 1, 4, 5) + __builtin_shufflevector(z, zero, 2, 3, 6, 7);
    Quad sum =
        __builtin_shufflevector(xy, z0, 0, 2, 4, 6) + __builtin_shufflevector(xy, z0, 1, 3, 5, 7);
    memcpy(own, &sum, sizeof sum);
}

static inline void totals_double(int right_sides,
                                 WideDouble (*parts)[SN_PANEL_TILE / (SN_LANES / 2)], double *own)
{
    for (int r = 0; r < right_sides; ++r) {
        double lane[SN_PANEL_TILE];
        memcpy(lane, parts[r], sizeof lane);
        for (int half = SN_PANEL_TILE / 2; half > 0; half /= 2) {
            for (int i = 0; i < half; ++i) {
                lane[i] += lane[i + half];
            }
        }
        own[r] = lane[0];
    }
    if (right_sides == 3) {
        own[3] = 0.0;
    }
}

// Keeps a number that is used three times in a register: compilers would load it three times, once
// with each multiply-add, and a solve from the second-level cache takes a seventh longer.
#if SN_LANES == 16
#define IN_REGISTER(value) __asm__("" : "+v"(value))
#else
#define IN_REGISTER(value) (void)(value)
#endif

#define REAL float
#define VEC Wide
#define TOTALS totals_float
#define LANES SN_LANES
#define MADD wide_madd
#define RIGHT_SIDES 3
#define NAME(x) x##_float3
#include "kernel/panel_sweeps.h"

#define RIGHT_SIDES 1
#define NAME(x) x##_float1
#include "kernel/panel_sweeps.h"
#undef REAL
#undef VEC
#undef LANES
#undef MADD
#undef TOTALS

#define REAL double
#define TOTALS totals_double
#define VEC WideDouble
#define LANES (SN_LANES / 2)
#define MADD wide_double_madd
#define RIGHT_SIDES 3
#define NAME(x) x##_double3
#include "kernel/panel_sweeps.h"

#define RIGHT_SIDES 1
#define NAME(x) x##_double1
#include "kernel/panel_sweeps.h"

extern const SnPanelKernels SN_NAME(panel);

// One member of the table for all kinds.
#define KINDS(sweep)                                                                               \
    {                                                                                              \
        [SN_PANEL_FLOAT3] = sweep##_float3, [SN_PANEL_FLOAT1] = sweep##_float1,                    \
        [SN_PANEL_DOUBLE3] = sweep##_double3, [SN_PANEL_DOUBLE1] = sweep##_double1                 \
    }

const SnPanelKernels SN_NAME(panel) = {
    .forward = KINDS(forward),
    .backward = KINDS(backward),
    .forward_tiles = KINDS(forward_tiles),
    .backward_columns = KINDS(backward_columns),
};
