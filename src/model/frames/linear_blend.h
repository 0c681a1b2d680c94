// Affine frames, blended linearly: frame i takes X to A_i X + t_i, twelve numbers, A row by row and
// then t, and a place to
//
//     x = sum w_i (A_i X + t_i)      F_rk = sum_i sum_c beta_i[k][c] a_i[r][c]
//     a_i[r] = (A_i[r], t_i[r])      beta_i[k] = w_i (e_k, 0) + d_k w_i (X, 1)
//
// All of it is linear in the numbers: beta is constant, mass is constant, and the Hessian of a law
// is beta^T (d P / d F) beta with nothing besides. X is from the grid's centre. What blends of
// rigid frames are for samples.h and points.h, this is for affine ones.
#ifndef SN_MODEL_FRAMES_LINEAR_BLEND_H
#define SN_MODEL_FRAMES_LINEAR_BLEND_H

#include "model/frames/points.h"

enum {
    SN_LINEAR = 12, // numbers of a frame, which are its dofs
    SN_LINEAR_BLOCK = SN_LINEAR * SN_LINEAR
};

// Where the number of row r and column c is; column 3 is t.
static inline int sn_linear_at(int r, int c)
{
    return c < 3 ? 3 * r + c : 9 + r;
}

// Parts have the numbers of a frame as rows (A[r], t[r]), four by four, which is how loops meet
// them; the block of frames a >= b has 12 rows of 12 and begins here.
static inline size_t sn_linear_block(int a, int b)
{
    return SN_LINEAR_BLOCK * ((size_t)a * ((size_t)a + 1) / 2 + (size_t)b);
}

// Doubles of a part's Hessian, and a part's sums, as sn_samples_collect.
size_t sn_linear_blocks(int frame_count);
double sn_linear_collect(const SnSamplesRoom *room, const double *part, double *gradient,
                         double *matrix);

// Groups of samples [begin, end) by their laws: adds energy, gradient and, with def->hessian, the
// Hessian to a part of the room, whose scratch has this many doubles (linear_samples.c).
void sn_linear_samples(const SnSamplesDef *def, int begin, int end, double *part);
size_t sn_linear_scratch(int frame_count);

// Places of the points [begin, end), and velocities of all from those of the frames' numbers.
void sn_linear_place(const SnFramePoints *points, const double *frames, int begin, int end,
                     double *out_x);
void sn_linear_speed(const SnFramePoints *points, const double *rates, double *out_v);

// Adds what the forces of one point do to gradient and, with `hessian`, Hessian of a part.
void sn_linear_push(const SnFramePoints *points, int point, const SnSamplesRoom *room, bool hessian,
                    double *part);

#endif
