// Dot products of columns by the formula, see columns.h.
#include "kernel/columns.h"

#include <stddef.h>

extern const SnColumnKernels sn_columns_ref;

static float dot_one(const float *a, const float *b, int length)
{
    float parts[SN_COLUMNS_PARTS] = {0.0f};
    for (int j = 0; j < length; ++j) {
        parts[j % SN_COLUMNS_PARTS] = a[j] * b[j] + parts[j % SN_COLUMNS_PARTS];
    }
    for (int half = SN_COLUMNS_PARTS / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; ++k) {
            parts[k] = parts[k] + parts[k + half];
        }
    }
    return parts[0];
}

static void dot(const SnColumns *c, int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        for (int k = 0; k < 3; ++k) {
            c->out[3 * i + k] =
                dot_one(c->columns[i], c->vectors + (size_t)k * (size_t)c->length, c->length);
        }
    }
}

const SnColumnKernels sn_columns_ref = {.dot = dot};
