// Cells with matrices of their own, see voxel.h. A register holds one component of the eight
// corners of a cell, whatever the lanes of the instruction set.
#include "kernel/voxel.h"
#include "kernel/corner_wide.h"

#include <stddef.h>

extern const SnVoxelKernels SN_NAME(voxel);

typedef float Eight __attribute__((vector_size(32)));

static inline Eight eight_madd(Eight a, Eight b, Eight c)
{
#if SN_FAST && SN_LANES >= 8
    return SN_DISTURBED((Eight)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c), a * b + c);
#elif SN_FAST && defined(__ARM_NEON)
    float32x4_t p[2], q[2], r[2];
    memcpy(p, &a, sizeof p);
    memcpy(q, &b, sizeof q);
    memcpy(r, &c, sizeof r);
    r[0] = vfmaq_f32(r[0], p[0], q[0]);
    r[1] = vfmaq_f32(r[1], p[1], q[1]);
    memcpy(&c, r, sizeof c);
    return c;
#else
    return a * b + c;
#endif
}

static inline Eight eight_set(float value)
{
    return value - (Eight){0.0f};
}

static inline Eight eight_load(const float *p)
{
    Eight v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void eight_store(float *p, Eight v)
{
    memcpy(p, &v, sizeof v);
}

typedef double Four __attribute__((vector_size(32)));

// Rows of four become columns, and back.
static inline void turn_four(Vec4 v[4])
{
    Vec4 a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    Vec4 b = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    Vec4 c = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    Vec4 d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

// A component of the eight corners each.
static inline void corners_load(const float *x, const int *corners, Eight out[3])
{
    Vec4 low[4], high[4];
    for (size_t c = 0; c < 4; ++c) {
        low[c] = vec4_read(x + 4 * (size_t)corners[c]);
        high[c] = vec4_read(x + 4 * (size_t)corners[4 + c]);
    }
    turn_four(low);
    turn_four(high);
    for (size_t i = 0; i < 3; ++i) {
        out[i] = __builtin_shufflevector(low[i], high[i], 0, 1, 2, 3, 4, 5, 6, 7);
    }
}

static inline void corners_store(float *out, const Eight f[3])
{
    Vec4 low[4] = {{0.0f}}, high[4] = {{0.0f}};
    for (size_t i = 0; i < 3; ++i) {
        low[i] = __builtin_shufflevector(f[i], f[i], 0, 1, 2, 3);
        high[i] = __builtin_shufflevector(f[i], f[i], 4, 5, 6, 7);
    }
    turn_four(low);
    turn_four(high);
    for (size_t c = 0; c < 4; ++c) {
        vec4_write(out + 4 * c, low[c]);
        vec4_write(out + 16 + 4 * c, high[c]);
    }
}

// Even and odd columns are summed apart, since one chain of additions would be waited for.
static inline void product(const float *matrix, const float *u, size_t stride, float *out)
{
#if SN_LANES == 16
    // Two columns are three registers: the middle one has the end of the first and the beginning of
    // the second.
    __m512 first = _mm512_setzero_ps(), middle = first, last = first;
    for (size_t j = 0; j < SN_VOXEL_NUMBERS; j += 2) {
        const float *row = matrix + SN_VOXEL_NUMBERS * j; // a column too
        __m512 a = _mm512_set1_ps(u[stride * j]), b = _mm512_set1_ps(u[stride * (j + 1)]);
        __m512 ab = _mm512_mask_blend_ps(0xff00, a, b);
        first = (__m512)SN_MADD((Wide)a, (Wide)_mm512_loadu_ps(row), (Wide)first);
        middle = (__m512)SN_MADD((Wide)ab, (Wide)_mm512_loadu_ps(row + 16), (Wide)middle);
        last = (__m512)SN_MADD((Wide)b, (Wide)_mm512_loadu_ps(row + 32), (Wide)last);
    }
    Eight even[3] = {(Eight)_mm512_castps512_ps256(first), (Eight)_mm512_extractf32x8_ps(first, 1),
                     (Eight)_mm512_castps512_ps256(middle)};
    Eight odd[3] = {(Eight)_mm512_extractf32x8_ps(middle, 1), (Eight)_mm512_castps512_ps256(last),
                    (Eight)_mm512_extractf32x8_ps(last, 1)};
#else
    Eight even[3] = {{0.0f}, {0.0f}, {0.0f}}, odd[3] = {{0.0f}, {0.0f}, {0.0f}};
    for (size_t j = 0; j < SN_VOXEL_NUMBERS; j += 2) {
        const float *row = matrix + SN_VOXEL_NUMBERS * j;
        Eight a = eight_set(u[stride * j]), b = eight_set(u[stride * (j + 1)]);
        for (size_t i = 0; i < 3; ++i) {
            even[i] = eight_madd(a, eight_load(row + 8 * i), even[i]);
            odd[i] = eight_madd(b, eight_load(row + SN_VOXEL_NUMBERS + 8 * i), odd[i]);
        }
    }
#endif
    for (size_t i = 0; i < 3; ++i) {
        eight_store(out + 8 * i, even[i] + odd[i]);
    }
}

// R^T x, and R x.
static inline void turn_back(const float *R, const Eight x[3], Eight out[3])
{
    for (size_t i = 0; i < 3; ++i) {
        Eight sum = eight_set(R[i]) * x[0];
        sum = eight_madd(eight_set(R[3 + i]), x[1], sum);
        out[i] = eight_madd(eight_set(R[6 + i]), x[2], sum);
    }
}

static inline void turn(const float *R, const Eight x[3], Eight out[3])
{
    for (size_t i = 0; i < 3; ++i) {
        Eight sum = eight_set(R[3 * i]) * x[0];
        sum = eight_madd(eight_set(R[3 * i + 1]), x[1], sum);
        out[i] = eight_madd(eight_set(R[3 * i + 2]), x[2], sum);
    }
}

// Cells in blocks, one thing after the other for each: what a product reads number by number has
// then long been written.
enum { BLOCK = 16 };

static inline void apply_block(const SnVoxelBatch *b, size_t begin, size_t end)
{
    float u[BLOCK * SN_VOXEL_NUMBERS], f[BLOCK * SN_VOXEL_NUMBERS];
    Eight x[3], y[3];
    for (size_t e = begin; e < end; ++e) {
        corners_load(b->x, b->corners + 8 * e, x);
        if (b->rotations != NULL) {
            turn_back(b->rotations + 9 * e, x, y);
        } else {
            memcpy(y, x, sizeof y);
        }
        for (size_t i = 0; i < 3; ++i) {
            eight_store(u + SN_VOXEL_NUMBERS * (e - begin) + 8 * i, y[i]);
        }
    }
    for (size_t e = begin; e < end; ++e) {
        size_t kind = b->kinds != NULL ? (size_t)b->kinds[e] : e;
        product(b->matrices + SN_VOXEL_ENTRIES * kind, u + SN_VOXEL_NUMBERS * (e - begin), 1,
                f + SN_VOXEL_NUMBERS * (e - begin));
    }
    for (size_t e = begin; e < end; ++e) {
        for (size_t i = 0; i < 3; ++i) {
            x[i] = eight_load(f + SN_VOXEL_NUMBERS * (e - begin) + 8 * i);
        }
        if (b->rotations != NULL) {
            turn(b->rotations + 9 * e, x, y);
            corners_store(b->out + SN_VOXEL_OUT * e, y);
        } else {
            corners_store(b->out + SN_VOXEL_OUT * e, x);
        }
    }
}

static void apply(const SnVoxelBatch *b, int begin, int end)
{
    for (size_t e = (size_t)begin; e < (size_t)end; e += BLOCK) {
        apply_block(b, e, e + BLOCK < (size_t)end ? e + BLOCK : (size_t)end);
    }
}

// Vectors ----------------------------------------------------------------------------------------

static inline Four four_product(Vec4 a, Vec4 b)
{
    return __builtin_convertvector(a, Four) * __builtin_convertvector(b, Four);
}

static inline double four_sum(Four a)
{
    return (a[0] + a[1]) + (a[2] + a[3]);
}

static double gather(const SnVoxelVectors *v, int begin, int end)
{
    Four sum = {0.0};
    for (size_t n = (size_t)begin; n < (size_t)end; ++n) {
        Vec4 q = {0.0f};
        for (int i = v->start[n]; i < v->start[n + 1]; ++i) {
            q += vec4_read(v->out + 4 * (size_t)v->corners[i]);
        }
        if (v->free != NULL) {
            q *= vec4_read(v->free + 4 * n);
            sum += four_product(vec4_read(v->p + 4 * n), q);
        }
        vec4_write(v->q + 4 * n, q);
    }
    return four_sum(sum);
}

static void advance(const SnVoxelVectors *v, float alpha, int begin, int end, double *sums)
{
    Four rz = {0.0}, rr = {0.0};
    for (size_t n = (size_t)begin; n < (size_t)end; ++n) {
        const float *inverse = v->inverse + SN_VOXEL_INVERSE * n;
        Vec4 x = vec4_madd(vec4_set(alpha), vec4_read(v->p + 4 * n), vec4_read(v->x + 4 * n));
        Vec4 r = vec4_madd(vec4_set(-alpha), vec4_read(v->q + 4 * n), vec4_read(v->r + 4 * n));
        Vec4 z = r[0] * vec4_read(inverse);
        z = vec4_madd(vec4_set(r[1]), vec4_read(inverse + 4), z);
        z = vec4_madd(vec4_set(r[2]), vec4_read(inverse + 8), z);
        vec4_write(v->x + 4 * n, x);
        vec4_write(v->r + 4 * n, r);
        vec4_write(v->z + 4 * n, z);
        rz += four_product(r, z);
        rr += four_product(r, r);
    }
    sums[0] = four_sum(rz);
    sums[1] = four_sum(rr);
}

static void follow(const SnVoxelVectors *v, float a, float b, int begin, int end)
{
    for (size_t n = (size_t)begin; n < (size_t)end; ++n) {
        Vec4 p = b * vec4_read(v->p + 4 * n);
        vec4_write(v->p + 4 * n, vec4_madd(vec4_set(a), vec4_read(v->z + 4 * n), p));
    }
}

// Poses and forces -------------------------------------------------------------------------------

typedef Wide Real;
#define REAL_LANES SN_LANES

static inline Real real_load(const float *p)
{
    return wide_load(p);
}

static inline void real_store(float *p, Real v)
{
    wide_store(p, v);
}

static inline Real real_set(float value)
{
    return wide_set(value);
}

static inline Real real_madd(Real a, Real b, Real c)
{
    return wide_madd(a, b, c);
}

static inline Real real_sqrt(Real a)
{
    return wide_sqrt(a);
}

// yes where the test is above zero.
static inline Real real_pick(Real test, Real yes, Real no)
{
    return wide_select(wide_less(wide_set(0.0f), test), yes, no);
}

// Four floats of each lane.
static inline void real_quads(const float *rows, const int *at, Real out[4])
{
    out[0] = QUADS_LOAD(rows, at);
    out[1] = QUADS_LOAD(rows, at + 1);
    out[2] = QUADS_LOAD(rows, at + 2);
    out[3] = QUADS_LOAD(rows, at + 3);
    quads_turn(out);
}

// Three of each lane and a last one.
static inline void real_quads_put(float *rows, const int *at, const Real v[3], Real last)
{
    quad_scatter(rows, at, v[0], v[1], v[2], last);
}

// Three of each lane and a zero.
static inline void real_quads_store(float *rows, const int *at, const Real v[3])
{
    real_quads_put(rows, at, v, wide_set(0.0f));
}

#include "kernel/voxel_merge.h"
#include "kernel/voxel_sites.h"
#include "kernel/voxel_turn.h"

// Points -----------------------------------------------------------------------------------------

// The same four floats in each group of four lanes.
static inline Wide quads_repeat(Vec4 v)
{
#if SN_LANES == 16
    return (Wide)_mm512_broadcast_f32x4((__m128)v);
#elif SN_LANES == 8
    return (Wide)_mm256_set_m128((__m128)v, (__m128)v);
#else
    return (Wide)v;
#endif
}

// Lane k of each group of four, in all of its lanes.
#if SN_LANES == 16
#define QUADS_SPREAD(v, k) (Wide) _mm512_permute_ps((__m512)(v), 0x55 * (k))
#elif SN_LANES == 8
#define QUADS_SPREAD(v, k) (Wide) _mm256_permute_ps((__m256)(v), 0x55 * (k))
#else
#define QUADS_SPREAD(v, k) __builtin_shufflevector(v, v, k, k, k, k)
#endif

// Coefficients of the polynomial between eight nodes, x by 4, y by 2 and z by 1: differences of
// differences.
static inline void find_polynomial(const float *places, const int *nodes, Wide out[8])
{
    Vec4 d[8];
    for (size_t c = 0; c < 8; ++c) {
        d[c] = vec4_read(places + 4 * (size_t)nodes[c]);
    }
    for (size_t bit = 1; bit < 8; bit *= 2) {
        for (size_t c = 0; c < 8; ++c) {
            d[c] = c & bit ? d[c] - d[c - bit] : d[c];
        }
    }
    for (size_t c = 0; c < 8; ++c) {
        out[c] = quads_repeat(d[c]);
    }
}

static inline Wide evaluate(const Wide d[8], Wide at)
{
    Wide x = QUADS_SPREAD(at, 0), y = QUADS_SPREAD(at, 1), z = QUADS_SPREAD(at, 2);
    Wide low = SN_MADD(SN_MADD(d[6], x, d[2]), y, SN_MADD(d[4], x, d[0]));
    Wide high = SN_MADD(SN_MADD(d[7], x, d[3]), y, SN_MADD(d[5], x, d[1]));
    return SN_MADD(high, z, low);
}

// Writes three doubles of each group of four lanes.
static inline void show_quads(Wide places, Four middle, const int *order, double *out)
{
#if SN_LANES == 16
    __m512d from = _mm512_broadcast_f64x4((__m256d)middle);
    __m256 half[2] = {_mm512_castps512_ps256((__m512)places),
                      _mm512_extractf32x8_ps((__m512)places, 1)};
    for (size_t k = 0; k < 2; ++k) {
        __m512d x = _mm512_add_pd(from, _mm512_cvtps_pd(half[k]));
        _mm256_mask_storeu_pd(out + order[2 * k], 7, _mm512_castpd512_pd256(x));
        _mm256_mask_storeu_pd(out + order[2 * k + 1], 7, _mm512_extractf64x4_pd(x, 1));
    }
#else
    Vec4 each[SN_LANES / 4];
    memcpy(each, &places, sizeof each);
    for (size_t k = 0; k < SN_LANES / 4; ++k) {
        Four x = middle + __builtin_convertvector(each[k], Four);
        for (size_t i = 0; i < 3; ++i) {
            out[(size_t)order[k] + i] = x[i];
        }
    }
#endif
}

static void show(const SnVoxelShown *s, int begin, int end)
{
    Four middle = {s->middle[0], s->middle[1], s->middle[2], 0.0};
    for (int v = begin; v < end; ++v) {
        Wide d[8];
        find_polynomial(s->places, s->nodes + 8 * (size_t)v, d);
        for (size_t p = (size_t)s->start[v]; p < (size_t)s->start[v + 1]; p += SN_LANES / 4) {
            show_quads(evaluate(d, wide_load(s->at + 4 * p)), middle, s->order + p, s->out);
        }
    }
}

const SnVoxelKernels SN_NAME(voxel) = {.apply = apply,
                                       .place = voxel_place,
                                       .show = show,
                                       .gather = gather,
                                       .advance = advance,
                                       .follow = follow,
                                       .pose = voxel_pose,
                                       .force = voxel_force,
                                       .merge = voxel_merge};
