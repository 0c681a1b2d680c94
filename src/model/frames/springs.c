#include "model/frames/springs.h"

#include <math.h>
#include <string.h>

static SnFramePose pose_at(const double *poses, int frame)
{
    const double *p = poses + 7 * (size_t)frame;
    return (SnFramePose){{p[0], p[1], p[2], p[3]}, {p[4], p[5], p[6]}};
}

static bool find_strains(const SnSprings *springs, const double *poses)
{
    for (int n = 0; n < springs->count; ++n) {
        const SnJointRest *rest = &springs->rests[n];
        SnFramePose a = pose_at(poses, rest->frames[0]), b = pose_at(poses, rest->frames[1]);
        if (!sn_joint_make(rest, &a, &b, &springs->joints[n])) {
            return false;
        }
        memcpy(springs->strains + 6 * (size_t)n, springs->joints[n].strain, 6 * sizeof(double));
    }
    return true;
}

// Adds scale A^T B of 6x6 matrices, rows of A and B so many numbers apart, to the lower triangle of
// the block of frames (r, c).
static void add_product(const double *A, const double *B, int stride_A, int stride_B, double scale,
                        int r, int c, int dofs, double *matrix)
{
    double sums[36] = {0.0};
    if (r < c) {
        return;
    }
    for (int k = 0; k < 6; ++k) {
        const double *a = A + (size_t)(k * stride_A), *b = B + (size_t)(k * stride_B);
        for (int m = 0; m < 6; ++m) {
            for (int n = 0; n < 6; ++n) {
                sums[6 * m + n] += a[m] * b[n];
            }
        }
    }
    for (int n = 0; n < 36; ++n) {
        int row = 6 * r + n / 6, column = 6 * c + n % 6;
        matrix[row * dofs + column] += column <= row ? scale * sums[n] : 0.0;
    }
}

// One form of all strains ------------------------------------------------------------------------

// products = C rows, dofs wide.
static void find_products(const SnSprings *springs)
{
    int count = springs->count, dofs = 6 * springs->frame_count;
    memset(springs->products, 0, 6 * (size_t)count * (size_t)dofs * sizeof *springs->products);
    for (int s = 0; s < 6 * count; ++s) {
        const double *C = springs->stiffness + 6 * (size_t)count * (size_t)s;
        double *out = springs->products + (size_t)dofs * (size_t)s;
        for (int n = 0; n < count; ++n) {
            const double *rows = springs->rows + 72 * (size_t)n;
            double sums[12] = {0.0};
            for (int k = 0; k < 6; ++k) {
                for (int d = 0; d < 12; ++d) {
                    sums[d] += C[6 * n + k] * rows[12 * k + d];
                }
            }
            for (int side = 0; side < 2; ++side) {
                double *to = out + 6 * springs->rests[n].frames[side];
                for (int d = 0; d < 6; ++d) {
                    to[d] += sums[6 * side + d];
                }
            }
        }
    }
}

// rows^T C rows and the curvature of the strains.
static void add_hessian(const SnSprings *springs, double *matrix)
{
    int dofs = 6 * springs->frame_count;
    find_products(springs);
    for (int n = 0; n < springs->count; ++n) {
        const int *frames = springs->rests[n].frames;
        double curve[144];
        sn_joint_curve(&springs->joints[n], springs->forces + 6 * (size_t)n, curve);
        for (int side = 0; side < 2; ++side) {
            for (int c = 0; c < springs->frame_count; ++c) {
                add_product(springs->rows + 72 * (size_t)n + 6 * side,
                            springs->products + 6 * (size_t)n * (size_t)dofs + 6 * c, 12, dofs, 1.0,
                            frames[side], c, dofs, matrix);
            }
        }
        for (int i = 0; i < 144; ++i) {
            int row = 6 * frames[i / 72] + i / 12 % 6, column = 6 * frames[i % 12 / 6] + i % 6;
            matrix[row * dofs + column] += column <= row ? curve[i] : 0.0;
        }
    }
}

static double evaluate_form(const SnSprings *springs, double *gradient, double *matrix)
{
    size_t strains = 6 * (size_t)springs->count;
    double energy = 0.0;
    for (size_t s = 0; s < strains; ++s) {
        double sum = 0.0;
        for (size_t t = 0; t < strains; ++t) {
            sum += springs->stiffness[strains * s + t] * springs->strains[t];
        }
        springs->forces[s] = sum;
        energy += 0.5 * sum * springs->strains[s];
    }
    for (int n = 0; n < springs->count; ++n) {
        double *rows = springs->rows + 72 * (size_t)n;
        sn_joint_rows(&springs->joints[n], rows);
        for (int i = 0; i < 72; ++i) {
            int frame = springs->rests[n].frames[i % 12 / 6];
            gradient[6 * frame + i % 6] += rows[i] * springs->forces[6 * n + i / 12];
        }
    }
    if (matrix != NULL) {
        add_hessian(springs, matrix);
    }
    return energy;
}

// Pairs [C sec 4.3] ------------------------------------------------------------------------------

// R^T D(l) of a side, l from the joint to the frame's origin: (16), seen from the frame halfway.
static void shift_rows(const SnJoint *joint, int side, double out[36])
{
    double l[3];
    for (int k = 0; k < 3; ++k) {
        l[k] = (side == 0 ? -0.5 : 0.5) * joint->D[k] - joint->r[side][k];
    }
    const double lx[9] = {0.0, -l[2], l[1], l[2], 0.0, -l[0], -l[1], l[0], 0.0};
    for (int n = 0; n < 9; ++n) {
        int r = n / 3, c = n % 3;
        out[6 * r + c] = out[6 * (3 + r) + 3 + c] = joint->R[3 * c + r];
        out[6 * r + 3 + c] = 0.0;
        out[6 * (3 + r) + c] =
            joint->R[r] * lx[c] + joint->R[3 + r] * lx[3 + c] + joint->R[6 + r] * lx[6 + c];
    }
}

// (20) to (23); what (21) and (22) leave unsymmetric is taken with its mean.
static void add_pair_stiffness(const SnSprings *springs, int n, const double shifts[72],
                               double *matrix)
{
    const double *S = springs->stiffness + 36 * (size_t)n;
    const int *frames = springs->rests[n].frames;
    int dofs = 6 * springs->frame_count;
    for (int block = 0; block < 4; ++block) {
        int r = block / 2, c = block % 2;
        double half[36], sign = r == c ? 1.0 : -1.0;
        for (int i = 0; i < 36; ++i) {
            half[i] = 0.0;
            for (int k = 0; k < 6; ++k) {
                int a = 6 * (i / 6) + k, b = 6 * k + i / 6;
                double s = r == c ? 0.5 * (S[a] + S[b]) : r == 0 ? S[a] : S[b];
                half[i] += s * shifts[36 * c + 6 * k + i % 6];
            }
        }
        add_product(shifts + 36 * r, half, 6, 6, sign, frames[r], frames[c], dofs, matrix);
    }
}

static double evaluate_pairs(const SnSprings *springs, double *gradient, double *matrix)
{
    double energy = 0.0;
    for (int n = 0; n < springs->count; ++n) {
        const double *S = springs->stiffness + 36 * (size_t)n;
        const double *strain = springs->strains + 6 * (size_t)n;
        double *force = springs->forces + 6 * (size_t)n, shifts[72];
        for (int r = 0; r < 6; ++r) {
            force[r] = 0.0;
            for (int c = 0; c < 6; ++c) {
                force[r] += 0.5 * (S[6 * r + c] + S[6 * c + r]) * strain[c];
            }
            energy += 0.5 * force[r] * strain[r];
        }
        for (int side = 0; side < 2; ++side) { // (24) and (25)
            double sign = side == 0 ? -1.0 : 1.0;
            shift_rows(&springs->joints[n], side, shifts + 36 * side);
            for (int i = 0; i < 36; ++i) {
                gradient[6 * springs->rests[n].frames[side] + i % 6] +=
                    sign * shifts[36 * side + i] * force[i / 6];
            }
        }
        if (matrix != NULL) {
            add_pair_stiffness(springs, n, shifts, matrix);
        }
    }
    return energy;
}

double sn_springs_evaluate(const SnSprings *springs, const double *poses, double *gradient,
                           double *matrix)
{
    if (!find_strains(springs, poses)) {
        return INFINITY;
    }
    double energy = springs->paired ? evaluate_pairs(springs, gradient, matrix)
                                    : evaluate_form(springs, gradient, matrix);
    return isfinite(energy) ? energy : INFINITY;
}
