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

void sn_springs_aim(const SnSprings *springs, const double *now, const double *last, double ahead)
{
    size_t strains = 6 * (size_t)springs->count;
    memset(springs->targets, 0, strains * sizeof *springs->targets);
    if (ahead > 0.0 && find_strains(springs, last)) {
        for (size_t s = 0; s < strains; ++s) {
            springs->targets[s] = -ahead * springs->strains[s];
        }
    }
    if (find_strains(springs, now)) {
        for (size_t s = 0; s < strains; ++s) {
            springs->targets[s] += (1.0 + ahead) * springs->strains[s];
        }
    }
}

// v_rate times beta, of two joints.
static double friction_of(const SnSprings *springs, double v_rate, int a, int b)
{
    return v_rate > 0.0 ? v_rate * sqrt(springs->betas[a] * springs->betas[b]) : 0.0;
}

// Adds M to the block of frames (r, c) of a symmetric matrix, of which the lower triangle is kept.
// `twice`: M stands for itself and for M^T at (c, r).
static void add_block(const double M[36], int r, int c, bool twice, int dofs, double *matrix)
{
    for (int n = 0; n < 36; ++n) {
        int m = 6 * (n % 6) + n / 6;
        if (r == c) {
            bool lower = n % 6 <= n / 6;
            matrix[(6 * r + n / 6) * dofs + 6 * c + n % 6] +=
                lower ? M[n] + (twice ? M[m] : 0.0) : 0.0;
        } else if (r > c) {
            matrix[(6 * r + n / 6) * dofs + 6 * c + n % 6] += M[n];
        } else {
            matrix[(6 * c + n / 6) * dofs + 6 * r + n % 6] += M[m];
        }
    }
}

static void transpose(const double M[36], double out[36])
{
    for (int n = 0; n < 36; ++n) {
        out[n] = M[6 * (n % 6) + n / 6];
    }
}

// One form of all strains ------------------------------------------------------------------------

// scale rows_a^T C rows_b of two joints, by the dofs of their second frames; C's rows are so far
// apart.
static void form_of(const double *A, const double *B, const double *C, size_t stride, double scale,
                    double out[36])
{
    double half[36] = {0.0};
    for (int r = 0; r < 6; ++r) {
        for (int k = 0; k < 6; ++k) {
            for (int c = 0; c < 6; ++c) {
                half[6 * r + c] += scale * C[stride * (size_t)r + (size_t)k] * B[6 * k + c];
            }
        }
    }
    memset(out, 0, 36 * sizeof *out);
    for (int k = 0; k < 6; ++k) {
        for (int r = 0; r < 6; ++r) {
            for (int c = 0; c < 6; ++c) {
                out[6 * r + c] += A[6 * k + r] * half[6 * k + c];
            }
        }
    }
}

// What M of the second frames of two joints is to all four: with the sign turned, first frames
// carry the second ones.
static void spread_form(const SnSprings *springs, int a, int b, const double M[36], double *matrix)
{
    const SnJoint *joint_a = &springs->joints[a], *joint_b = &springs->joints[b];
    const int *A = springs->rests[a].frames, *B = springs->rests[b].frames;
    int dofs = 6 * springs->frame_count;
    double right[36], left[36], both[36], turned[36];
    sn_joint_carry(joint_b, M, right); // M Ad_b
    transpose(M, turned);
    sn_joint_carry(joint_a, turned, left); // M^T Ad_a
    transpose(left, turned);               // Ad_a^T M
    sn_joint_carry(joint_b, turned, both);
    for (int n = 0; n < 36; ++n) {
        right[n] = -right[n];
        turned[n] = -turned[n];
    }
    add_block(M, A[1], B[1], a != b, dofs, matrix);
    add_block(both, A[0], B[0], a != b, dofs, matrix);
    add_block(right, A[1], B[0], a != b, dofs, matrix);
    if (a != b) {
        add_block(turned, A[0], B[1], true, dofs, matrix);
    }
}

// rows^T C rows and the curvature of the strains.
static void add_hessian(const SnSprings *springs, double v_rate, double *matrix)
{
    int dofs = 6 * springs->frame_count;
    size_t stride = 6 * (size_t)springs->count;
    for (int a = 0; a < springs->count; ++a) {
        const int *frames = springs->rests[a].frames;
        double curve[144];
        for (int b = 0; b <= a; ++b) {
            double M[36];
            form_of(springs->rows + 36 * (size_t)a, springs->rows + 36 * (size_t)b,
                    springs->stiffness + 6 * (size_t)a * stride + 6 * (size_t)b, stride,
                    1.0 + friction_of(springs, v_rate, a, b), M);
            spread_form(springs, a, b, M, matrix);
        }
        sn_joint_curve(&springs->joints[a], springs->forces + 6 * (size_t)a, curve);
        for (int i = 0; i < 144; ++i) {
            int row = 6 * frames[i / 72] + i / 12 % 6, column = 6 * frames[i % 12 / 6] + i % 6;
            matrix[row * dofs + column] += column <= row ? curve[i] : 0.0;
        }
    }
}

// Adds rows^T f of a joint to both of its frames.
static void add_gradient(const SnSprings *springs, int n, double *gradient)
{
    const double *f = springs->forces + 6 * (size_t)n, *rows = springs->rows + 36 * (size_t)n;
    double *first = gradient + 6 * (size_t)springs->rests[n].frames[0];
    double *second = gradient + 6 * (size_t)springs->rests[n].frames[1];
    const double *a = springs->joints[n].span;
    double wrench[6] = {0.0};
    for (int i = 0; i < 36; ++i) {
        wrench[i % 6] += rows[i] * f[i / 6];
    }
    for (int d = 0; d < 6; ++d) {
        second[d] += wrench[d];
        first[d] -= wrench[d];
    }
    first[0] -= a[1] * wrench[5] - a[2] * wrench[4];
    first[1] -= a[2] * wrench[3] - a[0] * wrench[5];
    first[2] -= a[0] * wrench[4] - a[1] * wrench[3];
}

// Forces C e, and friction where there is any; energy of both.
static double find_forces(const SnSprings *springs, double v_rate)
{
    size_t strains = 6 * (size_t)springs->count;
    double energy = 0.0;
    for (size_t s = 0; s < strains; ++s) {
        const double *C = springs->stiffness + strains * s;
        double stress = 0.0, friction = 0.0;
        for (size_t t = 0; t < strains; ++t) {
            stress += C[t] * springs->strains[t];
        }
        for (size_t t = 0; v_rate > 0.0 && t < strains; ++t) {
            friction += C[t] * friction_of(springs, v_rate, (int)(s / 6), (int)(t / 6)) *
                        (springs->strains[t] - springs->targets[t]);
        }
        springs->forces[s] = stress + friction;
        energy += 0.5 * stress * springs->strains[s] +
                  0.5 * friction * (springs->strains[s] - springs->targets[s]);
    }
    return energy;
}

static double evaluate_form(const SnSprings *springs, double v_rate, double *gradient,
                            double *matrix)
{
    double energy = find_forces(springs, v_rate);
    for (int n = 0; n < springs->count; ++n) {
        sn_joint_rows(&springs->joints[n], springs->rows + 36 * (size_t)n);
        add_gradient(springs, n, gradient);
    }
    if (matrix != NULL) {
        add_hessian(springs, v_rate, matrix);
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
static void add_pair_stiffness(const SnSprings *springs, int n, double scale,
                               const double shifts[72], double *matrix)
{
    const double *S = springs->stiffness + 36 * (size_t)n;
    const int *frames = springs->rests[n].frames;
    int dofs = 6 * springs->frame_count;
    double mean[36], across[36], M[36];
    for (int i = 0; i < 36; ++i) {
        mean[i] = 0.5 * (S[i] + S[6 * (i % 6) + i / 6]);
        across[i] = -S[i];
    }
    for (int side = 0; side < 2; ++side) {
        form_of(shifts + 36 * side, shifts + 36 * side, mean, 6, scale, M);
        add_block(M, frames[side], frames[side], false, dofs, matrix);
    }
    form_of(shifts, shifts + 36, across, 6, scale, M);
    add_block(M, frames[0], frames[1], false, dofs, matrix);
}

static double evaluate_pairs(const SnSprings *springs, double v_rate, double *gradient,
                             double *matrix)
{
    double energy = 0.0;
    for (int n = 0; n < springs->count; ++n) {
        const double *S = springs->stiffness + 36 * (size_t)n;
        const double *strain = springs->strains + 6 * (size_t)n;
        const double *target = springs->targets + 6 * (size_t)n;
        double *force = springs->forces + 6 * (size_t)n, shifts[72];
        double friction = friction_of(springs, v_rate, n, n);
        for (int r = 0; r < 6; ++r) {
            double stress = 0.0;
            force[r] = 0.0;
            for (int c = 0; c < 6; ++c) {
                double mean = 0.5 * (S[6 * r + c] + S[6 * c + r]);
                stress += mean * strain[c];
                force[r] += mean * (strain[c] + friction * (strain[c] - target[c]));
            }
            energy += 0.5 * stress * strain[r];
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
            add_pair_stiffness(springs, n, 1.0 + friction, shifts, matrix);
        }
    }
    return energy;
}

double sn_springs_evaluate(const SnSprings *springs, const double *poses, double v_rate,
                           double *gradient, double *matrix)
{
    if (!find_strains(springs, poses)) {
        return INFINITY;
    }
    double energy = springs->paired ? evaluate_pairs(springs, v_rate, gradient, matrix)
                                    : evaluate_form(springs, v_rate, gradient, matrix);
    return isfinite(energy) ? energy : INFINITY;
}
