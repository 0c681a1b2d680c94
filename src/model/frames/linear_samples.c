// Samples of affine frames, a group at a time, as products of small dense matrices. With the rows
// beta_k of a group's samples as columns of A, which has a row for each number c of each frame that
// the group feels,
//
//     F_r = A^T a_r      gradient_r = A P_r      Hessian_rs = A T_rs^T,   T_rs = sum_l H_rs beta_l
//
// for the rows r, s of F. The products are those of the factorisation (kernel/dense.h).
#include "model/frames/linear_blend.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK = 2, // groups at a time
    ROWS = 3 * CHUNK * SN_FRAMES_GROUP,
    PAIRS = 6
};

// The pairs r <= s of rows of F.
static const int pair_rows[PAIRS] = {0, 1, 2, 0, 0, 1}, pair_columns[PAIRS] = {0, 1, 2, 1, 2, 2};

typedef struct Group {
    int begin, end; // samples
    int count;      // frames that it feels, ascending
    int width;      // their numbers: 4 each
    int stride;     // the same, rounded up for the kernels
    int *frames;
    double *A;        // stride x ROWS, column-major
    double *At;       // ROWS x width
    double *numbers;  // 3 x width: a_r
    double *F;        // ROWS x 3
    double *P;        // 3 x ROWS: minus the stresses
    double *gradient; // stride x 3
    double *T;        // stride x PAIRS x ROWS, minus
    double *H;        // PAIRS times stride x width
} Group;

static size_t stride_of(int frame_count)
{
    return sn_round_up(4 * (size_t)frame_count, SN_DENSE_ROWS);
}

size_t sn_linear_scratch(int frame_count)
{
    size_t n = stride_of(frame_count);
    return (size_t)frame_count + 2 * ROWS * n + 3 * n + 6 * ROWS + 3 * n + PAIRS * ROWS * n +
           PAIRS * n * n + 8 * SN_DENSE_ROWS;
}

static double *take(double **room, size_t count)
{
    double *taken = *room;
    *room += sn_round_up(count, SN_DENSE_ROWS);
    return taken;
}

static Group lay_out(const SnSamplesDef *def, double *room)
{
    size_t n = stride_of(def->samples->frame_count);
    Group group = {0};
    group.frames = (int *)take(&room, (size_t)def->samples->frame_count);
    group.A = take(&room, ROWS * n);
    group.At = take(&room, ROWS * n);
    group.numbers = take(&room, 3 * n);
    group.F = take(&room, 3 * ROWS);
    group.P = take(&room, 3 * ROWS);
    group.gradient = take(&room, 3 * n);
    group.T = take(&room, PAIRS * ROWS * n);
    group.H = take(&room, PAIRS * n * n);
    return group;
}

static const double *weights_of(const SnSamples *samples, int sample, int frame)
{
    return samples->weights +
           SN_BLEND_WEIGHTS * ((size_t)sample * (size_t)samples->frame_count + (size_t)frame);
}

// Frames with a weight or a slope in some sample of the group.
static void find_frames(const SnSamples *samples, Group *group)
{
    group->count = 0;
    for (int i = 0; i < samples->frame_count; ++i) {
        bool feels = false;
        for (int s = group->begin; s < group->end && !feels; ++s) {
            const double *u = weights_of(samples, s, i);
            feels = u[0] != 0.0 || u[1] != 0.0 || u[2] != 0.0 || u[3] != 0.0;
        }
        if (feels) {
            group->frames[group->count++] = i;
        }
    }
    group->width = 4 * group->count;
    group->stride = (int)stride_of(group->count);
}

// beta_k = w (e_k, 0) + d_k w (X, 1), both ways round; samples past the last have none.
static void find_betas(const SnSamplesDef *def, const Group *group)
{
    const SnSamples *samples = def->samples;
    for (int row = 0; row < ROWS; ++row) {
        int s = group->begin + row / 3, k = row % 3;
        for (int n = 0; n < group->stride; ++n) {
            double beta = 0.0;
            if (s < group->end && n < group->width) {
                const double *u = weights_of(samples, s, group->frames[n / 4]);
                int c = n % 4;
                beta = u[1 + k] * (c < 3 ? samples->X[3 * s + c] : 1.0) + (c == k ? u[0] : 0.0);
            }
            group->A[row * group->stride + n] = beta;
            if (n < group->width) {
                group->At[n * ROWS + row] = beta;
            }
        }
    }
    for (int n = 0; n < 3 * group->width; ++n) {
        int i = group->frames[n / 12], c = n / 3 % 4;
        group->numbers[n] = def->frames[SN_LINEAR * i + sn_linear_at(n % 3, c)];
    }
}

// Minus what the rows of a sample are to each number after the law.
static void push_betas(const SnSamplesDef *def, const Group *group, int sample, double volume,
                       const double H[81])
{
    int stride = group->stride, row = 3 * (sample - group->begin);
    double factors[9 * PAIRS];
    for (int n = 0; n < 9 * PAIRS; ++n) {
        int k = n / (3 * PAIRS), p = n / 3 % PAIRS;
        factors[n] = -volume * H[9 * (3 * pair_rows[p] + k) + 3 * pair_columns[p] + n % 3];
    }
    def->kernels->dense->combine(group->width, 3 * PAIRS, group->A + row * stride, stride, factors,
                                 group->T + PAIRS * row * stride, stride);
}

// Energy, stresses and, with the Hessian, T of all samples of a group.
static double apply_laws(const SnSamplesDef *def, const Group *group)
{
    const SnSamples *samples = def->samples;
    double energy = 0.0;
    memset(group->P, 0, 3 * ROWS * sizeof *group->P);
    for (int s = group->begin; s < group->end; ++s) {
        const SnLaw *law = &samples->table[samples->materials[s]].law;
        double volume = samples->volumes[s], F[9], P[9], H[81];
        int row = 3 * (s - group->begin);
        for (int n = 0; n < 9; ++n) {
            F[n] = group->F[n / 3 * ROWS + row + n % 3];
        }
        def->room->dets[s] = sn_mat3_determinant(F);
        energy += volume * (def->hessian ? sn_law_energy_stress_hessian(law, F, P, H)
                                         : sn_law_energy_stress(law, F, P));
        for (int n = 0; n < 9; ++n) {
            group->P[3 * (row + n % 3) + n / 3] = -volume * P[n];
        }
        if (def->hessian) {
            push_betas(def, group, s, volume, H);
        }
    }
    return energy;
}

static void add_gradient(const SnSamplesDef *def, const Group *group, double *gradient)
{
    SnDenseProduct product = {.rows = group->width,
                              .columns = 3,
                              .depth = 3 * (group->end - group->begin),
                              .A = group->A,
                              .lda = group->stride,
                              .B = group->P,
                              .ldb = 3,
                              .C = group->gradient,
                              .ldc = group->stride};
    memset(group->gradient, 0, 3 * (size_t)group->stride * sizeof *group->gradient);
    def->kernels->dense->subtract(&product);
    for (int n = 0; n < 3 * group->width; ++n) {
        int i = n / 12, r = n / 4 % 3, c = n % 4;
        gradient[SN_LINEAR * group->frames[i] + 4 * r + c] +=
            group->gradient[r * group->stride + 4 * i + c];
    }
}

// The block of the group's frames a >= b. A pair r < s stands for (s, r) too.
static void add_block(const Group *group, int a, int b, double *block)
{
    static const int pair_of[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
    size_t stride = (size_t)group->stride, size = stride * (size_t)group->width;
    for (int r = 0; r < 3; ++r) {
        for (int s = 0; s < 3; ++s) {
            const double *H = group->H + (size_t)pair_of[3 * r + s] * size;
            // Column-major: the row of a product is of A, its column of T.
            size_t row = r <= s ? 1 : stride, column = r <= s ? stride : 1;
            const double *from = H + 4 * (size_t)a * row + 4 * (size_t)b * column;
            for (size_t c = 0; c < 4; ++c) {
                for (size_t d = 0; d < 4; ++d) {
                    block[12 * (4 * (size_t)r + c) + 4 * (size_t)s + d] +=
                        from[c * row + d * column];
                }
            }
        }
    }
}

static void add_hessian(const SnSamplesDef *def, const Group *group, double *blocks)
{
    size_t stride = (size_t)group->stride, size = stride * (size_t)group->width;
    memset(group->H, 0, PAIRS * size * sizeof *group->H);
    for (int p = 0; p < PAIRS; ++p) {
        SnDenseProduct product = {.rows = group->width,
                                  .columns = group->width,
                                  .depth = 3 * (group->end - group->begin),
                                  .A = group->A,
                                  .lda = group->stride,
                                  .B = group->T + (size_t)p * stride,
                                  .ldb = PAIRS * group->stride,
                                  .C = group->H + (size_t)p * size,
                                  .ldc = group->stride};
        def->kernels->dense->subtract(&product);
    }
    for (int a = 0; a < group->count; ++a) {
        for (int b = 0; b <= a; ++b) {
            add_block(group, a, b, blocks + sn_linear_block(group->frames[a], group->frames[b]));
        }
    }
}

void sn_linear_samples(const SnSamplesDef *def, int begin, int end, double *part)
{
    Group group = lay_out(def, part + def->room->scratch);
    for (int g = begin; g < end; g += CHUNK) {
        group.begin = g * SN_FRAMES_GROUP;
        group.end = sn_samples_last(def->samples, g + CHUNK < end ? g + CHUNK : end);
        find_frames(def->samples, &group);
        find_betas(def, &group);
        SnDenseProduct product = {.rows = ROWS,
                                  .columns = 3,
                                  .depth = group.width,
                                  .A = group.At,
                                  .lda = ROWS,
                                  .B = group.numbers,
                                  .ldb = 3,
                                  .C = group.F,
                                  .ldc = ROWS};
        def->kernels->dense->multiply(&product);
        part[0] += apply_laws(def, &group);
        add_gradient(def, &group, part + def->room->gradient);
        if (def->hessian) {
            add_hessian(def, &group, part + def->room->matrix);
        }
    }
}
