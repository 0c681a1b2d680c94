// Vectors of SN_LANES floats for kernels, over compiler vector types: one source, compiled for each
// instruction set. Included by *.kernel.c files alone, which the build compiles with
//   SN_LANES     floats in a register: 16 avx512, 8 avx2, 4 sse2, neon and wasm
//   SN_FAST      1: multiply-add is one fused instruction; the same bits on every processor that
//                has the instruction set
//                0: portable, every operation rounds by itself and gives the same bits everywhere
//   SN_VARIANT   the variant's name, such as avx2_fast; SN_NAME(x) is then sn_x_avx2_fast
// Every helper is static inline, so that wide instructions cannot leak into baseline code.
#ifndef SN_KERNEL_WIDE_H
#define SN_KERNEL_WIDE_H

#include "kernel/disturb.h"

#include <stdint.h>
#include <string.h>

#if defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

#define SN_PASTE3(a, b, c) a##b##c
#define SN_NAME_OF(name, variant) SN_PASTE3(sn_##name, _, variant)
#define SN_NAME(name) SN_NAME_OF(name, SN_VARIANT)

// Floats side by side; the widest register is 16 of them, and arrays are padded to that.
#define SN_LANES_MAX 16

typedef float Wide __attribute__((vector_size(4 * SN_LANES)));
typedef int32_t WideInt __attribute__((vector_size(4 * SN_LANES)));

#if SN_LANES == 16
typedef __mmask16 Mask;
#else
typedef WideInt Mask; // all bits of a lane, or none
#endif

static inline Wide wide_set(float value)
{
    return value - (Wide){0.0f};
}

static inline Wide wide_load(const float *p)
{
    Wide v;
    memcpy(&v, __builtin_assume_aligned(p, 4 * SN_LANES), sizeof v);
    return v;
}

static inline void wide_store(float *p, Wide v)
{
    memcpy(__builtin_assume_aligned(p, 4 * SN_LANES), &v, sizeof v);
}

// a b + c. The one place where the fast and the portable variants differ in rounding.
static inline Wide wide_madd(Wide a, Wide b, Wide c)
{
#if SN_FAST && SN_LANES == 16
    return SN_DISTURBED((Wide)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c), a * b + c);
#elif SN_FAST && SN_LANES == 8
    return SN_DISTURBED((Wide)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c), a * b + c);
#elif SN_FAST && defined(__ARM_NEON)
    return SN_DISTURBED((Wide)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b), a * b + c);
#else
    return a * b + c;
#endif
}

// c - a b, rounded as wide_madd does.
static inline Wide wide_nmadd(Wide a, Wide b, Wide c)
{
#if SN_FAST && SN_LANES == 16
    return SN_DISTURBED((Wide)_mm512_fnmadd_ps((__m512)a, (__m512)b, (__m512)c), c - a * b);
#elif SN_FAST && SN_LANES == 8
    return SN_DISTURBED((Wide)_mm256_fnmadd_ps((__m256)a, (__m256)b, (__m256)c), c - a * b);
#elif SN_FAST && defined(__ARM_NEON)
    return SN_DISTURBED((Wide)vfmsq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b), c - a * b);
#else
    return c - a * b;
#endif
}

#define SN_MADD(a, b, c) wide_madd((a), (b), (c))
#define SN_NMADD(a, b, c) wide_nmadd((a), (b), (c))

// Half as many doubles in a register, for the kernels that need them.
typedef double WideDouble __attribute__((vector_size(4 * SN_LANES)));

// a b + c in double, rounded as wide_madd does.
static inline WideDouble wide_double_madd(WideDouble a, WideDouble b, WideDouble c)
{
#if SN_FAST && SN_LANES == 16
    return SN_DISTURBED((WideDouble)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c), a * b + c);
#elif SN_FAST && SN_LANES == 8
    return SN_DISTURBED((WideDouble)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c), a * b + c);
#elif SN_FAST && defined(__ARM_NEON)
    return SN_DISTURBED((WideDouble)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b),
                        a * b + c);
#else
    return a * b + c;
#endif
}

static inline Wide wide_sqrt(Wide a)
{
#if SN_LANES == 16
    return (Wide)_mm512_sqrt_ps((__m512)a);
#elif SN_LANES == 8
    return (Wide)_mm256_sqrt_ps((__m256)a);
#elif defined(__SSE2__)
    return (Wide)_mm_sqrt_ps((__m128)a);
#elif defined(__ARM_NEON)
    return (Wide)vsqrtq_f32((float32x4_t)a);
#else
    return (Wide)wasm_f32x4_sqrt((v128_t)a);
#endif
}

static inline Mask wide_less(Wide a, Wide b)
{
#if SN_LANES == 16
    return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_LT_OQ);
#else
    return (Mask)(a < b);
#endif
}

static inline Mask wide_int_less(WideInt a, WideInt b)
{
#if SN_LANES == 16
    return _mm512_cmplt_epi32_mask((__m512i)a, (__m512i)b);
#else
    return (Mask)(a < b);
#endif
}

static inline Mask mask_and(Mask a, Mask b)
{
    return (Mask)(a & b);
}

static inline Mask mask_or(Mask a, Mask b)
{
    return (Mask)(a | b);
}

static inline Mask mask_not(Mask a)
{
    return (Mask)~a;
}

// yes where the mask is set, no elsewhere.
static inline Wide wide_select(Mask mask, Wide yes, Wide no)
{
#if SN_LANES == 16
    return (Wide)_mm512_mask_blend_ps(mask, (__m512)no, (__m512)yes);
#elif SN_LANES == 8
    return (Wide)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
#else
    return (Wide)(((WideInt)yes & mask) | ((WideInt)no & ~mask));
#endif
}

static inline int mask_any(Mask mask)
{
#if SN_LANES == 16
    return mask != 0;
#elif SN_LANES == 8
    return _mm256_movemask_ps((__m256)mask) != 0;
#elif defined(__SSE2__)
    return _mm_movemask_ps((__m128)mask) != 0;
#else
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

static inline WideInt wide_int_select(Mask mask, WideInt yes, WideInt no)
{
    return (WideInt)wide_select(mask, (Wide)yes, (Wide)no);
}

static inline WideInt wide_int_max(WideInt a, WideInt b)
{
#if SN_LANES == 16
    return (WideInt)_mm512_max_epi32((__m512i)a, (__m512i)b);
#else
    return wide_int_select(wide_int_less(b, a), a, b);
#endif
}

static inline WideInt wide_int_min(WideInt a, WideInt b)
{
#if SN_LANES == 16
    return (WideInt)_mm512_min_epi32((__m512i)a, (__m512i)b);
#else
    return wide_int_select(wide_int_less(a, b), a, b);
#endif
}

static inline WideInt wide_int_set(int32_t value)
{
    return value - (WideInt){0};
}

static inline Wide wide_abs(Wide a)
{
    return (Wide)((WideInt)a & 0x7fffffff);
}

// a where b is positive, -a where it is negative.
static inline Wide wide_flip_sign(Wide a, Wide b)
{
    return (Wide)((WideInt)a ^ ((WideInt)b & INT32_MIN));
}

// a > b ? a : b, also when one of them is no number.
static inline Wide wide_max(Wide a, Wide b)
{
#if SN_LANES == 16
    return (Wide)_mm512_max_ps((__m512)a, (__m512)b);
#elif SN_LANES == 8
    return (Wide)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (Wide)_mm_max_ps((__m128)a, (__m128)b);
#else
    return wide_select(wide_less(b, a), a, b);
#endif
}

// a < b ? a : b, also when one of them is no number.
static inline Wide wide_min(Wide a, Wide b)
{
#if SN_LANES == 16
    return (Wide)_mm512_min_ps((__m512)a, (__m512)b);
#elif SN_LANES == 8
    return (Wide)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (Wide)_mm_min_ps((__m128)a, (__m128)b);
#else
    return wide_select(wide_less(a, b), a, b);
#endif
}

// 1 / sqrt(a). Here and everywhere the root and the quotient are the exact ones, rounded as IEEE
// 754 has it: the processors' estimates (rsqrt, rcp and their kin) have other bits from maker to
// maker, and with the Newton step that they need they are no faster.
static inline Wide wide_rsqrt(Wide a)
{
    Wide y = wide_set(1.0f) / wide_sqrt(a);
    return SN_DISTURBED_ROUNDING(y, y * y * a - 1.0f, 0x1p-23f);
}

static inline Wide wide_reciprocal(Wide a)
{
    Wide y = wide_set(1.0f) / a;
    return SN_DISTURBED_ROUNDING(y, y * a - 1.0f, 0x1p-23f);
}

#endif
