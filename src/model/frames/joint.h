// A joint between two frames: how far they are from where they stand to each other at rest, six
// numbers that no motion of both together changes, with exact first and second derivatives.
//
// At rest both frames hold the same place M between them. Later frame i has it at x_i and frame j
// at x_j, and j is turned against i by c = q_i* q_j = (v, w), an angle a with w = cos a/2. Seen
// from the frame halfway between the two, R = R(q_i + q_j), the joint's strain is
//
//     phi = g(w) v, which is a times the axis       d = R^T (x_j - x_i)       g = a / sin a/2
//
// With small turns o_i, o_j and moves of the frames, u = o_j - o_i, e = v / (1 + w), r = x - t the
// arm of a frame and D = x_j - x_i, all in axes of the world:
//
//     R dphi = A u                       A = (g I - (g / (1 + w) + g') v v^T) / 2
//     R dd   = y + D x p                 y = dx_j - dx_i + o_j x r_j - o_i x r_i
//     p = (o_i + o_j) / 2 + u x e / 2, the turn of the frame halfway
//
// Nothing is asked of the frames but that they do not face each other at a whole turn.
#ifndef SN_MODEL_FRAMES_JOINT_H
#define SN_MODEL_FRAMES_JOINT_H

#include "model/frames/blend.h"

enum { SN_JOINT_STRAINS = 6, SN_JOINT_DOFS = 2 * SN_FRAME_DOFS };

// What a joint is: its frames, and from their origins to the place between, at rest.
typedef struct SnJointRest {
    int frames[2];     // i, j
    double arms[2][3]; // m
} SnJointRest;

// What it does, as far as derivatives need it. Vectors are in axes of the world.
typedef struct SnJoint {
    double strain[SN_JOINT_STRAINS]; // phi, rad, and d, m
    double R[9];                     // from the frame halfway to the world
    double v[3], w;                  //
    double g, slope, bend;           // g and its derivatives by w
    double e[3];                     //
    double A[9];                     //
    double r[2][3];                  // m
    double D[3];                     // m
    double span[3];                  // m, from the origin of i to that of j
} SnJoint;

// False at a whole turn.
bool sn_joint_make(const SnJointRest *rest, const SnFramePose *a, const SnFramePose *b,
                   SnJoint *out_joint);

// d strain / d (dofs of j): six rows of six. Those of i are -rows Ad, since nothing changes when j
// goes along with i.
void sn_joint_rows(const SnJoint *joint, double out[36]);

// M Ad, with Ad the dofs of j by those of i when it goes along: o = o_i, dx = dx_i + o_i x span. M
// has six rows of six; M may be out.
void sn_joint_carry(const SnJoint *joint, const double M[36], double out[36]);

// Second derivative of <f, strain> by (dofs of i, dofs of j), twelve rows of twelve.
void sn_joint_curve(const SnJoint *joint, const double f[6], double out[144]);

// a / sin(a / 2) for w = cos(a / 2) and its first two derivatives by w, for angles below a whole
// turn; without libm's functions, so that all machines agree.
void sn_joint_angle(double w, double out[3]);

#endif
