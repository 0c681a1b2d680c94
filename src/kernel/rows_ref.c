// Sparse rows times vectors of four floats by the formula, see rows.h.
#include "kernel/rows.h"

#include <stddef.h>

extern const SnRowsKernels sn_rows_ref;

static float row_times(const SnRows *r, int row, size_t k)
{
    float parts[2] = {0.0f, 0.0f};
    for (int i = r->start[row]; i < r->start[row + 1]; ++i) {
        int turn = (i - r->start[row]) % 2;
        parts[turn] = r->value[i] * r->x[4 * (size_t)r->column[i] + k] + parts[turn];
    }
    return parts[0] + parts[1];
}

static void multiply(const SnRows *r, int begin, int end)
{
    for (int row = begin; row < end; ++row) {
        for (size_t k = 0; k < 4; ++k) {
            size_t at = 4 * (size_t)row + k;
            r->out[at] = r->alpha * row_times(r, row, k) + (r->b != NULL ? r->b[at] : 0.0f);
        }
    }
}

static void relax(const SnRows *r, int begin, int end)
{
    for (int row = begin; row < end; ++row) {
        for (size_t k = 0; k < 4; ++k) {
            size_t at = 4 * (size_t)row + k;
            float left = r->b[at] - row_times(r, row, k);
            r->out[at] = r->alpha * r->scale[row] * left + r->beta * r->out[at];
        }
    }
}

const SnRowsKernels sn_rows_ref = {.multiply = multiply, .relax = relax};
