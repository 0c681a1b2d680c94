// Rows of a matrix of 3x3 blocks by the formulas, see block_rows.h.
#include "kernel/block_rows.h"

#include <stddef.h>

extern const SnBlockKernels sn_block_ref;

// Sum over entries of block times x: a column at a time in one or two sums, then the three.
static void entries_sum(const SnBlockRows *s, const float *x, int begin, int end, int ways,
                        float out[3])
{
    for (size_t k = 0; k < 3; ++k) {
        float sums[3][2] = {{0.0f}};
        for (int e = begin; e < end; ++e) {
            for (size_t c = 0; c < 3; ++c) {
                float *sum = &sums[c][(e - begin) % ways];
                *sum = s->values[9 * (size_t)e + 3 * c + k] * x[(size_t)s->columns[e] + c] + *sum;
            }
        }
        out[k] =
            ((sums[0][0] + sums[0][1]) + (sums[1][0] + sums[1][1])) + (sums[2][0] + sums[2][1]);
    }
}

static void diagonal_times(const float *block, const float *x, float out[3])
{
    for (size_t k = 0; k < 3; ++k) {
        out[k] = (block[k] * x[0] + block[4 + k] * x[1]) + block[8 + k] * x[2];
    }
}

static void multiply(const SnBlockRows *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        float sum[3], own[3];
        entries_sum(s, s->x, s->start[i], s->start[i + 1], 2, sum);
        diagonal_times(s->diagonal + 12 * i, s->x + 3 * i, own);
        for (size_t k = 0; k < 3; ++k) {
            s->out[3 * i + k] = (sum[k] + own[k]) * s->free[3 * i + k];
        }
    }
}

// One row of a sweep over the entries [begin, end).
static void relax(const SnBlockRows *s, size_t i, int begin, int end)
{
    float sum[3];
    entries_sum(s, s->out, begin, end, 1, sum);
    for (size_t k = 0; k < 3; ++k) {
        sum[k] = s->right[3 * i + k] - sum[k];
    }
    diagonal_times(s->inverse + 12 * i, sum, s->out + 3 * i);
}

static void forward(const SnBlockRows *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        relax(s, i, s->start[i], s->later[i]);
    }
}

static void residual(const SnBlockRows *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        float sum[3];
        entries_sum(s, s->x, s->later[i], s->start[i + 1], 2, sum);
        for (size_t k = 0; k < 3; ++k) {
            s->out[3 * i + k] = (0.0f - sum[k]) * s->free[3 * i + k];
        }
    }
}

static void backward(const SnBlockRows *s, int begin, int end)
{
    for (size_t i = (size_t)end; i-- > (size_t)begin;) {
        relax(s, i, s->start[i], s->start[i + 1]);
    }
}

// By cofactors of the free part, with ones where held; then zeros there.
static void invert_free(const float *d, const float *f, float *out)
{
    float a[3][3], c[3][3];
    for (size_t i = 0; i < 3; ++i) {
        for (size_t j = 0; j < 3; ++j) {
            a[i][j] = i == j ? f[i] * d[5 * i] + (1.0f - f[i]) : f[i] * f[j] * d[4 * i + j];
        }
    }
    c[0][0] = a[1][1] * a[2][2] - a[1][2] * a[1][2];
    c[0][1] = a[0][2] * a[1][2] - a[0][1] * a[2][2];
    c[0][2] = a[0][1] * a[1][2] - a[0][2] * a[1][1];
    c[1][1] = a[0][0] * a[2][2] - a[0][2] * a[0][2];
    c[2][2] = a[0][0] * a[1][1] - a[0][1] * a[0][1];
    c[1][2] = a[0][1] * a[0][2] - a[0][0] * a[1][2];
    float det = (a[0][0] * c[0][0] + a[0][1] * c[0][1]) + a[0][2] * c[0][2];
    float scale = det > 0.0f ? 1.0f / det : 0.0f;
    for (size_t i = 0; i < 3; ++i) {
        for (size_t j = i; j < 3; ++j) {
            float value = c[i][j] * scale * (i == j ? f[i] : f[i] * f[j]);
            out[4 * i + j] = out[4 * j + i] = value;
        }
        out[4 * i + 3] = 0.0f;
    }
}

static void invert(const SnBlockRows *s, int begin, int end)
{
    for (size_t i = (size_t)begin; i < (size_t)end; ++i) {
        float sums[9] = {s->mass[i], 0.0f, 0.0f, 0.0f, s->mass[i], 0.0f, 0.0f, 0.0f, s->mass[i]};
        float *out = s->diagonal + 12 * i;
        for (size_t k = 0; k < 9; ++k) {
            for (int e = s->start[i]; e < s->start[i + 1]; ++e) {
                sums[k] = sums[k] - s->values[9 * (size_t)e + k];
            }
            sums[k] += s->added != NULL ? s->added[12 * i + 4 * (k / 3) + k % 3] : 0.0f;
        }
        for (size_t k = 0; k < 9; ++k) {
            float other = sums[3 * (k % 3) + k / 3];
            out[4 * (k / 3) + k % 3] =
                k % 4 == 0 ? sums[k] : (k / 3 < k % 3 ? sums[k] + other : other + sums[k]) * 0.5f;
        }
        out[3] = out[7] = out[11] = 0.0f;
        invert_free(out, s->free + 3 * i, s->inverse + 12 * i);
    }
}

static void stream(const SnBlockPairs *s, int count)
{
    size_t pair = 0, from = 0;
    for (int i = 0; i < count; ++i) {
        for (int k = 0; k < (s->control[i] & SN_BLOCK_COUNT); ++k, ++pair) {
            for (size_t c = 0; c < 9; ++c) {
                float *to = s->to + (size_t)s->places[pair] + c;
                *to = s->weights[pair] * s->from[9 * from + c] + *to;
            }
        }
        from += (s->control[i] & SN_BLOCK_NEXT) != 0 ? 1 : 0;
    }
}

static void gather(const SnBlockPairs *s, int begin, int end)
{
    for (int e = begin; e < end; ++e) {
        for (size_t c = 0; c < 9 && s->start[e] < s->start[e + 1]; ++c) {
            float sum = 0.0f;
            for (int p = s->start[e]; p < s->start[e + 1]; ++p) {
                sum = s->weights[p] * s->from[(size_t)s->places[p] + c] + sum;
            }
            s->to[9 * (size_t)e + c] = sum;
        }
    }
}

const SnBlockKernels sn_block_ref = {.invert = invert,
                                     .multiply = multiply,
                                     .forward = forward,
                                     .residual = residual,
                                     .backward = backward,
                                     .stream = stream,
                                     .gather = gather};
