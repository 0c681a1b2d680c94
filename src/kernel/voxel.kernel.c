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
    return (Eight)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
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

static inline void real_quads_store(float *rows, const int *at, const Real v[4])
{
    quad_scatter(rows, at, v[0], v[1], v[2], v[3]);
}

#include "kernel/voxel_merge.h"
#include "kernel/voxel_turn.h"

// Points -----------------------------------------------------------------------------------------

// Columns go to four sums in turn, which are as many registers as it takes.
static void place(const SnVoxelSites *s, int begin, int end)
{
#if SN_LANES == 16
    const __m512i spread = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
#endif
    for (size_t n = (size_t)begin; n < (size_t)end; ++n) {
        const float *u = s->u + SN_VOXEL_NUMBERS * (size_t)s->cells[n];
        const float *shape = s->shapes + SN_VOXEL_SITE * n;
#if SN_LANES == 16
        Wide sum = wide_set(0.0f);
        for (size_t k = 0; k < SN_VOXEL_NUMBERS; k += 4) {
            __m512 by = _mm512_castps128_ps512(_mm_loadu_ps(u + k));
            sum = SN_MADD((Wide)_mm512_permutexvar_ps(spread, by),
                          (Wide)_mm512_loadu_ps(shape + 4 * k), sum);
        }
        Eight low = (Eight)_mm512_castps512_ps256((__m512)sum);
        Eight high = (Eight)_mm512_extractf32x8_ps((__m512)sum, 1);
#else
        Eight low = {0.0f}, high = {0.0f};
        for (size_t k = 0; k < SN_VOXEL_NUMBERS; k += 4) {
            Eight a = {u[k], u[k], u[k], u[k], u[k + 1], u[k + 1], u[k + 1], u[k + 1]};
            Eight b = {u[k + 2], u[k + 2], u[k + 2], u[k + 2],
                       u[k + 3], u[k + 3], u[k + 3], u[k + 3]};
            low = eight_madd(a, eight_load(shape + 4 * k), low);
            high = eight_madd(b, eight_load(shape + 4 * k + 8), high);
        }
#endif
        Vec4 first = __builtin_shufflevector(low, low, 0, 1, 2, 3) +
                     __builtin_shufflevector(low, low, 4, 5, 6, 7);
        Vec4 second = __builtin_shufflevector(high, high, 0, 1, 2, 3) +
                      __builtin_shufflevector(high, high, 4, 5, 6, 7);
        vec4_write(s->out + 4 * n, vec4_read(s->rest + 4 * n) + (first + second));
    }
}

static void show(const SnVoxelShown *s, int begin, int end)
{
    Four middle = {s->middle[0], s->middle[1], s->middle[2], 0.0};
    for (size_t p = (size_t)begin; p < (size_t)end; ++p) {
        const int *nodes = s->nodes + 8 * p;
        const float *weights = s->weights + 8 * p;
        Vec4 even = vec4_set(weights[0]) * vec4_read(s->places + 4 * (size_t)nodes[0]);
        Vec4 odd = vec4_set(weights[1]) * vec4_read(s->places + 4 * (size_t)nodes[1]);
        for (size_t k = 2; k < 8; k += 2) {
            const float *a = s->places + 4 * (size_t)nodes[k];
            const float *b = s->places + 4 * (size_t)nodes[k + 1];
            even = vec4_madd(vec4_set(weights[k]), vec4_read(a), even);
            odd = vec4_madd(vec4_set(weights[k + 1]), vec4_read(b), odd);
        }
        Four x = middle + __builtin_convertvector(even + odd, Four);
        memcpy(s->out + 3 * p, &x, 3 * sizeof *s->out);
    }
}

const SnVoxelKernels SN_NAME(voxel) = {.apply = apply,
                                       .place = place,
                                       .show = show,
                                       .gather = gather,
                                       .advance = advance,
                                       .follow = follow,
                                       .pose = voxel_pose,
                                       .force = voxel_force,
                                       .merge = voxel_merge};
