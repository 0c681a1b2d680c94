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

// Parts have the numbers of a frame as rows (A[r], t[r]), four by four, which is how loops meet
// them; the block of frames a >= b has 12 rows of 12.
static size_t block_at(int a, int b)
{
    return SN_LINEAR_BLOCK * ((size_t)a * ((size_t)a + 1) / 2 + (size_t)b);
}

size_t sn_linear_blocks(int frame_count)
{
    return block_at(frame_count, 0);
}

double sn_linear_collect(const SnSamplesRoom *room, const double *part, double *gradient,
                         double *matrix)
{
    int frames = (int)(room->dofs / SN_LINEAR);
    for (int n = 0; n < (int)room->dofs; ++n) {
        int at = sn_linear_at(n % SN_LINEAR / 4, n % 4);
        gradient[n / SN_LINEAR * SN_LINEAR + at] += part[room->gradient + (size_t)n];
    }
    for (int a = 0; matrix != NULL && a < frames; ++a) {
        for (int b = 0; b <= a; ++b) {
            const double *block = part + room->matrix + block_at(a, b);
            for (int n = 0; n < SN_LINEAR_BLOCK; ++n) {
                int row = SN_LINEAR * a + sn_linear_at(n / 48, n / 12 % 4);
                int column = SN_LINEAR * b + sn_linear_at(n % 12 / 4, n % 4);
                if (column <= row) {
                    matrix[(size_t)row * room->dofs + (size_t)column] += block[n];
                }
            }
        }
    }
    return part[0];
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
        g[4 * r + c] += P[3 * r + k] * felt->beta[4 * k + c];
    }
}

// half = H times beta of a frame: rows (r, k) of F by its numbers.
static void push_beta(const double H[81], const Felt *felt, double half[9][12])
{
    for (int row = 0; row < 9; ++row) {
        for (int s = 0; s < 3; ++s) {
            const double *h = H + 9 * row + 3 * s;
            for (int c = 0; c < 4; ++c) {
                half[row][4 * s + c] =
                    h[0] * felt->beta[c] + h[1] * felt->beta[4 + c] + h[2] * felt->beta[8 + c];
            }
        }
    }
}

// The block of frames a >= b; `half` is that of b.
static void add_block(const Felt *a, double half[9][12], double *block)
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c, block += 12) {
            const double *u = a->beta + c;
            for (int n = 0; n < 12; ++n) {
                block[n] +=
                    u[0] * half[3 * r][n] + u[4] * half[3 * r + 1][n] + u[8] * half[3 * r + 2][n];
            }
        }
    }
}

static void add_hessian(const double H[81], const Felt *felt, int count, double *blocks)
{
    for (int b = 0; b < count; ++b) {
        double half[9][12];
        push_beta(H, &felt[b], half);
        for (int a = b; a < count; ++a) {
            add_block(&felt[a], half, blocks + block_at(felt[a].frame, felt[b].frame));
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

// w_a w_b (X, 1) (X, 1)^T times the point's stiffness.
static void add_stiffness(const Felt *a, const Felt *b, const double K[9], double *block)
{
    for (int m = 0; m < 12; ++m, block += 12) {
        for (int s = 0; s < 3; ++s) {
            double factor = a->share[m % 4] * K[3 * (m / 4) + s];
            for (int c = 0; c < 4; ++c) {
                block[4 * s + c] += factor * b->share[c];
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
    for (int a = 0; a < count; ++a) {
        double *g = part + room->gradient + SN_LINEAR * (size_t)felt[a].frame;
        for (int n = 0; n < 12; ++n) {
            g[n] -= force->force[n / 4] * felt[a].share[n % 4];
        }
        for (int b = 0; hessian && b <= a; ++b) {
            add_stiffness(&felt[a], &felt[b], force->stiffness,
                          part + room->matrix + block_at(felt[a].frame, felt[b].frame));
        }
    }
}
