// Sparse rows times vectors of four floats, see rows.h. A register holds x, y, z of one row.
#include "kernel/rows.h"

#include "kernel/corner_wide.h"

extern const SnRowsKernels SN_NAME(rows);

static inline Vec4 row_times(const SnRows *r, int row)
{
    int i = r->start[row], end = r->start[row + 1];
    Vec4 even = vec4_set(0.0f), odd = vec4_set(0.0f);
    for (; i + 2 <= end; i += 2) {
        even = vec4_madd(vec4_set(r->value[i]), vec4_read(r->x + 4 * (size_t)r->column[i]), even);
        odd = vec4_madd(vec4_set(r->value[i + 1]), vec4_read(r->x + 4 * (size_t)r->column[i + 1]),
                        odd);
    }
    if (i < end) {
        even = vec4_madd(vec4_set(r->value[i]), vec4_read(r->x + 4 * (size_t)r->column[i]), even);
    }
    return even + odd;
}

static void multiply(const SnRows *r, int begin, int end)
{
    for (int row = begin; row < end; ++row) {
        size_t at = 4 * (size_t)row;
        Vec4 b = r->b != NULL ? vec4_read(r->b + at) : vec4_set(0.0f);
        Vec4 out = vec4_madd(vec4_set(r->alpha), row_times(r, row), b);
        memcpy(r->out + at, &out, sizeof out);
    }
}

static void relax(const SnRows *r, int begin, int end)
{
    for (int row = begin; row < end; ++row) {
        size_t at = 4 * (size_t)row;
        Vec4 left = vec4_read(r->b + at) - row_times(r, row);
        Vec4 old = vec4_set(r->beta) * vec4_read(r->out + at);
        Vec4 out = vec4_madd(vec4_set(r->alpha * r->scale[row]), left, old);
        memcpy(r->out + at, &out, sizeof out);
    }
}

const SnRowsKernels SN_NAME(rows) = {.multiply = multiply, .relax = relax};
