#include "model/frames/joint.h"

#include "geometry/point.h"
#include "model/frames/quaternion.h"

#include <math.h>

// 1 + w below this is a whole turn.
#define WHOLE_TURN 1e-9

// The series of g converges as ((1 - w) / 2)^k.
#define SERIES_FROM 0.9
enum { SERIES_TERMS = 14 };

// g = 2 sum a_k (1 - w)^k with a_0 = 1 and a_k = a_(k-1) k / (2 k + 1), and its derivatives.
static void angle_series(double w, double out[3])
{
    double terms[SERIES_TERMS], x = 1.0 - w;
    terms[0] = 2.0;
    for (int k = 1; k < SERIES_TERMS; ++k) {
        terms[k] = terms[k - 1] * k / (2.0 * k + 1.0);
    }
    double value = 0.0, first = 0.0, second = 0.0;
    for (int k = SERIES_TERMS - 1; k >= 0; --k) {
        second = second * x + 2.0 * first;
        first = first * x + value;
        value = value * x + terms[k];
    }
    out[0] = value;
    out[1] = -first;
    out[2] = second;
}

// Of half the angle g is known by the series at last: g(w) = g(u) / u with u = cos(a / 4). The
// derivatives follow from (1 - w^2) g' = w g - 2.
void sn_joint_angle(double w, double out[3])
{
    if (w >= SERIES_FROM) {
        angle_series(w, out);
        return;
    }
    double u = w, cosines = 1.0, rest = 1.0 - w * w;
    while (u < SERIES_FROM) {
        u = sqrt(0.5 * (1.0 + u));
        cosines *= u;
    }
    angle_series(u, out);
    out[0] /= cosines;
    out[1] = (w * out[0] - 2.0) / rest;
    out[2] = (out[0] + 3.0 * w * out[1]) / rest;
}

// M with M x = a x x.
static void cross_matrix(const double a[3], double out[9])
{
    const double rows[9] = {0.0, -a[2], a[1], a[2], 0.0, -a[0], -a[1], a[0], 0.0};
    memcpy(out, rows, sizeof rows);
}

// a b^T + b a^T, scaled, and a multiple of the unit, added.
static void add_pair(const double a[3], const double b[3], double scale, double unit, double out[9])
{
    for (int n = 0; n < 9; ++n) {
        int r = n / 3, c = n % 3;
        out[n] += scale * (a[r] * b[c] + b[r] * a[c]) + (r == c ? unit : 0.0);
    }
}

bool sn_joint_make(const SnJointRest *rest, const SnFramePose *a, const SnFramePose *b,
                   SnJoint *joint)
{
    const SnFramePose *poses[2] = {a, b};
    double c[4], middle[4], values[3], x[2][3];
    sn_quat_conjugate_times(a->q, b->q, c);
    if (!(1.0 + c[3] > WHOLE_TURN)) {
        return false;
    }
    double length = sqrt(2.0 * (1.0 + c[3]));
    for (int k = 0; k < 4; ++k) {
        middle[k] = (a->q[k] + b->q[k]) / length;
    }
    sn_quat_to_mat3(middle, joint->R);
    joint->w = c[3];
    sn_joint_angle(c[3], values);
    joint->g = values[0];
    joint->slope = values[1];
    joint->bend = values[2];
    sn_mat3_apply(joint->R, c, joint->v);
    for (int side = 0; side < 2; ++side) {
        double turn[9];
        sn_quat_to_mat3(poses[side]->q, turn);
        sn_mat3_apply(turn, rest->arms[side], joint->r[side]);
        for (int k = 0; k < 3; ++k) {
            x[side][k] = poses[side]->t[k] + joint->r[side][k];
        }
    }
    for (int k = 0; k < 3; ++k) {
        joint->strain[k] = joint->g * c[k];
        joint->e[k] = joint->v[k] / (1.0 + joint->w);
        joint->D[k] = x[1][k] - x[0][k];
        joint->span[k] = b->t[k] - a->t[k];
    }
    for (int k = 0; k < 3; ++k) {
        joint->strain[3 + k] = joint->R[k] * joint->D[0] + joint->R[3 + k] * joint->D[1] +
                               joint->R[6 + k] * joint->D[2];
    }
    memset(joint->A, 0, sizeof joint->A);
    add_pair(joint->v, joint->v, -0.25 * (joint->g / (1.0 + joint->w) + joint->slope),
             0.5 * joint->g, joint->A);
    return true;
}

// d p / d o of a side: (I + [e]) / 2 of i and (I - [e]) / 2 of j.
static void middle_rows(const SnJoint *joint, int side, double out[9])
{
    double e[9];
    cross_matrix(joint->e, e);
    for (int n = 0; n < 9; ++n) {
        out[n] = 0.5 * ((n % 4 == 0 ? 1.0 : 0.0) + (side == 0 ? e[n] : -e[n]));
    }
}

void sn_joint_rows(const SnJoint *joint, double out[36])
{
    double R[9], D[9], P[9], DP[9], r[9], turn[9], about[9];
    sn_mat3_transpose(joint->R, R);
    cross_matrix(joint->D, D);
    cross_matrix(joint->r[1], r);
    middle_rows(joint, 1, P);
    sn_mat3_multiply(D, P, DP);
    for (int n = 0; n < 9; ++n) {
        DP[n] -= r[n];
    }
    sn_mat3_multiply(R, joint->A, turn);
    sn_mat3_multiply(R, DP, about);
    for (int n = 0; n < 9; ++n) {
        int at = 6 * (n / 3) + n % 3;
        out[at] = turn[n];
        out[at + 3] = 0.0;
        out[at + 18] = about[n];
        out[at + 21] = R[n];
    }
}

void sn_joint_carry(const SnJoint *joint, const double M[36], double out[36])
{
    const double *a = joint->span;
    for (int row = 0; row < 6; ++row) {
        const double *m = M + 6 * row;
        double *to = out + 6 * row;
        const double move[3] = {m[3], m[4], m[5]};
        // m . (o x a) = o . (a x m)
        to[0] = m[0] + a[1] * move[2] - a[2] * move[1];
        to[1] = m[1] + a[2] * move[0] - a[0] * move[2];
        to[2] = m[2] + a[0] * move[1] - a[1] * move[0];
        for (int k = 0; k < 3; ++k) {
            to[3 + k] = move[k];
        }
    }
}

// Second derivatives -----------------------------------------------------------------------------

// Adds M to the block (r, c) of 4 x 4 blocks, three numbers each.
static void add_block(double *out, int r, int c, double scale, const double M[9])
{
    for (int n = 0; n < 9; ++n) {
        out[12 * (3 * r + n / 3) + 3 * c + n % 3] += scale * M[n];
    }
}

// Of <t, phi>: the blocks of turns are 0 and 2.
static void add_turns(const SnJoint *joint, const double t[3], double *out)
{
    const double *v = joint->v;
    double U[9] = {0.0}, y[3], Y[9], Yt[9], tv = sn_point_dot(t, v);
    add_pair(v, t, -0.25 * joint->slope, -0.25 * (joint->g + joint->w * joint->slope) * tv, U);
    add_pair(v, v, tv * (0.25 * joint->slope / (1.0 + joint->w) + 0.125 * joint->bend), 0.0, U);
    add_block(out, 0, 0, 1.0, U);
    add_block(out, 2, 2, 1.0, U);
    add_block(out, 0, 2, -1.0, U);
    add_block(out, 2, 0, -1.0, U);
    // Turns do not commute: -(o_i x o_j) . A t / 2.
    sn_mat3_apply(joint->A, t, y);
    cross_matrix(y, Y);
    sn_mat3_transpose(Y, Yt);
    add_block(out, 0, 2, 0.5, Y);
    add_block(out, 2, 0, 0.5, Yt);
}

// Of <F, d>, the part of arms that turn, F . o x (o x r) / 2, and of the second turn of the frame
// halfway, -(e (o_i + o_j) . u / 2 - (u . e) p) / 4.
static void add_arms(const SnJoint *joint, const double F[3], const double P[18], double *out)
{
    double G[3], PG[2][3], eG;
    sn_point_cross(joint->D, F, G);
    eG = sn_point_dot(joint->e, G);
    for (int side = 0; side < 2; ++side) {
        double sign = side == 0 ? -1.0 : 1.0, arms[9] = {0.0}, T[9];
        add_pair(F, joint->r[side], 0.5 * sign,
                 sign * (0.25 * eG - sn_point_dot(F, joint->r[side])), arms);
        add_block(out, 2 * side, 2 * side, 1.0, arms);
        sn_mat3_transpose(P + 9 * side, T);
        sn_mat3_apply(T, G, PG[side]);
    }
    for (int n = 0; n < 4; ++n) {
        int r = n / 2, c = n % 2;
        double M[9];
        for (int k = 0; k < 9; ++k) {
            M[k] = (r == 0 ? -1.0 : 1.0) * joint->e[k / 3] * PG[c][k % 3] +
                   (c == 0 ? -1.0 : 1.0) * PG[r][k / 3] * joint->e[k % 3];
        }
        add_block(out, 2 * r, 2 * c, -0.25, M);
    }
}

// Of <F, d>, the part of the turning frame halfway: -F . p x y + F . p x (p x D) / 2.
static void add_middle(const SnJoint *joint, const double F[3], const double P[18], double *out)
{
    double Fx[9], S[9] = {0.0};
    cross_matrix(F, Fx);
    add_pair(F, joint->D, 0.5, -sn_point_dot(F, joint->D), S);
    for (int c = 0; c < 2; ++c) {
        double Q[9], SP[9];
        sn_mat3_multiply(Fx, P + 9 * c, Q);
        sn_mat3_multiply(S, P + 9 * c, SP);
        for (int r = 0; r < 2; ++r) {
            double sign = r == 0 ? -1.0 : 1.0;
            double rx[9], turns[9], turns_t[9], moves_t[9], both[9];
            // y = sign (dx - [r] o), and -F . p x y = -y . F x p.
            cross_matrix(joint->r[r], rx);
            sn_mat3_transpose_multiply(rx, Q, turns);
            sn_mat3_transpose(turns, turns_t);
            add_block(out, 2 * r, 2 * c, sign, turns);
            add_block(out, 2 * c, 2 * r, sign, turns_t);
            sn_mat3_transpose(Q, moves_t);
            add_block(out, 2 * r + 1, 2 * c, -sign, Q);
            add_block(out, 2 * c, 2 * r + 1, -sign, moves_t);
            sn_mat3_transpose_multiply(P + 9 * r, SP, both);
            add_block(out, 2 * r, 2 * c, 1.0, both);
        }
    }
}

void sn_joint_curve(const SnJoint *joint, const double f[6], double out[144])
{
    double t[3], F[3], P[18];
    memset(out, 0, 144 * sizeof *out);
    sn_mat3_apply(joint->R, f, t);
    sn_mat3_apply(joint->R, f + 3, F);
    middle_rows(joint, 0, P);
    middle_rows(joint, 1, P + 9);
    add_turns(joint, t, out);
    add_arms(joint, F, P, out);
    add_middle(joint, F, P, out);
}
