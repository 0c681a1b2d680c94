#include "model/frames/linear_blend.h"

#include <math.h>
#include <string.h>

// A frame that a point feels: which, and how x answers its numbers.
typedef struct Felt {
    int frame;
    double share[4]; // w (X, 1)
} Felt;

enum { FELT_MAX = 64 };

size_t sn_linear_blocks(int frame_count)
{
    return sn_linear_block(frame_count, 0);
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
            const double *block = part + room->matrix + sn_linear_block(a, b);
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
                          part + room->matrix + sn_linear_block(felt[a].frame, felt[b].frame));
        }
    }
}
