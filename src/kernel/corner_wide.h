// Corners of tets in and out of registers: SN_LANES vertices of packed xyz become three registers
// of x, y and z, and back. Loads of four floats and transpositions inside registers, since gather
// instructions are slower on most machines and on some very slow.
#ifndef SN_KERNEL_CORNER_WIDE_H
#define SN_KERNEL_CORNER_WIDE_H

#include "kernel/wide.h"

typedef float Vec4 __attribute__((vector_size(16)));

typedef struct WideVec3 {
    Wide x, y, z;
} WideVec3;

static inline Vec4 vec4_read(const float *p)
{
    Vec4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void vec4_write(float *p, Vec4 v)
{
    memcpy(p, &v, sizeof v);
}

// a b + c, rounded as wide_madd does.
static inline Vec4 vec4_madd(Vec4 a, Vec4 b, Vec4 c)
{
#if SN_FAST && SN_LANES >= 8
    return SN_DISTURBED((Vec4)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c), a * b + c);
#elif SN_FAST && defined(__ARM_NEON)
    return SN_DISTURBED((Vec4)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b), a * b + c);
#else
    return a * b + c;
#endif
}

static inline Vec4 vec4_set(float a)
{
    return (Vec4){a, a, a, a};
}

// Within each group of four lanes: (a0 b0 a1 b1), (a2 b2 a3 b3), (a0 a1 b0 b1), (a2 a3 b2 b3).
static inline Wide quad_low(Wide a, Wide b)
{
#if SN_LANES == 16
    return (Wide)_mm512_unpacklo_ps((__m512)a, (__m512)b);
#elif SN_LANES == 8
    return (Wide)_mm256_unpacklo_ps((__m256)a, (__m256)b);
#else
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
#endif
}

static inline Wide quad_high(Wide a, Wide b)
{
#if SN_LANES == 16
    return (Wide)_mm512_unpackhi_ps((__m512)a, (__m512)b);
#elif SN_LANES == 8
    return (Wide)_mm256_unpackhi_ps((__m256)a, (__m256)b);
#else
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
#endif
}

static inline Wide pair_low(Wide a, Wide b)
{
#if SN_LANES == 16
    return (Wide)_mm512_unpacklo_pd((__m512d)a, (__m512d)b);
#elif SN_LANES == 8
    return (Wide)_mm256_unpacklo_pd((__m256d)a, (__m256d)b);
#else
    return __builtin_shufflevector(a, b, 0, 1, 4, 5);
#endif
}

static inline Wide pair_high(Wide a, Wide b)
{
#if SN_LANES == 16
    return (Wide)_mm512_unpackhi_pd((__m512d)a, (__m512d)b);
#elif SN_LANES == 8
    return (Wide)_mm256_unpackhi_pd((__m256d)a, (__m256d)b);
#else
    return __builtin_shufflevector(a, b, 2, 3, 6, 7);
#endif
}

// Four floats at each of at[0], at[4], at[8], at[12]: as many as the register takes.
#if SN_LANES == 16
#define QUADS_LOAD(x, at)                                                                          \
    (Wide) _mm512_insertf32x4(                                                                     \
        _mm512_insertf32x4(_mm512_insertf32x4(_mm512_castps128_ps512(_mm_loadu_ps((x) + (at)[0])), \
                                              _mm_loadu_ps((x) + (at)[4]), 1),                     \
                           _mm_loadu_ps((x) + (at)[8]), 2),                                        \
        _mm_loadu_ps((x) + (at)[12]), 3)
#elif SN_LANES == 8
#define QUADS_LOAD(x, at)                                                                          \
    (Wide) _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps((x) + (at)[0])),               \
                                _mm_loadu_ps((x) + (at)[4]), 1)
#else
#define QUADS_LOAD(x, at) (Wide) vec4_read((x) + (at)[0])
#endif

static inline void quads_store(float *x, const int *at, Wide v)
{
#if SN_LANES == 16
    _mm_storeu_ps(x + at[0], _mm512_castps512_ps128((__m512)v));
    _mm_storeu_ps(x + at[4], _mm512_extractf32x4_ps((__m512)v, 1));
    _mm_storeu_ps(x + at[8], _mm512_extractf32x4_ps((__m512)v, 2));
    _mm_storeu_ps(x + at[12], _mm512_extractf32x4_ps((__m512)v, 3));
#elif SN_LANES == 8
    _mm_storeu_ps(x + at[0], _mm256_castps256_ps128((__m256)v));
    _mm_storeu_ps(x + at[4], _mm256_extractf128_ps((__m256)v, 1));
#else
    vec4_write(x + at[0], (Vec4)v);
#endif
}

// Four registers whose groups of four lanes are x, y, z, w of vertices l, l + 1, l + 2, l + 3 each,
// into registers of x, y, z and w, and back: the same exchange.
static inline void quads_turn(Wide v[4])
{
    Wide xy01 = quad_low(v[0], v[1]);
    Wide zw01 = quad_high(v[0], v[1]);
    Wide xy23 = quad_low(v[2], v[3]);
    Wide zw23 = quad_high(v[2], v[3]);
    v[0] = pair_low(xy01, xy23);
    v[1] = pair_high(xy01, xy23);
    v[2] = pair_low(zw01, zw23);
    v[3] = pair_high(zw01, zw23);
}

// Writes x, y, z, w of lane l at out + at[l].
static inline void quad_scatter(float *out, const int *at, Wide x, Wide y, Wide z, Wide w)
{
    Wide v[4] = {x, y, z, w};
    quads_turn(v);
    for (int k = 0; k < 4; ++k) {
        quads_store(out, at + k, v[k]);
    }
}

// x, y, z of the SN_LANES rows of four floats at at[l]; the fourth float may be anything.
static inline WideVec3 corner_load(const float *rows, const uint16_t *at)
{
    Wide v[4] = {QUADS_LOAD(rows, at), QUADS_LOAD(rows, at + 1), QUADS_LOAD(rows, at + 2),
                 QUADS_LOAD(rows, at + 3)};
    quads_turn(v);
    return (WideVec3){v[0], v[1], v[2]};
}

#endif
