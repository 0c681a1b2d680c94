#include "model/frames/linear_blend.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

// A frame that a sample or point feels: which, and how F or x answers its numbers.
typedef struct Felt {
    int frame;
    double beta[12]; // of a sample, 3 rows of 4
    double share[4]; // of a point: w (X, 1)
} Felt;

enum { FELT_MAX = 64 };

// Where row >= column is in a lower triangle.
static size_t triangle_at(int row, int column)
{
    return (size_t)row * ((size_t)row + 1) / 2 + (size_t)column;
}

// Samples ----------------------------------------------------------------------------------------

static int feel_sample(const SnSamples *samples, int s, Felt felt[FELT_MAX])
{
    const double *X = samples->X + 3 * (size_t)s;
    const double *weights =
        samples->weights + SN_BLEND_WEIGHTS * (size_t)s * (size_t)samples->frame_count;
    int count = 0;
    for (int i = 0; i < samples->frame_count; ++i) {
        const double *u = weights + SN_BLEND_WEIGHTS * i;
        if (u[0] != 0.0 || u[1] != 0.0 || u[2] != 0.0 || u[3] != 0.0) {
            Felt *f = &felt[count++];
            f->frame = i;
            for (int k = 0; k < 3; ++k) {
                for (int c = 0; c < 4; ++c) {
                    f->beta[4 * k + c] = u[1 + k] * (c < 3 ? X[c] : 1.0) + (c == k ? u[0] : 0.0);
                }
            }
        }
    }
    return count;
}

static void gather_F(const Felt *felt, int count, const double *frames, double F[9])
{
    memset(F, 0, 9 * sizeof *F);
    for (int i = 0; i < count; ++i) {
        const double *a = frames + SN_LINEAR * (size_t)felt[i].frame;
        for (int n = 0; n < 36; ++n) {
            int r = n / 12, k = n / 4 % 3, c = n % 4;
            F[3 * r + k] += felt[i].beta[4 * k + c] * a[sn_linear_at(r, c)];
        }
    }
}

static void add_gradient(const Felt *felt, const double P[9], double *gradient)
{
    double *g = gradient + SN_LINEAR * (size_t)felt->frame;
    for (int n = 0; n < 36; ++n) {
        int r = n / 12, k = n / 4 % 3, c = n % 4;
        g[sn_linear_at(r, c)] += P[3 * r + k] * felt->beta[4 * k + c];
    }
}

// half = H times beta of a frame: rows (r, k) of F by its numbers (s, d).
static void push_beta(const double H[81], const Felt *felt, double half[9][12])
{
    for (int row = 0; row < 9; ++row) {
        for (int n = 0; n < 12; ++n) {
            int s = n / 4, d = n % 4;
            double sum = 0.0;
            for (int l = 0; l < 3; ++l) {
                sum += H[9 * row + 3 * s + l] * felt->beta[4 * l + d];
            }
            half[row][n] = sum;
        }
    }
}

// The block of frames a >= b to the lower triangle; `half` is that of b.
static void add_block(const Felt *a, const Felt *b, double half[9][12], double *triangle)
{
    for (int m = 0; m < 12; ++m) {
        int r = m / 4, c = m % 4, row = SN_LINEAR * a->frame + sn_linear_at(r, c);
        for (int n = 0; n < 12; ++n) {
            int column = SN_LINEAR * b->frame + sn_linear_at(n / 4, n % 4);
            if (column <= row) {
                double sum = 0.0;
                for (int k = 0; k < 3; ++k) {
                    sum += a->beta[4 * k + c] * half[3 * r + k][n];
                }
                triangle[triangle_at(row, column)] += sum;
            }
        }
    }
}

static void add_hessian(const double H[81], const Felt *felt, int count, double *triangle)
{
    for (int b = 0; b < count; ++b) {
        double half[9][12];
        push_beta(H, &felt[b], half);
        for (int a = b; a < count; ++a) {
            add_block(&felt[a], &felt[b], half, triangle);
        }
    }
}

void sn_linear_samples(const SnSamplesDef *def, int begin, int end, double *part)
{
    const SnSamples *samples = def->samples;
    Felt felt[FELT_MAX];
    for (int s = begin; s < end; ++s) {
        const SnLaw *law = &samples->table[samples->materials[s]].law;
        double volume = samples->volumes[s], F[9], P[9], H[81];
        int count = feel_sample(samples, s, felt);
        gather_F(felt, count, def->frames, F);
        def->room->dets[s] = sn_mat3_determinant(F);
        part[0] += volume * sn_law_energy_stress(law, F, P);
        for (int n = 0; n < 9; ++n) {
            P[n] *= volume;
        }
        for (int i = 0; i < count; ++i) {
            add_gradient(&felt[i], P, part + def->room->gradient);
        }
        if (def->hessian) {
            sn_law_hessian(law, F, H);
            for (int n = 0; n < 81; ++n) {
                H[n] *= volume;
            }
            add_hessian(H, felt, count, part + def->room->matrix);
        }
    }
}

// Points -----------------------------------------------------------------------------------------

// x of one point from the frames' numbers, or v from those of their rates.
static void blend_point(const SnFramePoints *points, const double *frames, int p, double out[3])
{
    const double *row = points->weights + (size_t)points->frame_count * (size_t)p;
    const double *X = points->X + 3 * (size_t)p;
    double z[SN_LINEAR] = {0.0};
    for (int i = 0; i < points->frame_count; ++i) {
        for (int c = 0; c < SN_LINEAR; ++c) {
            z[c] += row[i] * frames[SN_LINEAR * i + c];
        }
    }
    for (int r = 0; r < 3; ++r) {
        out[r] = z[3 * r] * X[0] + z[3 * r + 1] * X[1] + z[3 * r + 2] * X[2] + z[9 + r];
    }
}

void sn_linear_place(const SnFramePoints *points, const double *frames, int begin, int end,
                     double *out_x)
{
    for (int p = begin; p < end; ++p) {
        blend_point(points, frames, p, out_x + 3 * (size_t)p);
    }
}

void sn_linear_speed(const SnFramePoints *points, const double *rates, double *out_v)
{
    sn_linear_place(points, rates, 0, points->count, out_v);
}

static int feel_point(const SnFramePoints *points, int p, Felt felt[FELT_MAX])
{
    const double *row = points->weights + (size_t)points->frame_count * (size_t)p;
    const double *X = points->X + 3 * (size_t)p;
    int count = 0;
    for (int i = 0; i < points->frame_count; ++i) {
        if (row[i] != 0.0) {
            felt[count].frame = i;
            for (int c = 0; c < 4; ++c) {
                felt[count].share[c] = row[i] * (c < 3 ? X[c] : 1.0);
            }
            count += 1;
        }
    }
    return count;
}

// w_a w_b (X, 1) (X, 1)^T times the point's stiffness, to the lower triangle.
static void add_stiffness(const Felt *a, const Felt *b, const double K[9], double *triangle)
{
    for (int m = 0; m < 12; ++m) {
        int row = SN_LINEAR * a->frame + sn_linear_at(m / 4, m % 4);
        for (int n = 0; n < 12; ++n) {
            int column = SN_LINEAR * b->frame + sn_linear_at(n / 4, n % 4);
            double stiffness = K[3 * (m / 4) + n / 4];
            if (column <= row && stiffness != 0.0) {
                triangle[triangle_at(row, column)] += a->share[m % 4] * b->share[n % 4] * stiffness;
            }
        }
    }
}

void sn_linear_push(const SnFramePoints *points, int p, const SnSamplesRoom *room, bool hessian,
                    double *part)
{
    const SnPointForce *force = &points->forces[p];
    Felt felt[FELT_MAX];
    int count = feel_point(points, p, felt);
    for (int i = 0; i < count; ++i) {
        double *g = part + room->gradient + SN_LINEAR * (size_t)felt[i].frame;
        for (int n = 0; n < 12; ++n) {
            g[sn_linear_at(n / 4, n % 4)] -= force->force[n / 4] * felt[i].share[n % 4];
        }
    }
    for (int n = 0; hessian && n < count * count; ++n) {
        if (n / count >= n % count) {
            add_stiffness(&felt[n / count], &felt[n % count], force->stiffness,
                          part + room->matrix);
        }
    }
}
