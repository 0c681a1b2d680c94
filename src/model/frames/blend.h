// Kinematics of frames: a rest point X moves as the dual-quaternion blend of rigid frames, and so
// does the deformation gradient, each with exact first and second derivatives.
//
// A frame is eight numbers, (q, s): q turns from rest, a unit quaternion, and q X + s = x q for the
// place x to which the frame takes X. A blend gathers them with weights w_i and their gradients
// d_k w_i:
//
//     b = sum w q   S = sum w s   W_k = sum d_k w q   S_k = sum d_k w s
//     Y = b X + S   Y_k = W_k X + S_k + b e_k   m = b^-1
//     x = vec(Y m)  D_k = m Y_k - (m Y) (m W_k),  D = R(b)^T F has the columns vec D_k
//
// which is [C]'s blend in a simpler form: normalising the dual part only changes scalars that are
// never read. D and F are the same to every law, since laws do not see rotations; D = I at rest
// whatever turns the body. Derivatives, with changes beta = m db, eta = m dY and so on:
//
//     dD_k  = sigma_k + beta e_k - beta D_k + omega_k X - A omega_k - rho B_k
//     d2D_k = -2 (beta dD_k + rho kappa_k)
//     A = m Y, B_k = m W_k, rho = beta X + sigma - A beta, kappa_k = omega_k - beta B_k
#ifndef SN_MODEL_FRAMES_BLEND_H
#define SN_MODEL_FRAMES_BLEND_H

#include <stdbool.h>

enum {
    SN_FRAME_BLEND = 8,  // numbers of a frame in blends
    SN_FRAME_DOFS = 6,   // a frame's own: omega, rad, about its origin, then its shift, m
    SN_BLEND_WEIGHTS = 4 // of a frame at a sample: w, d_x w, d_y w, d_z w
};

// Where a frame is: its turn from rest, unit quaternion, and its origin. At rest it is unturned and
// at its rest origin.
typedef struct SnFramePose {
    double q[4];
    double t[3]; // m
} SnFramePose;

// (q, s) of a pose.
void sn_frame_blend(const SnFramePose *pose, const double rest[3], double out[8]);

// The pose after a small change: turned by (omega / 2, 1), normalised, which agrees with the
// exponential to second order; moved by v.
SnFramePose sn_frame_change(const SnFramePose *pose, const double change[6]);

// d (q, s) / d (omega, v): eight rows of six.
void sn_frame_jacobian(const SnFramePose *pose, const double rest[3], double out[48]);

// Adds the second derivative of <g, (q, s)> by (omega, v), 6x6 row-major with the given row length.
void sn_frame_curvature(const SnFramePose *pose, const double rest[3], const double g[8],
                        double *out, int stride);

// A blend of a sample, as far as its derivatives need it.
typedef struct SnBlend {
    double X[3];
    double m[4], A[4], B[3][4], D4[3][4];
    double D[9]; // row-major
} SnBlend;

// Gathers (q, s) of `count` frames: z[8 a + c] with a = 0 for w and 1 + k for d_k w.
void sn_blend_gather(const double *frames, int count, const double *weights, double z[32]);

// False where the blend vanishes: frames that face each other at a full turn.
bool sn_blend_make(const double z[32], const double X[3], SnBlend *out_blend);

// Gradient by z of a function with the gradient G (9, row-major) by D.
void sn_blend_reverse(const SnBlend *blend, const double G[9], double out[32]);

// What second derivatives need of a sample: dD = sum_i (w_i value_k + d_k w_i grad) d(q, s)_i, with
// the four rows of each D_k.
typedef struct SnBlendTangent {
    double value[3][32]; // 4 x 8
    double grad[32];     // 4 x 8, the same for all k
    double left[16];     // of m
    double turn[3][16];  // right of B_k, times `left`
} SnBlendTangent;

void sn_blend_tangent(const SnBlend *blend, SnBlendTangent *out_tangent);

// dD / d(q, s) of one frame with the weights u: twelve rows of eight, row 4 k + r; r = 3 is the
// scalar part that only second derivatives use.
void sn_blend_rows(const SnBlendTangent *tangent, const double u[4], double out[96]);

// The frame's part of the second derivative of <G, D>: with T of the frames, it is
// -(w_i T_j + w_j T_i^T) for the block (i, j). G is 9, rows are those above; T is 8x8.
void sn_blend_curve(const SnBlendTangent *tangent, const double G[9], const double u[4],
                    const double rows[96], double out_T[64]);

// A material point: gathers b and S alone, places X. False where the blend vanishes.
typedef struct SnBlendPoint {
    double X[3];
    double m[4], P[4]; // P: x and a scalar
} SnBlendPoint;

bool sn_blend_point(const double z[8], const double X[3], SnBlendPoint *out_point);

// Gradient by (b, S) of <f, x>.
void sn_blend_point_reverse(const SnBlendPoint *point, const double f[3], double out[8]);

// d P / d (b, S): four rows of eight; a frame's are w times that, and the first three are d x.
void sn_blend_point_rows(const SnBlendPoint *point, double out[32]);

// Second derivative of <f, x> by (b, S), 8x8; of the frames i and j it is w_i w_j times that.
void sn_blend_point_curve(const SnBlendPoint *point, const double f[3], const double rows[32],
                          double out[64]);

#endif
