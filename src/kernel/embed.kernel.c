// Embedded points, see embed.h. A register holds x, y, z of one point, whatever the lanes of the
// instruction set; four points together make three whole stores of packed xyz.
#include "kernel/embed.h"
#include "kernel/wide.h"

#include <stddef.h>

extern const SnEmbedKernels SN_NAME(embed);

// x, y, z and a fourth number that nobody reads.
typedef float Vec4 __attribute__((vector_size(16)));

static inline Vec4 vec4_madd(float a, Vec4 b, Vec4 c)
{
#if SN_FAST && SN_LANES >= 8
    return SN_DISTURBED((Vec4)_mm_fmadd_ps(_mm_set1_ps(a), (__m128)b, (__m128)c), a * b + c);
#elif SN_FAST && defined(__ARM_NEON)
    return SN_DISTURBED((Vec4)vfmaq_n_f32((float32x4_t)c, (float32x4_t)b, a), a * b + c);
#else
    return a * b + c;
#endif
}

// Three floats, and not one more: the last node may end its page.
static inline Vec4 vec4_load(const float *p)
{
#if SN_LANES == 16
    return (Vec4)_mm_maskz_loadu_ps(7, p);
#elif SN_LANES == 8
    return (Vec4)_mm_maskload_ps(p, _mm_set_epi32(0, -1, -1, -1));
#else
    Vec4 v = {p[0], p[1], p[2], 0.0f};
    return v;
#endif
}

static inline Vec4 embed_point(const SnEmbedBatch *b, size_t p, size_t width)
{
    const int *nodes = b->nodes + width * p;
    const float *weights = b->weights + width * p;
    Vec4 sum = weights[0] * vec4_load(b->positions + 3 * (size_t)nodes[0]);
    for (size_t k = 1; k < width; ++k) {
        sum = vec4_madd(weights[k], vec4_load(b->positions + 3 * (size_t)nodes[k]), sum);
    }
    return sum;
}

static inline void embed(const SnEmbedBatch *b, int begin, int end, size_t width)
{
    size_t p = (size_t)begin;
    for (; p + 4 <= (size_t)end; p += 4) {
        Vec4 a0 = embed_point(b, p, width);
        Vec4 a1 = embed_point(b, p + 1, width);
        Vec4 a2 = embed_point(b, p + 2, width);
        Vec4 a3 = embed_point(b, p + 3, width);
        Vec4 out[3] = {__builtin_shufflevector(a0, a1, 0, 1, 2, 4),
                       __builtin_shufflevector(a1, a2, 1, 2, 4, 5),
                       __builtin_shufflevector(a2, a3, 2, 4, 5, 6)};
        memcpy(b->xyz + 3 * p, out, sizeof out);
    }
    for (; p < (size_t)end; ++p) {
        Vec4 a = embed_point(b, p, width);
        memcpy(b->xyz + 3 * p, &a, 3 * sizeof(float));
    }
}

static void embed_four(const SnEmbedBatch *batch, int begin, int end)
{
    embed(batch, begin, end, 4);
}

static void embed_eight(const SnEmbedBatch *batch, int begin, int end)
{
    embed(batch, begin, end, 8);
}

const SnEmbedKernels SN_NAME(embed) = {.four = embed_four, .eight = embed_eight};
