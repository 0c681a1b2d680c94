#include "model/frames/blend.h"

#include "math/affine.h"
#include "model/frames/quaternion.h"

// Smaller squares of a blend's length are no direction any more.
#define VANISHED 1e-20

static void vector_quat(const double v[3], double out[4])
{
    out[0] = v[0];
    out[1] = v[1];
    out[2] = v[2];
    out[3] = 0.0;
}

// Frames -----------------------------------------------------------------------------------------

// s = t q - q rest, since (R rest) q = q rest.
void sn_frame_blend(const SnFramePose *pose, const double rest[3], double out[8])
{
    double t[4], origin[4], tq[4], qo[4];
    vector_quat(pose->t, t);
    vector_quat(rest, origin);
    sn_quat_multiply(t, pose->q, tq);
    sn_quat_multiply(pose->q, origin, qo);
    for (int c = 0; c < 4; ++c) {
        out[c] = pose->q[c];
        out[4 + c] = tq[c] - qo[c];
    }
}

SnFramePose sn_frame_change(const SnFramePose *pose, const double change[6])
{
    SnFramePose out;
    const double turn[4] = {0.5 * change[0], 0.5 * change[1], 0.5 * change[2], 1.0};
    double q[4];
    sn_quat_multiply(turn, pose->q, q);
    sn_quaternion_normalise(q, out.q);
    for (int k = 0; k < 3; ++k) {
        out.t[k] = pose->t[k] + change[3 + k];
    }
    return out;
}

void sn_frame_jacobian(const SnFramePose *pose, const double rest[3], double out[48])
{
    double t[4], origin[4];
    vector_quat(pose->t, t);
    vector_quat(rest, origin);
    for (int a = 0; a < 3; ++a) {
        double half[4] = {0.0, 0.0, 0.0, 0.0}, unit[4] = {0.0, 0.0, 0.0, 0.0};
        double dq[4], tdq[4], dqo[4], vq[4];
        half[a] = 0.5;
        unit[a] = 1.0;
        sn_quat_multiply(half, pose->q, dq);
        sn_quat_multiply(t, dq, tdq);
        sn_quat_multiply(dq, origin, dqo);
        sn_quat_multiply(unit, pose->q, vq);
        for (int c = 0; c < 4; ++c) {
            out[6 * c + a] = dq[c];
            out[6 * (4 + c) + a] = tdq[c] - dqo[c];
            out[6 * c + 3 + a] = 0.0;
            out[6 * (4 + c) + 3 + a] = vq[c];
        }
    }
}

// s is linear in q for a fixed place, and q'' = -q / 4 for turns about any one axis.
void sn_frame_curvature(const SnFramePose *pose, const double rest[3], const double g[8],
                        double *out, int stride)
{
    double t[4], origin[4], tg[4], go[4];
    vector_quat(pose->t, t);
    vector_quat(rest, origin);
    sn_quat_conjugate_times(t, g + 4, tg);
    sn_quat_times_conjugate(g + 4, origin, go);
    double turn = 0.0;
    for (int c = 0; c < 4; ++c) {
        turn -= 0.25 * (g[c] + tg[c] - go[c]) * pose->q[c];
    }
    for (int b = 0; b < 3; ++b) {
        double half[4] = {0.0, 0.0, 0.0, 0.0}, dq[4], product[4];
        half[b] = 0.5;
        sn_quat_multiply(half, pose->q, dq);
        sn_quat_times_conjugate(g + 4, dq, product); // <g, v dq> = <g dq*, v>
        out[stride * b + b] += turn;
        for (int a = 0; a < 3; ++a) {
            out[stride * (3 + a) + b] += product[a];
            out[stride * b + 3 + a] += product[a];
        }
    }
}

// Samples ----------------------------------------------------------------------------------------

void sn_blend_gather(const double *frames, int count, const double *weights, double z[32])
{
    memset(z, 0, 32 * sizeof *z);
    for (int i = 0; i < count; ++i) {
        for (int a = 0; a < 4; ++a) {
            double u = weights[4 * i + a];
            for (int c = 0; c < 8; ++c) {
                z[8 * a + c] += u * frames[8 * i + c];
            }
        }
    }
}

// b^-1; false where there is none.
static bool invert(const double b[4], double out[4])
{
    double square = b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3];
    if (!(square > VANISHED)) {
        return false;
    }
    for (int c = 0; c < 4; ++c) {
        out[c] = (c < 3 ? -b[c] : b[c]) / square;
    }
    return true;
}

bool sn_blend_make(const double z[32], const double X[3], SnBlend *blend)
{
    double Xq[4], Y[4];
    vector_quat(X, Xq);
    memcpy(blend->X, X, sizeof blend->X);
    if (!invert(z, blend->m)) {
        return false;
    }
    sn_quat_multiply(z, Xq, Y);
    for (int c = 0; c < 4; ++c) {
        Y[c] += z[4 + c];
    }
    sn_quat_multiply(blend->m, Y, blend->A);
    for (int k = 0; k < 3; ++k) {
        const double *W = z + 8 * (k + 1);
        double unit[4] = {0.0, 0.0, 0.0, 0.0}, be[4], Yk[4], mY[4], AB[4];
        unit[k] = 1.0;
        sn_quat_multiply(W, Xq, Yk);
        sn_quat_multiply(z, unit, be);
        for (int c = 0; c < 4; ++c) {
            Yk[c] += W[4 + c] + be[c];
        }
        sn_quat_multiply(blend->m, W, blend->B[k]);
        sn_quat_multiply(blend->m, Yk, mY);
        sn_quat_multiply(blend->A, blend->B[k], AB);
        for (int c = 0; c < 4; ++c) {
            blend->D4[k][c] = mY[c] - AB[c];
        }
        for (int r = 0; r < 3; ++r) {
            blend->D[3 * r + k] = blend->D4[k][r];
        }
    }
    return true;
}

static void column_of(const double G[9], int k, double out[4])
{
    out[0] = G[k];
    out[1] = G[3 + k];
    out[2] = G[6 + k];
    out[3] = 0.0;
}

void sn_blend_reverse(const SnBlend *blend, const double G[9], double out[32])
{
    double Xq[4], rho[4] = {0.0, 0.0, 0.0, 0.0}, beta[4] = {0.0, 0.0, 0.0, 0.0}, a[4], b[4];
    vector_quat(blend->X, Xq);
    for (int k = 0; k < 3; ++k) {
        double g[4], omega[4], unit[4] = {0.0, 0.0, 0.0, 0.0};
        unit[k] = 1.0;
        column_of(G, k, g);
        sn_quat_times_conjugate(g, Xq, a);
        sn_quat_conjugate_times(blend->A, g, b);
        for (int c = 0; c < 4; ++c) {
            omega[c] = a[c] - b[c];
        }
        sn_quat_conjugate_times(blend->m, omega, out + 8 * (k + 1));
        sn_quat_conjugate_times(blend->m, g, out + 8 * (k + 1) + 4);
        sn_quat_times_conjugate(g, blend->B[k], a);
        for (int c = 0; c < 4; ++c) {
            rho[c] -= a[c];
        }
        sn_quat_times_conjugate(g, unit, a);
        sn_quat_times_conjugate(g, blend->D4[k], b);
        for (int c = 0; c < 4; ++c) {
            beta[c] += a[c] - b[c];
        }
    }
    sn_quat_times_conjugate(rho, Xq, a);
    sn_quat_conjugate_times(blend->A, rho, b);
    for (int c = 0; c < 4; ++c) {
        beta[c] += a[c] - b[c];
    }
    sn_quat_conjugate_times(blend->m, beta, out);
    sn_quat_conjugate_times(blend->m, rho, out + 4);
}

// Two 4x4 matrices side by side.
static void join(const double a[16], const double b[16], double out[32])
{
    for (int r = 0; r < 4; ++r) {
        memcpy(out + 8 * r, a + 4 * r, 4 * sizeof *out);
        memcpy(out + 8 * r + 4, b + 4 * r, 4 * sizeof *out);
    }
}

void sn_blend_tangent(const SnBlend *blend, SnBlendTangent *out)
{
    double Xq[4], RX[16], LA[16], N[16], NL[16];
    vector_quat(blend->X, Xq);
    sn_quat_left(blend->m, out->left);
    sn_quat_right(Xq, RX);
    sn_quat_left(blend->A, LA);
    for (int c = 0; c < 16; ++c) {
        N[c] = RX[c] - LA[c];
    }
    sn_quat_mat_multiply(N, out->left, NL);
    join(NL, out->left, out->grad);
    for (int k = 0; k < 3; ++k) {
        double unit[4] = {0.0, 0.0, 0.0, 0.0}, RB[16], Re[16], RD[16], a[16], b[16], c[16], d[16];
        unit[k] = 1.0;
        sn_quat_right(blend->B[k], RB);
        sn_quat_right(unit, Re);
        sn_quat_right(blend->D4[k], RD);
        sn_quat_mat_multiply(RB, out->left, out->turn[k]);
        sn_quat_mat_multiply(RB, NL, a);
        for (int i = 0; i < 16; ++i) {
            b[i] = Re[i] - RD[i];
        }
        sn_quat_mat_multiply(b, out->left, c);
        for (int i = 0; i < 16; ++i) {
            c[i] -= a[i];
            d[i] = -out->turn[k][i];
        }
        join(c, d, out->value[k]);
    }
}

void sn_blend_rows(const SnBlendTangent *tangent, const double u[4], double out[96])
{
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 32; ++i) {
            out[32 * k + i] = u[0] * tangent->value[k][i] + u[1 + k] * tangent->grad[i];
        }
    }
}

void sn_blend_curve(const SnBlendTangent *tangent, const double G[9], const double u[4],
                    const double rows[96], double out_T[64])
{
    double U[32] = {0.0}, V[16] = {0.0};
    for (int k = 0; k < 3; ++k) {
        double g[4], M[16], kappa[16], MK[16];
        column_of(G, k, g);
        sn_quat_form(g, M);
        for (int i = 0; i < 16; ++i) {
            kappa[i] = u[1 + k] * tangent->left[i] - u[0] * tangent->turn[k][i];
        }
        sn_quat_mat_multiply(M, kappa, MK);
        for (int i = 0; i < 16; ++i) {
            V[i] += MK[i];
        }
        for (int r = 0; r < 4; ++r) {
            for (int c = 0; c < 8; ++c) {
                const double *column = rows + 32 * k + c;
                U[8 * r + c] += M[4 * r] * column[0] + M[4 * r + 1] * column[8] +
                                M[4 * r + 2] * column[16] + M[4 * r + 3] * column[24];
            }
        }
    }
    for (int r = 0; r < 8; ++r) {
        for (int c = 0; c < 8; ++c) {
            double sum = 0.0;
            for (int i = 0; i < 4; ++i) {
                sum += (r < 4 ? tangent->left[4 * i + r] * U[8 * i + c] : 0.0) +
                       (c < 4 ? tangent->grad[8 * i + r] * V[4 * i + c] : 0.0);
            }
            out_T[8 * r + c] = sum;
        }
    }
}

// Points -----------------------------------------------------------------------------------------

bool sn_blend_point(const double z[8], const double X[3], SnBlendPoint *point)
{
    double Xq[4], Y[4];
    vector_quat(X, Xq);
    memcpy(point->X, X, sizeof point->X);
    if (!invert(z, point->m)) {
        return false;
    }
    sn_quat_multiply(z, Xq, Y);
    for (int c = 0; c < 4; ++c) {
        Y[c] += z[4 + c];
    }
    sn_quat_multiply(Y, point->m, point->P);
    return true;
}

// dP = (db X + dS - P db) m.
void sn_blend_point_reverse(const SnBlendPoint *point, const double f[3], double out[8])
{
    double fq[4], Xq[4], y[4], a[4], b[4];
    vector_quat(f, fq);
    vector_quat(point->X, Xq);
    sn_quat_times_conjugate(fq, point->m, y);
    sn_quat_times_conjugate(y, Xq, a);
    sn_quat_conjugate_times(point->P, y, b);
    for (int c = 0; c < 4; ++c) {
        out[c] = a[c] - b[c];
        out[4 + c] = y[c];
    }
}

void sn_blend_point_rows(const SnBlendPoint *point, double out[32])
{
    double Xq[4], RX[16], LP[16], Rm[16], N[16], a[16];
    vector_quat(point->X, Xq);
    sn_quat_right(Xq, RX);
    sn_quat_left(point->P, LP);
    sn_quat_right(point->m, Rm);
    for (int i = 0; i < 16; ++i) {
        N[i] = RX[i] - LP[i];
    }
    sn_quat_mat_multiply(Rm, N, a);
    join(a, Rm, out);
}

// d2P = -2 dP db m, so that of <f, x> it is -2 <f m*, dP db>.
void sn_blend_point_curve(const SnBlendPoint *point, const double f[3], const double rows[32],
                          double out[64])
{
    double fq[4], y[4], M[16], MT[32];
    vector_quat(f, fq);
    sn_quat_times_conjugate(fq, point->m, y);
    sn_quat_form(y, M);
    for (int r = 0; r < 4; ++r) { // M^T rows: what goes with db
        for (int c = 0; c < 8; ++c) {
            MT[8 * r + c] = M[r] * rows[c] + M[4 + r] * rows[8 + c] + M[8 + r] * rows[16 + c] +
                            M[12 + r] * rows[24 + c];
        }
    }
    for (int r = 0; r < 8; ++r) {
        for (int c = 0; c < 8; ++c) {
            out[8 * r + c] = -(r < 4 ? MT[8 * r + c] : 0.0) - (c < 4 ? MT[8 * c + r] : 0.0);
        }
    }
}
