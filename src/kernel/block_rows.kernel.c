// Rows of a matrix of 3x3 blocks, see block_rows.h. A block is 9 floats in one register where that
// is wide enough, times a register of x x x y y y z z z; else three registers, one a column. Sums
// are kept a column each, so that both have one order.
#include "kernel/block_rows.h"

#include "kernel/block_wide.h"

extern const SnBlockKernels SN_NAME(block);

#if SN_LANES == 16
// In the pieces that vec3_write wrote: a wider read would wait until they have reached the cache.
static inline __m128 fresh_read(const float *x)
{
    __m128 xy = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)x));
    return _mm_movelh_ps(xy, _mm_load_ss(x + 2));
}

// The three columns of nine sums.
static inline Vec4 columns_sum(Wide sum)
{
    const __m512i second = _mm512_setr_epi32(3, 4, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m512i third = _mm512_setr_epi32(6, 7, 8, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6);
    Vec4 a = (Vec4)_mm512_castps512_ps128((__m512)sum);
    Vec4 b = (Vec4)_mm512_castps512_ps128(_mm512_permutexvar_ps(second, (__m512)sum));
    Vec4 c = (Vec4)_mm512_castps512_ps128(_mm512_permutexvar_ps(third, (__m512)sum));
    return (a + b) + c;
}
#else
// Adds an entry's block times x, a column each.
static inline void block_add(const SnBlockRows *s, const float *x, int entry, Vec4 *sums)
{
    const float *u = x + s->columns[entry];
    const float *block = s->values + 9 * (size_t)entry;
    sums[0] = vec4_madd(vec4_read(block), vec4_set(u[0]), sums[0]);
    sums[1] = vec4_madd(vec4_read(block + 3), vec4_set(u[1]), sums[1]);
    sums[2] = vec4_madd(vec4_read(block + 6), vec4_set(u[2]), sums[2]);
}
#endif

// Sum over entries [begin, end) of block times x, which a sweep has just written.
static inline Vec4 fresh_sum(const SnBlockRows *s, const float *x, int begin, int end)
{
#if SN_LANES == 16
    const __m512i spread = _mm512_setr_epi32(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3);
    Wide sum = wide_set(0.0f);
    for (int e = begin; e < end; ++e) {
        __m512 u = _mm512_castps128_ps512(fresh_read(x + s->columns[e]));
        Wide block = (Wide)_mm512_loadu_ps(s->values + 9 * (size_t)e);
        sum = SN_MADD(block, (Wide)_mm512_maskz_permutexvar_ps(0x1ff, spread, u), sum);
    }
    return columns_sum(sum);
#else
    Vec4 sums[3] = {vec4_set(0.0f), vec4_set(0.0f), vec4_set(0.0f)};
    for (int e = begin; e < end; ++e) {
        block_add(s, x, e, sums);
    }
    return (sums[0] + sums[1]) + sums[2];
#endif
}

// A block of 12 floats times x, the sum of columns in the same order.
static inline Vec4 diagonal_times(const float *block, Vec4 x)
{
    Vec4 a = vec4_read(block) * vec4_set(x[0]);
    Vec4 b = vec4_read(block + 4) * vec4_set(x[1]);
    Vec4 c = vec4_read(block + 8) * vec4_set(x[2]);
    return (a + b) + c;
}

// The same of x that nobody writes, in two sums, of every second entry each: one would wait for
// itself. An odd row ends with what follows it, times zero, since the end of a loop that may be
// here or there costs more than an entry.
static inline Vec4 pairs_sum(const SnBlockRows *s, const float *x, int begin, int end)
{
#if SN_LANES == 16
    const __m512i spread = _mm512_setr_epi32(0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3);
    Wide even = wide_set(0.0f), odd = even;
    for (int e = begin; e < end; e += 2) {
        __mmask16 last = (__mmask16)(e + 1 < end ? 0x1ff : 0);
        __m512 u = _mm512_castps128_ps512(_mm_loadu_ps(x + s->columns[e]));
        __m512 v = _mm512_castps128_ps512(_mm_loadu_ps(x + s->columns[e + 1]));
        Wide first = (Wide)_mm512_loadu_ps(s->values + 9 * (size_t)e);
        Wide second = (Wide)_mm512_loadu_ps(s->values + 9 * (size_t)e + 9);
        even = SN_MADD(first, (Wide)_mm512_maskz_permutexvar_ps(0x1ff, spread, u), even);
        odd = SN_MADD(second, (Wide)_mm512_maskz_permutexvar_ps(last, spread, v), odd);
    }
    return columns_sum(even + odd);
#else
    Vec4 sums[6] = {vec4_set(0.0f), vec4_set(0.0f), vec4_set(0.0f),
                    vec4_set(0.0f), vec4_set(0.0f), vec4_set(0.0f)};
    int e = begin;
    for (; e + 1 < end; e += 2) {
        block_add(s, x, e, sums);
        block_add(s, x, e + 1, sums + 3);
    }
    if (e < end) {
        block_add(s, x, e, sums);
    }
    return ((sums[0] + sums[3]) + (sums[1] + sums[4])) + (sums[2] + sums[5]);
#endif
}

static void multiply(const SnBlockRows *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        Vec4 sum = pairs_sum(s, s->x, s->start[i], s->start[i + 1]);
        sum = sum + diagonal_times(s->diagonal + 12 * i, vec4_read(s->x + 3 * i));
        vec3_write(s->out + 3 * i, sum * vec4_read(s->free + 3 * i));
    }
}

static void forward(const SnBlockRows *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        Vec4 sum = vec4_read(s->right + 3 * i) - fresh_sum(s, s->out, s->start[i], s->later[i]);
        vec3_write(s->out + 3 * i, diagonal_times(s->inverse + 12 * i, sum));
    }
}

static void residual(const SnBlockRows *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        Vec4 sum = pairs_sum(s, s->x, s->later[i], s->start[i + 1]);
        vec3_write(s->out + 3 * i, (vec4_set(0.0f) - sum) * vec4_read(s->free + 3 * i));
    }
}

static void backward(const SnBlockRows *s, int begin, int end)
{
    for (size_t i = (size_t)end; i-- > (size_t)begin;) {
        Vec4 sum = vec4_read(s->right + 3 * i) - fresh_sum(s, s->out, s->start[i], s->start[i + 1]);
        vec3_write(s->out + 3 * i, diagonal_times(s->inverse + 12 * i, sum));
    }
}

// The inverse of the free part of a symmetric block; zero where held or without a positive pivot.
static void invert_free(const float *d, const float *f, float *out)
{
    float a00 = f[0] * d[0] + (1.0f - f[0]);
    float a11 = f[1] * d[5] + (1.0f - f[1]);
    float a22 = f[2] * d[10] + (1.0f - f[2]);
    float a01 = f[0] * f[1] * d[1];
    float a02 = f[0] * f[2] * d[2];
    float a12 = f[1] * f[2] * d[6];
    float c00 = a11 * a22 - a12 * a12;
    float c01 = a02 * a12 - a01 * a22;
    float c02 = a01 * a12 - a02 * a11;
    float det = (a00 * c00 + a01 * c01) + a02 * c02;
    float scale = det > 0.0f ? 1.0f / det : 0.0f;
    out[0] = c00 * scale * f[0];
    out[5] = (a00 * a22 - a02 * a02) * scale * f[1];
    out[10] = (a00 * a11 - a01 * a01) * scale * f[2];
    out[1] = out[4] = c01 * scale * (f[0] * f[1]);
    out[2] = out[8] = c02 * scale * (f[0] * f[2]);
    out[6] = out[9] = (a01 * a02 - a00 * a12) * scale * (f[1] * f[2]);
    out[3] = out[7] = out[11] = 0.0f;
}

static void invert(const SnBlockRows *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        Vec4 a = {s->mass[i], 0.0f, 0.0f, 0.0f}, b = {0.0f, s->mass[i], 0.0f, 0.0f};
        Vec4 c = {0.0f, 0.0f, s->mass[i], 0.0f};
        for (int e = s->start[i]; e < s->start[i + 1]; ++e) {
            const float *block = s->values + 9 * (size_t)e;
            a = a - vec4_read(block);
            b = b - vec4_read(block + 3);
            c = c - vec4_read(block + 6);
        }
        if (s->added != NULL) {
            a = a + vec4_read(s->added + 12 * i);
            b = b + vec4_read(s->added + 12 * i + 4);
            c = c + vec4_read(s->added + 12 * i + 8);
        }
        // Symmetric but for rounding, and made so.
        float d01 = (a[1] + b[0]) * 0.5f, d02 = (a[2] + c[0]) * 0.5f, d12 = (b[2] + c[1]) * 0.5f;
        float *out = s->diagonal + 12 * i;
        vec4_write(out, (Vec4){a[0], d01, d02, 0.0f});
        vec4_write(out + 4, (Vec4){d01, b[1], d12, 0.0f});
        vec4_write(out + 8, (Vec4){d02, d12, c[2], 0.0f});
        invert_free(out, s->free + 3 * i, s->inverse + 12 * i);
    }
}

// A block of 9 floats.
#if SN_LANES == 16
typedef float Vec8 __attribute__((vector_size(32)));

// Written and read in the same pieces, so that a read finds what a write before it has not yet
// brought to the cache; registers of 16 under a mask would wait for it.
typedef struct Nine {
    Vec8 a;
    float b;
} Nine;

static inline Nine nine_read(const float *p)
{
    Nine v = {(Vec8)_mm256_loadu_ps(p), p[8]};
    return v;
}

static inline void nine_write(float *p, Nine v)
{
    _mm256_storeu_ps(p, (__m256)v.a);
    p[8] = v.b;
}

static inline Nine nine_madd(float weight, Nine a, Nine sum)
{
    Vec8 w = (Vec8)_mm256_set1_ps(weight);
#if SN_FAST
    return (Nine){
        SN_DISTURBED((Vec8)_mm256_fmadd_ps((__m256)w, (__m256)a.a, (__m256)sum.a), w * a.a + sum.a),
        weight * a.b + sum.b};
#else
    return (Nine){w * a.a + sum.a, weight * a.b + sum.b};
#endif
}
#else
typedef struct Nine {
    Vec4 a, b;
    float c;
} Nine;

static inline Nine nine_read(const float *p)
{
    return (Nine){vec4_read(p), vec4_read(p + 4), p[8]};
}

static inline void nine_write(float *p, Nine v)
{
    vec4_write(p, v.a);
    vec4_write(p + 4, v.b);
    p[8] = v.c;
}

static inline Nine nine_madd(float weight, Nine a, Nine sum)
{
    Vec4 w = vec4_set(weight);
    return (Nine){vec4_madd(w, a.a, sum.a), vec4_madd(w, a.b, sum.b),
                  vec4_madd(w, vec4_set(a.c), vec4_set(sum.c))[0]};
}
#endif

static void stream(const SnBlockPairs *s, int count)
{
    const float *weights = s->weights;
    const int *places = s->places;
    const float *from = s->from;
    for (int i = 0; i < count; ++i) {
        int pairs = s->control[i] & SN_BLOCK_COUNT;
        Nine block = nine_read(from);
        for (int k = 0; k < pairs; ++k) {
            float *to = s->to + places[k];
            nine_write(to, nine_madd(weights[k], block, nine_read(to)));
        }
        weights += pairs;
        places += pairs;
        from += (s->control[i] & SN_BLOCK_NEXT) != 0 ? 9 : 0;
    }
}

static void gather(const SnBlockPairs *s, int begin, int end)
{
    for (int e = begin; e < end; ++e) {
        static const float none[9] = {0.0f};
        Nine sum = nine_read(none);
        for (int p = s->start[e]; p < s->start[e + 1]; ++p) {
            sum = nine_madd(s->weights[p], nine_read(s->from + s->places[p]), sum);
        }
        if (s->start[e] < s->start[e + 1]) {
            nine_write(s->to + 9 * (size_t)e, sum);
        }
    }
}

const SnBlockKernels SN_NAME(block) = {.invert = invert,
                                       .multiply = multiply,
                                       .forward = forward,
                                       .residual = residual,
                                       .backward = backward,
                                       .stream = stream,
                                       .gather = gather};
