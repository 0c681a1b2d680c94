// Dot products of columns, see columns.h. A column is read once for the three vectors, and two
// columns go side by side, so that a load of the vectors serves both.
#include "kernel/columns.h"

#include "kernel/wide.h"

extern const SnColumnKernels SN_NAME(columns);

enum { PARTS = SN_COLUMNS_PARTS, WIDES = PARTS / SN_LANES };

// The 16 partial sums, added pairwise.
static inline float parts_add(const Wide sums[WIDES])
{
    float parts[PARTS];
    memcpy(parts, sums, sizeof parts);
    for (int half = PARTS / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; ++k) {
            parts[k] = parts[k] + parts[k + half];
        }
    }
    return parts[0];
}

static inline void dot_pair(const SnColumns *c, int first, int second)
{
    const float *a = c->columns[first], *b = c->columns[second];
    const float *vectors = c->vectors;
    size_t length = (size_t)c->length;
    Wide sums[6][WIDES];
    memset(sums, 0, sizeof sums);
    for (size_t j = 0; j < length; j += PARTS) {
        for (size_t w = 0; w < WIDES; ++w) {
            size_t at = j + w * SN_LANES;
            Wide left = wide_load(a + at), right = wide_load(b + at);
            for (size_t k = 0; k < 3; ++k) {
                Wide vector = wide_load(vectors + k * length + at);
                sums[k][w] = SN_MADD(left, vector, sums[k][w]);
                sums[3 + k][w] = SN_MADD(right, vector, sums[3 + k][w]);
            }
        }
    }
    for (int k = 0; k < 3; ++k) {
        c->out[3 * first + k] = parts_add(sums[k]);
        c->out[3 * second + k] = parts_add(sums[3 + k]);
    }
}

static void dot(const SnColumns *c, int begin, int end)
{
    for (int i = begin; i < end; i += 2) {
        dot_pair(c, i, i + 1 < end ? i + 1 : i);
    }
}

const SnColumnKernels SN_NAME(columns) = {.dot = dot};
