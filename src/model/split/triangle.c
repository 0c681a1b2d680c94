#include "model/split/triangle.h"

enum { PARTS = 8 }; // partial sums of a dot product

bool sn_split_triangle_factor(const SnDenseKernels *dense, double *matrix, int count,
                              SnSplitTriangle *out)
{
    size_t stride = sn_split_triangle_stride(count);
    out->count = count;
    if (count == 0) {
        return true;
    }
    if (dense->cholesky(count, matrix, (int)stride) >= 0) {
        return false;
    }
    for (size_t j = 0; j < (size_t)count; ++j) {
        const double *from = matrix + j * stride;
        float *to = out->values + j * stride;
        to[j] = (float)(1.0 / from[j]);
        for (size_t i = j + 1; i < (size_t)count; ++i) {
            to[i] = (float)from[i];
        }
    }
    return true;
}

static float dot(const float *a, const float *b, size_t begin, size_t end)
{
    float parts[PARTS] = {0.0f};
    size_t i = begin;
    for (; i + PARTS <= end; i += PARTS) {
        for (size_t k = 0; k < PARTS; ++k) {
            parts[k] += a[i + k] * b[i + k];
        }
    }
    for (size_t k = 0; i < end; ++i, ++k) {
        parts[k] += a[i] * b[i];
    }
    return ((parts[0] + parts[1]) + (parts[2] + parts[3])) +
           ((parts[4] + parts[5]) + (parts[6] + parts[7]));
}

void sn_split_triangle_solve(const SnSplitTriangle *triangle, float *x)
{
    size_t count = (size_t)triangle->count;
    size_t stride = sn_split_triangle_stride(triangle->count);
    for (size_t j = 0; j < count; ++j) {
        const float *column = triangle->values + j * stride;
        float value = x[j] * column[j];
        x[j] = value;
        for (size_t i = j + 1; i < count; ++i) {
            x[i] -= column[i] * value;
        }
    }
    for (size_t j = count; j-- > 0;) {
        const float *column = triangle->values + j * stride;
        x[j] = (x[j] - dot(column, x, j + 1, count)) * column[j];
    }
}
